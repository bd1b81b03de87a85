"""Inverse dynamics of a tree in O(n), τ from q, ξ, ξ̇; and the mass matrix.

Sources: Luh, Walker, Paul (1980); Featherstone (2008), chapters 5 and 6.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.multibody.algebra import Vector, cross, dot, minus, mul, mul_t, plus, times
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.hinge import carry_hinge, place_hinge, to_parent
from visviva.kernels.trees.joints import place_joint
from visviva.kernels.trees.kinematics import joint_velocity, place

from visviva.kernels.trees.algebra import (  # isort: skip
    add_to, around, matrix, put, put_six, six, sym, sym_turned, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ACC, ALPHA, ARM, AT_Q, AT_V, AXIS, COUNT, DAMPING, HINGE, INERTIA, KIND, MASS, MOMENT, OMEGA, ORIGIN, PARENT, R_PL,
    RELAXED, STIFFNESS, F, N,
)  # fmt: skip


@inner
def _carry_joint(
    C: Array, K: Int, S: Array, W: Array, i: int, q: Array, xi: Array, xi_dot: Array
) -> tuple[Vector, Vector, Vector]:
    """`carry` of a joint that is no hinge."""
    place_joint(C, K, W, i, q)
    p, R, r = K[i, PARENT], matrix(W, i, R_PL), vector(W, i, ARM)
    w_P, alpha_P = vector(W, p, OMEGA), vector(W, p, ALPHA)
    w_rel, v = joint_velocity(K, S, i, xi)
    alpha, a = joint_velocity(K, S, i, xi_dot)
    w = plus(mul_t(R, w_P), w_rel)
    alpha = plus(plus(alpha, mul_t(R, alpha_P)), cross(w, w_rel))
    a_P = plus(vector(W, p, ACC), plus(cross(alpha_P, r), around(w_P, r)))
    a_P = plus(a_P, times(2.0, cross(w_P, mul(R, v))))
    a = plus(plus(a, cross(w_rel, v)), mul_t(R, a_P))
    put(W, i, OMEGA, w)
    put(W, i, ALPHA, alpha)
    put(W, i, ACC, a)
    return w, alpha, a


@woven
def carry(
    C: Array, K: Int, S: Array, W: Array, i: int, q: Array, xi: Array, xi_dot: Array
) -> tuple[Vector, Vector, Vector]:
    """ω, α and the acceleration of the origin of link i from those of its parent, in link axes, written and returned.

    That of the ground is against gravity, where gravity is to count.
    """
    if K[i, KIND] == HINGE:
        place_hinge(C, W, i, q[K[i, AT_Q]])
        return carry_hinge(C, K, W, i, xi[K[i, AT_V]], xi_dot[K[i, AT_V]])
    return _carry_joint(C, K, S, W, i, q, xi, xi_dot)


@inner
def inverse(
    C: Array, K: Int, E: Array, S: Array, q: Array, xi: Array, xi_dot: Array, L: Array, tau: Array, W: Array
) -> None:
    """τ that makes ξ̇, against gravity, springs, damping and the wrenches L."""
    links = K.shape[0]
    for i in range(links):
        w, alpha, a = carry(C, K, S, W, i, q, xi, xi_dot)
        m, h, A = C[i, MASS], vector(C, i, MOMENT), six(C, i, INERTIA)
        put(W, i, N, plus(plus(sym(A, alpha), cross(h, a)), cross(w, sym(A, w))))
        put(W, i, F, plus(plus(times(m, a), cross(alpha, h)), around(w, h)))
    for i in range(L.shape[0]):
        put(W, i, N, minus(vector(W, i, N), vector(L, i, 0)))
        put(W, i, F, minus(vector(W, i, F), vector(L, i, 3)))
    for i in range(links - 1, -1, -1):
        p, k, n, f = K[i, PARENT], K[i, AT_V], vector(W, i, N), vector(W, i, F)
        if K[i, KIND] == HINGE:
            tau[k] = n[2] + E[k, DAMPING] * xi[k] + E[k, STIFFNESS] * (q[K[i, AT_Q]] - E[k, RELAXED])
            if p < links:
                f = to_parent(C, K, W, i, f)
                add_to(W, p, N, plus(to_parent(C, K, W, i, n), cross(vector(C, i, ORIGIN), f)))
                add_to(W, p, F, f)
        else:
            _give_joint(K, E, S, W, i, q, xi, tau)


@inner
def _give_joint(K: Int, E: Array, S: Array, W: Array, i: int, q: Array, xi: Array, tau: Array) -> None:
    """Forces of a joint that is no hinge, and what its link gives to the parent."""
    p, n, f, R = K[i, PARENT], vector(W, i, N), vector(W, i, F), matrix(W, i, R_PL)
    for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
        tau[k] = dot(vector(S, k, 0), n) + dot(vector(S, k, 3), f) + E[k, DAMPING] * xi[k]
    if K[i, KIND] == AXIS:
        k = K[i, AT_V]
        tau[k] += E[k, STIFFNESS] * (q[K[i, AT_Q]] - E[k, RELAXED])
    if p < K.shape[0]:
        f = mul(R, f)
        add_to(W, p, N, plus(mul(R, n), cross(vector(W, i, ARM), f)))
        add_to(W, p, F, f)


@kernel
def inverses(
    C: Array, K: Int, E: Array, S: Array, Q: Array, XI: Array, XI_DOT: Array, L: Array, TAU: Array, W: Array
) -> None:
    """TAU[b] at Q[b], XI[b], XI_DOT[b] and the wrenches L[b]."""
    for b in range(Q.shape[0]):
        inverse(C, K, E, S, Q[b], XI[b], XI_DOT[b], L[b], TAU[b], W)


@woven
def composite(W: Array, i: int, p: int, Z: Array) -> None:
    """Adds the rigid inertia of link i and all behind it to that of its parent; Z: J, h, m of each link."""
    R, r, h, m = matrix(W, i, R_PL), vector(W, i, ARM), mul(matrix(W, i, R_PL), vector(Z, i, 6)), Z[i, 9]
    A = sym_turned(R, six(Z, i, 0))
    g = plus(times(2.0, h), times(m, r))
    square = dot(r, g)
    shifted = (
        A[0] + square - 2.0 * h[0] * r[0] - m * r[0] * r[0], A[1] - h[0] * r[1] - h[1] * r[0] - m * r[0] * r[1],
        A[2] - h[0] * r[2] - h[2] * r[0] - m * r[0] * r[2], A[3] + square - 2.0 * h[1] * r[1] - m * r[1] * r[1],
        A[4] - h[1] * r[2] - h[2] * r[1] - m * r[1] * r[2], A[5] + square - 2.0 * h[2] * r[2] - m * r[2] * r[2],
    )  # fmt: skip
    add_to(Z, p, 0, (shifted[0], shifted[1], shifted[2]))
    add_to(Z, p, 3, (shifted[3], shifted[4], shifted[5]))
    add_to(Z, p, 6, plus(h, times(m, r)))
    Z[p, 9] += m


@inner
def mass_matrix(C: Array, K: Int, S: Array, q: Array, M: Array, W: Array, Z: Array) -> None:
    """M = Σ Sᵀ I S; entries of velocities that are on no common path to the ground are left as they are."""
    links = K.shape[0]
    for i in range(links):
        place(C, K, W, i, q)
        put_six(Z, i, 0, six(C, i, INERTIA))
        put(Z, i, 6, vector(C, i, MOMENT))
        Z[i, 9] = C[i, MASS]
    for i in range(links - 1, -1, -1):
        if K[i, PARENT] < links:
            composite(W, i, K[i, PARENT], Z)
        for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            _mass_row(K, S, W, i, k, links, M, _momentum(Z, i, vector(S, k, 0), vector(S, k, 3)))


@kernel
def mass_matrices(C: Array, K: Int, S: Array, Q: Array, M: Array, W: Array, Z: Array) -> None:
    """M[b] at Q[b]; M: zeros at first."""
    for b in range(Q.shape[0]):
        mass_matrix(C, K, S, Q[b], M[b], W, Z)


@woven
def _momentum(Z: Array, i: int, w: Vector, v: Vector) -> tuple[Vector, Vector]:
    h, A, m = vector(Z, i, 6), six(Z, i, 0), Z[i, 9]
    return plus(sym(A, w), cross(h, v)), plus(times(m, v), cross(w, h))


@inner
def _mass_row(
    K: Int, S: Array, W: Array, i: int, k: int, links: int, M: Array, momentum: tuple[Vector, Vector]
) -> None:
    """Entries of velocity k of link i with those of i and of all links between it and the ground."""
    L, P = momentum
    while i < links:
        for l in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            M[k, l] = M[l, k] = dot(vector(S, l, 0), L) + dot(vector(S, l, 3), P)
        R = matrix(W, i, R_PL)
        P = mul(R, P)
        L = plus(mul(R, L), cross(vector(W, i, ARM), P))
        i = K[i, PARENT]
