"""Tallies: what compiled steps of a mechanism count themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class Tallies:
    """What compiled steps of a mechanism count themselves; the accounts of other steps are made from their states.

    angles: at the ends of the steps.   energy: (n + 1, 4) of all bodies: kinetic, of gravity, Σ|H - H(start of the
    run)|, and the terms of these and of all that acts in the step before, see `results.rounding`.
    g: largest |g|, relative.   g_v: (n, constraints, 3) see `rate_violations`.
    """

    angles: Array
    energy: Array
    g: Array
    g_v: Array

    def first(self, n: int) -> Tallies:
        """Those of the first n steps."""
        return Tallies(self.angles[:n], self.energy[: n + 1], self.g[:n], self.g_v[:n])


def joined_tallies(tallies: list[Tallies]) -> Tallies:
    """Those of steps in sequence, at least one part; each starts where the one before ends."""
    columns = (np.concatenate([getattr(part, name) for part in tallies]) for name in ("angles", "g", "g_v"))
    energy = np.concatenate([tallies[0].energy, *(part.energy[1:] for part in tallies[1:])])
    angles, g, g_v = columns
    return Tallies(angles, energy, g, g_v)
