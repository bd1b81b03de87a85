"""Newton's method to stagnation: iterate until the scaled residual is rounding, and know when it is not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful

EPS = float(np.finfo(np.float64).eps)


class NotConverged(Exception):
    """A step has no solution within reach.

    row: its worst row (-1: none), `where` that row in user's names.   way_out: what to do, where that is known.
    """

    def __init__(self, reason: str, row: int, residual: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row
        self.residual = residual
        self.where = ""
        self.way_out = ""


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """The best iterate, its scaled residual and the number of matrices solved."""

    y: Array
    residual: float
    iterations: int

    def then(self, other: Solution) -> Solution:
        """Another one that began here, with the matrices of both."""
        return dataclasses.replace(other, iterations=self.iterations + other.iterations)


@final
@helpful
@dataclass(frozen=True)
class Newton:
    """F(y) = 0, stopped by stagnation rather than by a tolerance.

    A tolerance leaves a biased residual at every step, which adds up to a drift of energy; so iterate until the
    scaled residual no longer falls, and accept if it is then below `accept`. Unlike `numerics.convergence.newton` it
    keeps matrices of earlier iterates, with which slow is not yet stagnant, and gives the best iterate.

    floor:  scaled residual at which nothing more can be gained.
    accept: largest scaled residual that counts as solved once it has stopped falling.
    rounded: the same, where the last iteration used the matrix of an earlier one.
    slow:   a residual that falls by less than this factor asks for a new matrix.
    """

    max_iterations: int = 100
    floor: float = 2 * EPS
    accept: float = 1e-10
    rounded: float = 2e-14
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
        try:
            return self._iterate(residual, jacobian, y, reuse, shortest=1.0)
        except (NotConverged, np.linalg.LinAlgError):  # far from the solution the full step may overshoot
            try:
                return self._iterate(residual, jacobian, y, reuse=False, shortest=1 / 64)
            except np.linalg.LinAlgError:
                raise NotConverged("a matrix of the model is singular", -1, np.nan) from None

    def _iterate(
        self,
        residual: Callable[[Array], tuple[Array, Array]],
        jacobian: Callable[[Array], Array],
        y: Array,
        reuse: bool,
        shortest: float,
    ) -> Solution:
        """Newton's iteration; steps are halved while the residual grows, down to `shortest` of the full one."""
        F, scale = residual(y)
        r, row = _largest(F, scale)
        best, best_y, best_row, last = r, y, row, np.inf
        matrix, units, fresh = np.eye(0), scale, True
        for iteration in range(self.max_iterations + 1):
            if r < best:
                best, best_y, best_row = r, y, row
            # with the matrix of an earlier iterate the residual may fall slowly without being rounding
            stagnant = not r <= 0.25 * last and (fresh or best <= self.rounded)
            if r <= self.floor or (stagnant and best <= self.accept):
                return Solution(best_y, best, iteration)
            if not np.isfinite(r):
                raise NotConverged("the residual is not finite", best_row, best)
            fresh = not len(matrix) or not reuse or r > self.slow * last
            if fresh:
                matrix = jacobian(y)
                units = np.abs(matrix).max(1, initial=1e-300)  # rows of one size, for the pivots of the elimination
                matrix = matrix / units[:, None]
            try:
                full = np.linalg.solve(matrix, F / units)
            except np.linalg.LinAlgError:
                raise NotConverged("the matrix of the step is singular", -1, best) from None
            last, start, part = r, y, 1.0
            while True:
                y = start - part * full
                F, scale = residual(y)
                r, row = _largest(F, scale)
                if r <= last or part <= shortest or last <= self.accept:
                    break
                part /= 2
        raise NotConverged(f"no convergence in {self.max_iterations} iterations", best_row, best)


def _largest(F: Array, scale: Array) -> tuple[float, int]:
    """The largest scaled residual and its row; not a number counts as infinite."""
    if not len(F):
        return 0.0, -1
    ratio = np.abs(F) / scale
    return (float(ratio.max()), int(ratio.argmax())) if np.isfinite(ratio).all() else (np.inf, -1)


def difference_size(y: Array) -> Array:
    """Scale of each number for differences: 1, more where it rounds by more, so that cbrt(ε) size = cbrt(ε |y|)."""
    return np.cbrt(np.maximum(1.0, np.abs(y)))


def difference_jacobian(function: Callable[[Array], Array], y: Array, size: Array) -> Array:
    """∂F/∂y by central differences, all columns in one batched call; `size` is the scale of each unknown."""
    delta = np.cbrt(EPS) * size
    steps = np.diag(delta)
    both = function(np.concatenate([y + steps, y - steps]))
    n = len(y)
    columns: Array = (both[:n] - both[n:]) / (2.0 * delta[:, None])
    return columns.T
