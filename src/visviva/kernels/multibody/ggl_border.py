"""Loops of a mechanism on both levels: rows of joints outside of the tree, solved after it as a small dense border.

It is that of `border` with two unknowns per row: G and Λ, and two equations: its value and its rate.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import columns_of
from visviva.kernels.multibody.ggl_curvature import rate_columns_of
from visviva.kernels.multibody.ggl_tables import RateBorder, Rates, RateTree
from visviva.kernels.multibody.ggl_tree import load_residual, sweep, unload_increments
from visviva.kernels.multibody.tables import PARENT, Int, Machine
from visviva.kernels.multibody.tree import solve_dense


@inner
def _place(j: int) -> int:
    """Where the number j of six, of translation and rotation, is in the twelve of the first level of a body."""
    return j if j < 3 else j + 3


@inner
def _slope(K: Int, t: RateTree, border: RateBorder, l: int) -> float:
    """ρ_l·x with the increments in t.r; rows of values, then those of rates."""
    n, total = border.rows.shape[0], 0.0
    k = l % n
    i = border.rows[k, 0]
    for side in range(2):
        b = K[i, PARENT + side]
        if b < t.r.shape[0]:
            for j in range(6):
                at, to = 12 + 6 * side + j, _place(j)
                if l < n:
                    total += border.q[k, 0, at] * t.r[b, to]
                else:
                    total += border.q[k, 1, at] * t.r[b, to] + border.q[k, 2, at] * t.r[b, to + 3]
    return total


@inner
def _column(K: Int, t: RateTree, border: RateBorder, c: int) -> None:
    """The impulses of one unit of an unknown of the border to t.r; those of G, then those of Λ."""
    n = border.rows.shape[0]
    k = c % n
    for b in range(t.r.shape[0]):
        for j in range(12):
            t.r[b, j] = 0.0
    for side in range(2):
        b = K[border.rows[k, 0], PARENT + side]
        if b < t.r.shape[0]:
            for j in range(6):
                at, to = 6 * side + j, _place(j)
                if c < n:
                    t.r[b, to] = border.q[k, 0, at]
                    t.r[b, to + 3] = border.q[k, 1, at]
                else:
                    t.r[b, to + 3] = border.q[k, 0, at]


@inner
def factor_rate_border(M: Machine, level: Rates, h: float) -> None:
    """One solution of the tree for each unknown."""
    t, border = level.tree, level.border
    n = border.rows.shape[0]
    for k in range(n):
        i, part = border.rows[k, 0], border.rows[k, 1]
        columns_of(M.B, M.X, M.K, i, part, border.q[k, 0])
        rate_columns_of(M.B, level.B, M.X, level.X, M.K, i, part, h, border.q[k, 1], border.q[k, 2])
    for c in range(2 * n):
        _column(M.K, t, border, c)
        sweep(M.K, t, border.none, border.none, border.mu[c, 0], border.mu[c, 1])
        for b in range(t.r.shape[0]):
            for j in range(12):
                border.x[c, b, j] = t.r[b, j]
        for l in range(2 * n):
            border.S[l, c] = _slope(M.K, t, border, l)


@inner
def solve_rate_border(M: Machine, level: Rates) -> None:
    """Increments of all unknowns from the residuals of both levels."""
    t, border = level.tree, level.border
    n = border.rows.shape[0]
    load_residual(M, t, level.B)
    sweep(M.K, t, M.gap, level.gap, level.dG, M.dlam)
    for l in range(2 * n):
        gap: Array = M.gap if l < n else level.gap
        border.pad[2 * n, l] = -gap[border.rows[l % n, 2]] - _slope(M.K, t, border, l)
        for c in range(2 * n):
            border.pad[l, c] = border.S[l, c]
    if n > 0:
        solve_dense(2 * n, border.pad, border.pad[2 * n])
    for c in range(2 * n):
        step = border.pad[2 * n, c]
        for b in range(t.r.shape[0]):
            for j in range(12):
                t.r[b, j] += step * border.x[c, b, j]
        for k in range(M.gap.size):
            level.dG[k] += step * border.mu[c, 0, k]
            M.dlam[k] += step * border.mu[c, 1, k]
    for k in range(n):
        level.dG[border.rows[k, 2]], M.dlam[border.rows[k, 2]] = border.pad[2 * n, k], border.pad[2 * n, n + k]
    unload_increments(M, t, level.B)
