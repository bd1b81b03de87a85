"""Measured quantities: states y that follow the configuration, so that energies, dampers and inputs act through them.

y is quadratic in the coordinates (squared lengths, products of axes), hence exact at the mean of two states, or the
angle of a joint, which is made exact between them. Forces that act through functions of the relative placement of two
bodies add no momentum.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import transpose
from visviva.geometry.quadratic import Quadratic
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractDissipation, AbstractPort, AbstractRouting
from visviva.model.turn import Turn


class AbstractMeasured(AbstractRouting):
    """ẏ = C V, and the effort e of y acts back as the force -Cᵀ e; `acts` names y first, then the velocities V."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Dimension of y."""

    @abstractmethod
    def C(self, q: Array) -> Array:
        """Shape (..., rows, k)."""

    @abstractmethod
    def value(self, q: Array) -> Array:
        """y at the coordinates of one instant, shape (..., rows)."""

    @abstractmethod
    def magnitude(self, q: Array) -> Array:
        """Size of the terms that y is the sum of, shape (..., rows)."""

    def between(self, q: Array) -> Array:
        """C between both ends q = (q0, q1) of a step: C times the increment is Δy."""
        q0, q1 = _ends(q)
        return self.C(q if self.two_ended else 0.5 * (q0 + q1))

    def J(self, q: Array) -> Array:  # noqa: D102
        C, m = self.C(q), self.rows
        n = m + C.shape[-1]
        J = np.zeros((*C.shape[:-2], n, n))
        J[..., :m, m:], J[..., m:, :m] = C, -transpose(C)
        return J


@final
@dataclass(frozen=True, eq=False)
class Measured(AbstractMeasured):
    """Functions y(q) of at most second degree: C = ∇y(q) N(q), and C at the mean gives the increment exactly."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]

    @property
    def rows(self) -> int:  # noqa: D102
        return self.y.m

    def C(self, q: Array) -> Array:  # noqa: D102
        return lift_rows(self.y.gradient(q), q, self.spaces)

    def value(self, q: Array) -> Array:  # noqa: D102
        return self.y.value(q)

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return self.y.magnitude(q)


@final
@dataclass(frozen=True, eq=False)
class MeasuredAngle(AbstractMeasured):
    """The angle of a joint, between both ends q = (q0, q1) of a step: C Δ = Δθ, see `Turn.rate_row`."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # noqa: D102
        return 1

    def C(self, q: Array) -> Array:  # noqa: D102
        return self.turn.rate_row(q)[..., None, :]

    def value(self, q: Array) -> Array:
        """θ in (-π, π]."""
        return self.turn.angle(q)[..., None]

    def magnitude(self, q: Array) -> Array:
        """1: it is read from products of unit vectors."""
        return np.ones((*q.shape[:-1], 1))

    def increment(self, q: Array) -> Array:
        """Δθ between two ends q = (q0, q1), in (-π, π], shape (..., 1)."""
        return self.turn.increment(q)[..., None]


@final
@dataclass(frozen=True, eq=False)
class MeasuredDissipation(AbstractDissipation):
    """The damper D ẏ: R = Cᵀ D C, heat ẏ·D ẏ.

    line: y = ½ d·d, and the damper is one of the length l = |d|: R = Cᵀ D C / (d·d), force D l_dot along d. Where
          the ends meet, d has no direction, and the force is zero.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]
    D: Array  # (k, k)
    line: bool = False

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = lift_rows(self.y.gradient(q), q, self.spaces)
        R = transpose(C) @ self.D @ C
        if not self.line:
            return R
        square = 2.0 * self.y.value(q)[..., None]
        meet = square <= 0
        return np.where(meet, 0.0, R / np.where(meet, 1.0, square))


@final
@dataclass(frozen=True, eq=False)
class MeasuredPort(AbstractPort):
    """Inputs u along y: B = Cᵀ, output ẏ."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]

    @property
    def width(self) -> int:  # type: ignore[override]
        """One input per function."""
        return self.y.m

    def B(self, q: Array) -> Array:  # noqa: D102
        return transpose(lift_rows(self.y.gradient(q), q, self.spaces))


def _ends(q: Array) -> tuple[Array, Array]:
    k = q.shape[-1] // 2
    return q[..., :k], q[..., k:]
