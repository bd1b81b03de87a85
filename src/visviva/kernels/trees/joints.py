"""Sliders, screws, balls and free links in forward dynamics: R_PL = B R(q) and r(q) are kept as numbers.

With (α̃, ã) the acceleration of a link without that of its joint, S the unit velocities of the joint, I_A the
articulated inertia of the link and U = I_A S, D = Sᵀ U:

    ξ̇ = D⁻¹ (τ - Sᵀ p - Uᵀ ã),   I_a = I_A - U D⁻¹ Uᵀ,   p_a = p + I_a c + U D⁻¹ (τ - Sᵀ p)

A ball leaves of I_a only M - Hᵀ J⁻¹ H, and passes the moment τ; a free link leaves no inertia and passes τ alone.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import woven
from visviva.kernels.multibody.algebra import NOTHING, Matrix, Vector, cross, matmul, minus, mul, mul_t, plus, times
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.lanes import exceeds, item, load, put_item, reciprocal, store
from visviva.kernels.trees.rigid import coupling, forces, inertia, mass, shift_to_parent

from visviva.kernels.trees.algebra import (  # isort: skip
    NONE, Articulated, Six, around, cos_sin, matrix, put, put_matrix, put_six, rotation, six, sym, sym_inverse,
    sym_turned, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ACC, ALPHA, ARM, AT_Q, AT_V, AXIS, BALL, COUPLING, DRIFT, FREE, INVERSE, JI, KIND, MI, NO_INERTIA, OMEGA, ORIGIN,
    PARENT, R_PL, REST, RF, RN, ROT, SHIFT, SPIN, TURN, UV, UW,
)  # fmt: skip


@woven
def place_joint(C: Array, K: Int, W: Array, i: int, q: Array) -> None:
    """R_PL and r."""
    at, B, r = K[i, AT_Q], matrix(C, i, ROT), vector(C, i, ORIGIN)
    if K[i, KIND] == AXIS:
        x = item(q, at)
        c, s = cos_sin(C[i, TURN] * x)
        put_matrix(W, i, R_PL, _turned_columns(B, c, s))
        put(W, i, ARM, plus(r, times(C[i, SHIFT] * x, (B[2], B[5], B[8]))))
        return
    if K[i, KIND] == FREE:
        put(W, i, ARM, plus(r, mul(B, (item(q, at), item(q, at + 1), item(q, at + 2)))))
        at += 3
    else:
        put(W, i, ARM, r)
    put_matrix(W, i, R_PL, matmul(B, rotation(item(q, at), item(q, at + 1), item(q, at + 2), item(q, at + 3))))


@woven
def _turned_columns(B: Matrix, c: float, s: float) -> Matrix:
    """B Rz."""
    return (
        c * B[0] + s * B[1], c * B[1] - s * B[0], B[2],
        c * B[3] + s * B[4], c * B[4] - s * B[3], B[5],
        c * B[6] + s * B[7], c * B[7] - s * B[6], B[8],
    )  # fmt: skip


@woven
def relative_velocity(C: Array, K: Int, i: int, xi: Array) -> tuple[Vector, Vector]:
    """ω and v of the link against its parent, in link axes."""
    k = K[i, AT_V]
    x = item(xi, k)
    none = 0.0 * x
    if K[i, KIND] == AXIS:
        return (none, none, C[i, TURN] * x), (none, none, C[i, SHIFT] * x)
    w = (x, item(xi, k + 1), item(xi, k + 2))
    if K[i, KIND] == BALL:
        return w, (none, none, none)
    return w, (item(xi, k + 3), item(xi, k + 4), item(xi, k + 5))


@woven
def move_joint(C: Array, K: Int, W: Array, i: int, xi: Array) -> None:
    """ω of the link; accelerations at rest of the joint: ω × ω_rel, and ω_P × (ω_P × r) + 2 ω_P × v + ω_rel × v."""
    R, r, w_P = matrix(W, i, R_PL), vector(W, i, ARM), vector(W, K[i, PARENT], OMEGA)
    w_rel, v = relative_velocity(C, K, i, xi)
    w = plus(mul_t(R, w_P), w_rel)
    put(W, i, SPIN, cross(w, w_rel))
    along = plus(times(2.0, cross(w_P, mul(R, v))), mul(R, cross(w_rel, v)))
    put(W, i, DRIFT, plus(around(w_P, r), along))
    put(W, i, OMEGA, w)


@woven
def fold_joint(C: Array, K: Int, W: Array, L: Array, i: int, tau: Array) -> bool:
    """Articulated inertia and force handed to the parent; whether the joint has an inertia."""
    k, R, carried = K[i, AT_V], matrix(W, i, R_PL), K[i, PARENT] != K.shape[0]
    A, B, D, (n, f) = inertia(C, W, i), coupling(C, W, i), mass(C, W, i), forces(C, W, L, i)
    if K[i, KIND] == AXIS:
        found, X = _fold_axis(C, W, i, item(tau, k), (A, B, D, n, f))
        if carried:
            A, B, D, n, f = X
            B = matmul(R, matmul(B, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])))
            X = sym_turned(R, A), B, sym_turned(R, D), mul(R, n), mul(R, f)
            shift_to_parent(K, W, i, vector(W, i, ARM), vector(W, i, DRIFT), X)
        return found
    t = (item(tau, k), item(tau, k + 1), item(tau, k + 2))
    inverse, det = sym_inverse(A)
    u = minus(t, n)
    put_six(W, i, JI, inverse)
    put_matrix(W, i, COUPLING, B)
    put(W, i, RN, u)
    f = plus(f, mul_t(B, sym(inverse, u)))
    D = _without_turning(D, B, inverse)
    found = _has_inverse(A, det)
    if K[i, KIND] == BALL:
        if carried:
            X = NONE, NOTHING, sym_turned(R, D), mul(R, t), mul(R, f)
            shift_to_parent(K, W, i, vector(W, i, ARM), vector(W, i, DRIFT), X)
        return found
    pull = (item(tau, k + 3), item(tau, k + 4), item(tau, k + 5))
    inverse, det = sym_inverse(D)
    put_six(W, i, MI, inverse)
    put(W, i, RF, minus(pull, f))
    if carried:
        shift_to_parent(K, W, i, vector(W, i, ARM), vector(W, i, DRIFT), (NONE, NOTHING, NONE, mul(R, t), mul(R, pull)))
    return found and _has_inverse(D, det)


@woven
def _fold_axis(C: Array, W: Array, i: int, tau: float, X: Articulated) -> tuple[bool, Articulated]:
    """S = (0, 0, turn; 0, 0, shift)."""
    A, B, D, n, f = X
    a, b = C[i, TURN], C[i, SHIFT]
    x = plus(times(a, (A[2], A[4], A[5])), times(b, (B[2], B[5], B[8])))
    y = plus(times(a, (B[6], B[7], B[8])), times(b, (D[2], D[4], D[5])))
    size = a * x[2] + b * y[2]
    across = a * a * (A[0] + A[3] + A[5]) + b * b * (D[0] + D[3] + D[5])
    found = exceeds(size - NO_INERTIA * across, 0.0)
    inverse, u = reciprocal(size), tau - a * n[2] - b * f[2]
    put(W, i, UW, x)
    put(W, i, UV, y)
    store(W, i, INVERSE, inverse)
    store(W, i, REST, u)
    e, g = times(inverse, x), times(inverse, y)
    A = (
        A[0] - e[0] * x[0], A[1] - e[0] * x[1], A[2] - e[0] * x[2],
        A[3] - e[1] * x[1], A[4] - e[1] * x[2], A[5] - e[2] * x[2],
    )  # fmt: skip
    B = (
        B[0] - e[0] * y[0], B[1] - e[0] * y[1], B[2] - e[0] * y[2],
        B[3] - e[1] * y[0], B[4] - e[1] * y[1], B[5] - e[1] * y[2],
        B[6] - e[2] * y[0], B[7] - e[2] * y[1], B[8] - e[2] * y[2],
    )  # fmt: skip
    D = (
        D[0] - g[0] * y[0], D[1] - g[0] * y[1], D[2] - g[0] * y[2],
        D[3] - g[1] * y[1], D[4] - g[1] * y[2], D[5] - g[2] * y[2],
    )  # fmt: skip
    spin = vector(W, i, SPIN)
    n = plus(n, plus(sym(A, spin), times(u, e)))
    f = plus(f, plus(mul_t(B, spin), times(u, g)))
    return found, (A, B, D, n, f)


@woven
def _has_inverse(A: Six, det: float) -> bool:
    t = A[0] + A[3] + A[5]
    return exceeds(det - NO_INERTIA * (t * t * t), 0.0)


@woven
def _without_turning(D: Six, B: Matrix, inverse: Six) -> Six:
    """M - Hᵀ J⁻¹ H."""
    x, y, z = (B[0], B[3], B[6]), (B[1], B[4], B[7]), (B[2], B[5], B[8])
    a, b, c = sym(inverse, x), sym(inverse, y), sym(inverse, z)
    return (
        D[0] - (x[0] * a[0] + x[1] * a[1] + x[2] * a[2]),
        D[1] - (x[0] * b[0] + x[1] * b[1] + x[2] * b[2]),
        D[2] - (x[0] * c[0] + x[1] * c[1] + x[2] * c[2]),
        D[3] - (y[0] * b[0] + y[1] * b[1] + y[2] * b[2]),
        D[4] - (y[0] * c[0] + y[1] * c[1] + y[2] * c[2]),
        D[5] - (z[0] * c[0] + z[1] * c[1] + z[2] * c[2]),
    )


@woven
def accelerate_joint(C: Array, K: Int, W: Array, i: int, xi: Array, xi_dot: Array) -> None:
    """ξ̇ of the joint, and the acceleration of its link."""
    p, k, R = K[i, PARENT], K[i, AT_V], matrix(W, i, R_PL)
    alpha = vector(W, p, ALPHA)
    a = mul_t(R, plus(plus(vector(W, p, ACC), vector(W, i, DRIFT)), cross(alpha, vector(W, i, ARM))))
    alpha = plus(mul_t(R, alpha), vector(W, i, SPIN))
    if K[i, KIND] == AXIS:
        x, y = vector(W, i, UW), vector(W, i, UV)
        taken = x[0] * alpha[0] + x[1] * alpha[1] + x[2] * alpha[2] + y[0] * a[0] + y[1] * a[1] + y[2] * a[2]
        rate = (load(W, i, REST) - taken) * load(W, i, INVERSE)
        put_item(xi_dot, k, rate)
        put(W, i, ALPHA, (alpha[0], alpha[1], alpha[2] + C[i, TURN] * rate))
        put(W, i, ACC, (a[0], a[1], a[2] + C[i, SHIFT] * rate))
        return
    if K[i, KIND] == FREE:
        b = sym(six(W, i, MI), vector(W, i, RF))
        _put_items(xi_dot, k + 3, minus(b, a))
        a = b
    found = sym(six(W, i, JI), minus(vector(W, i, RN), mul(matrix(W, i, COUPLING), a)))
    _put_items(xi_dot, k, minus(found, alpha))
    put(W, i, ALPHA, found)
    put(W, i, ACC, a)


@woven
def _put_items(x: Array, k: int, y: Vector) -> None:
    put_item(x, k, y[0])
    put_item(x, k + 1, y[1])
    put_item(x, k + 2, y[2])
