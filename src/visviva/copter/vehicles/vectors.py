"""Vectors number by number, and products with matrices in memory that is given: what compiled functions share.

An array of three numbers would have to be made and given back, which takes longer than a product.
"""

from __future__ import annotations

from visviva._arrays import Array

Vector = tuple[float, float, float]


def vector_at(a: Array, at: int) -> Vector:
    """Three numbers of an array."""
    return a[at], a[at + 1], a[at + 2]


def row_of(A: Array, i: int) -> Vector:
    """Three numbers of a row."""
    return A[i, 0], A[i, 1], A[i, 2]


def put_vector(a: Array, at: int, v: Vector) -> None:
    """Into three numbers of an array."""
    a[at], a[at + 1], a[at + 2] = v


def add_vector(a: Array, at: int, v: Vector) -> None:
    """To three numbers of an array."""
    a[at] += v[0]
    a[at + 1] += v[1]
    a[at + 2] += v[2]


def dot(a: Vector, b: Vector) -> float:
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(s: float, a: Vector) -> Vector:
    """s a."""
    return s * a[0], s * a[1], s * a[2]


def turned(R: Array, a: Vector) -> Vector:
    """R a."""
    return (
        R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2],
        R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2],
        R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2],
    )


def turned_back(R: Array, a: Vector) -> Vector:
    """Rᵀ a."""
    return (
        R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2],
        R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2],
        R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2],
    )


def put_product(A: Array, x: Array, out: Array) -> None:
    """A x of as many columns as x has numbers."""
    for i in range(len(out)):
        total = 0.0
        for k in range(len(x)):
            total += A[i, k] * x[k]
        out[i] = total


def factor(A: Array) -> None:
    """A = L D Lᵀ of a symmetric definite matrix, in place: L below the diagonal, 1/D on it."""
    n = len(A)
    for j in range(n):
        pivot = A[j, j]
        for k in range(j):
            pivot -= A[j, k] * A[j, k] / A[k, k]
        A[j, j] = 1.0 / pivot
        for i in range(j + 1, n):
            rest = A[i, j]
            for k in range(j):
                rest -= A[i, k] * A[k, j]
            A[i, j], A[j, i] = rest * A[j, j], rest


def solve(A: Array, b: Array) -> None:
    """b becomes the solution x of A x = b, A as `factor` leaves it."""
    n = len(b)
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
    for i in range(n - 1, -1, -1):
        b[i] *= A[i, i]
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
