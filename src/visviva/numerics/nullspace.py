"""Row space and null space of a matrix whose rows may depend on each other, and motions by some of its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.numerics.rank import TOLERANCE, counted, doubtful, unit_rows

Index = NDArray[np.intp]


@final
@dataclass(frozen=True, eq=False)
class Split:
    """C = diag(units) U diag(s) Vᵀ with positive s; Z spans what C annihilates, Y combinations of rows that vanish."""

    U: Array  # (m, rank)
    s: Array  # (rank,)
    V: Array  # (n, rank)
    Z: Array  # (n, n - rank)
    Y: Array  # (m, m - rank)
    units: Array  # (m,) of the rows

    @property
    def rank(self) -> int:
        """Rank of C."""
        return len(self.s)

    def solve(self, rhs: Array) -> Array:
        """The x of least norm with C x = rhs (m,) or (m, k), by least squares of rows in their units."""
        x: Array = self.V @ ((self.U.T @ (rhs.T / self.units).T).T / self.s).T
        return x

    def solve_transposed(self, rhs: Array) -> Array:
        """The y of least norm with Cᵀ y = rhs in the least-squares sense."""
        y: Array = self.U @ ((self.V.T @ rhs) / self.s) / self.units
        if len(y) and self.Y.size and np.ptp(self.units):  # with units of rows, U and Y / units are not orthogonal
            Q = np.linalg.qr(self.Y / self.units[:, None])[0]
            y = y - Q @ (Q.T @ y)
        return y


def split(
    C: Array,
    terms: Array | None = None,
    rank: int | None = None,
    decide: Callable[[], int | None] | None = None,
    tolerance: float = TOLERANCE,
) -> Split:
    """The split of a matrix (m, n), for any m, also 0, by the rule of `numerics.rank`.

    terms:  sizes of the terms of each row, (m,).   rank: the largest one it may have, if that is known.
    decide: asked for the rank where singular values are near the tolerance, so that all readings of one thing agree.
    tolerance: of singular values; `rank.DATA` where the matrix is taken at no configuration.
    """
    m, n = C.shape
    if m == 0:
        return Split(np.zeros((0, 0)), np.zeros(0), np.zeros((n, 0)), np.eye(n), np.zeros((0, 0)), np.zeros(0))
    rows, units = unit_rows(C, terms)
    U, s, Vt = np.linalg.svd(rows)
    found = counted(s, tolerance)
    if decide is not None and doubtful(s if rank is None else s[:rank]):
        known = decide()
        found = found if known is None else min(known, len(s))
    r = found if rank is None else min(found, rank)
    return Split(U[:, :r], s[:r], Vt[:r].T, Vt[r:].T, U[:, r:], units)


def split_alike(C: Array) -> Split:
    """The split of rows that weigh alike, all in units of the longest one.

    For slopes by differences, whose noise is that of all that was computed, and where least squares are of one kind.
    """
    return split(C, np.full(len(C), np.linalg.norm(C, axis=1).max(initial=0.0)))


@final
class Inclusion:
    """All x (n,) with Z x = z by some of them: x = N x_kept + following(z), N the identity in the rows kept.

    The columns of Z (m, n) that are not kept should be independent, as `pivots` chooses them; its rows need not be.
    others: which they are.   parts: these columns, split: where their rank is less than their number, N is none.

    units: of x (n,), in which it is exact to rounding.   terms: sizes of the terms of each row over x in these units,
           (m,). Without terms columns are taken to be independent, see `determined`.
    """

    def __init__(self, Z: Array, kept: Index, units: Array | None = None, terms: Array | None = None) -> None:
        self.n, self.others = Z.shape[1], np.setdiff1d(np.arange(Z.shape[1]), kept)
        self._units = np.ones(len(self.others)) if units is None else units[self.others]
        own = Z[:, self.others] * self._units
        self.parts = _independent(own) if terms is None else split(own, terms, len(self.others))
        self.N = -self.following(Z[:, kept])
        self.N[kept, np.arange(len(kept))] = 1.0

    def following(self, z: Array) -> Array:
        """x (n,) or (n, k) with Z x = z (m,) or (m, k), zero in what is kept."""
        x = np.zeros((self.n, *z.shape[1:]))
        x[self.others] = (self._units * self.parts.solve(z).T).T
        return x


def inclusion(Z: Array, kept: Index, driving: Array | None = None, units: Array | None = None) -> Array:
    """N of x = N (x_kept; d) for all x (n,) with Z x + driving d = 0: see `Inclusion`."""
    found = Inclusion(Z, kept, units)
    return found.N if driving is None else np.hstack([found.N, -found.following(driving)])


def determined(Z: Array, right: Array, units: Array | None = None) -> Array:
    """X with Z X = right (m, k) for independent columns of Z (m, n), and rows that may depend on each other.

    units: of the rows of X (n,), in which it is exact to rounding.
    """
    units = np.ones(Z.shape[1]) if units is None else units
    return np.asarray(units[:, None] * _independent(Z * units).solve(right))


def _independent(Z: Array) -> Split:
    """Independent columns, split: their rank is known where it is in doubt."""
    k = Z.shape[1]
    return split(Z, rank=k, decide=lambda: k)
