"""M x = r of a tree for many right-hand sides, by rows that a processor takes four entries at a time.

M = Lᵀ D L without fill, where D has the inertias of the joints and row j of L is the product of one wrench, D⁻¹ Uᵀ of
the articulated inertia, with the unit velocities between j and the ground. The velocities between a link and the
ground, and those behind a link, are runs of consecutive numbers: one run for a chain, a few for most trees. Links that
share nothing but the ground are blocks of their own. Where paths to the ground are long, `columns` has less to do.
Source: Featherstone (2008), sections 6.5 and 7.3.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.tables import AT_V, COUNT

PANEL = 32  # columns that are solved together: eight registers of four numbers
ABOVE, BEHIND, APART = range(3)  # what a segment of a row is: of velocities between the link and the ground, or its own


class Paths(NamedTuple):
    """Runs [begin, end) of velocities; those of link i are rows at[i] to at[i + 1]."""

    blocks: Int  # (blocks, 5) first link, end of links, first velocity, end of velocities, whether its paths are long
    above_at: Int  # (links + 1,)
    above: Int  # (runs, 2) between the link and the ground
    behind_at: Int  # (links + 1,)
    behind: Int  # (runs, 2) of all links that it carries
    row_at: Int  # (links + 1,)
    row: Int  # (segments, 3) begin, end, what; all velocities of the block in ascending order
    slots: Int  # (links + 1, 2) where `columns` has what it passes on: where the last child has it; whether a new place


class Memory(NamedTuple):
    """Of a solution."""

    L: Array  # (n, velocities of the largest block + 4)
    X: Array  # (n, PANELs) right-hand sides and solutions
    A: Array  # (slots, 6 PANEL) the last one is the ground, at rest
    B: Array  # (6, PANEL)


@inner
def solve_by_rows(K: Int, t: Paths, block: int, D: Array, m: Memory) -> None:
    """X <- M⁻¹ X in the rows of a block, a panel of columns at a time.

    The second third of the columns is the identity: it is zero below the diagonal.
    """
    from_link, to_link, start, end = t.blocks[block, 0], t.blocks[block, 1], t.blocks[block, 2], t.blocks[block, 3]
    n, L, X = end - start, m.L, m.X
    for left in range(0, 3 * n, PANEL):
        last = left + PANEL - n  # column of the identity
        stop = start + last if left >= n and last <= n else end
        for i in range(to_link - 1, from_link - 1, -1):
            for k in range(K[i, AT_V], min(stop, K[i, AT_V] + K[i, COUNT])):
                _less(X, L, k, left, start, 1.0, t.behind, t.behind_at[i], t.behind_at[i + 1], stop, True)
        for i in range(from_link, to_link):
            first, count = K[i, AT_V], K[i, COUNT]
            if count > 1:
                times_inverse(D, first, count, X, left, m.B)
            for k in range(first, first + count):
                scale = D[k, 0] if count == 1 else 1.0
                _less(X, L, k, left, start, scale, t.above, t.above_at[i], t.above_at[i + 1], end, False)


@inner
def times_inverse(D: Array, first: int, count: int, X: Array, left: int, B: Array) -> None:
    """Rows of a joint with several velocities times D⁻¹."""
    for r in range(count):
        for c in range(0, PANEL, 4):
            store_four(B, r, c, load_four(X, first + r, left + c))
    for r in range(count):
        for c in range(0, PANEL, 4):
            x = D[first + r, 0] * load_four(B, 0, c)
            for l in range(1, count):
                x = x + D[first + r, l] * load_four(B, l, c)
            store_four(X, first + r, left + c, x)


@woven
def _less(
    X: Array, L: Array, i: int, left: int, start: int, scale: float, runs: Int, begin: int, end: int, stop: int,
    behind: bool,
) -> None:  # fmt: skip
    """Row i times scale, less rows k of some runs times L_ki (behind) or L_ik; it stays in eight registers."""
    a, b, c, d = _sixteen(X, i, left)
    e, f, g, h = _sixteen(X, i, left + 16)
    if not behind:
        a, b, c, d, e, f, g, h = scale * a, scale * b, scale * c, scale * d, scale * e, scale * f, scale * g, scale * h
    for r in range(begin, end):
        for k in range(runs[r, 0], min(stop, runs[r, 1])):
            w = L[k, i - start] if behind else L[i, k - start]
            x = _sixteen(X, k, left)
            y = _sixteen(X, k, left + 16)
            a, b, c, d = a - w * x[0], b - w * x[1], c - w * x[2], d - w * x[3]
            e, f, g, h = e - w * y[0], f - w * y[1], g - w * y[2], h - w * y[3]
    _put_sixteen(X, i, left, a, b, c, d)
    _put_sixteen(X, i, left + 16, e, f, g, h)


@woven
def _sixteen(X: Array, i: int, k: int) -> tuple[float, float, float, float]:
    return load_four(X, i, k), load_four(X, i, k + 4), load_four(X, i, k + 8), load_four(X, i, k + 12)


@woven
def _put_sixteen(X: Array, i: int, k: int, a: float, b: float, c: float, d: float) -> None:
    store_four(X, i, k, a)
    store_four(X, i, k + 4, b)
    store_four(X, i, k + 8, c)
    store_four(X, i, k + 12, d)
