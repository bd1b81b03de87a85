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

from visviva._arrays import Array, Mask
from visviva.geometry.linear import apply, transpose

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EPSILON = 1e-10  # of a row's own size in the metric of M
REPEATS = 40
FALL = 0.5  # a repetition that leaves more than this part of the last change is the last
FEW = 150  # unknowns, up to which full matrices are faster


@final
class Saddle:
    """The factors of one such matrix.

    metric: replaces M, where that is zero, in the factors alone: what is not determined by M follows it.
    """

    def __init__(
        self, M: Array, C: csr_array, soft: Mask, epsilon: float = EPSILON, metric: Array | None = None
    ) -> None:
        self.M = M
        self.C = C.toarray() if sum(C.shape) <= FEW else C
        metric = M if metric is None else metric
        softness = _softness((self.C * self.C) @ (1.0 / metric), soft, epsilon)
        factor = _full if isinstance(self.C, np.ndarray) else _sparse
        self._solve = factor(metric, self.C, softness)

    def once(self, f: Array, b: Array) -> tuple[Array, Array]:
        """(x, λ) of the matrix with ε."""
        solution = self._solve(np.concatenate([f, b]))
        return solution[: len(f)], solution[len(f) :]

    def solve(self, f: Array, b: Array) -> tuple[Array, Array]:
        """(x, λ) of ε = 0, as far as it exists."""
        x, lam = np.zeros(len(f)), np.zeros(len(b))
        last = np.inf
        for _ in range(REPEATS):
            dx, dlam = self.once(f - self.M * x - self.C.T @ lam, b - self.C @ x)
            x, lam = x + dx, lam + dlam
            size = float(np.abs(dx).max(initial=0.0))
            if not size < FALL * last:
                break
            last = size
        return x, lam


def solve_many(M: Array, C: Array, soft: Mask, metric: Array, f: Array, b: Array) -> tuple[Array, Array]:
    """(x, λ) of ε = 0 for many C (..., m, n), f (..., n) and b (..., m), with full matrices."""
    m, n = C.shape[-2:]
    K = np.zeros((*C.shape[:-2], n + m, n + m))
    K[..., :n, :n], K[..., n:, :n], K[..., :n, n:] = np.diag(metric), C, transpose(C)
    rows = np.arange(n, n + m)
    K[..., rows, rows] = -_softness((C * C) @ (1.0 / metric), soft, EPSILON)
    inverse = np.linalg.inv(K)
    x, lam = np.zeros(f.shape), np.zeros(b.shape)
    last = np.full(f.shape[:-1], np.inf)
    for _ in range(REPEATS):
        rest = np.concatenate([f - M * x - apply(transpose(C), lam), b - apply(C, x)], axis=-1)
        change = apply(inverse, rest)
        x, lam = x + change[..., :n], lam + change[..., n:]
        size = np.abs(change[..., :n]).max(-1, initial=0.0)
        if not (size < FALL * last).any():
            break
        last = size
    return x, lam


def symmetric_solver(
    K: csr_array, diagonal: Array, C: csr_array, soft: Mask
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Solver (f, b) -> (x, λ) of the system with K + diag(diagonal) for M, symmetric and sparse."""
    import scipy.sparse
    import scipy.sparse.linalg

    A = K + scipy.sparse.diags_array(diagonal)
    size = float(np.abs(A.diagonal()).max(initial=0.0)) or 1.0
    softness = _softness((C * C).sum(axis=1) / size, soft, EPSILON)
    blocks = [[A, C.T], [C, scipy.sparse.diags_array(-softness)]]
    factors = scipy.sparse.linalg.splu(scipy.sparse.block_array(blocks, format="csc"))

    def solve(f: Array, b: Array) -> tuple[Array, Array]:
        solution = factors.solve(np.concatenate([f, b]))
        return solution[: len(f)], solution[len(f) :]

    return solve


def _softness(sizes: Array, soft: Mask, epsilon: float) -> Array:
    floor = 1e-12 * sizes.max(-1, initial=1e-300, keepdims=True)
    return np.where(soft, epsilon * np.maximum(sizes, floor), 0.0)


def _full(M: Array, C: Array, softness: Array) -> Callable[[Array], Array]:
    import scipy.linalg

    factors = scipy.linalg.lu_factor(np.block([[np.diag(M), C.T], [C, -np.diag(softness)]]), check_finite=False)
    return lambda rhs: scipy.linalg.lu_solve(factors, rhs, check_finite=False)


def _sparse(M: Array, C: csr_array, softness: Array) -> Callable[[Array], Array]:
    import scipy.sparse
    import scipy.sparse.linalg

    (m, n), rows = C.shape, np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
    at = np.arange(n + m)
    i = np.concatenate([at, rows + n, C.indices])
    j = np.concatenate([at, C.indices, rows + n])
    values = np.concatenate([M, -softness, C.data, C.data])
    return scipy.sparse.linalg.splu(scipy.sparse.csc_array((values, (i, j)), shape=(n + m, n + m))).solve
