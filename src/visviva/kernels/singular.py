"""Which unknowns a singular matrix leaves open, and which of its equations depend on each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import VisvivaError
from visviva.kernels.lu import Int

SHIFT = 1e-12  # makes the equilibrated matrix regular; far below its regular part, far above rounding
WIDTH = 8  # vectors of the iteration; a larger null space still shows all its unknowns, each vector mixes them
STEPS = 3
NULL = 1e-8  # |A v| of unit vectors v that count as null vectors
SHARE = 0.1  # of the largest entry: smaller ones are not named


class Singular(VisvivaError):
    """No order of pivots factorises the matrix.

    unknowns:   columns that the equations do not determine, the entries of A v = 0.
    equations:  rows that depend on each other, the entries of uᵀ A = 0.
    structural: whether the pattern alone makes the matrix singular, whatever its values.
    """

    def __init__(self, unknowns: Int, equations: Int, structural: bool) -> None:
        why = "whatever the values in its pattern" if structural else "at these values"
        super().__init__(
            f"the matrix is singular {why}: unknowns {_listed(unknowns)} are not determined, "
            f"equations {_listed(equations)} depend on each other."
        )
        self.unknowns = unknowns
        self.equations = equations
        self.structural = structural


def _listed(numbers: Int) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"{shown} and {len(numbers) - 10} more" if len(numbers) > 10 else shown


def diagnosis(A: Any) -> Singular:
    """The error for a singular matrix, sparse, with rows and columns of size 1."""
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.csgraph import structural_rank
    from scipy.sparse.linalg import splu

    n = A.shape[0]
    random = np.random.default_rng(0)
    # unequal shifts: equal ones would only move an eigenvalue, perhaps onto zero
    shifted: Any = splu(csc_array(A + diags_array(SHIFT * random.uniform(1.0, 2.0, n))))
    start = random.standard_normal((n, min(n, WIDTH)))
    pattern = csc_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    return Singular(
        _null_entries(A, shifted.solve, start),
        _null_entries(A.T, lambda b: shifted.solve(b, "T"), start),
        bool(structural_rank(pattern) < n),
    )


def _null_entries(A: Any, solve: Callable[[Array], Array], start: Array) -> Int:
    """Entries that are large in the null vectors of A, found by inverse iteration on a subspace."""
    Q = start
    for _ in range(STEPS):
        Q = np.linalg.qr(solve(Q))[0]
    _, size, Vt = np.linalg.svd(A @ Q, full_matrices=False)
    null = size <= max(NULL, size[-1])  # at least the vector that comes closest
    strength = np.linalg.norm(Q @ Vt[null].T, axis=1)
    return np.flatnonzero(strength > SHARE * strength.max())
