"""Tracking laws: one evaluation on an arm of seven joints beside Pinocchio, and loops of an aircraft and of the arm.

A law needs M, the bias, and pose, Jacobian and its rate of the tool, at the state and at the reference; it makes the
template of them and solves for the inputs. It is evaluated in a compiled loop, each time at another state and time.
Pinocchio has the parts that are its own: `rnea`, `crba`, `computeFrameJacobian`, and J̇ v by `forwardKinematics` and
`getFrameAcceleration`, at the state alone, called from Python; "net of the call" is their time less that of the same
calls on a model without joints.

Loops are runs of `vv.simulate` with all checks and the audit, in steps of 1 ms. RotorPy flies the same aircraft along
the same path under its own law, see `peers_rotorpy`; both are on their path before a time is taken.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

import visviva as vv
from benchmarks import peers_rotorpy
from benchmarks.row import Row, against, duration, three_digits
from benchmarks.timing import Call, fastest
from visviva._arrays import Array

INSTALLED = importlib.util.find_spec("pinocchio") is not None
JOINTS, TICK = 7, 1e-3
MASS, INERTIA = 1.001, (0.0179, 0.018, 0.0307)  # of an aircraft [kg, kg m²]
ROTORS = ((0.24, 0, 0), (0, 0.24, 0), (-0.24, 0, 0), (0, -0.24, 0))  # [m]
DRAG, MOST = 0.017 * np.array([-1, 1, -1, 1]), 6.0  # torque of a rotor over its thrust [m], and most thrust [N]
AMPLITUDE, HEIGHT = 0.5, 0.3  # of its path [m]
ARRIVED = 0.15  # from the path, after a flight [m]


def arm() -> vv.Mechanism:
    """Seven hinges about z and y in turn, a tool at its end."""
    m = vv.Mechanism("seven joints", gravity=(0, 0, -9.81))
    below: Any = m.ground
    for i in range(JOINTS):
        at = (0.0, 0.01 * i, 0.15 * (i + 1))
        link = m.body(f"link{i}", mass=2.0 - 0.2 * i, inertia=(0.02, 0.03, 0.025), at=at, com=(0.02, 0.01, 0.05))
        m.revolute(f"joint{i}", below, link, at=at, axis="zy"[i % 2])
        m.torque(f"motor{i}", f"joint{i}")
        below = link
    m.frame("tool", below, at=(0, 0.1, 0.15 * JOINTS + 0.1))
    return m


def arm_law(m: vv.Mechanism) -> vv.control.TrackingLaw:
    """The tool's pose by a pair, and what is left by joints."""
    tool = vv.control.gains((1.0, (0, 0, 0), 0.1), (8.0, (0, 0, 0), 0.8), (16.0, (0, 0, 0), 1.6))
    rest = vv.control.gains(0.1, 0.8, 1.6)
    return vv.control.tracking(m, {("ground", "tool"): tool, **{f"joint{i}": rest for i in range(JOINTS)}})


def swing(t: float) -> tuple[Array, Array, Array]:
    """A reference of all joints."""
    phase = t + np.arange(JOINTS)
    return 0.5 * np.sin(phase), 0.5 * np.cos(phase), -0.5 * np.sin(phase)


def quadcopter() -> tuple[vv.Mechanism, vv.control.TrackingLaw]:
    """An aircraft with four rotors and gains by poles."""
    m = vv.Mechanism("quadcopter", gravity=(0, 0, -9.81))
    craft = m.body("craft", mass=MASS, inertia=INERTIA)
    m.wrench("rotors", craft)
    rotors = vv.control.thrusters(ROTORS, (0, 0, 1), drag=DRAG)
    gains = vv.control.matching.quadcopter((-3, -4, -5, -6)).gains()
    limits = {"rotors": (0.0, MOST)}
    return m, vv.control.tracking(m, {("ground", "craft"): gains}, actuators={"rotors": rotors}, limits=limits)


def hover(t: float) -> tuple[Array, Array, Array]:
    """Along a line that swings."""
    q, v, a = np.array([AMPLITUDE * np.sin(t), 0, HEIGHT, 1.0, 0, 0, 0]), np.zeros(6), np.zeros(6)
    v[3], a[3] = AMPLITUDE * np.cos(t), -AMPLITUDE * np.sin(t)
    return q, v, a


def rotorpy() -> peers_rotorpy.RotorPy:
    """The same aircraft on the same line in RotorPy."""
    return peers_rotorpy.RotorPy(MASS, INERTIA, ROTORS, DRAG, MOST, AMPLITUDE, HEIGHT, TICK)


def rows(quick: bool = False) -> list[Row]:
    """Evaluations, then runs."""
    count, repeats, seconds = (20, 1, 0.02) if quick else (2000, 25, 5.0)
    return [*_evaluations(count, repeats), *_flights(seconds, repeats), *_arms(seconds, repeats)]


def _evaluations(count: int, repeats: int) -> list[Row]:
    m = arm()
    ours = _compiled(arm_law(m), count)
    theirs = [_pinocchio(count, joints) for joints in (JOINTS, 0)] if INSTALLED else []
    for call in (ours, *theirs):
        call()
    times = [t / count for t in fastest([ours, *theirs], repeats)]
    what = f"law of {JOINTS} joints and a tool, compiled loop"
    if not theirs:
        return [Row(what, duration(times[0]))]
    return [
        against(what, times[0], "Pinocchio's parts, calls from Python", times[1]),
        against(what, times[0], "Pinocchio's parts, net of the call", times[1] - times[2]),
    ]


