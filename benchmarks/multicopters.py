"""Multicopters: steps per second under a compiled law, of the full model, and by sensors against real time.

One body with four speeds that follow with a lag flies the vertical loops of `vertical_loops` in steps of RK4 of 1 ms,
under a law at 500 Hz: one call of `copter.fly`. RotorPy makes steps of the same vehicle on the same circle under its
own law, in the same rounds. All rows are calls of the package with all that they take: set-up, records, accounts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import visviva as vv
from benchmarks import peers_rotorpy, vertical_loops
from benchmarks.row import Row, duration, three_digits
from benchmarks.timing import Call, fastest
from visviva import copter

H, EVERY = 1e-3, 2  # [s] of a step, and steps per tick of the law
LOOPS = 6  # at full speed
NEAR = 0.02  # [m] from its reference
NAMES = ("looping", "transitions")


def loops() -> tuple[Call, Call, int]:
    """The flight, the same of a new manoeuvre, and how many steps they make; it has come near to its reference."""
    own = vertical_loops.vehicle()
    own = replace(own, rotors=tuple(replace(rotor, lag=vertical_loops.LAG) for rotor in own.rotors))

    def planned() -> copter.Manoeuvre:
        path = vertical_loops.path("roll", vertical_loops.from_rest(LOOPS), own)
        return copter.Manoeuvre("vertical loops", own, path)

    def fly(plan: copter.Manoeuvre) -> Any:
        return copter.fly(plan, poles=vertical_loops.POLES, period=EVERY * H, h=H)

    plan = planned()
    flight = fly(plan)
    off = flight.errors["e_r"].max()
    if not off < NEAR:
        raise RuntimeError(f"the quadcopter is off its path by {off:g} m")
    return lambda: fly(plan), lambda: fly(planned()), flight.run.steps


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
    what = "quadcopter, four rotors with a lag, law at 500 Hz, copter.fly"
    ours, anew, n = loops()
    calls, few = [ours, anew], 20 if quick else 500
    if peers_rotorpy.INSTALLED:
        calls.append(lambda: vertical_loops.rotorpy_steps("roll", few, H, EVERY))
    times = fastest(calls, repeats)
    ratio = times[2] / few / (times[0] / n) if len(times) > 2 else None
    peer = "" if ratio is None else f"RotorPy: {_rate(times[2] / few)}"
    found = [Row(what, _rate(times[0] / n), peer, ratio), Row("the same, a new manoeuvre", _rate(times[1] / n))]
    (t,) = fastest([full_model(seconds)], repeats)
    found.append(Row("full model, vv.simulate with RK4 at 1 ms, hover", _rate(t * H / seconds)))
    (t,) = fastest([lambda: copter.fly("looping")], repeats)
    found.append(Row("looping with perfect state, law at 200 Hz, copter.fly", duration(t)))
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
