"""Conditions on the twists of several bodies, beyond kinematic pairs: gears, rolling, drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.structure.dirac import Dirac

DRIVE = "drive"


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class LinearCondition:
    """Σ_b A_b T_b = ṡ over the twists of some bodies; ṡ = 0 where it is not driven.

    rows:   A_b by body, (k, 6) each, in the common frame; of a particle the columns of ω do not count.
    driven: whether ṡ is a port: then it has the flow ṡ and an effort τ, with which bodies feel A_bᵀ τ.
    """

    rows: dict[str, Array]
    driven: bool = False

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(next(iter(self.rows.values())))

    def structure(self) -> Dirac:
        """Over one port per body, f its twist and e the wrench on the condition, and 'drive' where it is driven.

        A f = ṡ, e = Aᵀλ, τ = -λ: a constrained structure in which flows and efforts have changed their places.
        """
        A = np.hstack([*self.rows.values()])
        ports = dict.fromkeys(self.rows, 6)
        if self.driven:
            A, ports = np.hstack([A, -np.eye(self.count)]), {**ports, DRIVE: self.count}
        n = A.shape[1]
        return Dirac.constrained(np.zeros((n, n)), A, ports).role_swap(*ports)
