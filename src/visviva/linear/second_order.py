"""Small motions as mechanics writes them: M η̇ + D η + K p = B u."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class SecondOrder:
    """M η̇ + D η + K p + S σ = B u,   ṗ = E η + F p.

    η: independent velocities.   p: independent increments of the configuration.   σ: other states.

    Where all constraints are holonomic, E = I and F = 0, so that it is M p̈ + D ṗ + K p + S σ = B u. Conditions on
    velocities leave more increments than velocities: K is then rectangular.
    """

    M: Array
    D: Array
    K: Array
    B: Array
    S: Array
    E: Array
    F: Array

    @property
    def damping(self) -> Array:
        """Symmetric part of D: it takes energy out."""
        return (self.D + self.D.T) / 2

    @property
    def gyroscopic(self) -> Array:
        """Skew part of D: it does no work."""
        return (self.D - self.D.T) / 2

    @property
    def holonomic(self) -> bool:
        """Whether there are as many increments as velocities, and p̈ is all there is."""
        return self.K.shape[0] == self.K.shape[1] and not self.F.any()

    @property
    def stiffness(self) -> Array:
        """Symmetric part of K: it has a potential. K itself where there are conditions on velocities."""
        return (self.K + self.K.T) / 2 if self.holonomic else self.K

    @property
    def circulatory(self) -> Array:
        """Skew part of K: it has none, and can feed a motion or take energy from it."""
        return (self.K - self.K.T) / 2 if self.holonomic else np.zeros_like(self.K)

    @property
    def conservative(self) -> bool:
        """Whether M p̈ + K p = 0 with symmetric K is all there is."""
        return self.holonomic and not self.D.any() and not self.circulatory.any() and not self.S.any()
