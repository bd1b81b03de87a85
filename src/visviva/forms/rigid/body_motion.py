"""Poses, twists and Jacobians of all frames of a graph, from those of its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, frozen
from visviva.errors import ModelError
from visviva.forms.calculus.checks import check_rigid
from visviva.forms.calculus.edges import AbstractEdge
from visviva.forms.calculus.graph import GROUND, FrameGraph
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)
class Frame:
    """A frame in another: pose X, Jacobian J of its body twist V = J ξ + W, and bias B = J̇ ξ + Ẇ.

    W is what is left at ξ = 0, where poses depend on time.

    terms: of each column of J, the lengths of all angular velocities that add up to its own, and of all velocities.
           They do not depend on axes, in which an entry may be small without anything that cancels.
    """

    X: SE3
    J: Array  # (6, n)
    V: Array  # (6,)
    B: Array  # (6,)
    terms: Array  # (2, n)


def pose_of(given: SE3 | ArrayLike, what: str) -> SE3:
    """A pose given as such or as a homogeneous matrix (4, 4), checked; with arrays of its own."""
    return SE3(frozen(given.R), frozen(given.r)) if isinstance(given, SE3) else SE3.from_matrix(given, what)


def edge_motion(edge: AbstractEdge, q: Array, xi: Array, t: float = 0.0) -> Frame:
    """Frame b of an edge in its frame a."""
    X, J = edge.pose(q, t), edge.jacobian(q, t)
    if edge.timed:
        check_rigid(edge, X, t)
    elif np.linalg.det(X[:3, :3]) < 0:
        raise ModelError(
            f"these coordinates are no configuration: the pose {edge.name} is a reflection, not a rotation.\n"
            "Its axes are left-handed. Change the sign of one of them, or of all three."
        )
    V = J @ xi + edge.drift(q, t) if edge.timed else J @ xi
    return Frame(SE3(X[:3, :3], X[:3, 3]), J, V, edge.bias(q, xi, t), _lengths(J))


def _lengths(J: Array) -> Array:
    return np.stack([np.linalg.norm(J[:3], axis=0), np.linalg.norm(J[3:], axis=0)])


def _carried(X: SE3, terms: Array) -> Array:
    """Terms of Ad(X)⁻¹ J: velocities of another point, at the end of the arm of X."""
    return np.stack([terms[0], terms[1] + float(np.linalg.norm(X.r)) * terms[0]])


def fixed_frame(X: SE3, n: int) -> Frame:
    """A frame that does not move in another."""
    return Frame(X, np.zeros((6, n)), np.zeros(6), np.zeros(6), np.zeros((2, n)))


def frames_of(graph: FrameGraph, q: Array, xi: Array, t: float = 0.0) -> dict[str, Frame]:
    """All frames in the ground's, outwards along the tree of edges.  Source: Konz, dissertation, (3.122)."""
    frames = {GROUND: fixed_frame(SE3.identity(), len(xi))}
    for edge in graph.tree:
        frames[edge.b] = after(frames[edge.a], edge_motion(edge, q, xi, t))
    return frames


def after(a: Frame, ab: Frame) -> Frame:
    """The frame b whose motion relative to frame a is `ab`: with A = Ad(X_ab)⁻¹,

        X_b = X_a X_ab,   J_b = A J_a + J_ab,   V_b = A V_a + V_ab,   B_b = A B_a - ad(V_ab) A V_a + B_ab.

    Source:  Konz (3.122), with the indices of Ad and ad as they must be: those of the print fail.
    """
    A = ab.X.inverse().Ad()
    V = A @ a.V
    terms = _carried(ab.X, a.terms) + ab.terms
    return Frame(a.X @ ab.X, A @ a.J + ab.J, V + ab.V, A @ a.B - SE3.ad(ab.V) @ V + ab.B, terms)


def between(a: Frame, b: Frame) -> Frame:
    """Motion of frame b relative to frame a: X_ab = X_a⁻¹ X_b,  J_ab = J_b - Ad(X_ab)⁻¹ J_a, and its bias."""
    X = a.X.inverse() @ b.X
    A = X.inverse().Ad()
    V_a = A @ a.V
    V = b.V - V_a
    terms = b.terms + _carried(X, a.terms)
    return Frame(X, b.J - A @ a.J, V, b.B - A @ a.B + SE3.ad(V) @ V_a, terms)
