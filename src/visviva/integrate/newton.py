"""Newton's method to stagnation: iterate until the scaled residual is rounding, and know when it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array

EPS = float(np.finfo(np.float64).eps)


class NotConverged(Exception):
    """A step has no solution within reach; `row` is its worst row (-1: none), `where` that row in user's names."""

    def __init__(self, reason: str, row: int, residual: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row
        self.residual = residual
        self.where = ""


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """The best iterate, its scaled residual and the number of matrices solved."""

    y: Array
    residual: float
    iterations: int


@final
@dataclass(frozen=True)
class Newton:
    """F(y) = 0, stopped by stagnation rather than by a tolerance.

    A tolerance leaves a biased residual at every step, which adds up to a drift of energy; so iterate until the
    scaled residual no longer falls, and accept if it is then below `accept`.

    floor:  scaled residual at which nothing more can be gained.
    accept: largest scaled residual that counts as solved once it has stopped falling.
    slow:   a residual that falls by less than this factor asks for a new matrix.
    """

    max_iterations: int = 40
    floor: float = 2 * EPS
    accept: float = 1e-10
    slow: float = 0.1

    def solve(
        self,
        residual: Callable[[Array], tuple[Array, Array]],
        jacobian: Callable[[Array], Array],
        y: Array,
        *,
        reuse: bool = False,
    ) -> Solution:
        """Solve from the start value y. `residual` returns F and its scale, row by row, positive.

        reuse: keep the matrix while the residual falls fast (for matrices that cost more than iterations).
        """
        best, best_y, last, row = np.inf, y, np.inf, -1
        matrix, units = None, np.ones(len(y))
        for iteration in range(self.max_iterations + 1):
            F, scale = residual(y)
            ratio = np.abs(F) / scale
            r = float(ratio.max(initial=0.0)) if np.isfinite(ratio).all() else np.inf
            if r < best:
                best, best_y, row = r, y, int(ratio.argmax()) if len(ratio) else -1
            stagnant = not r <= 0.25 * last
            if r <= self.floor or (stagnant and best <= self.accept):
                return Solution(best_y, best, iteration)
            if not np.isfinite(r):
                raise NotConverged("the residual is not finite", row, best)
            if matrix is None or not reuse or r > self.slow * last:
                matrix, units = jacobian(y) / scale[:, None], scale
            last = r
            try:
                y = y - np.linalg.solve(matrix, F / units)
            except np.linalg.LinAlgError:
                raise NotConverged("the matrix of the step is singular", -1, best) from None
        raise NotConverged(f"no convergence in {self.max_iterations} iterations", row, best)


def difference_jacobian(function: Callable[[Array], Array], y: Array, size: Array) -> Array:
    """∂F/∂y by central differences, all columns in one batched call; `size` is the scale of each unknown."""
    delta = np.cbrt(EPS) * size
    steps = np.diag(delta)
    both = function(np.concatenate([y + steps, y - steps]))
    n = len(y)
    columns: Array = (both[:n] - both[n:]) / (2.0 * delta[:, None])
    return columns.T
