"""Vertical loops beside RotorPy: how far two laws leave the reference, with the same vehicle.

RotorPy's "Hummingbird" with a lag of 5 ms and its air flies two loops of 1.5 m at 6 m/s, 2.4 g, in the plane of roll
and in that of pitch, both laws at 500 Hz from the same start. RotorPy's law ties its frame to yaw; ours is
`copter.controller` of a description that has the drag as one number, asks for speeds that rotors reach within a tick,
and takes the force that nothing explains from the mean acceleration of the last tick, `force_bias`.

By sensors the same description flies with propellers of its own inertia in `copter.fly`: from rest to rest, an IMU at
500 Hz, and frames at 100 Hz with noise of 1 mm that come 20 ms late; errors are those of the two whole loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, final

import numpy as np

from benchmarks import peers_rotorpy
from benchmarks.row import Row, three_digits
from visviva import control, copter
from visviva._arrays import Array
from visviva.copter.estimation import force_bias
from visviva.geometry.quaternion import quaternion

RADIUS, SPEED, LOOPS, TICK = 1.5, 6.0, 2, 2e-3
RATE = SPEED / RADIUS
LAG = 5e-3  # [s] of speeds
DRAG = 0.35  # [kg/s]: rotors at their mean speed, and the body
POLES = (-10.0, -11.0, -12.0, -13.0)
FORGETS = 0.9  # l_F of the force that nothing explains: within 20 ms
WRONG = (0.8, 1.2)  # of mass and drag
RUN_UP = 2.0  # [rad] of the circle, from rest to full speed
PLANES = {"roll": "x", "pitch": "y"}  # by the normal of the circle
ALONG = {"roll": (0.0, 1.0, 0.0), "pitch": (-1.0, 0.0, 0.0)}  # where it goes at its lowest point
LIFT = SPEED**2 / RADIUS + 9.81  # [m/s²] of the rotors there


def vehicle(share: float = 1.0) -> copter.Vehicle:
    """RotorPy's Hummingbird; share: of its mass and drag. Propellers and motors, which it has not, are ours."""
    arm, up = 0.17 / math.sqrt(2), np.array([0.0, 0.0, 1.0])
    rotors = [
        copter.Rotor(
            name=f"r{k}", position=arm * np.array([x, y, 0.0]), axis=up, spin=spin, kappa_F=5.57e-6, kappa_T=1.36e-7,
            inertia=2e-6, k_M=5e-3, tau_MB=1e-4, speeds=(50, 1500),
        )
        for k, (x, y, spin) in enumerate(((1, 1, -1), (1, -1, 1), (-1, -1, -1), (-1, 1, 1)), 1)
    ]  # fmt: skip
    return copter.Vehicle(
        name="hummingbird", mass=0.5 * share, com=np.zeros(3), inertia=np.diag([3.65e-3, 3.68e-3, 7.03e-3]),
        rotors=tuple(rotors), drag=copter.Drag(d=np.full(3, share * DRAG), centre=np.zeros(3), Upsilon=np.zeros(3)),
    )  # fmt: skip


def path(plane: str, phase: Any, own: copter.Vehicle) -> control.PosePath:
    """On the circle, which is passed at its lowest point where the phase is 0."""
    r = control.circle(RADIUS, phase, centre=(0, 0, 2 * RADIUS), normal=PLANES[plane], toward="-z")
    return control.flat.quadcopter(r, None, gravity=own.gravity, drag=own.drag.mean / own.mass)


def full_speed() -> Any:
    """The phase of whole loops."""
    return control.line(0.0, RATE, duration=2 * math.pi * LOOPS / RATE)


def from_rest(loops: int = LOOPS) -> Any:
    """The phase of a run-up, loops at full speed and a slow-down, from rest to rest at the lowest point."""
    after = RUN_UP + 2 * math.pi * (loops + 1) - 2 * RUN_UP
    up = control.polynomial(0.0, RUN_UP, 2 * RUN_UP / RATE, degree=9, end_rates=[RATE])
    level = control.polynomial(RUN_UP, after, (after - RUN_UP) / RATE, degree=9, start_rates=[RATE], end_rates=[RATE])
    down = control.polynomial(after, after + RUN_UP, 2 * RUN_UP / RATE, degree=9, start_rates=[RATE])
    return control.joined(up, level, down)


