"""What every link does in forward dynamics, whatever its joint: its own inertia, and its share in that of its parent.

Accelerations are the classical ones (α, a) of the origin, less gravity: linear velocities are not needed. For a body

    n = J α + H a + ω × J ω,   f = Hᵀ α + M a + ω × (ω × h),   H = ĥ,  h = m c,  M = m I.

Source: Featherstone (2008), Rigid Body Dynamics Algorithms, chapter 7, in other variables.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.cache import woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, mul, plus
from visviva.kernels.trees.lanes import load, store

from visviva.kernels.trees.algebra import (  # isort: skip
    Articulated, Six, add_to, around, cross_columns, matrix, put, put_matrix, put_six, six, sym, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import INERTIA, MASS, MOMENT, OMEGA, F, H, J, M, N  # isort: skip


@woven
def rigid(C: Array, W: Array, i: int, w: Vector) -> None:
    """ω, inertia and gyroscopic forces of a link alone."""
    m, h, A = C[i, MASS], vector(C, i, MOMENT), six(C, i, INERTIA)
    put(W, i, OMEGA, w)
    put(W, i, N, cross(w, sym(A, w)))
    put(W, i, F, around(w, h))
    put_six(W, i, J, A)
    put_matrix(W, i, H, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
    put_six(W, i, M, (m, 0.0, 0.0, m, 0.0, m))


@woven
def articulated(W: Array, i: int) -> Articulated:
    """What the links from i on have so far."""
    return six(W, i, J), matrix(W, i, H), six(W, i, M), vector(W, i, N), vector(W, i, F)


@woven
def shift_to_parent(W: Array, p: int, r: Vector, drift: Vector, X: Articulated) -> None:
    """Adds to the parent what acts at r, all in the axes of the parent.

    f += M k,  n += H k + r × f,  G = H + r̂ M,  J += J - G r̂ - (H r̂)ᵀ,  H += G,  M += M
    """
    A, B, D, n, f = X
    f = plus(f, sym(D, drift))
    n = plus(plus(n, mul(B, drift)), cross(r, f))
    rM = cross_columns(r, D)
    G = (
        B[0] + rM[0], B[1] + rM[1], B[2] + rM[2],
        B[3] + rM[3], B[4] + rM[4], B[5] + rM[5],
        B[6] + rM[6], B[7] + rM[7], B[8] + rM[8],
    )  # fmt: skip
    a = _less(A, r, B, G)
    add_to(W, p, N, n)
    add_to(W, p, F, f)
    add_to(W, p, J, (a[0], a[1], a[2]))
    add_to(W, p, J + 3, (a[3], a[4], a[5]))
    add_to(W, p, H, (G[0], G[1], G[2]))
    add_to(W, p, H + 3, (G[3], G[4], G[5]))
    add_to(W, p, H + 6, (G[6], G[7], G[8]))
    add_to(W, p, M, (D[0], D[1], D[2]))
    add_to(W, p, M + 3, (D[3], D[4], D[5]))


@woven
def _less(A: Six, r: Vector, B: Matrix, G: Matrix) -> Six:
    """A - G r̂ - (B r̂)ᵀ."""
    return (
        A[0] - (G[1] * r[2] - G[2] * r[1]) - (B[1] * r[2] - B[2] * r[1]),
        A[1] - (G[2] * r[0] - G[0] * r[2]) - (B[4] * r[2] - B[5] * r[1]),
        A[2] - (G[0] * r[1] - G[1] * r[0]) - (B[7] * r[2] - B[8] * r[1]),
        A[3] - (G[5] * r[0] - G[3] * r[2]) - (B[5] * r[0] - B[3] * r[2]),
        A[4] - (G[3] * r[1] - G[4] * r[0]) - (B[8] * r[0] - B[6] * r[2]),
        A[5] - (G[6] * r[1] - G[7] * r[0]) - (B[6] * r[1] - B[7] * r[0]),
    )


@woven
def add_wrench(W: Array, i: int, L: Array) -> None:
    """A given wrench (m; f) at the origin of link i, in its axes."""
    for k in range(3):
        store(W, i, N + k, load(W, i, N + k) - load(L, i, k))
        store(W, i, F + k, load(W, i, F + k) - load(L, i, k + 3))
