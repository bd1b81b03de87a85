"""Saddle-point systems: the nearest point that satisfies linear conditions, sparse and safe where these are redundant.

    [ M   Cᵀ ] [ x ]   [ f ]
    [ C  -ε  ] [ λ ] = [ b ]        M: diagonal, ⪰ 0;   ε: diagonal, positive for rows that may be redundant

With ε the matrix is regular for any rank of these rows. Repeated on what remains, the solution of ε = 0 is reached at
the rate ε/(σ² + ε), with σ the singular values of the rows in the metric of M, after projection on the complement of
those without ε (the proximal method of multipliers; Rockafellar, Math. Oper. Res. 1 (1976) 97). Where rows contradict
each other, x tends to the compromise of least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask
from visviva.numerics.rank import EPS

Index = NDArray[np.intp]

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EPSILON = 1e-10  # of a row's own size in the metric of M
REPEATS = 40
FALL = 0.5  # a repetition that leaves more than this part of the last change is the last
FEW = 150  # unknowns, up to which full matrices are faster


@final
class Saddle:
    """The factors of one such matrix.

    soft:   rows that have an ε, of EPSILON times their own size; or the ε of all rows.
    metric: replaces M, where that is zero, in the factors alone: what is not determined by M follows it.
    units:  of the rows (m,), in which they are compared: a row that vanishes beside the others has an ε of theirs.
    """

    def __init__(
        self, M: Array, C: csr_array, soft: Mask | Array, metric: Array | None = None, units: Array | None = None
    ) -> None:
        self.M = M
        self.C = C
        metric = M if metric is None else metric
        epsilon = softness_of(C, metric, soft, units) if soft.dtype == np.bool_ else np.asarray(soft, np.float64)
        few = sum(C.shape) <= FEW
        self._solve = _full(metric, C.toarray(), epsilon) if few else _sparse(metric, C, epsilon)

    def once(self, f: Array, b: Array) -> tuple[Array, Array]:
        """(x, λ) of the matrix with ε."""
        solution = self._solve(np.concatenate([f, b]))
        return solution[: len(f)], solution[len(f) :]

    def solve(self, f: Array, b: Array) -> tuple[Array, Array]:
        """(x, λ) of ε = 0, as far as it exists."""
        return refined(self._solve, self.M, self.C, f, b)


def refined(solve: Callable[[Array], Array], M: Array, C: csr_array, f: Array, b: Array) -> tuple[Array, Array]:
    """(x, λ) of ε = 0, from a solver of the matrix with ε: what remains is solved for again, as long as that helps."""
    x, lam = np.zeros(len(f)), np.zeros(len(b))
    last = np.inf
    for k in range(REPEATS):
        change = solve(np.concatenate([f - M * x - C.T @ lam, b - C @ x]))
        x, lam = x + change[: len(f)], lam + change[len(f) :]
        size = float(np.abs(change[: len(f)]).max(initial=0.0))
        if not size < FALL * last:
            break
        last = size if k else np.inf  # the first solution may be mostly ε, and the second take it back
    return x, lam


def softness_of(C: csr_array, metric: Array, soft: Mask | Array, units: Array | None = None) -> Array:
    """ε of all rows: EPSILON times the size of those that are soft, in the metric."""
    return _softness(np.asarray((C * C) @ (1.0 / metric)), soft, units)


def entries(metric: Array, C: csr_array, epsilon: Array) -> tuple[Index, Index, Array]:
    """Rows, columns and values of the matrix."""
    (m, n), rows = C.shape, np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    at = np.arange(n + m)
    i = np.concatenate([at, rows + n, C.indices])
    j = np.concatenate([at, C.indices, rows + n])
    return i, j, np.concatenate([metric, -epsilon, C.data, C.data])


def full_saddle(M: Array, C: Array, f: Array, b: Array) -> tuple[Array, Array] | None:
    """(x, λ) of ε = 0 with full matrices, for symmetric M (n, n) and independent rows C (m, n); None where singular."""
    n, m = len(f), len(b)
    K = np.block([[M, C.T], [C, np.zeros((m, m))]])
    if np.linalg.cond(K) * EPS > 1:
        return None
    solution = np.linalg.solve(K, np.concatenate([f, b]))
    return solution[:n], solution[n:]


def solve_many(
    M: Array, C: Array, soft: Mask, metric: Array, f: Array, b: Array, units: Array | None = None
) -> tuple[Array, Array]:
    """(x, λ) of ε = 0 for many C (..., m, n), f (..., n) and b (..., m), with full matrices."""
    m, n = C.shape[-2:]
    K = np.zeros((*C.shape[:-2], n + m, n + m))
    K[..., :n, :n], K[..., n:, :n], K[..., :n, n:] = np.diag(metric), C, np.swapaxes(C, -1, -2)
    rows = np.arange(n, n + m)
    K[..., rows, rows] = -_softness((C * C) @ (1.0 / metric), soft, units)
    inverse = np.linalg.inv(K)
    x, lam = np.zeros(f.shape), np.zeros(b.shape)
    last = np.full(f.shape[:-1], np.inf)
    for k in range(REPEATS):
        forces = np.einsum("...ji,...j->...i", C, lam)
        rest = np.concatenate([f - M * x - forces, b - np.einsum("...ij,...j->...i", C, x)], axis=-1)
        change = np.einsum("...ij,...j->...i", inverse, rest)
        x, lam = x + change[..., :n], lam + change[..., n:]
        size = np.abs(change[..., :n]).max(-1, initial=0.0)
        if not (size < FALL * last).any():
            break
        last = size if k else last
    return x, lam


def symmetric_solver(
    K: csr_array, diagonal: Array, C: csr_array, soft: Mask, units: Array | None = None
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Solver (f, b) -> (x, λ) of the system with K + diag(diagonal) for M, symmetric and sparse.

    diagonal: positive; forces and moments, and what both do to rows, are compared in the units it has.
    """
    import scipy.sparse
    import scipy.sparse.linalg

    A: csr_array = (K + scipy.sparse.diags_array(diagonal)).tocsr()
    size = float(np.abs(A.diagonal() / diagonal).max(initial=0.0)) or 1.0
    softness = scipy.sparse.diags_array(_softness(np.asarray((C * C) @ (1.0 / diagonal)) / size, soft, units))
    upper, lower = scipy.sparse.hstack([A, C.T]), scipy.sparse.hstack([C, -softness])
    factors = scipy.sparse.linalg.splu(scipy.sparse.vstack([upper, lower], format="csc"))

    def solve(f: Array, b: Array) -> tuple[Array, Array]:
        solution = factors.solve(np.concatenate([f, b]))
        return solution[: len(f)], solution[len(f) :]

    return solve


def _softness(sizes: Array, soft: Mask | Array, units: Array | None) -> Array:
    squares = np.ones(sizes.shape[-1]) if units is None else units**2
    sizes = sizes / squares
    floor = 1e-12 * sizes.max(-1, initial=1e-300, keepdims=True)
    return np.where(soft, EPSILON * squares * np.maximum(sizes, floor), 0.0)


def _full(M: Array, C: Array, softness: Array) -> Callable[[Array], Array]:
    import scipy.linalg

    factors = scipy.linalg.lu_factor(np.block([[np.diag(M), C.T], [C, -np.diag(softness)]]), check_finite=False)
    return lambda rhs: scipy.linalg.lu_solve(factors, rhs, check_finite=False)


def _sparse(M: Array, C: csr_array, softness: Array) -> Callable[[Array], Array]:
    import scipy.sparse
    import scipy.sparse.linalg

    i, j, values = entries(M, C, softness)
    n = sum(C.shape)
    return scipy.sparse.linalg.splu(scipy.sparse.csc_array((values, (i, j)), shape=(n, n))).solve
