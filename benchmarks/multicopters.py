"""Multicopters: steps per second under a compiled law, of the full model, and by sensors against real time.

One body with four speeds that follow with a lag flies the vertical loops of `vertical_loops` in steps of RK4 of 1 ms,
under a law at 500 Hz: a loop of one's own of plain functions, compiled with the law by its address as flights by
sensors are. RotorPy makes the same steps of the same vehicle under its own law, in the same rounds. The other rows are
calls of the package with all that they take: set-up, records, audit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import visviva as vv
from benchmarks import peers_rotorpy, vertical_loops
from benchmarks.row import Row, three_digits
from benchmarks.timing import Call, fastest
from visviva import copter
from visviva._arrays import Array
from visviva.copter.agents.agent import law_access
from visviva.copter.agents.agent_tick import LawAccess
from visviva.copter.estimation import compiled
from visviva.kernels.calls import call_inputs

H, EVERY = 1e-3, 2  # [s] of a step, and steps per tick of the law
NEAR = 0.02  # [m] from its reference
NAMES = ("looping", "transitions")


def rates(x: Array, asked: Array, numbers: Array, B: Array, out: Array) -> None:
    """ẋ of x = (r, q, v, ω, ϖ), v in the world; numbers: m, g, d, κ_F, lag, Θ_x, Θ_y, Θ_z."""
    w, a, b, c = x[3], x[4], x[5], x[6]
    p, q, r = x[10], x[11], x[12]
    m, lift, tx, ty, tz = numbers[0], 0.0, 0.0, 0.0, 0.0
    for i in range(4):
        F = numbers[3] * x[13 + i] * x[13 + i]
        lift, tx, ty, tz = lift + F, tx + B[0, i] * F, ty + B[1, i] * F, tz + B[2, i] * F
        out[13 + i] = (asked[i] - x[13 + i]) / numbers[4]
    Ix, Iy, Iz, drag = numbers[5], numbers[6], numbers[7], numbers[2] / m
    for i in range(3):
        out[i] = x[7 + i]
    out[3], out[4] = -0.5 * (a * p + b * q + c * r), 0.5 * (w * p + b * r - c * q)
    out[5], out[6] = 0.5 * (w * q + c * p - a * r), 0.5 * (w * r + a * q - b * p)
    out[7] = 2 * (a * c + w * b) * lift / m - drag * x[7]
    out[8] = 2 * (b * c - w * a) * lift / m - drag * x[8]
    out[9] = (1 - 2 * (a * a + b * b)) * lift / m - drag * x[9] - numbers[1]
    out[10] = (tx - (Iz - Iy) * q * r) / Ix
    out[11] = (ty - (Ix - Iz) * r * p) / Iy
    out[12] = (tz - (Iy - Ix) * p * q) / Iz


def step(x: Array, asked: Array, numbers: Array, B: Array, h: float, k: Array, middle: Array) -> None:
    """RK4 in place; k (4, 17) and middle (17,) are memory."""
    rates(x, asked, numbers, B, k[0])
    for stage in range(1, 4):
        for i in range(17):
            middle[i] = x[i] + (h if stage == 3 else 0.5 * h) * k[stage - 1, i]
        rates(middle, asked, numbers, B, k[stage])
    for i in range(17):
        x[i] += h / 6 * (k[0, i] + 2 * k[1, i] + 2 * k[2, i] + k[3, i])
    size = math.sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6])
    for i in range(3, 7):
        x[i] /= size


def ask(law: LawAccess, x: Array, motion: Array, t: float, kept: float, kappa: float, asked: Array) -> None:
    """Speeds that rotors are asked for at a tick."""
    w, a, b, c, y = x[3], x[4], x[5], x[6], law.y
    for i in range(3):
        y[i], y[12 + i] = x[i], x[10 + i]
    y[3], y[4], y[5] = 1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)
    y[6], y[7], y[8] = 2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)
    y[9], y[10], y[11] = 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)
    for i in range(3):
        y[15 + i] = y[3 + i] * x[7] + y[6 + i] * x[8] + y[9 + i] * x[9]
    law.knots[:3] = motion
    law.clock[0], law.clock[1], law.clock[2] = t, 1.0, t
    call_inputs(law.address, (len(y), law.T, law.P, t, law.read, law.given))
    for i in range(4):
        asked[i] = (math.sqrt(law.u[i] / kappa) - kept * x[13 + i]) / (1 - kept)


def fly(law: LawAccess, x: Array, motion: Array, numbers: Array, B: Array, h: float, every: int, trace: Array) -> None:
    """All ticks of a reference, in place; where it was at each."""
    k, middle, asked, kept = np.empty((4, 17)), np.empty(17), np.empty(4), math.exp(-every * h / numbers[4])
    for tick in range(len(motion)):
        trace[tick] = x[:3]
        ask(law, x, motion[tick], tick * every * h, kept, numbers[3], asked)
        for _ in range(every):
            step(x, asked, numbers, B, h, k, middle)


def own_loop(plane: str) -> tuple[Call, int]:
    """The call, and how many steps it makes; it has come near to its reference once before."""
    own = vertical_loops.vehicle()
    path = vertical_loops.path(plane, vertical_loops.full_speed(), own)
    law: Any = copter.controller(own, path, poles=vertical_loops.POLES)
    times = np.arange(0.0, path.ends[1], EVERY * H)
    motion, now, rotor = law.code.tabulate(times), path.motion(0.0), own.rotors[0]
    access, kept = law_access(law)
    numbers = np.array([own.mass, own.gravity, own.drag.mean, rotor.kappa_F, vertical_loops.LAG, *np.diag(own.inertia)])
    lift = vertical_loops.SPEED**2 / vertical_loops.RADIUS + own.gravity
    spins = np.full(4, math.sqrt(own.mass * lift / 4 / rotor.kappa_F))
    start = np.concatenate([now.X.r, motion[0, 0, 3:], now.X.R @ now.V[3:], now.V[:3], spins])
    B, trace, run = np.array(own.allocation()), np.empty((len(times), 3)), compiled(fly)

    def call() -> Any:
        run(access, start.copy(), motion, numbers, B, H, EVERY, trace)
        return kept  # which lives as long as the call

    call()
    off = np.linalg.norm(trace - path.position(times), axis=1).max()
    if not off < NEAR:
        raise RuntimeError(f"the quadcopter is off its path by {off:g} m")
    return call, EVERY * len(times)


def full_model(t_end: float) -> Call:
    """A hover of Table 5.1's quadcopter with propellers and the law of the air."""
    quad = copter.quadcopter()
    m, air, hover = copter.mechanism(quad), copter.air(quad), quad.hover
    torques = {f"{one.name}_motor": one.k_M * i for one, i in zip(quad.rotors, hover.currents, strict=True)}
    start = {f"{one.name}_spin.rate": w for one, w in zip(quad.rotors, hover.speeds, strict=True)}

    def run(until: float = t_end) -> None:
        vv.simulate(m, t_end=until, h=H, initial=start, inputs=lambda t, x: air(x) | torques, integrator=vv.RK4())

    run(20 * H)
    return run


