"""Weighted inner product, norm and distance of matrices: energies of bodies are halves of such squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.definite import semidefinite, symmetric
from visviva.geometry.trace_function import CriticalSet, TraceFunction

STRICT = 1e-12  # of the largest eigenvalue: a smaller one is zero


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class WeightedProduct:
    """<A, B>_K = tr(Aᵀ K B),  |A|_K = √<A, A>_K,  d_K(A, B) = |A - B|_K,  of matrices (..., n, k) or vectors (n, 1).

    K: (n, n) symmetric, or its diagonal, ⪰ 0; the identity makes them the Frobenius product and norm.

    With the moments M', K' of a body and its pose X: kinetic energy ½ |Ẋᵀ|²_M', springs ½ |(X - X_R)ᵀ|²_K'.
    Limits:  a norm and a distance only where K > 0, see `is_metric`; else different matrices may be 0 apart.
    Source:  Konz (2.47)-(2.50), (3.90). The unit sphere (2.46d) of Rⁿ has the dimension n - 1.
    """

    K: Array

    def __post_init__(self) -> None:
        given = finite_array(self.K, "weight K")
        if given.ndim not in (1, 2) or not given.size:
            raise ModelError(f"weight K must be a matrix (n, n) or its diagonal (n,), got shape {given.shape}.")
        object.__setattr__(self, "K", semidefinite(symmetric(given, len(given), "weight K"), "weight K"))

    @property
    def is_metric(self) -> bool:
        """Whether K > 0, so that distinct matrices have a positive distance."""
        values = np.linalg.eigvalsh(self.K)
        return bool(values[0] > STRICT * values[-1])

    def inner(self, A: ArrayLike, B: ArrayLike) -> Array:
        """tr(Aᵀ K B), shape (...)."""
        return np.asarray(np.einsum("...ik,ij,...jk->...", self._checked(A), self.K, self._checked(B)))

    def norm(self, A: ArrayLike) -> Array:
        """√<A, A>_K, shape (...)."""
        return np.asarray(np.sqrt(np.maximum(self.inner(A, A), 0.0)))  # ⪰ 0 but for rounding

    def distance(self, A: ArrayLike, B: ArrayLike) -> Array:
        """|A - B|_K, shape (...)."""
        return self.norm(self._checked(A) - self._checked(B))

    def nearest_rotations(self, Q: ArrayLike) -> CriticalSet:
        """The rotations R with the least d_K(Q, R), for K (3, 3): `.rotation()` is one, `.strict` says if the only one.

        `.value` is half of the squared distance. Source: Konz (2.60).
        """
        if len(self.K) != 3:
            raise ModelError(f"rotations of space are (3, 3), this weight K is ({len(self.K)}, {len(self.K)}).")
        return TraceFunction.nearest(Q, self.K).minimum()

    def _checked(self, A: ArrayLike) -> Array:
        return finite_array(A, "a matrix of the weighted product", (len(self.K), None))
