"""Vectors (3,) and matrices (3, 3) as tuples of numbers: they live in registers, nothing is allocated.

Matrices are row by row.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import inner

Place = int | np.int64
Vector = tuple[float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

ZERO = (0.0, 0.0, 0.0)
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ONE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inner
def vector(T: Array, i: int, k: Place) -> Vector:
    """Three numbers of row i from column k on."""
    return (T[i, k], T[i, k + 1], T[i, k + 2])


@inner
def matrix(T: Array, i: int, k: Place) -> Matrix:
    """Nine numbers of row i from column k on."""
    return (
        T[i, k], T[i, k + 1], T[i, k + 2], T[i, k + 3], T[i, k + 4], T[i, k + 5], T[i, k + 6], T[i, k + 7], T[i, k + 8],
    )  # fmt: skip


@inner
def put(T: Array, i: int, k: Place, x: Vector) -> None:
    """Write a vector to row i."""
    T[i, k] = x[0]
    T[i, k + 1] = x[1]
    T[i, k + 2] = x[2]


@inner
def add_to(T: Array, i: int, k: Place, x: Vector) -> None:
    """Add a vector to what is there."""
    T[i, k] += x[0]
    T[i, k + 1] += x[1]
    T[i, k + 2] += x[2]


@inner
def put_matrix(T: Array, i: int, k: Place, A: Matrix) -> None:
    """Write a matrix to row i."""
    T[i, k], T[i, k + 1], T[i, k + 2] = A[0], A[1], A[2]
    T[i, k + 3], T[i, k + 4], T[i, k + 5] = A[3], A[4], A[5]
    T[i, k + 6], T[i, k + 7], T[i, k + 8] = A[6], A[7], A[8]


@inner
def add_matrix_to(T: Array, i: int, k: Place, A: Matrix) -> None:
    """Add a matrix to what is there."""
    T[i, k] += A[0]
    T[i, k + 1] += A[1]
    T[i, k + 2] += A[2]
    T[i, k + 3] += A[3]
    T[i, k + 4] += A[4]
    T[i, k + 5] += A[5]
    T[i, k + 6] += A[6]
    T[i, k + 7] += A[7]
    T[i, k + 8] += A[8]


@inner
def plus(x: Vector, y: Vector) -> Vector:
    """x + y."""
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


@inner
def minus(x: Vector, y: Vector) -> Vector:
    """x - y."""
    return (x[0] - y[0], x[1] - y[1], x[2] - y[2])


@inner
def times(s: float, x: Vector) -> Vector:
    """s x."""
    return (s * x[0], s * x[1], s * x[2])


@inner
def dot(x: Vector, y: Vector) -> float:
    """x·y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@inner
def cross(x: Vector, y: Vector) -> Vector:
    """x × y."""
    return (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])


@inner
def exceeds(value: float, most: float) -> bool:
    """Whether a number is larger than the largest so far. Not a number is, and nothing is larger than that."""
    return most == most and not value <= most


@inner
def size_of(x: Vector) -> float:
    """Σ|x_i|, the size of a vector; not a number stays one."""
    return abs(x[0]) + abs(x[1]) + abs(x[2])


@inner
def mul(A: Matrix, x: Vector) -> Vector:
    """A x."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@inner
def mul_t(A: Matrix, x: Vector) -> Vector:
    """Aᵀ x."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@inner
def matmul(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inner
def matplus(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2],
        A[3] + B[3], A[4] + B[4], A[5] + B[5],
        A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@inner
def matminus(A: Matrix, B: Matrix) -> Matrix:
    """A - B."""
    return (
        A[0] - B[0], A[1] - B[1], A[2] - B[2],
        A[3] - B[3], A[4] - B[4], A[5] - B[5],
        A[6] - B[6], A[7] - B[7], A[8] - B[8],
    )  # fmt: skip


@inner
def mattimes(s: float, A: Matrix) -> Matrix:
    """s A."""
    return (s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8])


@inner
def add_outer(A: Matrix, x: Vector, y: Vector) -> Matrix:
    """A + x yᵀ."""
    return (
        A[0] + x[0] * y[0], A[1] + x[0] * y[1], A[2] + x[0] * y[2],
        A[3] + x[1] * y[0], A[4] + x[1] * y[1], A[5] + x[1] * y[2],
        A[6] + x[2] * y[0], A[7] + x[2] * y[1], A[8] + x[2] * y[2],
    )  # fmt: skip


@inner
def hat(x: Vector) -> Matrix:
    """x̂ with x̂ y = x × y."""
    return (0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0)


@inner
def hat_mul(x: Vector, A: Matrix) -> Matrix:
    """x̂ A."""
    return (
        x[1] * A[6] - x[2] * A[3], x[1] * A[7] - x[2] * A[4], x[1] * A[8] - x[2] * A[5],
        x[2] * A[0] - x[0] * A[6], x[2] * A[1] - x[0] * A[7], x[2] * A[2] - x[0] * A[8],
        x[0] * A[3] - x[1] * A[0], x[0] * A[4] - x[1] * A[1], x[0] * A[5] - x[1] * A[2],
    )  # fmt: skip


@inner
def mul_hat(A: Matrix, x: Vector) -> Matrix:
    """A x̂."""
    return (
        A[1] * x[2] - A[2] * x[1], A[2] * x[0] - A[0] * x[2], A[0] * x[1] - A[1] * x[0],
        A[4] * x[2] - A[5] * x[1], A[5] * x[0] - A[3] * x[2], A[3] * x[1] - A[4] * x[0],
        A[7] * x[2] - A[8] * x[1], A[8] * x[0] - A[6] * x[2], A[6] * x[1] - A[7] * x[0],
    )  # fmt: skip


