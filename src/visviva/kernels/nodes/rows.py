"""Bodies at a state, and rows of joints over their velocities."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.algebra import Vector, cross, dot, matrix, minus, mul, mul_t, plus, times, vector
from visviva.kernels.multibody.tables import Int

from visviva.kernels.nodes.tables import (  # isort: skip
    ALONG, ALONG_CHILD, AT_Q, AT_V, COLUMN, DIRECTORS, DOT, KIND, MEET, ON_CHILD, ON_PARENT, PAIR, POINT, POSE, WIDTH,
)  # fmt: skip


@inner
def place_bodies(bodies: Int, x: Array, R: Array, r: Array) -> None:
    """Rotations and centres of mass at a state."""
    for b in range(bodies.shape[0]):
        at = bodies[b, AT_Q]
        for i in range(3):
            r[b, i] = x[at + i]
            if bodies[b, WIDTH] != POINT:
                for j in range(3):
                    R[b, 3 * i + j] = x[at + 3 + 3 * j + i]


@kernel
def place_all(bodies: Int, x: Array, R: Array, r: Array) -> None:
    """The same, called by itself."""
    place_bodies(bodies, x, R, r)


@inner
def take_momenta(bodies: Int, P: Array, p: Array) -> None:
    """Momenta of all bodies from a row of them, in the order of `Linkage`."""
    for b in range(bodies.shape[0]):
        at, turns = bodies[b, COLUMN], 0 if bodies[b, WIDTH] == POINT else 3
        for i in range(3):
            p[b, i] = P[at + i] if turns else 0.0
            p[b, 3 + i] = P[at + turns + i]


@inner
def momenta(bodies: Int, inertia: Array, directors: Array, x: Array, R: Array, p: Array) -> None:
    """Momenta at a state: J ω and m v; of directors Rᵀ Σ d_i × E_i ḋ_i for the former."""
    for b in range(bodies.shape[0]):
        at, width = bodies[b, AT_V], bodies[b, WIDTH]
        turn = (0.0, 0.0, 0.0)
        if width == DIRECTORS:
            for k in range(3):
                at_k = at + 3 + 3 * k
                d, d_dot = (R[b, k], R[b, 3 + k], R[b, 6 + k]), (x[at_k], x[at_k + 1], x[at_k + 2])
                turn = plus(turn, times(directors[b, 1 + k], cross(d, d_dot)))
            turn = mul_t(matrix(R, b, 0), turn)
        for i in range(3):
            p[b, i] = inertia[b, i] * x[at + i] if width == POSE else turn[i]
            p[b, 3 + i] = inertia[b, 3 + i] * x[at + (3 if width == POSE else 0) + i]


@inner
def place_rows(
    bodies: Int, ends: Int, arms: Array, axes: Array, rows: Int, R: Array, r: Array, C: Array, g: Array
) -> None:
    """C = ∂g/∂(ω; v) of parent and child, and g without its constant, see `mechanism.kinematics`."""
    for k in range(rows.shape[0]):
        kind, pair = rows[k, KIND], rows[k, PAIR]
        P, Q = ends[pair, 0], ends[pair, 1]
        R_P, R_Q = matrix(R, P, 0), matrix(R, Q, 0)
        arm_P, arm_Q = mul(R_P, vector(arms, 2 * pair, 0)), mul(R_Q, vector(arms, 2 * pair + 1, 0))
        d = minus(plus(vector(r, Q, 0), arm_Q), plus(vector(r, P, 0), arm_P))
        a = mul(R_P, vector(axes, 2 * pair, 3 * rows[k, ON_PARENT]))
        b = mul(R_Q, vector(axes, 2 * pair + 1, 3 * rows[k, ON_CHILD]))
        f, on_P, on_Q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if kind == MEET:
            i = rows[k, ON_PARENT]
            f = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            g[k] = dot(f, d)
        elif kind == DOT:
            on_P, on_Q = cross(a, b), cross(b, a)
            g[k] = dot(a, b)
        elif kind == ALONG:
            f, on_P = a, cross(a, d)
            g[k] = dot(a, d)
        elif kind == ALONG_CHILD:
            f, on_Q = b, cross(b, d)
            g[k] = dot(b, d)
        else:
            f = d
            g[k] = 0.5 * dot(d, d)
        _put_end(bodies, C, k, 0, P, mul_t(R_P, minus(on_P, cross(arm_P, f))), times(-1.0, f))
        _put_end(bodies, C, k, 6, Q, mul_t(R_Q, plus(on_Q, cross(arm_Q, f))), f)


@inner
def _put_end(bodies: Int, C: Array, k: int, at: int, b: int, turn: Vector, pull: Vector) -> None:
    """One end of a row; the ground has none, and particles do not turn."""
    moves = b < bodies.shape[0]
    turns = moves and bodies[min(b, bodies.shape[0] - 1), WIDTH] != POINT
    for i in range(3):
        C[k, at + i] = turn[i] if turns else 0.0
        C[k, at + 3 + i] = pull[i] if moves else 0.0


@inner
def rate(C: Array, ends: Int, pair: int, V: Array, k: int) -> float:
    """C V of one row."""
    P, Q, total = ends[pair, 0], ends[pair, 1], 0.0
    for i in range(6):
        total += C[k, i] * V[P, i] + C[k, 6 + i] * V[Q, i]
    return total
