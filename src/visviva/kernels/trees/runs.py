"""M = Lᵀ D L of a tree without fill, and its solutions, by rows that a processor takes four entries at a time.

The velocities between a link and the ground, and those behind a link, are runs of consecutive numbers: one run for a
chain, a few for most trees. Source: Featherstone (2008), section 6.5.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.cache import inner, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.tables import AT_V, COUNT

PANEL = 32  # columns that are solved together: eight registers of four numbers


class Paths(NamedTuple):
    """Runs [begin, end) of velocities; those of link i are rows at[i] to at[i + 1]."""

    above_at: Int  # (links + 1,)
    above: Int  # (runs, 2) between the link and the ground, last ones first
    behind_at: Int  # (links + 1,)
    behind: Int  # (runs, 2) of all links that it carries


@inner
def factorise(K: Int, t: Paths, M: Array) -> None:
    """The rows of M are overwritten with those of L, and the diagonal with 1/D."""
    for i in range(K.shape[0] - 1, -1, -1):
        first = K[i, AT_V]
        for k in range(first + K[i, COUNT] - 1, first - 1, -1):
            inverse = 1.0 / M[k, k]
            _eliminate(K, t, M, i, k, first, k, inverse)
            M[k, k] = inverse
            for l in range(first, k):
                M[k, l] *= inverse
            for r in range(t.above_at[i], t.above_at[i + 1]):
                for l in range(t.above[r, 0], t.above[r, 1]):
                    M[k, l] *= inverse


@woven
def _eliminate(K: Int, t: Paths, M: Array, i: int, k: int, first: int, last: int, inverse: float) -> None:
    """Row l -= M_kl/M_kk row k, for all l between k and the ground, as far as l's own path."""
    for l in range(first, last):
        _subtract(M, k, l, M[k, l] * inverse, first, l + 1)
        for r in range(t.above_at[i], t.above_at[i + 1]):
            _subtract(M, k, l, M[k, l] * inverse, t.above[r, 0], t.above[r, 1])
    for r in range(t.above_at[i], t.above_at[i + 1]):
        for l in range(t.above[r, 0], t.above[r, 1]):
            a = M[k, l] * inverse
            _subtract(M, k, l, a, t.above[r, 0], l + 1)
            for o in range(r + 1, t.above_at[i + 1]):
                _subtract(M, k, l, a, t.above[o, 0], t.above[o, 1])


@woven
def _subtract(M: Array, k: int, l: int, a: float, begin: int, end: int) -> None:
    """Row l -= a row k."""
    for c in range(begin, end - 3, 4):
        store_four(M, l, c, load_four(M, l, c) - a * load_four(M, k, c))
    for c in range(end - (end - begin) % 4, end):
        M[l, c] -= a * M[k, c]


@inner
def solve(K: Int, t: Paths, M: Array, X: Array, B: Array) -> None:
    """X <- M⁻¹ X, a panel B of columns at a time; their number is a multiple of PANEL.

    The last n or more columns are those of the identity: they are zero below the diagonal.
    """
    n = X.shape[0]
    for left in range(0, X.shape[1], PANEL):
        last = n if left < 2 * n else min(n, left + PANEL - 2 * n)
        for k in range(n):
            for c in range(0, PANEL, 4):
                store_four(B, k, c, load_four(X, k, left + c))
        _backward(K, t, M, B, last)
        _forward(K, t, M, B)
        for k in range(n):
            for c in range(0, PANEL, 4):
                store_four(X, k, left + c, load_four(B, k, c))


@woven
def _backward(K: Int, t: Paths, M: Array, B: Array, stop: int) -> None:
    """B <- L⁻ᵀ B: each row less L_ki times those behind it; rows from `stop` on are zero."""
    for i in range(K.shape[0] - 1, -1, -1):
        first, last = K[i, AT_V], min(stop, K[i, AT_V] + K[i, COUNT])
        for k in range(last - 1, first - 1, -1):
            _less(B, M, k, k + 1, last, t.behind, t.behind_at[i], t.behind_at[i + 1], stop, True)


@woven
def _forward(K: Int, t: Paths, M: Array, B: Array) -> None:
    """B <- L⁻¹ D⁻¹ B: each row less L_ik times those between it and the ground."""
    for i in range(K.shape[0]):
        first, last = K[i, AT_V], K[i, AT_V] + K[i, COUNT]
        for k in range(first, last):
            for c in range(0, PANEL, 4):
                store_four(B, k, c, M[k, k] * load_four(B, k, c))
            _less(B, M, k, first, k, t.above, t.above_at[i], t.above_at[i + 1], k, False)


@woven
def _less(
    B: Array, M: Array, i: int, first: int, last: int, runs: Int, begin: int, end: int, stop: int, behind: bool
) -> None:
    """Row i less rows k times M_ki (behind) or M_ik, of its own link and of runs; it stays in eight registers."""
    a, b, c, d = _sixteen(B, i, 0)
    e, f, g, h = _sixteen(B, i, 16)
    for r in range(begin - 1, end):
        if r >= begin:
            first, last = runs[r, 0], min(stop, runs[r, 1])
        for k in range(first, last):
            w = M[k, i] if behind else M[i, k]
            x = _sixteen(B, k, 0)
            y = _sixteen(B, k, 16)
            a, b, c, d = a - w * x[0], b - w * x[1], c - w * x[2], d - w * x[3]
            e, f, g, h = e - w * y[0], f - w * y[1], g - w * y[2], h - w * y[3]
    _put_sixteen(B, i, 0, a, b, c, d)
    _put_sixteen(B, i, 16, e, f, g, h)


@woven
def _sixteen(X: Array, i: int, k: int) -> tuple[float, float, float, float]:
    return load_four(X, i, k), load_four(X, i, k + 4), load_four(X, i, k + 8), load_four(X, i, k + 12)


@woven
def _put_sixteen(X: Array, i: int, k: int, a: float, b: float, c: float, d: float) -> None:
    store_four(X, i, k, a)
    store_four(X, i, k + 4, b)
    store_four(X, i, k + 8, c)
    store_four(X, i, k + 12, d)
