"""Convergence to rounding: when an iteration of Newton's, or of Gauss and Newton's, has done what it can.

A tolerance alone ends too early, or never where rounding keeps a residual above it. So iterate until the residual is
`exact`, or until it is `nearly` so and a step no longer halves it: where fast convergence ceases there is rounding.
`newton` iterates with full steps, `numerics.levenberg.search` with damped ones. The steps of `integrate` have such a
rule for their rows in `integrate.newton`, since it keeps matrices, and compiled kernels their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar, final

HALVED = 0.5  # of the least residual so far: a step of a method that converges leaves less

X = TypeVar("X")


@final
class Convergence:
    """Residuals of one iteration, in units of their terms.

    exact: where nothing more can be gained.   nearly: what is accepted once it has stopped falling.
    grown: times the least one so far, or times `near` where that is more, which is given up; by default nothing is.
    falls: part of the least one so far: a step that leaves more has stopped falling.   stalls: so many in a row end it.
    best:  the least one so far.
    """

    def __init__(
        self,
        exact: float,
        nearly: float,
        grown: float = math.inf,
        near: float = 0.0,
        falls: float = HALVED,
        stalls: int = 1,
    ) -> None:
        self.exact = exact
        self.nearly = nearly
        self.grown = grown
        self.near = near
        self.falls = falls
        self.stalls = stalls
        self.best = math.inf
        self._stalled = 0

    def ended(self, residual: float) -> bool:
        """Whether this residual is rounding; it counts for those that follow."""
        self._stalled = self._stalled + 1 if residual >= self.falls * self.best else 0
        self.best = min(self.best, residual)
        return residual <= self.exact or (residual <= self.nearly and self._stalled >= self.stalls)

    def leaves(self, residual: float) -> bool:
        """Whether an iteration that this residual is next of leads away, or to no number."""
        return not math.isfinite(residual) or residual >= self.grown * max(self.best, self.near)


def newton(
    x: X, step: Callable[[X], tuple[float, Callable[[], X]]], rule: Convergence, iterations: int
) -> tuple[X, bool]:
    """x where a residual is rounding, by steps from a start, and whether it was reached.

    step: at x the residual, and what makes the next x: it is asked where the iteration goes on.
    """
    for _ in range(iterations):
        residual, following = step(x)
        leaves = rule.leaves(residual)
        if rule.ended(residual):
            return x, True
        if leaves:
            break
        x = following()
    return x, False
