"""What acts about the axis of a joint that turns: its angle, friction and torque.

Friction and torque act along the angle between both ends q = (q0, q1) of a step: its rate is Δθ/h exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import turning
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.quadratic import Quadratic
from visviva.library.quantities import angular_momentum
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractDissipation, AbstractPort


@final
@dataclass(frozen=True, eq=False)
class Turn:
    """The angle θ = atan2(s, c) of a joint, with (c, s) quadratic in the coordinates."""

    name: str
    reads: tuple[str, ...]
    cos_sin: Quadratic
    spaces: tuple[AbstractSpace, ...]

    def angle(self, q: Array) -> Array:
        """θ in (-π, π]."""
        return turning.angle(self.cos_sin, q)

    def increment(self, q: Array) -> Array:
        """Δθ between two ends q = (q0, q1), in (-π, π], shape (...)."""
        return turning.increment(self.cos_sin, *np.split(q, 2, axis=-1))

    def rate_row(self, q: Array) -> Array:
        """The row a = D̄θ N(q̄) between two ends q = (q0, q1), shape (..., k): a V is Δθ/h, up to half a turn.

        At one instant, q0 = q1, a V is θ_dot. See `geometry.turning`.
        """
        q0, q1 = np.split(q, 2, axis=-1)
        row = turning.secant(self.cos_sin, q0, q1)
        return lift_rows(row[..., None, :], 0.5 * (q0 + q1), self.spaces)[..., 0, :]


@final
@dataclass(frozen=True, eq=False)
class TurnFriction(AbstractDissipation):
    """Viscous friction about a joint's axis: R = d aᵀa, torque -d Δθ/h, heat d (Δθ/h)²."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    d: float  # [N m s/rad]
    two_ended: ClassVar[bool] = True

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        a = self.turn.rate_row(q)
        return self.d * a[..., :, None] * a[..., None, :]


@final
@dataclass(frozen=True, eq=False)
class TurnPort(AbstractPort):
    """A torque about a joint's axis: B = aᵀ, output Δθ/h."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    width: int = 1
    two_ended: ClassVar[bool] = True
    quantity: ClassVar[str] = angular_momentum.name  # type: ignore[misc]

    def B(self, q: Array) -> Array:  # noqa: D102
        return self.turn.rate_row(q)[..., :, None]
