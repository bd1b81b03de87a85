"""How far a joint is open: the pose of its bodies to each other against the relative pose it has, or by its rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.geometry.linear import dot
from visviva.language.expression import Expression, traced
from visviva.language.quantity import interface
from visviva.library.joints import Angle, Family, Product, Sum
from visviva.library.joints.scalars import pair_vectors
from visviva.library.multibody.pairs import RelativePose
from visviva.library.multibody.parameters import taking


@final
@dataclass(frozen=True, eq=False)
class RowClosure:
    """The rows of a `tie` themselves, as functions of the poses of its bodies."""

    rows: tuple[Product | Sum, ...]
    o1: SE3
    o2: SE3

    @property
    def length(self) -> float:
        """The longest one of its arms and rods [m]."""
        rods = [row.length for row in self.rows if isinstance(row, Product) and row.family is Family.ROD]
        return max(float(np.linalg.norm(self.o1.r)), float(np.linalg.norm(self.o2.r)), *rods)

    def gap(self, X_1: SE3, X_2: SE3, *_: Array) -> Array:
        """Angles by which axes are not normal to each other [rad] and shifts of origins [m], (..., 6); others are 0."""
        P, C = X_1 @ self.o1, X_2 @ self.o2
        vectors = pair_vectors(P, C)
        found, turns, shifts = np.zeros((*P.shape, 6)), itertools.count(), itertools.count(3)
        for row in self.rows:
            if isinstance(row, Product) and row.family is Family.ROD:
                value = np.sqrt(dot(vectors[..., row.u, :], vectors[..., row.w, :])) - row.length
            else:
                value = _within_a_turn(row, row.value_at(vectors))
            found[..., next(shifts if row.reaches else turns)] = value
        return found


def _within_a_turn(row: Product | Sum, value: Array) -> Array:
    """The value of a row; of a sum with one angle, which counts full turns, that nearest to zero."""
    turns = [c for c, scalar in row.terms if isinstance(scalar, Angle)] if isinstance(row, Sum) else []
    if len(turns) != 1:
        return value
    return value - 2 * np.pi * turns[0] * np.rint(value / (2 * np.pi * turns[0]))


@final
@dataclass(frozen=True, eq=False)
class PairClosure:
    """The rows of a `joint`, integrated: X_1 o1 I(q_r) = X_2 o2 of the poses of its bodies.

    Rows on velocities keep it as far as a scheme is accurate; none of them knows it.
    """

    pair: RelativePose
    o1: SE3
    o2: SE3

    @property
    def length(self) -> float:
        """The longer one of its arms [m]."""
        return float(max(np.linalg.norm(self.o1.r), np.linalg.norm(self.o2.r)))

    def gap(self, X_1: SE3, X_2: SE3, *q_r: Array) -> Array:
        """Rotation vector [rad] and shift [m] of C2 on body 2, against where body 1 and q_r have it, (..., 6)."""
        I = self._relative.numeric(0.0)(*q_r)  # (..., 3, 4)
        D = (X_1 @ self.o1 @ SE3(I[..., :3], I[..., 3])).inverse() @ X_2 @ self.o2
        return np.concatenate([SO3(D.R).log(), D.r], axis=-1)

    @cached_property
    def _relative(self) -> Expression:
        def pose(given: dict[str, Any]) -> Any:
            return np.column_stack(self.pair.pose(given["x"].q_r, given))

        ports = interface({"q_r": self.pair.pose_quantity.state}, "joint")
        given = taking(("x", *self.pair.parameters), pose)
        return traced(given, ports, self.pair.parameters, "the relative pose of a joint")
