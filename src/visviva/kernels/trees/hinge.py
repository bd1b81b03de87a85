"""A hinge in forward and inverse dynamics, in frames where its rotation is made of turns about coordinate axes.

Every congruence of a 6 x 6 inertia is then a few plane rotations, and what the joint lets go is zero in its z rows: of
21 numbers 15 are turned. It is about 430 operations per hinge.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, minus, plus, times
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.lanes import exceeds, load, reciprocal, store
from visviva.kernels.trees.rigid import coupling, forces, inertia, mass, shift_to_parent

from visviva.kernels.trees.algebra import (  # isort: skip
    Articulated, about_x, about_z, around, cos_sin, full_about_z, in_plane, put, sym_about_x, sym_about_z, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ACC, ALPHA, COS, COS_A, COS_B, DRIFT, INVERSE, NO_INERTIA, OFFSET, OMEGA, ORIGIN, PARENT, REST, SIN, SIN_A, SIN_B,
    SPUN, UV, UW,
)  # fmt: skip


@woven
def to_link(C: Array, K: Int, W: Array, i: int, x: Vector) -> Vector:
    """R_PLᵀ x."""
    if K[i, SPUN]:
        x = about_z(C[i, COS_B], -C[i, SIN_B], x)
    x = about_x(C[i, COS_A], -C[i, SIN_A], x)
    return about_z(load(W, i, COS), -load(W, i, SIN), x)


@woven
def to_parent(C: Array, K: Int, W: Array, i: int, x: Vector) -> Vector:
    """R_PL x."""
    x = about_x(C[i, COS_A], C[i, SIN_A], about_z(load(W, i, COS), load(W, i, SIN), x))
    if K[i, SPUN]:
        x = about_z(C[i, COS_B], C[i, SIN_B], x)
    return x


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
    w = to_link(C, K, W, i, w)
    put(W, i, OMEGA, (w[0], w[1], w[2] + rate))


@woven
def fold_hinge(C: Array, K: Int, W: Array, L: Array, i: int, rate: float, tau: float) -> bool:
    """Articulated inertia and force handed to the parent; whether the joint has an inertia.

    Less U Uᵀ/D, with forces at accelerations ω × ω_rel = (a, b, 0) and ξ̇ = u/D. The rows z of J and H vanish: they are
    kept out of what follows, and the n_z that stays is τ. Part after part, with as few numbers at a time as can be:
    those that do not fit into registers go to memory and back. What the joint keeps is written last, so that no read
    has to come before.
    """
    n, f = forces(C, W, L, i)
    J, H = inertia(C, W, i), coupling(C, W, i)
    u, inverse, found = tau - n[2], reciprocal(J[5]), exceeds(J[5] - NO_INERTIA * (J[0] + J[3]), 0.0)
    if K[i, PARENT] != K.shape[0]:
        c, s, ca, sa = load(W, i, COS), load(W, i, SIN), C[i, COS_A], C[i, SIN_A]
        M, h, z = mass(C, W, i), (H[6], H[7], H[8]), (H[6] * inverse, H[7] * inverse, H[8] * inverse)
        M = (
            M[0] - z[0] * h[0], M[1] - z[0] * h[1], M[2] - z[0] * h[2],
            M[3] - z[1] * h[1], M[4] - z[1] * h[2], M[5] - z[2] * h[2],
        )  # fmt: skip
        M = sym_about_x(ca, sa, sym_about_z(c, s, M))
        x, y, a, b = J[2] * inverse, J[4] * inverse, rate * load(W, i, OMEGA + 1), -rate * load(W, i, OMEGA)
        first, second = minus((H[0], H[1], H[2]), times(x, h)), minus((H[3], H[4], H[5]), times(y, h))
        f = plus(plus(plus(f, times(a, first)), times(b, second)), times(u, z))
        f = about_x(ca, sa, about_z(c, s, f))
        G = _turned(c, s, ca, sa, first, second)
        xx, xy, yy = J[0] - x * J[2], J[1] - x * J[4], J[3] - y * J[4]
        n = (n[0] + xx * a + xy * b + x * u, n[1] + xy * a + yy * b + y * u, tau)
        n = about_x(ca, sa, about_z(c, s, n))
        xx, xy, _, yy = in_plane(c, s, xx, xy, xy, yy)
        zz = sa * sa * yy
        X = (xx, ca * xy, sa * xy, yy - zz, sa * ca * yy, zz), G, M, n, f
        if K[i, SPUN]:
            X = _spun(C[i, COS_B], C[i, SIN_B], X)
        shift_to_parent(K, W, i, vector(C, i, ORIGIN), vector(W, i, DRIFT), X)
    put(W, i, UV, (H[6], H[7], H[8]))
    store(W, i, UW, J[2])
    store(W, i, UW + 1, J[4])
    store(W, i, INVERSE, inverse)
    store(W, i, REST, u)
    return found


@woven
def _turned(c: float, s: float, ca: float, sa: float, x: Vector, y: Vector) -> Matrix:
    """Rx(α) Rz(q) [x; y; 0] Rz(q)ᵀ Rx(α)ᵀ, with x and y as rows."""
    x0, x1, y0, y1 = in_plane(c, s, x[0], x[1], y[0], y[1])
    x2, y2 = c * x[2] - s * y[2], s * x[2] + c * y[2]
    p, q = sa * sa, sa * ca
    t, u = p * y1 + q * y2, q * y1 - p * y2
    return (x0, ca * x1 - sa * x2, sa * x1 + ca * x2, ca * y0, y1 - t, y2 + u, sa * y0, u, t)


@woven
def _spun(c: float, s: float, X: Articulated) -> Articulated:
    """Rz(β) of it."""
    J, H, M, n, f = X
    return sym_about_z(c, s, J), full_about_z(c, s, H), sym_about_z(c, s, M), about_z(c, s, n), about_z(c, s, f)


@woven
def accelerate_hinge(C: Array, K: Int, W: Array, i: int, rate: float) -> float:
    """ξ̇ of the hinge, and the acceleration of its link."""
    p = K[i, PARENT]
    alpha = vector(W, p, ALPHA)
    a = plus(plus(vector(W, p, ACC), vector(W, i, DRIFT)), cross(alpha, vector(C, i, ORIGIN)))
    x, y, z = to_link(C, K, W, i, alpha)
    a = to_link(C, K, W, i, a)
    x, y = x + rate * load(W, i, OMEGA + 1), y - rate * load(W, i, OMEGA)
    left = load(W, i, REST) - load(W, i, UW) * x - load(W, i, UW + 1) * y
    left = left - load(W, i, UV) * a[0] - load(W, i, UV + 1) * a[1] - load(W, i, UV + 2) * a[2]
    xi_dot = left * load(W, i, INVERSE) - z
    put(W, i, ALPHA, (x, y, z + xi_dot))
    put(W, i, ACC, a)
    return xi_dot


@woven
def carry_hinge(C: Array, K: Int, W: Array, i: int, rate: float, xi_dot: float) -> tuple[Vector, Vector, Vector]:
    """ω, α and the acceleration of the origin of its link at a known ξ̇, in link axes, written and returned."""
    p, r = K[i, PARENT], vector(C, i, ORIGIN)
    w, alpha = vector(W, p, OMEGA), vector(W, p, ALPHA)
    a = to_link(C, K, W, i, plus(plus(vector(W, p, ACC), around(w, r)), cross(alpha, r)))
    x, y, z = to_link(C, K, W, i, w)
    alpha = to_link(C, K, W, i, alpha)
    w, alpha = (x, y, z + rate), (alpha[0] + rate * y, alpha[1] - rate * x, alpha[2] + xi_dot)
    put(W, i, OMEGA, w)
    put(W, i, ALPHA, alpha)
    put(W, i, ACC, a)
    return w, alpha, a
