"""Holonomic constraints of any smooth functions: their slope between both ends of a step makes them exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.model.maps import LawMap
from visviva.model.rows import RowKind
from visviva.model.structure import AbstractConstraint

SMALLEST = 1e-3  # coordinates nearer to zero than this, in their unit, have this size in the rounding of g


@final
@dataclass(frozen=True, eq=False)
class Curved(AbstractConstraint):
    """g(q) = 0 as the row C v with the slope C of g between both ends of a step: C (q1 - q0) = g(q1) - g(q0).

    At one instant, and for functions of at most second degree, C = ∇g at the mean.
    g: the functions.   G: their gradients as functions of q, row by row.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    g: LawMap
    G: LawMap
    internal: bool = False
    kind: RowKind = field(default=RowKind.HOLONOMIC, init=False)
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # type: ignore[override]
        """One per constraint function."""
        return self.g.rows

    def C(self, q: Array) -> Array:  # noqa: D102
        return self.g.secant(*ends_of(q))

    def value(self, q: Array) -> Array:
        """g at the end."""
        return self.g.value(ends_of(q)[1])

    def gradient(self, q: Array) -> Array:
        """∇g at one configuration q, shape (..., rows, n)."""
        return self.g.gradient(q)

    def turn(self, q0: Array, q1: Array, v: Array) -> Array:
        """W with W (q1 - q0) = (∇g(q1) - ∇g(q0)) v, shape (..., rows, n)."""
        slope = self.G.secant(q0, q1)
        slope = slope.reshape(*slope.shape[:-2], self.rows, -1, slope.shape[-1])
        return np.asarray((slope * v[..., None, :, None]).sum(-2))

    def bias(self, q: Array, z: Array) -> Array:
        """v·∇²g v."""
        end = ends_of(q)[1]
        return apply(self.turn(end, end, z), z)

    def magnitude(self, q: Array) -> Array:
        """The terms of g, and what the rounding of the coordinates makes of them."""
        end = ends_of(q)[1]
        size = np.maximum(np.abs(end).max(-1, keepdims=True), SMALLEST)
        return self.g.magnitude(end) + np.abs(self.g.gradient(end)).sum(-1) * size


def ends_of(q: Array) -> tuple[Array, Array]:
    """Coordinates at the start and at the end of a step."""
    k = q.shape[-1] // 2
    return q[..., :k], q[..., k:]
