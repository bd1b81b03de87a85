"""Tracking laws: one evaluation on an arm of seven joints beside Pinocchio, and loops of an aircraft and of the arm.

A law needs M, the bias, and pose, Jacobian and its rate of the tool, at the state and at the reference; it makes the
template of them and solves for the inputs. It is evaluated in a compiled loop, each time at another state and time.
Pinocchio has the parts that are its own: `rnea`, `crba`, `computeFrameJacobian`, and J̇ v by `forwardKinematics` and
`getFrameAcceleration`, at the state alone, called from Python; "net of the call" is their time less that of the same
calls on a model without joints.

Loops are runs of `vv.simulate` with all checks and the audit, in steps of 1 ms. RotorPy was not at hand: the rate of
its simulation loop is the one that is told of it, some 900 steps per second on another machine.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.row import Row, against, duration, three_digits
from benchmarks.timing import Call, fastest
from visviva._arrays import Array

INSTALLED = importlib.util.find_spec("pinocchio") is not None
ROTORPY = 900.0  # steps per second, as told, not measured
JOINTS, TICK = 7, 1e-3


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
    craft = m.body("craft", mass=1.001, inertia=(0.0179, 0.018, 0.0307))
    m.wrench("rotors", craft)
    points = [(0.24, 0, 0), (0, 0.24, 0), (-0.24, 0, 0), (0, -0.24, 0)]
    rotors = vv.control.thrusters(points, (0, 0, 1), drag=0.017 * np.array([-1, 1, -1, 1]))
    gains = vv.control.matching.quadcopter((-3, -4, -5, -6)).gains()
    limits = {"rotors": (0.0, 6.0)}
    return m, vv.control.tracking(m, {("ground", "craft"): gains}, actuators={"rotors": rotors}, limits=limits)


def hover(t: float) -> tuple[Array, Array, Array]:
    """Along a line that swings."""
    q, v, a = np.array([0.5 * np.sin(t), 0, 0.3, 1.0, 0, 0, 0]), np.zeros(6), np.zeros(6)
    v[3], a[3] = 0.5 * np.cos(t), -0.5 * np.sin(t)
    return q, v, a


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
    import numba

    from visviva.kernels.control import tracking

    controller = law.at(swing)
    compiled = controller._compiled
    assert compiled is not None
    track_at: Any = tracking.track_at

    @numba.njit(nogil=True)
    def loop(row, y, Y):  # type: ignore[no-untyped-def]
        worst = 0
        for k in range(len(Y)):
            for i in range(len(y)):
                y[i] = Y[k, i]
            worst = max(worst, track_at(row, 1e-4 * k))
        return worst

    Y = np.random.default_rng(0).normal(size=(count, controller.size))
    if loop(compiled.row, compiled.control.y, Y):
        raise RuntimeError("the law has no inputs at some state")
    return lambda: loop(compiled.row, compiled.control.y, Y)


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
    found = list[Row]()
    for scheme in (vv.RK4(), vv.PHMP()):
        t = _step_time(m, scheme, t_end, repeats, lambda: {"sampled": vv.Sampled(law.at(hover), TICK)})
        name = f"quadcopter, law at 1 kHz, {type(scheme).__name__}"
        found.append(
            Row(
                name,
                f"{three_digits(1 / t)} steps/s",
                f"RotorPy, not measured here: {ROTORPY:.0f} steps/s",
                1 / t / ROTORPY,
            )
        )
    return found


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
    given = [how() for _ in range(2)]
    start = {} if "quadcopter" in m.name else {f"joint{i}.q": 0.5 * np.sin(i) for i in range(JOINTS)}

    def run(k: int, until: float = t_end) -> None:
        vv.simulate(m, t_end=until, h=TICK, integrator=scheme, initial=start or None, **given[k])

    run(0, min(t_end, 20 * TICK))
    (t,) = fastest([lambda: run(1)], max(1, repeats // 5))
    return t / round(t_end / TICK)
