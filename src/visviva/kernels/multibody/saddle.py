"""The inverse of [K T; W 0] with K (3, 3) and one to three columns T and rows W, by vectors and cofactors.

    [K  T] [x]     [r]          x = -A r - G γ
    [W  0] [μ] = - [γ]          μ = -Q r - H γ

All are (3, 3): columns of T and rows of W that are not there are zero, and so are those of G, Q and H. With two rows
one direction is free, along t = W_1 × W_2 and against l = T_1 × T_2, and nothing is inverted: K may then be singular.
"""

from __future__ import annotations

from visviva.kernels.functions import inner

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, Matrix, Vector, add_outer, cross, dot, inverse, matmul, mattimes, minus, mul, mul_t, times,
)  # fmt: skip


@inner
def _row(A: Matrix, i: int) -> Vector:
    return (A[0], A[1], A[2]) if i == 0 else (A[3], A[4], A[5])


@inner
def _column(A: Matrix, j: int) -> Vector:
    return (A[0], A[3], A[6]) if j == 0 else (A[1], A[4], A[7])


@inner
def saddle_inverse(K: Matrix, T: Matrix, W: Matrix, n: int) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """A, G, Q, H; not finite where the whole is singular. n: number of rows."""
    if n == 1:
        Ki, T0, W0 = inverse(K), _column(T, 0), _row(W, 0)
        t, w = mul(Ki, T0), mul_t(Ki, W0)
        s = 1.0 / dot(W0, t)
        first = (1.0, 0.0, 0.0)
        G, Q = add_outer(NOTHING, times(s, t), first), add_outer(NOTHING, first, times(s, w))
        return add_outer(Ki, times(-s, t), w), G, Q, (-s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if n == 3:
        G, Q = inverse(W), inverse(T)
        return NOTHING, G, Q, mattimes(-1.0, matmul(Q, matmul(K, G)))
    W0, W1, T0, T1 = _row(W, 0), _row(W, 1), _column(T, 0), _column(T, 1)
    t, l = cross(W0, W1), cross(T0, T1)
    tt, ll = 1.0 / dot(t, t), 1.0 / dot(l, l)
    k, Kt = mul_t(K, l), mul(K, t)
    s = 1.0 / dot(k, t)
    P0, P1 = times(tt, cross(W1, t)), times(tt, cross(t, W0))
    Q0, Q1 = times(ll, cross(T1, l)), times(ll, cross(l, T0))
    G0, G1 = minus(P0, times(s * dot(k, P0), t)), minus(P1, times(s * dot(k, P1), t))
    K0, K1 = mul(K, G0), mul(K, G1)
    H = (-dot(Q0, K0), -dot(Q0, K1), 0.0, -dot(Q1, K0), -dot(Q1, K1), 0.0, 0.0, 0.0, 0.0)
    Q0, Q1 = minus(Q0, times(s * dot(Q0, Kt), l)), minus(Q1, times(s * dot(Q1, Kt), l))
    return (
        add_outer(NOTHING, times(s, t), l),
        (G0[0], G1[0], 0.0, G0[1], G1[1], 0.0, G0[2], G1[2], 0.0),
        (Q0[0], Q0[1], Q0[2], Q1[0], Q1[1], Q1[2], 0.0, 0.0, 0.0),
        H,
    )
