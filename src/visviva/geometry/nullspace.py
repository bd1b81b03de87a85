"""Row space and null space of a matrix whose rows may depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array

RANK_TOLERANCE = 1e-9  # singular values below this part of the largest one are zero


@final
@dataclass(frozen=True, eq=False)
class Split:
    """C = U diag(s) Vᵀ with positive s; the columns of Z span what C annihilates."""

    U: Array  # (m, rank)
    s: Array  # (rank,)
    V: Array  # (n, rank)
    Z: Array  # (n, n - rank)

    @property
    def rank(self) -> int:
        """Rank of C."""
        return len(self.s)

    def solve(self, rhs: Array) -> Array:
        """The x of least norm with C x = rhs in the least-squares sense."""
        x: Array = self.V @ ((self.U.T @ rhs) / self.s)
        return x

    def solve_transposed(self, rhs: Array) -> Array:
        """The y of least norm with Cᵀ y = rhs in the least-squares sense."""
        y: Array = self.U @ ((self.V.T @ rhs) / self.s)
        return y


def split(C: Array, tolerance: float = RANK_TOLERANCE, rank: int | None = None) -> Split:
    """The split of a matrix (m, n), for any m, also 0; rank: the largest one it may have, if that is known."""
    m, n = C.shape
    if m == 0:
        return Split(np.zeros((0, 0)), np.zeros(0), np.zeros((n, 0)), np.eye(n))
    U, s, Vt = np.linalg.svd(C)
    found = int((s > tolerance * s[0]).sum()) if len(s) and s[0] > 0 else 0
    rank = found if rank is None else min(found, rank)
    return Split(U[:, :rank], s[:rank], Vt[:rank].T, Vt[rank:].T)
