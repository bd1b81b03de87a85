"""Convergence to rounding: when an iteration of Newton's, or of Gauss and Newton's, has done what it can.

A tolerance alone ends too early, or never where rounding keeps a residual above it. So iterate until the residual is
`exact`, or until it is `nearly` so and a step no longer halves it: where fast convergence ceases there is rounding. The
schemes of `integrate` have such a rule for their rows in `integrate.newton`.
"""

from __future__ import annotations

import math
from typing import final

HALVED = 0.5  # of the least residual so far: a step of a method that converges leaves less


@final
class Convergence:
    """Residuals of one iteration, in units of their terms.

    exact: where nothing more can be gained.   nearly: what is accepted once it has stopped falling.
    best:  the least one so far.
    """

    def __init__(self, exact: float, nearly: float) -> None:
        self.exact = exact
        self.nearly = nearly
        self.best = math.inf

    def ended(self, residual: float) -> bool:
        """Whether this residual is rounding; it counts for those that follow."""
        stagnant = residual >= HALVED * self.best
        self.best = min(self.best, residual)
        return residual <= self.exact or (residual <= self.nearly and stagnant)