def _compiled(law: vv.control.TrackingLaw, count: int) -> Call:
    from visviva.kernels.control.tracking import track_many

    controller = law.at(swing)
    compiled = controller._compiled
    assert compiled is not None
    t, y = 1e-4 * np.arange(count), np.random.default_rng(0).normal(size=(count, controller.size))
    out = np.empty((count, sum(controller.widths)))
    if track_many(compiled.row, t, y, out) < count:
        raise RuntimeError("the law has no inputs at some state")
    return lambda: track_many(compiled.row, t, y, out)


def _pinocchio(count: int, joints: int) -> Call:
    import pinocchio as pin

    model = pin.Model()
    for i in range(joints):
        kind = pin.JointModelRY() if i % 2 else pin.JointModelRZ()
        number = model.addJoint(i, kind, pin.SE3(np.eye(3), np.array([0, 0.01 * bool(i), 0.15])), f"joint{i}")
        inertia = pin.Inertia(2.0 - 0.2 * i, np.array([0.02, 0.01, 0.05]), np.diag([0.02, 0.03, 0.025]))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    tool = model.addFrame(pin.Frame("tool", joints, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    data, still = model.createData(), np.zeros(joints)
    states = np.random.default_rng(0).normal(size=(count, 2, joints))

    def run() -> None:
        for q, v in states:
            pin.rnea(model, data, q, v, still)
            pin.crba(model, data, q)
            pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL)
            pin.forwardKinematics(model, data, q, v, still)
            pin.getFrameAcceleration(model, data, tool, pin.LOCAL)

    return run


def _flights(t_end: float, repeats: int) -> list[Row]:
    m, law = quadcopter()
    schemes = [vv.RK4(), vv.PHMP()]
    names = [f"quadcopter, law at 1 kHz, {type(scheme).__name__}" for scheme in schemes]
    flights = [_run(m, scheme, t_end, {"sampled": vv.Sampled(law.at(hover), TICK)}) for scheme in schemes]
    steps = round(t_end / TICK)
    if not peers_rotorpy.INSTALLED:
        ours = fastest(flights, max(1, repeats // 5))
        return [Row(name, _rate(t / steps), "RotorPy is not installed") for name, t in zip(names, ours, strict=True)]
    peer, few = rotorpy(), max(1, steps // 10)  # some hundred times slower, each step alike
    _check_flights(m, law, peer)
    rk4, phmp, fly, simulate = fastest([*flights, lambda: peer.fly(few), lambda: peer.simulate(few)], repeats)
    return [
        Row(name, _rate(ours / steps), f"RotorPy, {what}: {_rate(theirs / few)}", theirs / few / (ours / steps))
        for what, theirs in (("path, law and step", fly), ("its `simulate`", simulate))
        for name, ours in zip(names, (rk4, phmp), strict=True)
    ]


def _check_flights(m: vv.Mechanism, law: vv.control.TrackingLaw, peer: peers_rotorpy.RotorPy) -> None:
    """RuntimeError where one is not on its path after three seconds."""
    t = 3.0
    run = vv.simulate(m, t_end=t, h=TICK, sampled=vv.Sampled(law.at(hover), TICK))
    ends = {"visviva": run["craft.r"][-1], "RotorPy": peer.fly(round(t / TICK))}
    off = {name: float(np.linalg.norm(end - hover(t)[0][:3])) for name, end in ends.items()}
    if not max(off.values()) < ARRIVED:
        raise RuntimeError(f"after {t:g} s aircraft are not on their path, but off it by [m]: {off}")


def _rate(t: float) -> str:
    return f"{three_digits(1 / t)} steps/s"


def _arms(t_end: float, repeats: int) -> list[Row]:
    m = arm()
    law = arm_law(m)
    found = list[Row]()
    for scheme in (vv.RK4(), vv.PHMP()):
        name = f"arm of {JOINTS} joints, {type(scheme).__name__}"
        t = _step_time(m, scheme, t_end, repeats, lambda: {"sampled": vv.Sampled(law.at(swing), TICK)})
        found.append(Row(f"{name}: step and tick at 1 kHz", duration(t)))
        t = _step_time(m, scheme, t_end, repeats, lambda: {"inputs": law.at(swing)})
        found.append(Row(f"{name}: step with the law in it", duration(t)))
    return found


def _step_time(m: vv.Mechanism, scheme: Any, t_end: float, repeats: int, how: Any) -> float:
    """Of one step of a run, the controller made before."""
    (t,) = fastest([_run(m, scheme, t_end, how())], max(1, repeats // 5))
    return t / round(t_end / TICK)


def _run(m: vv.Mechanism, scheme: Any, t_end: float, given: dict[str, Any]) -> Call:
    """A run, of which a short one was made before."""
    start = {} if "quadcopter" in m.name else {f"joint{i}.q": 0.5 * np.sin(i) for i in range(JOINTS)}

    def run(until: float) -> None:
        vv.simulate(m, t_end=until, h=TICK, integrator=scheme, initial=start or None, **given)

    run(min(t_end, 20 * TICK))
    return lambda: run(t_end)