@inner
def hat_hat(x: Vector, y: Vector) -> Matrix:
    """x̂ ŷ = y xᵀ - (x·y) I."""
    d = x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
    return (
        y[0] * x[0] - d, y[0] * x[1], y[0] * x[2],
        y[1] * x[0], y[1] * x[1] - d, y[1] * x[2],
        y[2] * x[0], y[2] * x[1], y[2] * x[2] - d,
    )  # fmt: skip


@inner
def lowered(a: Vector) -> Matrix:
    """I - â."""
    return (1.0, a[2], -a[1], -a[2], 1.0, a[0], a[1], -a[0], 1.0)


@inner
def halfway(a: Vector, s: float) -> Matrix:
    """C = (I - â)⁻¹ takes vectors of a body from the start of a step to its middle; a = ½ h ω, s = 1/(1 + a·a)."""
    return (
        s * (1.0 + a[0] * a[0]), s * (a[0] * a[1] - a[2]), s * (a[0] * a[2] + a[1]),
        s * (a[1] * a[0] + a[2]), s * (1.0 + a[1] * a[1]), s * (a[1] * a[2] - a[0]),
        s * (a[2] * a[0] - a[1]), s * (a[2] * a[1] + a[0]), s * (1.0 + a[2] * a[2]),
    )  # fmt: skip


@inner
def to_middle(a: Vector, s: float, x: Vector) -> Vector:
    """C x = (x + a × x + a (a·x)) s."""
    d = dot(a, x)
    return (
        s * (x[0] + a[1] * x[2] - a[2] * x[1] + d * a[0]),
        s * (x[1] + a[2] * x[0] - a[0] * x[2] + d * a[1]),
        s * (x[2] + a[0] * x[1] - a[1] * x[0] + d * a[2]),
    )


@inner
def moment(a: Vector, m: Vector) -> Vector:
    """N(a) m = (I - â + a aᵀ) m, which is (1 + a·a) Cᵀ m: rows of rotation are multiplied by it."""
    d = dot(a, m)
    return (
        m[0] - a[1] * m[2] + a[2] * m[1] + d * a[0],
        m[1] - a[2] * m[0] + a[0] * m[2] + d * a[1],
        m[2] - a[0] * m[1] + a[1] * m[0] + d * a[2],
    )


@inner
def moment_matrix(a: Vector) -> Matrix:
    """N(a) = I - â + a aᵀ."""
    return (
        1.0 + a[0] * a[0], a[2] + a[0] * a[1], a[0] * a[2] - a[1],
        a[1] * a[0] - a[2], 1.0 + a[1] * a[1], a[0] + a[1] * a[2],
        a[1] + a[2] * a[0], a[2] * a[1] - a[0], 1.0 + a[2] * a[2],
    )  # fmt: skip


@inner
def inverse(A: Matrix) -> Matrix:
    """A⁻¹ by cofactors; not finite where A is singular."""
    c0, c1, c2 = A[4] * A[8] - A[5] * A[7], A[5] * A[6] - A[3] * A[8], A[3] * A[7] - A[4] * A[6]
    s = 1.0 / (A[0] * c0 + A[1] * c1 + A[2] * c2)
    return (
        s * c0, s * (A[2] * A[7] - A[1] * A[8]), s * (A[1] * A[5] - A[2] * A[4]),
        s * c1, s * (A[0] * A[8] - A[2] * A[6]), s * (A[2] * A[3] - A[0] * A[5]),
        s * c2, s * (A[1] * A[6] - A[0] * A[7]), s * (A[0] * A[4] - A[1] * A[3]),
    )  # fmt: skip


@inner
def trace_less(A: Matrix) -> Matrix:
    """tr(A) I - A."""
    t = A[0] + A[4] + A[8]
    return (t - A[0], -A[1], -A[2], -A[3], t - A[4], -A[5], -A[6], -A[7], t - A[8])


@inner
def transpose(A: Matrix) -> Matrix:
    """Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@inner
def cross_product(A: Matrix, B: Matrix) -> Matrix:
    """The matrix of x -> axial(A x̂ Bᵀ): Σ ε_ijk ε_mln A_jl B_kn, symmetric in A and B.

    Source: Bonet, Gil, Ortigosa (2016), Int. J. Solids Struct. 84, 49-63.
    """
    return (
        A[4] * B[8] - A[5] * B[7] - A[7] * B[5] + A[8] * B[4],
        A[5] * B[6] - A[3] * B[8] - A[8] * B[3] + A[6] * B[5],
        A[3] * B[7] - A[4] * B[6] - A[6] * B[4] + A[7] * B[3],
        A[7] * B[2] - A[8] * B[1] - A[1] * B[8] + A[2] * B[7],
        A[8] * B[0] - A[6] * B[2] - A[2] * B[6] + A[0] * B[8],
        A[6] * B[1] - A[7] * B[0] - A[0] * B[7] + A[1] * B[6],
        A[1] * B[5] - A[2] * B[4] - A[4] * B[2] + A[5] * B[1],
        A[2] * B[3] - A[0] * B[5] - A[5] * B[0] + A[3] * B[2],
        A[0] * B[4] - A[1] * B[3] - A[3] * B[1] + A[4] * B[0],
    )


@inner
def axial(A: Matrix) -> Vector:
    """The vector of A - Aᵀ; that of x̂ is 2 x."""
    return (A[7] - A[5], A[2] - A[6], A[3] - A[1])