@final
class Law:
    """Speeds that rotors are asked for, by the state of RotorPy."""

    def __init__(self, believed: copter.Vehicle, reference: control.PosePath) -> None:
        self.vehicle = believed
        self.code: Any = copter.controller(believed, reference, poles=POLES).code
        self.observer = force_bias(believed.mass, believed.drag.mean, FORGETS)
        self.bias, self.inverse = self.observer.start(), np.linalg.inv(believed.inertia_matrix)
        self.before: dict[str, Any] = {}

    def __call__(self, t: float, state: dict[str, Any]) -> Array:
        """At a tick."""
        from scipy.spatial.transform import Rotation

        R, kappa, spin = (
            Rotation.from_quat(state["q"]).as_matrix(),
            self.vehicle.rotors[0].kappa_F,
            state["rotor_speeds"],
        )
        if self.before:
            felt = R.T @ ((state["v"] - self.before["v"]) / TICK + [0, 0, self.vehicle.gravity])
            thrust = [0, 0, kappa * np.sum((spin + self.before["rotor_speeds"]) ** 2) / 4]
            self.bias = self.observer.update(self.bias, felt, np.zeros(3), state["v"], quaternion(R), thrust)
        self.before = {name: state[name].copy() for name in ("v", "rotor_speeds")}
        self.code.control.still[:] = -self.inverse @ np.concatenate([np.zeros(3), self.bias])
        self.code.evaluate(t, np.concatenate([state["x"], R.ravel(), state["w"], R.T @ state["v"]]))
        wanted, kept = np.sqrt(self.code.control.u / kappa), math.exp(-TICK / LAG)
        return np.asarray((wanted - kept * spin) / (1 - kept))


def flown_in_rotorpy(plane: str, believed: copter.Vehicle | None) -> float:
    """Root mean square of errors [m]; under RotorPy's law without `believed`."""
    peer = peers_rotorpy.Hummingbird()
    reference = path(plane, full_speed(), vehicle() if believed is None else believed)
    law: Callable[[float, dict[str, Any]], Array]
    law = _peer_law(peer, plane) if believed is None else Law(believed, reference)
    n = int(reference.ends[1] / TICK)
    r = peer.fly(law, reference.motion(0.0), LIFT, n, TICK)
    return float(np.sqrt(np.mean(np.sum((r - reference.position(TICK * np.arange(1, n + 1))) ** 2, axis=1))))


def rotorpy_steps(plane: str, n: int, h: float, every: int) -> None:
    """n steps of RotorPy under its law, which is asked at some of them."""
    peer, reference = peers_rotorpy.Hummingbird(), path(plane, full_speed(), vehicle())
    peer.fly(_peer_law(peer, plane), reference.motion(0.0), LIFT, n, h, every)


def _peer_law(peer: peers_rotorpy.Hummingbird, plane: str) -> Callable[[float, dict[str, Any]], Array]:
    down, along = np.array([0.0, 0.0, -1.0]), np.array(ALONG[plane])
    sizes = RADIUS * RATE ** np.arange(5)
    names = ("x", "x_dot", "x_ddot", "x_dddot", "x_ddddot")

    def flat_output(t: float) -> dict[str, Any]:
        c, s = math.cos(RATE * t), math.sin(RATE * t)
        out, on = c * down + s * along, c * along - s * down
        found = [size * u for size, u in zip(sizes, (out, on, -out, -on, out), strict=True)]
        found[0] -= 2 * RADIUS * down
        return dict(zip(names, found, strict=True)) | {"yaw": 0.0, "yaw_dot": 0.0}

    return peer.own_law(flat_output)


def flown_by_sensors(plane: str, believed: copter.Vehicle) -> copter.AgentFlight:
    """The full model of our own, by an agent that believes something of it."""
    plan = copter.Manoeuvre(f"loops of {plane}", believed, path(plane, from_rest(), believed))
    sensors = copter.Sensors(position=1e-3, frame_period=0.01, delay=0.020, jitter=0.004)
    flight = copter.fly(plan, vehicle(), sensors=sensors, agent=copter.Agent(believed, period=TICK))
    assert isinstance(flight, copter.AgentFlight)
    return flight


def loop_error(flight: copter.AgentFlight) -> float:
    """Root mean square of errors at full speed [m]."""
    t, e = flight.errors["t"], flight.errors["e_r"]
    run_up = 2 * RUN_UP / RATE
    return float(np.sqrt(np.mean(e[(t > run_up) & (t < flight.plan.duration - run_up)] ** 2)))


def rows(quick: bool = False) -> list[Row]:
    """By RotorPy's law and by ours, then by sensors; in one plane if it is quick."""
    planes = list(PLANES)[: 1 if quick else 2]
    wrong = {f"mass and drag {'less' if x < 1 else 'more'} by 20 %": x for x in WRONG}
    shares = {"model known": 1.0} | wrong
    found = list[Row]()
    for plane in planes:
        peer = "RotorPy is not installed"
        if peers_rotorpy.INSTALLED:
            peer = f"RotorPy's law: {length(flown_in_rotorpy(plane, None))}"
            found += [
                Row(f"{plane}, RotorPy's vehicle, {name}", length(flown_in_rotorpy(plane, vehicle(x))), peer)
                for name, x in shares.items()
            ]
        found += [
            Row(f"{plane}, by sensors, {name}", length(loop_error(flown_by_sensors(plane, vehicle(x)))))
            for name, x in shares.items()
        ]
    return found


def length(x: float) -> str:
    """In centimetres, or in metres."""
    return f"{three_digits(100 * x)} cm" if x < 1 else f"{three_digits(x)} m"
