"""Loops, couplings and stiffness across joints on both levels: solved after the tree as a small dense border.

It is that of `border` with two unknowns per row: G and Λ, and two equations: its value and its rate. Stiffness across
joints is one of the momentum by u and ω: its second unknown alone counts, and the first stays zero.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import Across, columns_of
from visviva.kernels.multibody.ggl_couplings import coupling_rate_columns
from visviva.kernels.multibody.ggl_curvature import rate_columns_of
from visviva.kernels.multibody.ggl_tables import RateBorder, Rates, RateTree
from visviva.kernels.multibody.ggl_tree import load_residual, sweep, unload_increments
from visviva.kernels.multibody.tables import Conditions, Elements, Machine
from visviva.kernels.multibody.tree import solve_dense

from visviva.kernels.multibody.border import (  # isort: skip
    OF_LOOP, OF_STACK, ROW_FROM, ROW_KIND, ROW_NUMBER, ROW_PART, ROW_PLACE, ROW_TO, spread, stack_columns,
)  # fmt: skip


@inner
def _place(j: int) -> int:
    """Where the number j of six, of translation and rotation, is in the twelve of the first level of a body."""
    return j if j < 3 else j + 3


@inner
def _slope(t: RateTree, border: RateBorder, l: int) -> float:
    """ρ_l·x with the increments in t.r; rows of values, then those of rates."""
    n, total = border.rows.shape[0], 0.0
    k = l % n
    for slot in range(border.rows[k, ROW_FROM], border.rows[k, ROW_TO]):
        b = border.bodies[slot]
        for j in range(6):
            at, to = 12 * slot + 6 + j, _place(j)
            if l < n:
                total += border.V[0, at] * t.r[b, to]
            else:
                total += border.V[1, at] * t.r[b, to] + border.V[2, at] * t.r[b, to + 3]
    return total


@inner
def _column(t: RateTree, border: RateBorder, c: int) -> None:
    """The impulses of one unit of an unknown of the border to t.r; those of G, then those of Λ."""
    n = border.rows.shape[0]
    k = c % n
    for b in range(t.r.shape[0]):
        for j in range(12):
            t.r[b, j] = 0.0
    for slot in range(border.rows[k, ROW_FROM], border.rows[k, ROW_TO]):
        b = border.bodies[slot]
        for j in range(6):
            at, to = 12 * slot + j, _place(j)
            if c < n:
                t.r[b, to] = border.V[0, at]
                t.r[b, to + 3] = border.V[1, at]
            else:
                t.r[b, to + 3] = border.V[2, at]


@inner
def _columns(
    M: Machine, e: Elements, conditions: Conditions | None, level: Rates, a: Across, border: RateBorder, h: float
) -> None:
    """Impulses and slopes of all rows."""
    q, V = border.q, border.V
    for k in range(border.rows.shape[0]):
        row = border.rows[k]
        i, part = row[ROW_NUMBER], row[ROW_PART]
        if row[ROW_KIND] == OF_LOOP:
            columns_of(M.B, M.X, M.K, i, part, q[0])
            rate_columns_of(M.B, level.B, M.X, level.X, M.K, i, part, h, q[1], q[2])
            for j in range(12):
                q[2, j] = q[0, j]
            for n in range(3):
                spread(M, border.bodies, row, i, q[n], V[n])
        elif row[ROW_KIND] == OF_STACK:
            stack_columns(M, e, a, border.bodies, row, V[2], V[1], h)
        elif conditions is not None:
            coupling_rate_columns(M, level, conditions.couplings, i, V[0], V[1], V[2], 12 * row[ROW_FROM], h)


@inner
def factor_rate_border(
    M: Machine, e: Elements, conditions: Conditions | None, level: Rates, a: Across, h: float
) -> None:
    """One solution of the tree for each unknown."""
    t, border = level.tree, level.border
    n = border.rows.shape[0]
    _columns(M, e, conditions, level, a, border, h)
    for c in range(2 * n):
        _column(t, border, c)
        sweep(M.K, t, border.none, border.none, border.mu[c, 0], border.mu[c, 1])
        for b in range(t.r.shape[0]):
            for j in range(12):
                border.x[c, b, j] = t.r[b, j]
        for l in range(2 * n):
            border.S[l, c] = _slope(t, border, l)
        border.S[c, c] += border.diagonal[c]


@inner
def solve_rate_border(M: Machine, level: Rates) -> None:
    """Increments of all unknowns from the residuals of both levels."""
    t, border = level.tree, level.border
    n = border.rows.shape[0]
    load_residual(M, t, level.B)
    sweep(M.K, t, M.gap, level.gap, level.dG, M.dlam)
    for l in range(2 * n):
        gap: Array = M.gap if l < n else level.gap
        place = border.rows[l % n, ROW_PLACE]
        border.pad[2 * n, l] = -_slope(t, border, l) - (gap[place] if place >= 0 else 0.0)
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
        place = border.rows[k, ROW_PLACE]
        if place >= 0:
            level.dG[place], M.dlam[place] = border.pad[2 * n, k], border.pad[2 * n, n + k]
    unload_increments(M, t, level.B)
