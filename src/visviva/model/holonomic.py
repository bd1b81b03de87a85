"""Holonomic constraints: rows that keep a function of the configuration at zero."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.quadratic import Quadratic
from visviva.model.row_units import UNKNOWN
from visviva.model.rows import RowKind
from visviva.model.structure import AbstractConstraint

PARTICLE, BODY = 3, 12  # coordinates: a place, and that of the centre of mass with three directors


def lift_rows(rows: Array, q: Array, spaces: tuple[AbstractSpace, ...]) -> Array:
    """Rows over embedding coordinates (..., m, n) as rows over the tangent vectors of the spaces."""
    ends = itertools.accumulate((space.size for space in spaces), initial=0)
    parts = [
        space.pull(rows[..., a:b], q[..., a:b]) for space, (a, b) in zip(spaces, itertools.pairwise(ends), strict=True)
    ]
    return np.concatenate(parts, axis=-1)


@final
@dataclass(frozen=True, eq=False)
class Holonomic(AbstractConstraint):
    """g(q) = 0 for quadratic g, as the row C(q) V = ∇g(q) N(q) V on the velocities of the spaces read.

    ∇g at the mean of two states gives the increment of g exactly, see `geometry.embedding`.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    g: Quadratic
    spaces: tuple[AbstractSpace, ...]
    internal: bool = False
    kind: RowKind = field(default=RowKind.HOLONOMIC, init=False)

    @property
    def rows(self) -> int:  # type: ignore[override]
        """One per constraint function."""
        return self.g.m

    def C(self, q: Array) -> Array:  # noqa: D102
        return lift_rows(self.g.gradient(q), q, self.spaces)

    def value(self, q: Array) -> Array:  # noqa: D102
        return self.g.value(q)

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return self.g.magnitude(q)

    @property
    def degrees(self) -> NDArray[np.intp]:
        """Of rows between bodies and particles: their places are lengths, and directors are numbers."""
        if any(space.size not in (PARTICLE, BODY) for space in self.spaces):
            return np.full(self.rows, UNKNOWN, dtype=np.intp)
        lengths = np.concatenate([np.zeros(0, bool), *(np.arange(space.size) < PARTICLE for space in self.spaces)])
        linear = self.g.b.any(axis=1, where=lengths) | self.g.A[:, lengths].any(axis=(1, 2))
        squares = self.g.A[:, lengths][:, :, lengths].any(axis=(1, 2))
        return np.asarray(linear.astype(np.intp) + squares)

    def bias(self, q: Array, z: Array) -> Array:
        """q̇ᵀ A q̇ + ∇g Ṅ V."""
        q_dot, drift = [], []
        i = j = 0
        for space in self.spaces:
            x, V = q[..., i : i + space.size], z[..., j : j + space.dim]
            q_dot.append(space.push(x, V))
            drift.append(space.drift(x, V))
            i, j = i + space.size, j + space.dim
        rate, fall = np.concatenate(q_dot, -1)[..., None], np.concatenate(drift, -1)[..., None]
        total: Array = (self.g.turn(rate[..., 0]) @ rate + self.g.gradient(q) @ fall)[..., 0]
        return total
