"""What acts about the axis of a joint that turns: its angle, friction and torque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.quadratic import Quadratic
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractDissipation, AbstractPort


@final
@dataclass(frozen=True, eq=False)
class Turn:
    """The angle θ = atan2(s, c) of a joint, with (c, s) quadratic in the coordinates.

    Away from the constraint c² + s² = 1 (at the mean of two states) its gradient is (c ∇s - s ∇c)/(c² + s²).
    """

    name: str
    reads: tuple[str, ...]
    cos_sin: Quadratic
    spaces: tuple[AbstractSpace, ...]

    def angle(self, q: Array) -> Array:
        """θ in (-π, π]."""
        value = self.cos_sin.value(q)
        return np.arctan2(value[..., 1], value[..., 0])

    def rate_row(self, q: Array) -> Array:
        """The row a(q) with θ_dot = a V, shape (..., k)."""
        value, slope = self.cos_sin.value(q)[..., None], self.cos_sin.gradient(q)
        c, s = value[..., 0, :], value[..., 1, :]
        row = (c * slope[..., 1, :] - s * slope[..., 0, :]) / (c * c + s * s)
        return lift_rows(row[..., None, :], q, self.spaces)[..., 0, :]


@final
@dataclass(frozen=True, eq=False)
class TurnFriction(AbstractDissipation):
    """Viscous friction about a joint's axis: R = d aᵀa, torque -d θ_dot, heat d θ_dot²."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    d: float  # [N m s/rad]

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        a = self.turn.rate_row(q)
        return self.d * a[..., :, None] * a[..., None, :]


@final
@dataclass(frozen=True, eq=False)
class TurnPort(AbstractPort):
    """A torque about a joint's axis: B = aᵀ, output θ_dot."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    width: int = 1

    def B(self, q: Array) -> Array:  # noqa: D102
        return self.turn.rate_row(q)[..., :, None]
