"""M = Lᵀ D L of a tree without fill, and its solutions, by rows that a processor takes four entries at a time.

The velocities between a link and the ground, and those behind a link, are runs of consecutive numbers: one run for a
chain, a few for most trees. Source: Featherstone (2008), section 6.5.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.cache import inner, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.tables import AT_V, COUNT

PANEL = 32  # columns that are solved together: what they need stays in the cache nearest to the processor


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
    for c in range(begin, end):
        M[l, c] -= a * M[k, c]


@woven
def _weight(M: Array, i: int, k: int, behind: bool) -> float:
    return M[k, i] if behind else M[i, k]


@woven
def _gather(X: Array, M: Array, i: int, begin: int, end: int, left: int, right: int, behind: bool) -> None:
    """Row i of X, from column left to right, less rows begin to end times L_ki (behind) or L_ik."""
    k = begin
    while k + 4 <= end:
        w, x = _weight(M, i, k, behind), _weight(M, i, k + 1, behind)
        y, z = _weight(M, i, k + 2, behind), _weight(M, i, k + 3, behind)
        for c in range(left, right):
            X[i, c] -= w * X[k, c] + x * X[k + 1, c] + y * X[k + 2, c] + z * X[k + 3, c]
        k += 4
    while k < end:
        w = _weight(M, i, k, behind)
        for c in range(left, right):
            X[i, c] -= w * X[k, c]
        k += 1


@inner
def _backward(K: Int, t: Paths, M: Array, X: Array, left: int, right: int) -> None:
    """X <- L⁻ᵀ X in some columns: each row less those behind it."""
    for i in range(K.shape[0] - 1, -1, -1):
        first, last = K[i, AT_V], K[i, AT_V] + K[i, COUNT]
        for k in range(last - 1, first - 1, -1):
            _gather(X, M, k, k + 1, last, left, right, True)
            for r in range(t.behind_at[i], t.behind_at[i + 1]):
                _gather(X, M, k, t.behind[r, 0], t.behind[r, 1], left, right, True)


@inner
def _forward(K: Int, t: Paths, M: Array, X: Array, left: int, right: int) -> None:
    """X <- L⁻¹ D⁻¹ X in some columns: each row less those between it and the ground."""
    for i in range(K.shape[0]):
        first, last = K[i, AT_V], K[i, AT_V] + K[i, COUNT]
        for k in range(first, last):
            for c in range(left, right):
                X[k, c] *= M[k, k]
            _gather(X, M, k, first, k, left, right, False)
            for r in range(t.above_at[i], t.above_at[i + 1]):
                _gather(X, M, k, t.above[r, 0], t.above[r, 1], left, right, False)


@inner
def solve(K: Int, t: Paths, M: Array, X: Array) -> None:
    """X <- M⁻¹ X, panel by panel."""
    for left in range(0, X.shape[1], PANEL):
        right = min(left + PANEL, X.shape[1])
        _backward(K, t, M, X, left, right)
        _forward(K, t, M, X, left, right)


@inner
def solve_identity(K: Int, t: Paths, M: Array, X: Array) -> None:
    """X <- M⁻¹; X is zero at first."""
    for k in range(X.shape[0]):
        X[k, k] = 1.0
    solve(K, t, M, X)
