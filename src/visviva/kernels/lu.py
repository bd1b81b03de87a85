"""LU factorisation of a sparse matrix whose pattern and order of pivots are fixed, compiled.

    P A Q = L U,   L unit lower, U upper triangular

Row i is scattered into a full working row, the rows k of U with l_ik ≠ 0 are subtracted in ascending order, and the
result is gathered into row storage [L | pivot | U] (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed. (2003),
algorithm 10.2). Because the working row is full, an update needs nothing but the columns of row k: where these are
consecutive it runs over them without an index.

Every index is unsigned: Numba then leaves out the wrap of negative indices, which would forbid vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.kernels.functions import kernel

Int = NDArray[np.int64]  # while planning
Index = NDArray[np.uint32]  # in a plan


class Plan(NamedTuple):
    """Where the entries of one pattern live during elimination. Positions i count rows and columns in pivot order."""

    rows: Index  # (n,) row of the matrix at position i
    cols: Index  # (n,) column of the matrix at position i
    scale: Array  # (n,) makes column i comparable with the others; it enters the test of pivots only
    load: Index  # (n + 1,) the assembled values of row i are load[i] ... load[i + 1]
    src: Index  # (entries,) index into the assembled values
    dst: Index  # (entries,) their column positions; values that share a place are added
    start: Index  # (n + 1,) row i of the factors is start[i] ... start[i + 1]
    diag: Index  # (n,) where its pivot is; the factor holds the reciprocal there
    col: Index  # (start[n],) column positions, ascending in each row
    run: Index  # (n + 1,) row i of U is run[i] ... run[i + 1] of `runs`, or has no runs and goes entry by entry
    runs: Index  # (m, 3) first column position, first place in the factors, length

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.rows)

    @property
    def size(self) -> int:
        """Length of the array that holds the factors."""
        return len(self.col)


@kernel
def factor(plan: Plan, V: Array, LU: Array, work: Array) -> float:
    """Factors of the matrix with assembled values V; returns its smallest relative pivot.

    V: (entries,), LU: (plan.size,) is overwritten, work: (n,) any content.

    A pivot is relative to the largest number of its row, before or after elimination, columns scaled as at the
    analysis: near 1 is good, below 1e-10 the order of pivots does not suit V, or the matrix is nearly singular.
    The result is 0 at a pivot that is exactly 0, and nan if a number is not finite; LU is then not to be used.
    """
    smallest = 1.0
    total = 0.0
    for i in range(plan.rows.size):
        first, pivot, stop = plan.start[i], plan.diag[i], plan.start[i + 1]
        for p in range(first, stop):
            work[plan.col[p]] = 0.0
        size = 0.0
        for p in range(plan.load[i], plan.load[i + 1]):
            j = plan.dst[p]
            work[j] += V[plan.src[p]]
            size = max(size, abs(V[plan.src[p]]) * plan.scale[j])
        for p in range(first, pivot):
            k = plan.col[p]
            l_ik = work[k] * LU[plan.diag[k]]
            LU[p] = l_ik
            total += abs(l_ik)  # a maximum forgets nan, a sum does not
            if plan.run[k] == plan.run[k + 1]:
                for q in range(plan.diag[k] + 1, plan.start[k + 1]):
                    work[plan.col[q]] -= l_ik * LU[q]
            else:
                for r in range(plan.run[k], plan.run[k + 1]):
                    j, q = plan.runs[r, 0], plan.runs[r, 1]
                    for s in range(plan.runs[r, 2]):
                        work[j + s] -= l_ik * LU[q + s]
        for p in range(pivot, stop):
            j = plan.col[p]
            LU[p] = work[j]
            size = max(size, abs(work[j]) * plan.scale[j])
            total += abs(work[j])
        u_ii = LU[pivot]
        if u_ii == 0.0:
            return 0.0
        LU[pivot] = 1.0 / u_ii
        smallest = min(smallest, abs(u_ii) * plan.scale[i] / size)
    return smallest + (total - total)


@kernel
def solve(plan: Plan, LU: Array, b: Array, work: Array) -> None:
    """Solution x of A x = b from the factors, in place of b; work: (n,) any content."""
    n = plan.rows.size
    for i in range(n):
        y_i = b[plan.rows[i]]
        for p in range(plan.start[i], plan.diag[i]):
            y_i -= LU[p] * work[plan.col[p]]
        work[i] = y_i
    for i in range(n - 1, -1, -1):
        x_i = work[i]
        for p in range(plan.diag[i] + 1, plan.start[i + 1]):
            x_i -= LU[p] * work[plan.col[p]]
        x_i *= LU[plan.diag[i]]
        work[i] = x_i
        b[plan.cols[i]] = x_i
