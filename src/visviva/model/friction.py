"""Friction against the rates of coordinates that are measured between both ends of a step, by any law of the rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.library.stops import stop_resistance
from visviva.model.law import AbstractRateLaw
from visviva.model.measured import AbstractMeasured
from visviva.model.structure import AbstractDissipation


@final
@dataclass(frozen=True, eq=False)
class LawFriction(AbstractDissipation):
    """A force F(r) against the rate r of one measured y: R = (F(r)/r) Cᵀ C, heat F r.

    With C between both ends of a step, r = Δy/h exactly, and the heat of a step is F(Δy/h) Δy ≥ 0.
    Of several y, r = √(w ẏ·ẏ) and R = w (F(r)/r) Cᵀ C: for the nine products of the axes of two frames and w = ½, this
    is a torque against their relative angular velocity ω with r = |ω|, since tr(Ṙ Ṙᵀ) = 2 ω·ω.

    A law that is warm has the temperature of what it heats behind the velocities, see `model.heat.Heated`.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    measure: AbstractMeasured
    law: AbstractRateLaw
    parameters: Array
    weight: float = 1.0
    v_reg: float | None = None
    two_ended: ClassVar[bool] = True

    @property
    def warm(self) -> bool:
        """Whether it depends on the temperature of what it heats."""
        return self.law.warm

    def speed(self, q: Array, z: Array) -> Array:
        """r, shape (...)."""
        C = self.measure.between(q)
        return self._rate(apply(C, z[..., : C.shape[-1]]))

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = self.measure.between(q)
        n = C.shape[-1]
        theta = z[..., n] if self.warm else np.zeros(())
        r = self._rate(apply(C, z[..., :n]))
        mu = self.weight * self.law.coefficient(r, theta, self.parameters)
        return mu[..., None, None] * (transpose(C) @ C)

    def _rate(self, rates: Array) -> Array:
        return rates[..., 0] if rates.shape[-1] == 1 else np.sqrt(self.weight * (rates * rates).sum(-1))


@final
@dataclass(frozen=True, eq=False)
class StopLoss(AbstractDissipation):
    """Loss in the contact of an end stop, a part of its elastic force e: see `library.stops.stop_resistance`.

    It acts on y for its effort e alone, and gives it no flow; `acts` names y first, then the velocities.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    measure: AbstractMeasured
    loss: float  # β [s/rad, s/m]
    two_ended: ClassVar[bool] = True

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = self.measure.between(q)
        e, rate = z[..., 0], apply(C, z[..., 1:])[..., 0]
        mu = stop_resistance(np.abs(e), rate * np.sign(e), self.loss)
        R = np.zeros((*mu.shape, 1 + C.shape[-1], 1 + C.shape[-1]))
        R[..., 1:, 1:] = mu[..., None, None] * (transpose(C) @ C)
        return R
