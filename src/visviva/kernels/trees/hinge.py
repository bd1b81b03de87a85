"""A hinge in forward dynamics, in frames where its rotation is made of turns about coordinate axes.

Every congruence of a 6 x 6 inertia is then a few plane rotations, and what the joint lets go is zero in its z rows: of
21 numbers 15 are turned. It is about 430 operations per hinge.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.cache import woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.lanes import exceeds, load, reciprocal, store
from visviva.kernels.trees.rigid import articulated, shift_to_parent

from visviva.kernels.trees.algebra import (  # isort: skip
    Articulated, Six, about_x, about_z, around, cos_sin, full_about_z, put, sym_about_x, sym_about_z, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ACC, ALPHA, COS, COS_A, COS_B, DRIFT, INVERSE, NO_INERTIA, OFFSET, OMEGA, ORIGIN, PARENT, REST, SIN, SIN_A, SIN_B,
    SPUN, UV, UW,
)  # fmt: skip


@woven
def _to_link(C: Array, K: Int, W: Array, i: int, x: Vector) -> Vector:
    """R_PLᵀ x."""
    if K[i, SPUN]:
        x = about_z(C[i, COS_B], -C[i, SIN_B], x)
    x = about_x(C[i, COS_A], -C[i, SIN_A], x)
    return about_z(load(W, i, COS), -load(W, i, SIN), x)


@woven
def place_hinge(C: Array, W: Array, i: int, q: float) -> None:
    """cos and sin of the angle."""
    c, s = cos_sin(q + C[i, OFFSET])
    store(W, i, COS, c)
    store(W, i, SIN, s)


@woven
def move_hinge(C: Array, K: Int, W: Array, i: int, rate: float) -> None:
    """ω of the link, and what it adds to accelerations."""
    w = vector(W, K[i, PARENT], OMEGA)
    put(W, i, DRIFT, around(w, vector(C, i, ORIGIN)))
    w = _to_link(C, K, W, i, w)
    put(W, i, OMEGA, (w[0], w[1], w[2] + rate))


@woven
def fold_hinge(C: Array, K: Int, W: Array, L: Array, i: int, rate: float, tau: float) -> bool:
    """Articulated inertia and force handed to the parent; whether the joint has an inertia."""
    A, B, D, n, f = articulated(C, W, L, i)
    u, inverse, found = tau - n[2], reciprocal(A[5]), exceeds(A[5] - NO_INERTIA * (A[0] + A[3]), 0.0)
    put(W, i, UV, (B[6], B[7], B[8]))
    store(W, i, UW, A[2])
    store(W, i, UW + 1, A[4])
    store(W, i, INVERSE, inverse)
    store(W, i, REST, u)
    if K[i, PARENT] != K.shape[0]:
        X = _let_go(A, B, D, n, f, u, inverse, (rate * load(W, i, OMEGA + 1), -rate * load(W, i, OMEGA)), tau)
        X = _turned(X, load(W, i, COS), load(W, i, SIN), C[i, COS_A], C[i, SIN_A])
        if K[i, SPUN]:
            c, s, (A, B, D, n, f) = C[i, COS_B], C[i, SIN_B], X
            X = sym_about_z(c, s, A), full_about_z(c, s, B), sym_about_z(c, s, D), about_z(c, s, n), about_z(c, s, f)
        shift_to_parent(K, W, i, vector(C, i, ORIGIN), vector(W, i, DRIFT), X)
    return found


@woven
def _let_go(
    A: Six, B: Matrix, D: Six, n: Vector, f: Vector, u: float, inverse: float, spin: tuple[float, float], tau: float
) -> Articulated:
    """Less U Uᵀ/D, with forces at accelerations ω × ω_rel = (spin, 0) and ξ̇ = u/D.

    The rows z of J and H vanish: they are kept out of what follows, and the n_z that stays is τ.
    """
    x, y = A[2] * inverse, A[4] * inverse
    z = (B[6] * inverse, B[7] * inverse, B[8] * inverse)
    A0, A1, A3 = A[0] - x * A[2], A[1] - x * A[4], A[3] - y * A[4]
    B0, B1, B2 = B[0] - x * B[6], B[1] - x * B[7], B[2] - x * B[8]
    B3, B4, B5 = B[3] - y * B[6], B[4] - y * B[7], B[5] - y * B[8]
    D = (
        D[0] - z[0] * B[6], D[1] - z[0] * B[7], D[2] - z[0] * B[8],
        D[3] - z[1] * B[7], D[4] - z[1] * B[8], D[5] - z[2] * B[8],
    )  # fmt: skip
    a, b = spin
    n = (n[0] + A0 * a + A1 * b + x * u, n[1] + A1 * a + A3 * b + y * u, tau)
    f = (f[0] + B0 * a + B3 * b + z[0] * u, f[1] + B1 * a + B4 * b + z[1] * u, f[2] + B2 * a + B5 * b + z[2] * u)
    return (A0, A1, 0.0, A3, 0.0, 0.0), (B0, B1, B2, B3, B4, B5, 0.0, 0.0, 0.0), D, n, f


@woven
def _turned(X: Articulated, c: float, s: float, ca: float, sa: float) -> Articulated:
    """Rx(α) Rz(q) of what `_let_go` leaves, whose rows z are zero."""
    A, B, D, n, f = X
    x, y = c * A[0] - s * A[1], c * A[1] - s * A[3]
    A0, A1 = c * x - s * y, s * x + c * y
    A3 = A[0] + A[3] - A0
    B0, B3 = c * B[0] - s * B[3], s * B[0] + c * B[3]
    B1, B4 = c * B[1] - s * B[4], s * B[1] + c * B[4]
    B2, B5 = c * B[2] - s * B[5], s * B[2] + c * B[5]
    B0, B1 = c * B0 - s * B1, s * B0 + c * B1
    B3, B4 = c * B3 - s * B4, s * B3 + c * B4
    z = sa * A3
    A = (A0, ca * A1, sa * A1, A3 - sa * z, ca * z, sa * z)
    B1, B2 = ca * B1 - sa * B2, sa * B1 + ca * B2
    B4, B5 = ca * B4 - sa * B5, sa * B4 + ca * B5
    B = (B0, B1, B2, ca * B3, ca * B4, ca * B5, sa * B3, sa * B4, sa * B5)
    D = sym_about_x(ca, sa, sym_about_z(c, s, D))
    return A, B, D, about_x(ca, sa, about_z(c, s, n)), about_x(ca, sa, about_z(c, s, f))


@woven
def accelerate_hinge(C: Array, K: Int, W: Array, i: int, rate: float) -> float:
    """ξ̇ of the hinge, and the acceleration of its link."""
    p = K[i, PARENT]
    alpha = vector(W, p, ALPHA)
    a = plus(plus(vector(W, p, ACC), vector(W, i, DRIFT)), cross(alpha, vector(C, i, ORIGIN)))
    x, y, z = _to_link(C, K, W, i, alpha)
    a = _to_link(C, K, W, i, a)
    x, y = x + rate * load(W, i, OMEGA + 1), y - rate * load(W, i, OMEGA)
    left = load(W, i, REST) - load(W, i, UW) * x - load(W, i, UW + 1) * y
    left = left - load(W, i, UV) * a[0] - load(W, i, UV + 1) * a[1] - load(W, i, UV + 2) * a[2]
    xi_dot = left * load(W, i, INVERSE) - z
    put(W, i, ALPHA, (x, y, z + xi_dot))
    put(W, i, ACC, a)
    return xi_dot
