"""Equations of motion in the hand: vv.dynamics against Pinocchio, in a compiled loop and call by call from Python.

In a loop, our call takes many states; Pinocchio is called from Python, and the time of the same call for a tree of one
link is subtracted. Call by call, both are called from Python with one state, and nothing is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks import peers_pinocchio
from benchmarks.mechanisms import chain
from benchmarks.peers_trees import PinocchioTree
from benchmarks.row import Row, against, duration
from benchmarks.timing import Call, fastest

Calls = dict[str, Callable[[], object]]


def rows(quick: bool = False) -> list[Row]:
    """An arm and a chain of hinges."""
    count, repeats = (10, 1) if quick else (5_000, 15)
    found = list[Row]()
    for what, m in {"arm, 7 hinges": arm(), "chain, 10 hinges": with_tool(chain(10, "revolute"))}.items():
        found += _rows(what, m, count, repeats)
    return found


def arm() -> vv.Mechanism:
    """Seven hinges about z and y in turn, 0.3 m apart, a torque in each, and a tool."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    below: Any = m.ground
    for i in range(7):
        link = m.body(f"link{i}", inertia=vv.inertia.box(1.0, (0.1, 0.1, 0.3)), at=(0, 0, 0.3 * i + 0.15))
        m.revolute(f"joint{i}", below, link, at=(0, 0, 0.3 * i), axis=(0, 0, 1) if i % 2 == 0 else (0, 1, 0))
        below = link
    return with_tool(m)


def with_tool(m: vv.Mechanism) -> vv.Mechanism:
    """Torques in all joints, and a frame beyond the last body."""
    for joint in m.joints:
        m.torque(f"torque {joint.name}", joint)
    last = m.bodies[-1]
    m.frame("tool", last.name, at=np.add(last.r_WB, (0.1, 0.2, 0.3)))
    return m


def _rows(what: str, m: vv.Mechanism, count: int, repeats: int) -> list[Row]:
    d, rng = vv.dynamics(m), np.random.default_rng(0)
    Q, V, A = rng.normal(size=(3, count, d.nv))
    loops: Calls = {
        "inverse": partial(d.inverse, Q, V, A),
        "forward": partial(d.forward, Q, V, A),
        "mass_matrix": partial(d.mass_matrix, Q),
        "jacobian": partial(d.jacobian, "tool", Q),
    }
    q, v, a = Q[0], V[0], A[0]
    singles: Calls = {
        "inverse": partial(_repeat, count, d.inverse, (q, v, a)),
        "forward": partial(_repeat, count, d.forward, (q, v, a)),
        "mass_matrix": partial(_repeat, count, d.mass_matrix, (q,)),
        "jacobian": partial(_repeat, count, d.jacobian, ("tool", q)),
        "derivatives": partial(_repeat, count, d.derivatives, (q, v, a)),
    }
    theirs, alone = _pinocchio(d, count), _pinocchio(vv.dynamics(with_tool(chain(1, "revolute"))), count)
    calls: list[Call] = [*loops.values(), *singles.values(), *theirs.values(), *alone.values()]
    for call in calls:
        call()  # loads compiled code
    times = iter(fastest(calls, repeats))
    looped, called, peer, one = (
        {name: next(times) / count for name in part} for part in (loops, singles, theirs, alone)
    )
    found = list[Row]()
    for name, t in looped.items():
        text = f"{what}: d.{name}, many states"
        net = {f"Pinocchio, {CALLED[name]}, net of the call": peer[name] - one[name]} if peer else {}
        found += [against(text, t, other, theirs) for other, theirs in net.items()] or [Row(text, duration(t))]
    for name, t in called.items():
        text = f"{what}: a call of d.{name}"
        found.append(against(text, t, f"Pinocchio, {CALLED[name]}", peer[name]) if peer else Row(text, duration(t)))
    return found


CALLED = {
    "inverse": "rnea",
    "forward": "aba",
    "mass_matrix": "crba",
    "jacobian": "computeFrameJacobian",
    "derivatives": "computeABADerivatives",
}


def _pinocchio(d: vv.Dynamics, count: int) -> Calls:
    """The same calls of Pinocchio, after they have given the same numbers; none where it is not installed."""
    if not peers_pinocchio.INSTALLED:
        return {}
    import pinocchio as pin

    peer = PinocchioTree(d.form.tree)
    q, v, a = np.random.default_rng(0).normal(size=(3, d.nv))
    link = d.form.tree.links[-1]
    X = vv.geometry.SE3.from_matrix(link.X_LB) @ d.pose(link.name, q).inverse() @ d.pose("tool", q)
    joint = peer.model.getJointId(link.name)
    tool = peer.model.addFrame(pin.Frame("tool", joint, 0, pin.SE3(X.R, X.r), pin.FrameType.OP_FRAME))
    model, data = peer.model, peer.model.createData()
    rows = pin.LOCAL_WORLD_ALIGNED
    same = [
        (d.inverse(q, v, a), pin.rnea(model, data, q, v, a)),
        (d.forward(q, v, a), pin.aba(model, data, q, v, a)),
        (d.jacobian("tool", q), pin.computeFrameJacobian(model, data, q, tool, rows)[[3, 4, 5, 0, 1, 2]]),
    ]
    for ours, theirs in same:
        np.testing.assert_allclose(ours.ravel(), theirs.ravel(), rtol=0, atol=1e-9 * np.abs(theirs).max())
    return {
        "inverse": partial(_repeat, count, pin.rnea, (model, data, q, v, a)),
        "forward": partial(_repeat, count, pin.aba, (model, data, q, v, a)),
        "mass_matrix": partial(_repeat, count, pin.crba, (model, data, q)),
        "jacobian": partial(_repeat, count, pin.computeFrameJacobian, (model, data, q, tool, rows)),
        "derivatives": partial(_repeat, count, pin.computeABADerivatives, (model, data, q, v, a)),
    }


def _repeat(n: int, function: Callable[..., object], given: tuple[object, ...]) -> None:
    for _ in range(n):
        function(*given)
