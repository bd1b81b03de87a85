"""Dependent rows among very many loops, found by sparse solves.

With the rows A of the tree joints and L of the loops, all of length 1, P the projection on the complement of A:

    [ 1  Aᵀ  Lᵀ ]⁻¹
    [ A  0   0  ]      has the block  -(L P Lᵀ + ε)⁻¹  at the multipliers of L:
    [ L  0  -ε  ]

combinations y of rows with |P Lᵀ y| ≈ 0 are its largest eigenvectors (Lanczos). As this squares small numbers, those
found are judged once more by |P Lᵀ y| itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.rank import TOLERANCE
from visviva.geometry.saddle import Saddle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EPSILON = 1e-12
SUSPECT = 1e-5  # rows closer to dependence than this are judged without squares
FIRST = 8  # eigenvectors asked for at first


def dependent_combinations(A: csr_array, L: csr_array) -> Array:
    """A basis of the combinations of rows of L that are combinations of rows of A, (rows of L, k)."""
    Y = _suspects(A, L)
    if not Y.size:
        return Y
    free = Saddle(np.ones(A.shape[1]), A, np.zeros(A.shape[0], dtype=bool))
    rest = np.array([free.solve(L.T @ y, np.zeros(A.shape[0]))[0] for y in Y.T]).T
    _, s, Vt = np.linalg.svd(rest, full_matrices=False)
    combinations: Array = Y @ Vt[s <= TOLERANCE].T
    return combinations


def smallest(A: csr_array, L: csr_array) -> float:
    """Smallest |P Lᵀ y| of all y of length 1: how far the rows of L are from depending on each other and on A."""
    value = float(_largest(A, L, 1)[0].max(initial=0.0))
    return np.sqrt(max(1.0 / value - EPSILON, 0.0)) if value > 0 else 1.0


def _suspects(A: csr_array, L: csr_array) -> Array:
    count = FIRST
    while True:
        values, Y = _largest(A, L, min(count, L.shape[0]))
        small = values > 1.0 / (SUSPECT**2 + EPSILON)
        if not small.all() or count >= L.shape[0]:
            return Y[:, small]
        count *= 2


def _largest(A: csr_array, L: csr_array, count: int) -> tuple[Array, Array]:
    """Largest eigenvalues and eigenvectors of (L P Lᵀ + ε)⁻¹."""
    import scipy.sparse
    import scipy.sparse.linalg

    (m, n), loops = A.shape, L.shape[0]
    soft: Array = EPSILON * np.repeat([0.0, 1.0], [m, loops])
    both = Saddle(np.ones(n), scipy.sparse.vstack([A, L], format="csr"), soft)

    def inverse(y: Array) -> Array:
        return -both.once(np.zeros(n), np.concatenate([np.zeros(m), y.ravel()]))[1][m:]

    if count >= loops - 1:
        columns = np.array([inverse(y) for y in np.eye(loops)]).reshape(loops, loops)
        return np.linalg.eigh(0.5 * (columns + columns.T))
    operator = scipy.sparse.linalg.LinearOperator((loops, loops), matvec=inverse, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(loops)
    return scipy.sparse.linalg.eigsh(operator, count, which="LA", v0=start, tol=1e-6)