def rows(quick: bool = False) -> list[Row]:
    """Steps per second, then times real time."""
    repeats, seconds = (1, 0.05) if quick else (7, 5.0)
    what = "quadcopter, four rotors with a lag, law at 500 Hz, own compiled loop"
    ours, n = own_loop("roll")
    calls, few = [ours], 20 if quick else 500
    if peers_rotorpy.INSTALLED:
        calls.append(lambda: vertical_loops.rotorpy_steps("roll", few, H, EVERY))
    times = fastest(calls, repeats)
    ratio = times[1] / few / (times[0] / n) if len(times) > 1 else None
    peer = "" if ratio is None else f"RotorPy: {_rate(times[1] / few)}"
    found = [Row(what, _rate(times[0] / n), peer, ratio)]
    (t,) = fastest([full_model(seconds)], repeats)
    found.append(Row("full model, vv.simulate with RK4 at 1 ms, hover", _rate(t * H / seconds)))
    for name in NAMES[: 1 if quick else 2]:
        found += _by_sensors(name, repeats)
    return found


def _by_sensors(name: str, repeats: int) -> list[Row]:
    sensors = copter.Sensors()
    copter.fly(name, sensors=sensors)  # compiled, or read
    vehicle = copter.quadcopter()  # of its own: nothing is known of its manoeuvre
    flights = [lambda: copter.fly(name, vehicle, sensors=sensors), lambda: copter.fly(name, sensors=sensors)]
    first, again = fastest(flights, repeats)
    flight: Any = copter.fly(name, sensors=sensors)
    flown = len(flight.record.x) * flight.agent.period
    which = f"{name} by sensors, full model at 1 kHz, agent at 200 Hz"
    return [
        Row(f"{which}: a new manoeuvre", f"{three_digits(flown / first)} × real time"),
        Row(f"{which}: the same again, other noise or vehicle", f"{three_digits(flown / again)} × real time"),
    ]


def _rate(t: float) -> str:
    return f"{three_digits(1 / t)} steps/s"
