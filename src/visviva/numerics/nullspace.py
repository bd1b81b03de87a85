"""Row space and null space of a matrix whose rows may depend on each other, and motions by some of its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.numerics.rank import counted, doubtful, unit_rows

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
) -> Split:
    """The split of a matrix (m, n), for any m, also 0, by the rule of `numerics.rank`.

    terms:  sizes of the terms of each row, (m,).   rank: the largest one it may have, if that is known.
    decide: asked for the rank where singular values are near the tolerance, so that all readings of one thing agree.
    """
    m, n = C.shape
    if m == 0:
        return Split(np.zeros((0, 0)), np.zeros(0), np.zeros((n, 0)), np.eye(n), np.zeros((0, 0)), np.zeros(0))
    rows, units = unit_rows(C, terms)
    U, s, Vt = np.linalg.svd(rows)
    found = counted(s)
    if decide is not None and doubtful(s if rank is None else s[:rank]):
        known = decide()
        found = found if known is None else min(known, len(s))
    r = found if rank is None else min(found, rank)
    return Split(U[:, :r], s[:r], Vt[:r].T, Vt[r:].T, U[:, r:], units)


def inclusion(Z: Array, kept: Index, driving: Array | None = None) -> Array:
    """N of x = N (x_kept; d) for all x (n,) with Z x + driving d = 0: the identity in the rows kept.

    The columns of Z (m, n) that are not kept are independent, as `pivots` chooses them; its rows need not be.
    """
    n, k = Z.shape[1], len(kept)
    others = np.setdiff1d(np.arange(n), kept)
    right = Z[:, kept] if driving is None else np.hstack([Z[:, kept], driving])
    N = np.zeros((n, right.shape[1]))
    N[kept, np.arange(k)] = 1.0
    N[others] = -determined(Z[:, others], right)
    return N


def determined(Z: Array, right: Array) -> Array:
    """X with Z X = right (m, k) for independent columns of Z (m, n), and rows that may depend on each other."""
    if not Z.shape[1]:
        return np.zeros((0, right.shape[1]))
    rows, units = unit_rows(Z)
    return np.asarray(np.linalg.lstsq(rows, right / units[:, None], rcond=None)[0])
