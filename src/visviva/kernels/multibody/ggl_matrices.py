"""Matrices (6, 6) of both levels, row after row: four blocks (3, 3), by level of row and column."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import Matrix, Place, inverse, matminus, matmul, matplus, mattimes


@inner
def zero(X: Array) -> None:
    """X = 0."""
    for i in range(X.size):
        X[i] = 0.0


@inner
def add_six(s: float, X: Array, Y: Array) -> None:
    """Y += s X."""
    for i in range(36):
        Y[i] += s * X[i]


@inner
def multiply_six(s: float, X: Array, Y: Array, Z: Array, top: int) -> None:
    """Z += s X Y; top: as many columns of X are other than zero in its first three rows, 3 or 6."""
    for i in range(6):
        k = 6 * i
        z0, z1, z2, z3, z4, z5 = Z[k], Z[k + 1], Z[k + 2], Z[k + 3], Z[k + 4], Z[k + 5]
        for j in range(top if i < 3 else 6):
            x, l = s * X[k + j], 6 * j
            z0 += x * Y[l]
            z1 += x * Y[l + 1]
            z2 += x * Y[l + 2]
            z3 += x * Y[l + 3]
            z4 += x * Y[l + 4]
            z5 += x * Y[l + 5]
        Z[k], Z[k + 1], Z[k + 2], Z[k + 3], Z[k + 4], Z[k + 5] = z0, z1, z2, z3, z4, z5


@inner
def apply_six(s: float, X: Array, x: Array, at: Place, z: Array, to: Place) -> None:
    """z += s X x, from and to these places."""
    x0, x1, x2 = s * x[at], s * x[at + 1], s * x[at + 2]
    x3, x4, x5 = s * x[at + 3], s * x[at + 4], s * x[at + 5]
    for i in range(6):
        k = 6 * i
        z[to + i] += X[k] * x0 + X[k + 1] * x1 + X[k + 2] * x2 + X[k + 3] * x3 + X[k + 4] * x4 + X[k + 5] * x5


@inner
def put_level(X: Array, row: int, col: int, A: Matrix) -> None:
    """Write a matrix (3, 3) to one of the four places in a matrix of both levels."""
    for i in range(3):
        k = 6 * (3 * row + i) + 3 * col
        X[k], X[k + 1], X[k + 2] = A[3 * i], A[3 * i + 1], A[3 * i + 2]


@inner
def level(X: Array, row: int, col: int) -> Matrix:
    """One of the four matrices (3, 3) in a matrix of both levels."""
    k = 18 * row + 3 * col
    return (X[k], X[k + 1], X[k + 2], X[k + 6], X[k + 7], X[k + 8], X[k + 12], X[k + 13], X[k + 14])


@inner
def invert_six(X: Array, Y: Array) -> float:
    """Y = X⁻¹ by blocks (3, 3); returns 0, or not a number where X is singular."""
    X12, X21 = level(X, 0, 1), level(X, 1, 0)
    A1 = inverse(level(X, 0, 0))
    right = matmul(A1, X12)
    A2 = inverse(matminus(level(X, 1, 1), matmul(X21, right)))
    low = matmul(A2, matmul(X21, A1))
    put_level(Y, 0, 0, matplus(A1, matmul(right, low)))
    put_level(Y, 0, 1, mattimes(-1.0, matmul(right, A2)))
    put_level(Y, 1, 0, mattimes(-1.0, low))
    put_level(Y, 1, 1, A2)
    total = A1[0] + A1[4] + A1[8] + A2[0] + A2[4] + A2[8]
    return total - total
