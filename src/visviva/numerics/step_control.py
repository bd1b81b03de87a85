"""Lengths of steps by their estimated errors, in NumPy code; `kernels.step_control` has the same rule compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva.kernels.step_control import FAILED, SAFETY

SMALLEST = 1e-10  # of the tolerance: errors below are as good as none
ROUNDING = 1e-9  # of a step: what is left beyond whole ones is none


@final
@dataclass(frozen=True)
class StepController:
    """The factor from the length of a step to that of the next, by its error e in units of the tolerance.

    A step is kept where e ≤ 1. For an error that grows with the length to the power of q, the next one is

        SAFETY e^(3β/4 - 1/q) e_before^β

    times as long, within least and most; one that is refused is made again max(least, SAFETY e^(-1/q)) times as long,
    or FAILED times where it has no error, because it could not be made. β = 0 is the controller of I type.

    Source: Hairer, Nørsett, Wanner (1993), section II.4; PI: Hairer, Wanner (1996), section IV.2.
    """

    power: float  # q
    least: float
    most: float
    memory: float = 0.0  # β

    def kept(self, e: float, before: float = 1.0, most: float | None = None) -> float:
        """After a step that is kept; before: error of the one before.   most: where it is less than usual."""
        factor = SAFETY * max(e, SMALLEST) ** (0.75 * self.memory - 1.0 / self.power) * before**self.memory
        return float(np.clip(factor, self.least, self.most if most is None else most))

    def refused(self, e: float) -> float:
        """For a step that is not."""
        return max(self.least, SAFETY * e ** (-1.0 / self.power)) if np.isfinite(e) else FAILED


def fitted(left: float, h: float) -> tuple[float, bool]:
    """Length of the next step where so much is left to go, and whether it is the last: the last two are alike."""
    count = np.ceil(left / h * (1.0 - ROUNDING))
    return (left / float(count), bool(count == 1)) if count <= 2 else (h, False)
