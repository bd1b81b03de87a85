"""Edges of a parameterisation as symbols: poses of frames, from expressions or from ready-made joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.charts import AbstractChart, Circle, Line, Matrix, Plane, Quaternion, Rigid, Space
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.calculus.edges import AbstractEdge, ChangedEdge, GivenEdge, InverseEdge, adjoint, inverse_pose
from visviva.forms.symbols.frames import Edge
from visviva.forms.symbols.parameters import directions, exacts, tidy
from visviva.forms.symbols.steps import Steps, zeros
from visviva.forms.symbols.tree import rotation
from visviva.forms.symbols.trigonometry import shortest
from visviva.views.equations_names import Label

SHORT = 400  # operations that an entry may have to be simplified


def edge_of(edge: AbstractEdge, parent: int, q: Sequence[Any], A: Any, xi: Any, steps: Steps) -> Edge:
    """The frame b of an edge: S_i = (X⁻¹ ∂_i X)ᵛ, with derivatives along all velocities; Konz (3.121)."""
    X = pose_expression(edge, q)
    R, r = X[:3, :3], X[:3, 3]
    n, S = len(xi), zeros(6, len(xi))
    constant = _constant_jacobian(edge)
    if constant is not None:
        S = exacts(tidy(constant))
    else:
        slopes = [_derivative(X, q, A[:, i]) for i in range(n)]
        for i, slope in enumerate(slopes):
            turn = R.T @ slope[:3, :3]
            S[:, i] = [_short(e) for e in (turn[2, 1], turn[0, 2], turn[1, 0], *(R.T @ slope[:3, 3]))]
    label = Label("S", (f"{edge.b}'",))
    bend = None if constant is not None else np.array([_derivative(S, q, A[:, k]) for k in range(n)], dtype=object)
    bias = None if bend is None else sum(bend[k] @ xi * xi[k] for k in range(n))
    return Edge(
        edge.b,
        parent,
        steps.names(R, Label("R", (f"{edge.b}'",))),
        steps.names(r, Label("r", (f"{edge.b}'",))),
        steps.names(S, label),
        None if bias is None or not any(bias) else steps.names(bias, Label("b", (f"{edge.b}'",))),
        None if bend is None or not bend.any() else bend,
    )


def pose_expression(edge: AbstractEdge, q: Sequence[Any]) -> Any:
    """X_ab(q), an object array (4, 4)."""
    match edge:
        case GivenEdge():
            return edge.X.expressions(q)
        case ChangedEdge():
            return pose_expression(edge.edge, q)
        case InverseEdge():
            X = pose_expression(edge.edge, q)
            return _homogeneous(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])
        case JointEdge():
            motion = chart_pose(edge.joint.chart, np.array(list(q), dtype=object)[edge.read])
            return _constant(edge.joint.X_aJ) @ motion @ _constant(edge.joint.X_Kb)
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


def _constant_jacobian(edge: AbstractEdge) -> Any:
    if isinstance(edge, JointEdge):
        J = np.zeros((6, edge.n))
        J[:, edge.move] = adjoint(inverse_pose(edge.joint.X_Kb)) @ edge.joint.chart.S
        return J
    return None


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
