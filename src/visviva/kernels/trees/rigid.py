"""What every link does in forward dynamics, whatever its joint: its own inertia, and its share in that of its parent.

The memory of a link has the shares of what it carries; those of a link that carries nothing stay zero.

Accelerations are the classical ones (α, a) of the origin, less gravity: linear velocities are not needed. For a body

    n = J α + H a + ω × J ω,   f = Hᵀ α + M a + ω × (ω × h),   H = ĥ,  h = m c,  M = m I.

Source: Featherstone (2008), Rigid Body Dynamics Algorithms, chapter 7, in other variables.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, minus, mul, plus
from visviva.kernels.multibody.tables import Int

from visviva.kernels.trees.algebra import (  # isort: skip
    Articulated, Six, add_to, around, cross_columns, matrix, put, put_matrix, put_six, six, sym, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import INERTIA, MASS, MOMENT, OMEGA, OPENS, PARENT, F, H, J, M, N  # isort: skip


@woven
def inertia(C: Array, W: Array, i: int) -> Six:
    """J of a link with all that it carries."""
    A, a = six(C, i, INERTIA), six(W, i, J)
    return (A[0] + a[0], A[1] + a[1], A[2] + a[2], A[3] + a[3], A[4] + a[4], A[5] + a[5])


@woven
def coupling(C: Array, W: Array, i: int) -> Matrix:
    """H of a link with all that it carries."""
    h, B = vector(C, i, MOMENT), matrix(W, i, H)
    return (B[0], B[1] - h[2], B[2] + h[1], B[3] + h[2], B[4], B[5] - h[0], B[6] - h[1], B[7] + h[0], B[8])


@woven
def mass(C: Array, W: Array, i: int) -> Six:
    """M of a link with all that it carries."""
    m, D = C[i, MASS], six(W, i, M)
    return (D[0] + m, D[1], D[2], D[3] + m, D[4], D[5] + m)


@woven
def forces(C: Array, W: Array, L: Array, i: int) -> tuple[Vector, Vector]:
    """(n, f) of a link with all that it carries; L: wrenches (m; f) on links in their axes, or no rows."""
    w = vector(W, i, OMEGA)
    n = plus(vector(W, i, N), cross(w, sym(six(C, i, INERTIA), w)))
    f = plus(vector(W, i, F), around(w, vector(C, i, MOMENT)))
    if L.shape[0]:
        n, f = minus(n, vector(L, i, 0)), minus(f, vector(L, i, 3))
    return n, f


@woven
def shift_to_parent(K: Int, W: Array, i: int, r: Vector, drift: Vector, X: Articulated) -> None:
    """The share in the parent of what acts at r, all in the axes of the parent.

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
    a, p = _less(A, r, B, G), K[i, PARENT]
    if K[i, OPENS]:
        put(W, p, N, n)
        put(W, p, F, f)
        put_six(W, p, J, a)
        put_matrix(W, p, H, G)
        put_six(W, p, M, D)
    else:
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
        A[0] - ((G[1] + B[1]) * r[2] - (G[2] + B[2]) * r[1]),
        A[1] - (G[2] * r[0] - G[0] * r[2]) - (B[4] * r[2] - B[5] * r[1]),
        A[2] - (G[0] * r[1] - G[1] * r[0]) - (B[7] * r[2] - B[8] * r[1]),
        A[3] - ((G[5] + B[5]) * r[0] - (G[3] + B[3]) * r[2]),
        A[4] - (G[3] * r[1] - G[4] * r[0]) - (B[8] * r[0] - B[6] * r[2]),
        A[5] - ((G[6] + B[6]) * r[1] - (G[7] + B[7]) * r[0]),
    )
