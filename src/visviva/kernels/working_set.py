"""Orthogonal factors of the rows in a working set, kept while rows come and go.

    a_i = Σ_j T_ij q_j,   i, j < k,   T lower triangular with a positive diagonal, q_j orthonormal

Rows of Q are the q_j, so that all long loops run over neighbours in memory. A row is appended by Gram-Schmidt, with a
second pass where the first one cancels (Daniel, Gragg, Kaufman, Stewart (1976), Math. Comp. 30, 772-795); a row is
removed by plane rotations that make T triangular again.
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.functions import woven

CANCELLED = 0.01  # |z|² of a unit row below which it is projected again: orthogonality is kept to ten roundings


@woven
def dot(A: Array, i: int, x: Array, first: int, stop: int) -> float:
    """Σ A_ij x_j for j from first to stop, in four sums: one alone would wait for each of its additions."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    j = first
    while j + 4 <= stop:
        s0 += A[i, j] * x[j]
        s1 += A[i, j + 1] * x[j + 1]
        s2 += A[i, j + 2] * x[j + 2]
        s3 += A[i, j + 3] * x[j + 3]
        j += 4
    while j < stop:
        s0 += A[i, j] * x[j]
        j += 1
    return (s0 + s1) + (s2 + s3)


@woven
def add_rows(A: Array, k: int, factor: float, x: Array, out: Array) -> None:
    """out_i += factor Σ_j x_j A_ji for j < k, four rows at a time: sums are fetched and stored less often."""
    j = 0
    while j + 4 <= k:
        x0, x1, x2, x3 = factor * x[j], factor * x[j + 1], factor * x[j + 2], factor * x[j + 3]
        for i in range(out.size):
            out[i] += (x0 * A[j, i] + x1 * A[j + 1, i]) + (x2 * A[j + 2, i] + x3 * A[j + 3, i])
        j += 4
    while j < k:
        x0 = factor * x[j]
        for i in range(out.size):
            out[i] += x0 * A[j, i]
        j += 1


@woven
def project(Q: Array, k: int, z: Array, c: Array, more: Array) -> float:
    """Replace the unit row z by its part normal to q_0 ... q_(k-1); c becomes the rest, returns |z|².

    Q: (n, n), z: (n,), c and more: (n,) of which k are written.
    """
    n = z.size
    for j in range(k):
        c[j] = dot(Q, j, z, 0, n)
    add_rows(Q, k, -1.0, c, z)
    left = 0.0
    for i in range(n):
        left += z[i] * z[i]
    if k > 0 and left < CANCELLED:
        for j in range(k):
            more[j] = dot(Q, j, z, 0, n)
            c[j] += more[j]
        add_rows(Q, k, -1.0, more, z)
        left = 0.0
        for i in range(n):
            left += z[i] * z[i]
    return left


@woven
def append(Q: Array, T: Array, k: int, z: Array, c: Array, left: float) -> None:
    """Row k of the working set, as `project` has left it."""
    length = math.sqrt(left)
    for i in range(z.size):
        Q[k, i] = z[i] / length
    for j in range(k):
        T[k, j] = c[j]
    T[k, k] = length


@woven
def remove(Q: Array, T: Array, k: int, place: int) -> None:
    """Take the row at `place` out of k; those behind it move up."""
    n = Q.shape[1]
    for i in range(place, k - 1):
        for j in range(i + 2):
            T[i, j] = T[i + 1, j]
    for i in range(place, k - 1):
        a, b = T[i, i], T[i, i + 1]
        length = math.sqrt(a * a + b * b)  # at least b, the diagonal before
        cosine, sine = a / length, b / length
        T[i, i] = length
        for row in range(i + 1, k - 1):
            a, b = T[row, i], T[row, i + 1]
            T[row, i], T[row, i + 1] = cosine * a + sine * b, cosine * b - sine * a
        for j in range(n):
            a, b = Q[i, j], Q[i + 1, j]
            Q[i, j], Q[i + 1, j] = cosine * a + sine * b, cosine * b - sine * a


@woven
def combination(T: Array, k: int, c: Array) -> None:
    """Coefficients r of the rows in Σ_j c_j q_j = Σ_i r_i a_i, that is Tᵀ r = c, in place of c."""
    for i in range(k - 1, -1, -1):
        c[i] /= T[i, i]
        for j in range(i):
            c[j] -= c[i] * T[i, j]
