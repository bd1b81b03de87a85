"""Conditions of a mechanism as constraints of its model, and the inputs that drive some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import apply
from visviva.mechanism.conditions import AbstractCondition
from visviva.model.holonomic import lift_rows
from visviva.model.row_units import UNKNOWN
from visviva.model.rows import RowKind
from visviva.model.structure import AbstractConstraint, AbstractPort


@final
@dataclass(frozen=True, eq=False)
class Conditioned(AbstractConstraint):
    """g(q, θ) - s = 0, or C(q) q_dot = 0: rows C(q0, q1) N(q̄) on the velocities, exact between the ends of a step.

    reads: coordinates of the movers, then the angles that are followed over many turns, then s, where there are any.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    condition: AbstractCondition
    spaces: tuple[AbstractSpace, ...]
    internal: bool = False
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # type: ignore[override]
        """Those of the condition."""
        return self.condition.rows

    @property
    def kind(self) -> RowKind:  # type: ignore[override]
        """That of the condition."""
        return RowKind(self.condition.kind)

    @property
    def has_g(self) -> bool:
        """Whether it is one of positions."""
        return self.condition.kind != "nonholonomic"

    @property
    def size(self) -> int:
        """Number of coordinates of its movers."""
        return sum(space.size for space in self.spaces)

    def ends(self, q: Array) -> tuple[Array, Array]:
        """Coordinates of the movers at both ends, from what it reads there."""
        half = q.shape[-1] // 2
        return q[..., : self.size], q[..., half : half + self.size]

    def C(self, q: Array) -> Array:  # noqa: D102
        q0, q1 = self.ends(q)
        return lift_rows(self.condition.C(q0, q1), 0.5 * (q0 + q1), self.spaces)

    def value(self, q: Array) -> Array:  # noqa: D102
        q1, turned, shift = self._parts(q)
        return self.condition.value(q1, turned) - shift

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        q1, turned, shift = self._parts(q)
        return self.condition.magnitude(q1, turned) + np.abs(shift)

    @property
    def degrees(self) -> NDArray[np.intp]:
        """A length where its reaction is a force; coefficients of angles may be of any size."""
        return np.full(self.rows, 1 if self.condition.force_unit == "N" else UNKNOWN, dtype=np.intp)

    def bias(self, q: Array, z: Array) -> Array:
        """(dC/dt) q_dot + C Ṅ V; the second derivative of s is not in it."""
        q1 = self.ends(q)[1]
        q_dot, drift = [], []
        i = j = 0
        for space in self.spaces:
            x, V = q1[..., i : i + space.size], z[..., j : j + space.dim]
            q_dot.append(space.push(x, V))
            drift.append(space.drift(x, V))
            i, j = i + space.size, j + space.dim
        rate, fall = np.concatenate(q_dot, -1), np.concatenate(drift, -1)
        return self.condition.bend(q1, rate) + apply(self.condition.C(q1, q1), fall)

    def _parts(self, q: Array) -> tuple[Array, Array, Array]:
        """Coordinates, angles and s at the end."""
        end = q[..., q.shape[-1] // 2 :]
        n, k = self.size, len(self.condition.follows)
        shift = end[..., n + k :] if self.condition.shifted else np.zeros((*end.shape[:-1], self.rows))
        return end[..., :n], end[..., n : n + k], shift


@final
@dataclass(frozen=True, eq=False)
class DrivePort(AbstractPort):
    """The input ṡ of a driven condition: it moves s, and its power is that of the condition's reaction, -λ ṡ."""

    name: str
    acts: tuple[str, ...]  # s, and the rows of the condition
    condition: AbstractCondition
    reads: tuple[str, ...] = ()
    width: int = 1

    def B(self, q: Array) -> Array:  # noqa: D102
        return np.array([[1.0], [-1.0]])
