"""Edges of a parameterisation as symbols: poses of frames, from expressions or from ready-made joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.charts import (
    AbstractChart,
    AbstractGroupChart,
    Circle,
    Line,
    Matrix,
    Plane,
    Quaternion,
    Rigid,
    Space,
)
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.calculus.edges import AbstractEdge, ChangedEdge, GivenEdge, InverseEdge, adjoint, inverse_pose
from visviva.forms.calculus.joint_chart import JointChart
from visviva.forms.symbols.frames import Edge, ad
from visviva.forms.symbols.parameters import directions, exacts, tidy
from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.forms.symbols.tree import rotation
from visviva.forms.symbols.trigonometry import shortest
from visviva.library.joints import AbstractMotion, Ball
from visviva.views.equations_names import Label

SHORT = 400  # operations that an entry may have to be simplified


def edge_of(edge: AbstractEdge, parent: int, q: Sequence[Any], A: Any, xi: Any, steps: Steps) -> Edge:
    """The frame b of an edge."""
    if isinstance(edge, InverseEdge):
        return _inverse(edge_of(edge.edge, parent, q, A, xi, steps), edge.b, steps)
    X, n = pose_expression(edge, q), len(xi)
    label, turns = Label("R", (f"{edge.b}'",)), isinstance(edge, JointEdge) and _turning(edge.joint.chart)
    R, r = steps.names(X[:3, :3], label, keep=turns), steps.names(X[:3, 3], Label("r", label.subscripts))
    if isinstance(edge, JointEdge) and isinstance(edge.joint.chart, AbstractGroupChart):
        J = adjoint(inverse_pose(edge.joint.X_Kb)) @ edge.joint.chart.S
        S = zeros(6, n)
        S[:, edge.move] = exacts(tidy(J))
        return Edge(edge.b, parent, R, r, S, turns=turns)
    if isinstance(edge, JointEdge):
        S, bend = _joint_twists(edge, q, n)
    else:
        S = _jacobian(X, q, A)
        bend = np.array([_derivative(S, q, A[:, k]) for k in range(n)], dtype=object)
    S = steps.names(S, Label("S", label.subscripts))
    if not bend.any():
        return Edge(edge.b, parent, R, r, S, turns=turns)
    bias = steps.names(sum(bend[k] @ xi * xi[k] for k in range(n)), Label("b", label.subscripts))
    return Edge(edge.b, parent, R, r, S, bias, bend, turns=turns)


def _joint_twists(edge: JointEdge, q: Sequence[Any], n: int) -> tuple[Any, Any]:
    """S (6, n) and ∂_k S (n, 6, n) by the chain of a joint: S_k of each motion, -ad(S_j) S_k for those behind."""
    chart = edge.joint.chart
    assert isinstance(chart, JointChart)  # other charts have a constant S
    here, m = np.array(list(q), dtype=object)[edge.read], chart.joint.nv
    S, bend, behind = zeros(6, m), zeros(m, 6, m), zeros(6, m)
    R, r = exacts(np.eye(3)), zeros(3)  # of the child in the frame behind the motion
    for motion in reversed(chart.joint.chain):
        at, own = chart.columns(motion), exacts(tidy(chart.own_twist(motion)))
        w = R.T @ own[:3]
        column = np.concatenate([w, R.T @ (own[3:] + _crossed(own[:3], r))]) if own.size else own
        for j in range(m):
            if behind[:, j].any():
                bend[j, :, at] = bend[j, :, at] - ad(behind[:, j], column)
        S[:, at] = S[:, at] + column
        behind[:, at] = behind[:, at] + column
        X = _chain_motion(chart, motion, here)
        R, r = X[:3, :3] @ R, X[:3, :3] @ r + X[:3, 3]
    on_b = exacts(tidy(adjoint(inverse_pose(edge.joint.X_Kb))))
    every, bends = zeros(6, n), zeros(n, 6, n)
    every[:, edge.move] = on_b @ S
    bends[edge.move, :, edge.move] = np.array([on_b @ one for one in bend], dtype=object).reshape(bend.shape)
    return every, bends


def _crossed(w: Any, r: Any) -> Any:
    """w x r of columns w (3, k)."""
    return np.array([cross(one, r) for one in w.T], dtype=object).reshape(-1, 3).T


def _chain_motion(chart: JointChart, motion: AbstractMotion, q: Any) -> Any:
    """X_k of a motion of the chain of a joint."""
    if isinstance(motion, Ball):
        return chart_pose(chart.rotation, q[chart.k :])
    if motion.coordinates.stop == motion.coordinates.start:
        return _constant(motion.pose(np.zeros(chart.joint.nv)).matrix)
    return _screw_motion(chart.own_twist(motion)[:, 0], q[chart.columns(motion).start])


def _turning(chart: AbstractChart) -> bool:
    """Whether it turns about no fixed axis."""
    return isinstance(chart, Matrix | Quaternion | Space) or (isinstance(chart, JointChart) and chart.ball)


def _jacobian(X: Any, q: Sequence[Any], A: Any) -> Any:
    """S_i = (X⁻¹ ∂_i X)ᵛ, (6, n); Konz (3.121)."""
    R, S = X[:3, :3], zeros(6, A.shape[1])
    for i in range(A.shape[1]):
        slope = _derivative(X, q, A[:, i])
        turn = R.T @ slope[:3, :3]
        S[:, i] = [_short(e) for e in (turn[2, 1], turn[0, 2], turn[1, 0], *(R.T @ slope[:3, 3]))]
    return S


def _inverse(edge: Edge, name: str, steps: Steps) -> Edge:
    """The edge the other way: S' = -Ad S, Ṡ'ξ = -Ad Ṡξ, ∂_k S' = -Ad (∂_k S + ad(S_k) S)."""
    R, r, S, n = edge.R, edge.r, edge.S, edge.S.shape[1]

    def carried(V: Any) -> Any:
        w = R @ V[:3]
        return -np.concatenate([w, cross(r, w) + R @ V[3:]])

    bends = [ad(S[:, k], S) + (0 if edge.slopes is None else edge.slopes[k]) for k in range(n)]
    return Edge(
        name,
        edge.parent,
        R.T,
        steps.names(-R.T @ r, Label("r", (f"{name}'",))),
        steps.names(carried(S), Label("S", (f"{name}'",))),
        None if edge.S_bias is None else carried(edge.S_bias),
        np.array([carried(bend) for bend in bends], dtype=object),
    )


