"""Small dense systems, in memory that is given: Cholesky's factors, and least squares by Householder's reflections."""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.functions import inner

DEFINITE_RTOL = 1e-13  # a pivot below this part of its diagonal is rounding
RANK_RTOL = 1e-9  # a column whose rest is below this part of the largest depends on others


@inner
def copy_matrix(A: Array, out: Array) -> None:
    """Without memory of its own, as an assignment of slices would take."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j]


@inner
def factor_cholesky(A: Array, n: int, rtol: float) -> bool:
    """A = L Lᵀ in the lower triangle of A, in place, with 1/L_jj on its diagonal; False where A is not definite.

    rtol: a pivot below this part of its diagonal is zero.
    """
    for j in range(n):
        diagonal = A[j, j]
        pivot = diagonal
        for k in range(j):
            pivot -= A[j, k] * A[j, k]
        if not pivot > rtol * diagonal:
            return False
        over = 1.0 / math.sqrt(pivot)
        A[j, j] = over
        for i in range(j + 1, n):
            rest = A[i, j]
            for k in range(j):
                rest -= A[i, k] * A[j, k]
            A[i, j] = rest * over
    return True


@inner
def solve_cholesky(L: Array, n: int, b: Array) -> None:
    """b becomes A⁻¹ b; L as `factor_cholesky` leaves it."""
    for i in range(n):
        rest = b[i]
        for k in range(i):
            rest -= L[i, k] * b[k]
        b[i] = rest * L[i, i]
    for i in range(n - 1, -1, -1):
        rest = b[i] * L[i, i]
        b[i] = rest
        for k in range(i):
            b[k] -= L[i, k] * rest


@inner
def factor_reflections(A: Array, m: int, n: int, beta: Array) -> bool:
    """A = Q R of (m, n) numbers, m ≥ n, in place: R in the upper triangle, reflections below it, their first entries
    and factors in beta (2, n); False where columns depend on each other.
    """
    largest = 0.0
    for j in range(n):
        square = 0.0
        for i in range(j, m):
            square += A[i, j] * A[i, j]
        norm = math.sqrt(square)
        largest = max(largest, norm)
        if not norm > RANK_RTOL * largest:
            return False
        first = A[j, j]
        shift = -norm if first > 0.0 else norm
        head = first - shift
        beta[0, j], beta[1, j] = head, 2.0 / (head * head + square - first * first)
        A[j, j] = shift
        for k in range(j + 1, n):
            product = head * A[j, k]
            for i in range(j + 1, m):
                product += A[i, j] * A[i, k]
            product *= beta[1, j]
            A[j, k] -= product * head
            for i in range(j + 1, m):
                A[i, k] -= product * A[i, j]
    return True


@inner
def solve_reflections(A: Array, m: int, n: int, beta: Array, b: Array, x: Array) -> None:
    """x of least |A x - b|; b is overwritten."""
    for j in range(n):
        product = beta[0, j] * b[j]
        for i in range(j + 1, m):
            product += A[i, j] * b[i]
        product *= beta[1, j]
        b[j] -= product * beta[0, j]
        for i in range(j + 1, m):
            b[i] -= product * A[i, j]
    for j in range(n - 1, -1, -1):
        rest = b[j]
        for k in range(j + 1, n):
            rest -= A[j, k] * x[k]
        x[j] = rest / A[j, j]
