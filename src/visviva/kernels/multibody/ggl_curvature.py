"""How the impulses of the second level turn with the bodies, and what they are per unit of a multiplier.

A force f on an object with arm p changes with another object y by δf = α δy. Its share in the rows of its body is

    kinematics:  G f,   p̂ (I - â) G f
    momentum:    Λ f - h G f',   p̂ (I - â) (Λ f - h G f') + h G p̂ W (I - â) f

with p at the start and W of `ggl_bodies`; that of G in the kinematics and of Λ is in `curvature`, the rest is here.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import VV, VW, WV, WW, add_block
from visviva.kernels.multibody.functions import back
from visviva.kernels.multibody.ggl_bodies import end_turn_back

from visviva.kernels.multibody.algebra import (  # isort: skip
    ONE, ZERO, Place, Vector, add_matrix_to, cross, halfway, hat_hat, hat_mul, lowered, matminus, matmul, matrix,
    mattimes, minus, moment, mul, mul_hat, plus, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.ggl_rows import (  # isort: skip
    body_of, end_forces, end_rate_forces, force_on, mean_rate_forces, middle_forces,
)  # fmt: skip
from visviva.kernels.multibody.ggl_tables import COUPLED, HALF, OBJECTS, POINTS, PRESENT, W_  # isort: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    CHILD, KIND, KWW, MEET, PARENT, PLACE, SHRINK, UM, UN, A, Int,
)  # fmt: skip


@inner
def curve_rates(
    B: Array, C: Array, X: Array, Y: Array, K: Int, first: int, last: int, G: Array, Z: Array, pairs: Int, h: float
) -> None:
    """Derivatives of the momentum rows by u and ω, as far as they have the factors G of some functions."""
    for i in range(first, last):
        kind, P, N = K[i, KIND], K[i, PARENT], K[i, CHILD]
        if kind == MEET:
            continue
        g, f_rate = G[K[i, PLACE]], mean_rate_forces(Y, kind, i)
        if g == 0.0:
            continue
        for o in range(OBJECTS):
            b = body_of(K, i, o)
            if PRESENT[kind, o] and b < B.shape[0] - 1:
                turning = hat_hat(vector(X, i, UN + 3 * o), force_on(o, f_rate))
                add_matrix_to(B, b, KWW, mattimes(-0.5 * h * h * g, turning))
        for n in range(COUPLED.shape[1]):
            o, c, s = COUPLED[kind, n, 0], COUPLED[kind, n, 1], 0.5 * h * h * g * COUPLED[kind, n, 2]
            if s == 0.0:
                continue
            row, col = body_of(K, i, o), body_of(K, i, c)
            p, low = vector(X, i, UN + 3 * o), lowered(vector(B, row, A))
            turn = halfway(vector(B, col, A), B[col, SHRINK])
            speed = mul_hat(turn, vector(Y, i, HALF + 3 * c))
            place = mul_hat(turn, vector(X, i, UM + 3 * c))
            lever, rate_lever = hat_mul(p, low), hat_mul(p, matmul(matrix(C, row, W_), low))
            change = mattimes(s, matminus(matmul(lever, speed), matmul(rate_lever, place)))
            add_block(B, Z, pairs[i], P, N, o % 2, c % 2, WW, change)
            if o >= POINTS:
                add_block(B, Z, pairs[i], P, N, o % 2, c % 2, VW, mattimes(s, speed))
            if c >= POINTS:
                add_block(B, Z, pairs[i], P, N, o % 2, c % 2, WV, mattimes(s, rate_lever))


@inner
def curve_end_rates(
    B: Array, X: Array, K: Int, first: int, last: int, G: Array, Z: Array, pairs: Int, h: float
) -> None:
    """Derivatives of the momentum rows by v1 and ψ, as far as they have the factors G."""
    for i in range(first, last):
        kind, P, N = K[i, KIND], K[i, PARENT], K[i, CHILD]
        if kind == MEET:
            continue
        for n in range(COUPLED.shape[1]):
            o, c, s = COUPLED[kind, n, 0], COUPLED[kind, n, 1], -0.5 * h * G[K[i, PLACE]] * COUPLED[kind, n, 2]
            if s == 0.0:
                continue
            row, col = body_of(K, i, o), body_of(K, i, c)
            turn = matminus(mattimes(2.0, halfway(vector(B, col, A), B[col, SHRINK])), ONE)
            speed = mattimes(-s, mul_hat(turn, vector(X, i, UN + 3 * c)))
            lever = hat_mul(vector(X, i, UN + 3 * o), lowered(vector(B, row, A)))
            add_block(B, Z, pairs[i], P, N, o % 2, c % 2, WW, matmul(lever, speed))
            if o >= POINTS:
                add_block(B, Z, pairs[i], P, N, o % 2, c % 2, VW, speed)
            if c >= POINTS:
                add_block(B, Z, pairs[i], P, N, o % 2, c % 2, WV, mattimes(s, lever))
            if o >= POINTS and c >= POINTS:
                add_block(B, Z, pairs[i], P, N, o % 2, c % 2, VV, mattimes(s, ONE))


@inner
def _add_object(q: Array, first: Place, o: int, force: Vector, torque: Vector) -> None:
    """Add what an object contributes to the six numbers of its body; forces act on points only."""
    k = first + 6 * (o % 2)
    for j in range(3):
        if o >= POINTS:
            q[k + j] += force[j]
        q[k + 3 + j] += torque[j]


@inner
def rate_columns_of(
    B: Array, C: Array, X: Array, Y: Array, K: Int, i: int, part: int, h: float, q: Array, e: Array
) -> None:
    """Of a multiplier G and its rate row: by the velocities u, ω of parent and child, and by those at the end.

    q[0:12]:  impulse of G in the rows of momentum.   q[12:24]: derivative of the rate by u, ω.
    e[12:24]: derivative of the rate by v1, ψ.        part: which of the three functions of a MEET.
    """
    kind = K[i, KIND]
    for j in range(24):
        q[j] = e[j] = 0.0
    unit = (1.0 if part == 0 else 0.0, 1.0 if part == 1 else 0.0, 1.0 if part == 2 else 0.0)
    f, r, f1, r1 = (ZERO, ZERO, unit), (ZERO, ZERO, ZERO), (ZERO, ZERO, unit), (ZERO, ZERO, ZERO)
    if kind != MEET:
        f, r = middle_forces(X, kind, i), mean_rate_forces(Y, kind, i)
        f1, r1 = end_forces(X, kind, i), end_rate_forces(Y, kind, i)
    for o in range(OBJECTS):
        if not PRESENT[kind, o]:
            continue
        b = body_of(K, i, o)
        a, p0, p, half = vector(B, b, A), vector(X, i, UN + 3 * o), vector(X, i, UM + 3 * o), vector(Y, i, HALF + 3 * o)
        fo, ro, f1o, r1o = force_on(o, f), force_on(o, r), force_on(o, f1), force_on(o, r1)
        bent = cross(p0, mul(matrix(C, b, W_), minus(fo, cross(a, fo))))
        _add_object(q, 0, o, times(-h, ro), times(h, minus(bent, moment(a, cross(p, ro)))))
        slope = plus(cross(p, back(B, b, r1o)), cross(half, back(B, b, f1o)))
        _add_object(q, 12, o, times(h, r1o), times(h, slope))
        _add_object(e, 12, o, f1o, cross(p0, end_turn_back(B, b, f1o)))
