"""Order of the pivots of a sparse matrix, chosen once from trial values.

A Newton matrix with multipliers has zeros on its diagonal. Pivots are chosen by value in several ways, with and
without large entries first brought to the diagonal (Duff and Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973); of
the orders that are stable the one with the least work is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.kernels.lu import Int, Plan, factor, solve
from visviva.kernels.singular import diagnosis
from visviva.kernels.symbolic import elimination

SWEEPS = 50  # of the equilibration; units apart by 1e16 are then even to 5 %
LARGE = 2000  # rows, from which on not every order is tried
SMALL = 100  # rows, up to which a full matrix takes less time than a sparse one
WORSE = 2  # fill, in units of the least, that is still compared; SuperLU counts its blocks as full, so it only hints
PIVOTS = (1e-5, 1e-12)  # smallest relative pivot: leaves room for other values; distinguishes from a singular matrix
RESIDUAL = 1e-9  # backward error that a trial solution may have
GROWTH = 1e13  # largest entry it may have: beyond, the matrix is singular although no single pivot shows it


def analyse(n: int, rows: ArrayLike, cols: ArrayLike, values: ArrayLike) -> Plan:
    """The plan of elimination for a matrix (n, n) with entries at (rows, cols); raises `Singular`.

    rows, cols: (entries,) in the order in which values will be assembled; values at one place are added.
    values: (entries,) trial values, typical for those to come: pivots are chosen by them, the fill by the pattern.
    """
    from scipy.sparse import csc_array

    i, j = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    V = finite_vector(values, "the trial values of the matrix", len(i))
    if n == 0:
        return elimination(i, j, i, j, np.zeros(0))
    r, c = equilibration(csc_array((V, (i, j)), shape=(n, n)))
    V = r[i] * V * c[j]
    A = csc_array((V, (i, j)), shape=(n, n))
    found = orders(A)
    least = min((fill for fill, _, _ in found), default=0)
    for limit in (WORSE * least, np.inf):  # the others only where these are not stable
        found += orders(A, again=True) if limit == np.inf else []
        plans = [elimination(i, j, row, col, np.ones(n), fill) for fill, row, col in found if fill <= limit]
        plans.sort(key=operations)
        for smallest in PIVOTS:
            for plan in plans:
                if is_stable(plan, A, V, smallest):
                    return plan._replace(scale=c[plan.cols])
    raise diagnosis(A)


def equilibration(A: Any) -> tuple[Array, Array]:
    """Scales r, c for which the sizes in all rows and columns of diag(r) A diag(c) sum up to about 1.

    Law:     other units of rows and columns lead to the same scaled matrix.
    Why:     rows and columns of largest entry 1 are not unique, and units would decide on the pivots.
    Source:  Sinkhorn and Knopp, Pacific J. Math. 21 (1967) 343; a few sweeps, convergence is not needed.
    """
    size = abs(A).toarray() if A.shape[0] <= SMALL else abs(A).tocsr()
    transposed = size.T.copy() if A.shape[0] <= SMALL else size.T.tocsr()
    c = np.ones(A.shape[1])
    for _ in range(SWEEPS):
        r = _reciprocal(size @ c)
        c = _reciprocal(transposed @ r)
    return r, c


def _reciprocal(sums: Array) -> Array:
    return 1.0 / np.where(sums > 0, sums, 1.0)  # the row or column may be empty


def orders(A: Any, *, again: bool = False) -> list[tuple[int, Int, Int]]:
    """Fill, positions of rows and of columns in pivot order, for each way of choosing pivots that finds one for all.

    Pivots sought near a diagonal with zeros on it fill a large matrix up, which takes a hundred times as long as all
    others: that way is left out, and is the only one where they are asked for again.
    """
    from scipy.sparse.linalg import splu

    by_columns: dict[str, Any] = {"permc_spec": "COLAMD", "diag_pivot_thresh": 0.5}
    by_diagonal: dict[str, Any] = {
        "permc_spec": "MMD_AT_PLUS_A",
        "diag_pivot_thresh": 1e-2,
        "options": {"SymmetricMode": True},
    }
    n = A.shape[0]
    plain, long = np.arange(n), n > LARGE and not A.diagonal().all()
    if again:
        ways = [(plain, by_diagonal)] if long else []
    else:
        matched = matching(A)
        ways = [(plain, by_columns), (plain, by_diagonal), (matched, by_columns), (matched, by_diagonal)]
        if long:
            del ways[1]
    found = []
    for column, options in ways:
        try:
            trial = splu(A[:, column], **options)
        except RuntimeError:  # SuperLU met a pivot that is exactly zero
            continue
        place = np.empty(n, dtype=np.int64)
        place[column] = trial.perm_c
        found.append((trial.nnz, trial.perm_r.astype(np.int64), place))
    return found


def matching(A: Any) -> Int:
    """For each row the column to bring to its diagonal, so that the product of sizes there is largest.

    Rows stay as they are if the values do not allow an entry in each.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    entries = A.tocoo()
    there = entries.data != 0
    size = np.abs(entries.data[there])
    # the graph takes a cost of 0 for no edge, so all are 1 dearer; with costs that round, SciPy's search may never end
    cost = 1.0 + np.round(64.0 * np.log(size.max(initial=0.0) / size)) / 64.0
    graph = csr_array((cost, (entries.row[there], entries.col[there])), shape=A.shape)
    try:
        row, column = min_weight_full_bipartite_matching(graph)
    except ValueError:
        return np.arange(A.shape[0])
    return np.asarray(column[np.argsort(row)], dtype=np.int64)


def operations(plan: Plan) -> int:
    """Multiplications of one factorisation and two solutions."""
    start, diag = plan.start.astype(np.int64), plan.diag.astype(np.int64)
    in_upper = start[1:] - diag
    is_lower = np.arange(plan.size) < np.repeat(diag, np.diff(start))
    return int(in_upper[plan.col[is_lower]].sum()) + 2 * plan.size


def is_stable(plan: Plan, A: Any, V: Array, smallest: float) -> bool:
    """Whether all relative pivots are above `smallest`, and a trial solution is accurate and of moderate size."""
    LU, work = np.empty(plan.size), np.empty(plan.n)
    if not factor(plan, V, LU, work) > smallest:
        return False
    b = np.random.default_rng(0).standard_normal(plan.n)
    x = b.copy()
    solve(plan, LU, x, work)
    size = np.abs(x).max()
    return bool(size < GROWTH and np.abs(A @ x - b).max() <= RESIDUAL * (size + np.abs(b).max()))
