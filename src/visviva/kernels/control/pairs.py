"""Pairs of frames on a tree in compiled code, as `control.kinematics` has them: poses, Jacobians, their rates, twists.

Columns of spatial Jacobians are constant in axes of their link: J̇_j = ad(V_L) J_j with V_L the twist of the link. In
axes of the frame, Ad(X)⁻¹(J̇ - ad(V) J) with its own twist V.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.control.dense import copy_matrix
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Vector, cross, minus, mul_t, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.evaluation import jacobians, poses
from visviva.kernels.trees.frames import SPATIAL
from visviva.kernels.trees.tables import AT_V, COUNT

Twist = tuple[Vector, Vector]
Rotation = tuple[float, float, float, float, float, float, float, float, float]
GROUND = -1


class Frames(NamedTuple):
    """Frames on links of a tree, as `trees.frames` takes them, and pairs of them."""

    path: Int  # one after the other
    ends: Int  # (frames + 1,) where the path of each begins
    X: Array  # (frames, 12)
    pairs: Int  # (p, 2) frames a and b, or GROUND
    K: Int  # links of the tree


class Motion(NamedTuple):
    """Frames and pairs at a state."""

    R: Array  # (frames, 3, 3)
    r: Array  # (frames, 3)
    J: Array  # (frames, 6, n) in axes of the frame
    J_dot: Array  # (frames, 6, n)
    R_ab: Array  # (p, 3, 3)
    r_ab: Array  # (p, 3)
    J_ab: Array  # (p, 6, n)
    J_ab_dot: Array  # (p, 6, n)
    V: Array  # (p, 6)


@woven
def column(J: Array, j: int) -> Twist:
    """A column as a twist (ω; v)."""
    return (J[0, j], J[1, j], J[2, j]), (J[3, j], J[4, j], J[5, j])


@woven
def put_column(J: Array, j: int, V: Twist) -> None:
    """Write a column."""
    w, v = V
    J[0, j], J[1, j], J[2, j], J[3, j], J[4, j], J[5, j] = w[0], w[1], w[2], v[0], v[1], v[2]


@woven
def twist(V: Array) -> Twist:
    """Six numbers as a twist."""
    return (V[0], V[1], V[2]), (V[3], V[4], V[5])


@woven
def rotation(R: Array) -> Rotation:
    """Nine numbers, row by row."""
    return (R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])


@woven
def add(A: Twist, B: Twist) -> Twist:
    """A + B."""
    return plus(A[0], B[0]), plus(A[1], B[1])


@woven
def subtract(A: Twist, B: Twist) -> Twist:
    """A - B."""
    return minus(A[0], B[0]), minus(A[1], B[1])


@woven
def bracket(V: Twist, W: Twist) -> Twist:
    """ad(V) W = (ω × w; v × w + ω × u)."""
    return cross(V[0], W[0]), plus(cross(V[1], W[0]), cross(V[0], W[1]))


@woven
def to_frame(R: Rotation, r: Vector, V: Twist) -> Twist:
    """Ad(X)⁻¹ V = (Rᵀω; Rᵀ(v - r × ω))."""
    w, v = V
    return mul_t(R, w), mul_t(R, minus(v, cross(r, w)))


@inner
def move_frame(row: Int, f: Frames, k: int, q: Array, v: Array, m: Motion) -> int:
    """Pose, Jacobian and its rate of a frame; a status of `trees.evaluation`."""
    path = f.path[f.ends[k] : f.ends[k + 1]]
    status = poses(row, path, f.X[k], q, m.R[k : k + 1], m.r[k : k + 1])
    if status != 0:
        return status
    status = jacobians(row, path, f.X[k], SPATIAL, q, m.J[k : k + 1])
    if status != 0:
        return status
    J, rate = m.J[k], m.J_dot[k]
    rate[:] = 0.0
    V: Twist = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for i in path:
        first, last = f.K[i, AT_V], f.K[i, AT_V] + f.K[i, COUNT]
        for j in range(first, last):
            w, u = column(J, j)
            V = add(V, ((v[j] * w[0], v[j] * w[1], v[j] * w[2]), (v[j] * u[0], v[j] * u[1], v[j] * u[2])))
        for j in range(first, last):
            put_column(rate, j, bracket(V, column(J, j)))
    R, r = rotation(m.R[k]), (m.r[k, 0], m.r[k, 1], m.r[k, 2])
    for i in path:
        for j in range(f.K[i, AT_V], f.K[i, AT_V] + f.K[i, COUNT]):
            own = column(J, j)
            put_column(rate, j, to_frame(R, r, subtract(column(rate, j), bracket(V, own))))
            put_column(J, j, to_frame(R, r, own))
    return 0


@inner
def move_pairs(row: Int, f: Frames, q: Array, v: Array, m: Motion) -> int:
    """All frames and pairs at a state; a status of `trees.evaluation`."""
    n = v.shape[0]
    for k in range(f.X.shape[0]):
        status = move_frame(row, f, k, q, v, m)
        if status != 0:
            return status
    for p in range(f.pairs.shape[0]):
        a, b = f.pairs[p, 0], f.pairs[p, 1]
        R, r, J, rate = m.R_ab[p], m.r_ab[p], m.J_ab[p], m.J_ab_dot[p]
        if b == GROUND:
            R[:], r[:], J[:], rate[:] = 0.0, 0.0, 0.0, 0.0
            R[0, 0] = R[1, 1] = R[2, 2] = 1.0
        else:
            copy_matrix(m.R[b], R)
            copy_matrix(m.r[b : b + 1], m.r_ab[p : p + 1])
            copy_matrix(m.J[b], J)
            copy_matrix(m.J_dot[b], rate)
        if a != GROUND:
            R_b, r_b = rotation(R), (r[0], r[1], r[2])
            R_a, r_a = rotation(m.R[a]), (m.r[a, 0], m.r[a, 1], m.r[a, 2])
            arm = mul_t(R_a, minus(r_b, r_a))
            for i in range(3):
                c = mul_t(R_a, (R_b[i], R_b[3 + i], R_b[6 + i]))
                R[0, i], R[1, i], R[2, i], r[i] = c[0], c[1], c[2], arm[i]
            R_ab = rotation(R)
            for j in range(n):
                put_column(J, j, subtract(column(J, j), to_frame(R_ab, arm, column(m.J[a], j))))
            _twist_of(J, v, m.V[p])
            V = twist(m.V[p])
            for j in range(n):
                carried = bracket(V, to_frame(R_ab, arm, column(m.J[a], j)))
                own = subtract(column(rate, j), to_frame(R_ab, arm, column(m.J_dot[a], j)))
                put_column(rate, j, add(own, carried))
        _twist_of(J, v, m.V[p])
    return 0


@inner
def _twist_of(J: Array, v: Array, V: Array) -> None:
    for i in range(6):
        V[i] = 0.0
        for j in range(v.shape[0]):
            V[i] += J[i, j] * v[j]
