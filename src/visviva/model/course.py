"""How a motion goes, as laws of feedback see it: at an instant, or over a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.geometry.quadratic import Quadratic
from visviva.geometry.turning import increment

if TYPE_CHECKING:
    from visviva.model.model import Model


class AbstractCourse(ABC):
    """Coordinates and their rates, with any leading batch shapes; bodies in embedding coordinates, see `POSES`."""

    model: Model

    @abstractmethod
    def coordinates(self, reads: tuple[str, ...]) -> Array:
        """Those of some variables."""

    @abstractmethod
    def rates(self, reads: tuple[str, ...]) -> Array:
        """Their rates."""

    @abstractmethod
    def values(self, y: Quadratic, reads: tuple[str, ...]) -> Array:
        """Functions of at most second degree, shape (..., m)."""

    def value_rates(self, y: Quadratic, reads: tuple[str, ...]) -> Array:
        """Their rates: the gradient at the mean of two ends gives the increment exactly."""
        return apply(y.gradient(self.coordinates(reads)), self.rates(reads))

    @abstractmethod
    def angle(self, k: int) -> Array:
        """The k-th of the model's turns, continuous over many turns."""

    @abstractmethod
    def angle_rate(self, k: int) -> Array:
        """Its rate."""


@final
@dataclass(frozen=True, eq=False)
class Instant(AbstractCourse):
    """A state x; angles: those of the model's turns, default: in (-π, π]."""

    model: Model
    x: Array
    angles: Array | None = None
    _rates: dict[str, Array] = field(default_factory=dict, init=False, repr=False)  # by variable: sensors share bodies

    def coordinates(self, reads: tuple[str, ...]) -> Array:  # noqa: D102
        return self.x[..., self.model.layout.read(reads)]

    def rates(self, reads: tuple[str, ...]) -> Array:  # noqa: D102
        for name in reads:
            if name not in self._rates:
                q, v = self.coordinates((name,)), self.x[..., self.model.layout.x[name.removesuffix(".q") + ".v"]]
                self._rates[name] = v if v.shape[-1] == q.shape[-1] else self.model.spaces[name].push(q, v)
        return np.concatenate([np.zeros((*self.x.shape[:-1], 0)), *(self._rates[name] for name in reads)], axis=-1)

    def values(self, y: Quadratic, reads: tuple[str, ...]) -> Array:  # noqa: D102
        return y.value(self.coordinates(reads))

    def angle(self, k: int) -> Array:  # noqa: D102
        turn = self.model.turns[k]
        return turn.angle(self.coordinates(turn.reads)) if self.angles is None else self.angles[..., k]

    def angle_rate(self, k: int) -> Array:  # noqa: D102
        turn = self.model.turns[k]
        c, s = np.moveaxis(self.values(turn.cos_sin, turn.reads), -1, 0)
        c_dot, s_dot = np.moveaxis(self.value_rates(turn.cos_sin, turn.reads), -1, 0)
        return (c * s_dot - s * c_dot) / (c * c + s * s)


@final
@dataclass(frozen=True, eq=False)
class Span(AbstractCourse):
    """A step of length h from x0 to x1: means of both ends, and secants Δ/h.

    Coordinates of bodies, whose means are no rotations, are theirs in the embedding; of values and angles the mean of
    both ends. Only configurations are read. angles: those at x0.
    """

    model: Model
    x0: Array
    x1: Array
    angles: Array
    h: float

    def _ends(self, reads: tuple[str, ...]) -> tuple[Array, Array]:
        at = self.model.layout.read(reads)
        q1 = self.x1[..., at]
        return np.broadcast_to(self.x0[..., at], q1.shape), q1

    def coordinates(self, reads: tuple[str, ...]) -> Array:  # noqa: D102
        q0, q1 = self._ends(reads)
        return 0.5 * (q0 + q1)

    def rates(self, reads: tuple[str, ...]) -> Array:  # noqa: D102
        q0, q1 = self._ends(reads)
        return (q1 - q0) / self.h

    def values(self, y: Quadratic, reads: tuple[str, ...]) -> Array:  # noqa: D102
        q0, q1 = self._ends(reads)
        return 0.5 * (y.value(q0) + y.value(q1))

    def _turned(self, k: int) -> Array:
        turn = self.model.turns[k]
        return increment(turn.cos_sin, *self._ends(turn.reads))

    def angle(self, k: int) -> Array:  # noqa: D102
        return self.angles[..., k] + 0.5 * self._turned(k)

    def angle_rate(self, k: int) -> Array:  # noqa: D102
        return self._turned(k) / self.h
