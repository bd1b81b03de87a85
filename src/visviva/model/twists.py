"""Twists between two frames, which are rates of no coordinate: what acts along them, see `library.joints.twists`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import transpose
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import Twist
from visviva.library.quantities import momentum
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractPort


@final
@dataclass(frozen=True, eq=False)
class MeasuredTwist:
    """Entries of the twist of two frames, e = W(ȳ) ∇y(q̄) N(q̄) V: over a step W(ȳ) Δy/h with ȳ = ½ (y0 + y1).

    acts: a name that it has no variable for, then velocities.   y: the products of the twist.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    twist: Twist
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]

    def between(self, q: Array) -> Array:
        """Rows over velocities between both ends q = (q0, q1) of a step, shape (..., entries, k)."""
        q0, q1 = np.split(q, 2, axis=-1)
        middle = 0.5 * (q0 + q1)
        W = self.twist.matrix(0.5 * (self.y.value(q0) + self.y.value(q1)))
        return np.asarray(W @ lift_rows(self.y.gradient(middle), middle, self.spaces))


@final
@dataclass(frozen=True, eq=False)
class TwistPort(AbstractPort):
    """Forces and moments along a twist: B = Cᵀ, output the twist over a step."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    measure: MeasuredTwist
    two_ended: ClassVar[bool] = True
    quantity: ClassVar[str] = momentum.name  # type: ignore[misc]

    @property
    def width(self) -> int:  # type: ignore[override]
        """One input per entry."""
        return len(self.measure.twist.entries)

    def B(self, q: Array) -> Array:  # noqa: D102
        return transpose(self.measure.between(q))