def pose_expression(edge: AbstractEdge, q: Sequence[Any]) -> Any:
    """X_ab(q, t), an object array (4, 4)."""
    import sympy

    match edge:
        case GivenEdge():
            return edge.X.expressions([*q, sympy.Symbol("t", real=True)])
        case ChangedEdge():
            return pose_expression(edge.edge, q)
        case JointEdge():
            motion = chart_pose(edge.joint.chart, np.array(list(q), dtype=object)[edge.read])
            return _constant(edge.joint.X_aJ) @ motion @ _constant(edge.joint.X_Kb)
        case InverseEdge():
            X = pose_expression(edge.edge, q)
            return _homogeneous(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])
    raise ModelError(f"the edge {edge.name} has no symbols: a {type(edge).__name__} is known as numbers only.")


def chart_pose(chart: AbstractChart, q: Any) -> Any:
    """The pose of a ready-made joint, on φ = 0."""
    import sympy

    match chart:
        case Line():
            return _screw_motion(chart.screw, q[0])
        case Circle():
            c, s, a = q[0], q[1], directions(chart.axis)
            return _homogeneous(c * exacts(np.eye(3)) + s * _hat(a) + (1 - c) * np.outer(a, a), zeros(3))
        case Plane():
            x, y, c, s = q
            zero, one = sympy.Integer(0), sympy.Integer(1)
            return _homogeneous(
                np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], dtype=object),
                np.array([x, y, zero], dtype=object),
            )
        case Matrix():
            return _homogeneous(q.reshape(3, 3).T, zeros(3))
        case Quaternion():
            return _homogeneous(rotation(q), zeros(3))
        case Space():
            X = chart_pose(chart.rotation, q[3:])
            X[:3, 3] = q[:3]
            return X
        case Rigid():
            return exacts(np.eye(4))
        case JointChart():
            X = exacts(np.eye(4))
            for motion in chart.joint.chain:
                X = X @ _chain_motion(chart, motion, q)
            return X
    raise ModelError(f"coordinates of the kind {type(chart).__name__} have no symbols.")


def _screw_motion(screw: Any, q: Any) -> Any:
    """exp(S q): R = I + sin θ ŵ + (1 - cos θ) ŵ², r = (θ I + (1 - cos θ) ŵ + (θ - sin θ) ŵ²) v/|w|."""
    import sympy

    size = float(np.linalg.norm(screw[:3]))
    eye = exacts(np.eye(3))
    if size == 0:
        return _homogeneous(eye, exacts(tidy(screw[3:])) * q)
    w, theta = _hat(directions(screw[:3] / size)), directions(np.array([size]))[0] * q
    c, s = sympy.cos(theta), sympy.sin(theta)
    v = exacts(tidy(screw[3:] / size))
    return _homogeneous(eye + s * w + (1 - c) * (w @ w), (theta * eye + (1 - c) * w + (theta - s) * (w @ w)) @ v)


def _derivative(values: Any, q: Sequence[Any], along: Any) -> Any:
    """Σ along_a ∂/∂q_a of all entries."""
    import sympy

    def one(entry: Any) -> Any:
        entry = sympy.sympify(entry)
        used = entry.free_symbols
        return sum((entry.diff(s) * a for s, a in zip(q, along, strict=True) if s in used and a != 0), sympy.Integer(0))

    found = np.empty(values.shape, dtype=object)
    for at in np.ndindex(values.shape):
        found[at] = one(values[at])
    return found


def _short(entry: Any) -> Any:
    import sympy

    entry = sympy.sympify(entry)
    return shortest(entry) if entry.count_ops() < SHORT and not entry.has(sympy.Float) else entry


def _constant(X: Any) -> Any:
    return _homogeneous(directions(X[:3, :3]), exacts(tidy(X[:3, 3])))


def _hat(w: Any) -> Any:
    zero = zeros(1)[0]
    return np.array([[zero, -w[2], w[1]], [w[2], zero, -w[0]], [-w[1], w[0], zero]], dtype=object)


def _homogeneous(R: Any, r: Any) -> Any:
    X = exacts(np.eye(4))
    X[:3, :3], X[:3, 3] = R, r
    return X
