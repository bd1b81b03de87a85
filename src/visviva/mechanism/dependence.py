"""Dependent rows among loops and conditions: by a projection where they are few, among very many by sparse solves.

With the rows A of the tree joints and L of the loops, all of length 1, P the projection on the complement of A:

    [ 1  Aᵀ  Lᵀ ]⁻¹
    [ A  0   0  ]      has the block  -(L P Lᵀ + ε)⁻¹  at the multipliers of L:
    [ L  0  -ε  ]

combinations y of rows with |P Lᵀ y| ≈ 0 are its eigenvectors of the largest size (Lanczos), of either sign: rounding
of L P Lᵀ may be larger than ε. As this squares small numbers, those found are judged once more by |P Lᵀ y| itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.numerics.rank import beyond, significant
from visviva.numerics.saddle import FEW, Saddle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EPSILON = 1e-12
SUSPECT = 1e-5  # rows closer to dependence than this are judged without squares
FIRST = 8  # eigenvectors asked for at first


def dependent_combinations(A: csr_array, L: csr_array) -> Array:
    """A basis of the combinations of rows of L that are combinations of rows of A, (rows of L, k)."""
    if A.shape[1] + A.shape[0] + L.shape[0] <= FEW:
        return _projected_away(A.toarray(), L.toarray())
    Y = _suspects(A, L)
    if not Y.size:
        return Y
    free = Saddle(np.ones(A.shape[1]), A, np.zeros(A.shape[0], dtype=bool))
    rest = np.array([free.solve(L.T @ y, np.zeros(A.shape[0]))[0] for y in Y.T]).T
    _, s, Vt = np.linalg.svd(rest, full_matrices=False)
    combinations: Array = Y @ Vt[~significant(s)].T
    return combinations


def _projected_away(A: Array, L: Array) -> Array:
    """The same, of the singular values of L P: nothing is squared, so that rounding is as small as that of A."""
    L = beyond(L, np.linalg.qr(A.T)[0])
    U, s, _ = np.linalg.svd(L)
    return np.asarray(U[:, ~significant(np.append(s, np.zeros(len(L) - len(s))))])


def smallest(A: csr_array, L: csr_array) -> float:
    """Smallest |P Lᵀ y| of all y of length 1: how far the rows of L are from depending on each other and on A."""
    value = float(np.abs(_largest(A, L, 1)[0]).max(initial=0.0))
    return np.sqrt(max(1.0 / value - EPSILON, 0.0)) if value > 0 else 1.0


def _suspects(A: csr_array, L: csr_array) -> Array:
    count = FIRST
    while True:
        values, Y = _largest(A, L, min(count, L.shape[0]))
        small = np.abs(values) > 1.0 / (SUSPECT**2 + EPSILON)
        if not small.all() or count >= L.shape[0]:
            return Y[:, small]
        count *= 2


def _largest(A: csr_array, L: csr_array, count: int) -> tuple[Array, Array]:
    """Eigenvalues of the largest size, and eigenvectors, of (L P Lᵀ + ε)⁻¹."""
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
    return scipy.sparse.linalg.eigsh(operator, count, which="LM", v0=start, tol=1e-6)
