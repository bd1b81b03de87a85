"""Saddle-point systems of one pattern, one after the other: elimination in an order chosen once, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.numerics.saddle import Saddle, entries, refined, softness_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALLEST_PIVOT = 1e-8  # below, the order of elimination does not suit the values


@final
class SaddleSeries:
    """Solutions for matrices C that share the pattern of a first one; M, metric, soft rows and units as in `Saddle`."""

    def __init__(self, M: Array, first: csr_array, soft: Mask, metric: Array, units: Array | None = None) -> None:
        from visviva.kernels.ordering import analyse

        self.M = M
        self.soft = soft
        self.metric = metric
        self.units = units
        i, j, values = entries(metric, first, softness_of(first, metric, soft, units))
        self._plan = analyse(sum(first.shape), i, j, values)
        self._factors = np.empty(self._plan.size)
        self._work = np.empty(sum(first.shape))

    def solve(self, C: csr_array, f: Array, b: Array) -> tuple[Array, Array]:
        """(x, λ) of ε = 0, as far as it exists."""
        from visviva.kernels.lu import factor

        values = entries(self.metric, C, softness_of(C, self.metric, self.soft, self.units))[2]
        if not factor(self._plan, values, self._factors, self._work) > SMALLEST_PIVOT:
            return Saddle(self.M, C, self.soft, self.metric, self.units).solve(f, b)
        return refined(self._solver(), self.M, C, f, b)

    def _solver(self) -> Callable[[Array], Array]:
        from visviva.kernels.lu import solve

        def solved(rhs: Array) -> Array:
            solve(self._plan, self._factors, rhs, self._work)
            return rhs

        return solved
