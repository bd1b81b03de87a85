"""Subspaces of Rⁿ by orthonormal bases."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.numerics.rank import DATA


def range_and_complement(
    A: Array, *, scale: float | None = None, tolerance: float = DATA, rank: int | None = None
) -> tuple[Array, Array]:
    """Orthonormal bases of the column space of A and of its orthogonal complement, shapes (n, r) and (n, n - r).

    scale: what the tolerance is relative to; default the largest column.   rank: that of A, where it is known.
    Why:   QR with column pivoting, large rows first, keeps the digits of small rows beside large ones, so a weak
           coupling is as exact as a strong one; a singular value decomposition is exact to the largest only.
    Source: Cox and Higham, "Stability of Householder QR factorization for weighted least squares" (1998).
    """
    from scipy.linalg import qr

    n, columns = A.shape
    if n == 0 or columns == 0:
        return np.zeros((n, 0)), np.eye(n)
    rows = np.argsort(-np.abs(A).max(axis=1), kind="stable")
    Q_sorted, R, _ = qr(A[rows], pivoting=True)
    Q = np.empty((n, n))
    Q[rows] = Q_sorted
    pivots = np.abs(np.diag(R))
    if rank is None:
        rank = int((pivots > tolerance * (pivots[0] if scale is None else scale)).sum())
    return Q[:, :rank], Q[:, rank:]


def column_space(A: Array) -> Array:
    """Orthonormal basis of the column space, shape (n, r)."""
    return range_and_complement(A)[0]


def null_space(A: Array) -> Array:
    """Orthonormal basis of {x: A x = 0}, shape (n, n - r)."""
    return range_and_complement(A.T)[1]
