"""State: all that continues a run bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask

if TYPE_CHECKING:
    from visviva.mechanism import Definition, Motion


@final
@dataclass(frozen=True, eq=False)
class State:
    """One instant of a run.

    t0, steps, h: the run's clock, t = t0 + steps h; a continued run with the same h keeps it.
    x:       state in embedding coordinates, velocities as the scheme has them.
    w:       multipliers and other algebraic unknowns of the last step (zero before the first).
    gam:     multipliers of the velocity level, for schemes that have them.
    rate:    mean rates of the last steps, three at most, newest first: start values follow from them.
    names:   of the variables and constraints it belongs to; a run can be continued by the same model only.
    taken:   what reservoirs have taken up, in their order.
    angles:  coordinates of joints that turn, continuous over many turns.
    active:  which algebraic rows are solved; redundant ones are checked, not solved.
    pivots:  where a compiled step chose its order of elimination: time, h, x, w and active, in one array.
    places:  where each variable is in x, by name.
    """

    x: Array
    w: Array
    angles: Array
    active: Mask  # as many as w
    gam: Array
    names: tuple[str, ...] = ()
    taken: Array = field(default_factory=lambda: np.zeros(0))
    rate: tuple[Array, ...] = ()
    t0: float = 0.0
    steps: int = 0
    h: float = 0.0
    pivots: Array = field(default_factory=lambda: np.zeros(0))
    places: Mapping[str, slice] = field(default_factory=dict)

    @property
    def t(self) -> float:
        """Time [s]."""
        return self.t0 + self.steps * self.h

    def motion_of(self, m: Definition) -> Motion:
        """The same instant as a motion of a mechanism, whichever form of it was integrated: see `model.instant`."""
        from visviva.model.instant import motion_at_instant

        return motion_at_instant(self, m)
