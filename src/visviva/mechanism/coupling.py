"""Couplings: linear conditions on scalars of joints, as screws, gears, differentials, racks and drives are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import turning
from visviva.geometry.linear import apply
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import Angle, Product, Scalar
from visviva.mechanism.conditions import AbstractCondition, Kind
from visviva.mechanism.coordinates import movers, pair_functions, space_of
from visviva.mechanism.joint_coordinates import built_turns, cos_sin, turn_names
from visviva.mechanism.motion_laws import MotionLaw
from visviva.mechanism.parts import Body, Joint, Particle


@final
@dataclass(frozen=True, eq=False)
class Term:
    """One coordinate of a joint with a coefficient."""

    joint: Joint
    coordinate: Scalar
    coefficient: float

    @property
    def turns(self) -> bool:
        """Whether the coordinate is an angle."""
        return isinstance(self.coordinate, Angle)

    @property
    def angle(self) -> str:
        """The name under which a run follows the angle."""
        return next(name for name, angle in turn_names(self.joint).items() if angle == self.coordinate)

    @cached_property
    def function(self) -> Quadratic:
        """(cos θ, sin θ) of an angle, or the displacement, over the coordinates of the joint's movers."""
        if isinstance(self.coordinate, Angle):
            return cos_sin(self.joint, self.coordinate)
        return pair_functions(self.joint, (self.coordinate,))


@final
@dataclass(frozen=True, eq=False)
class Coupling(AbstractCondition):
    """Σ c_k q_k = s with coordinates q_k of joints, angles continuous over many turns.

    offset: s, where it is a number; None where it is as assembled, or driven.
    law:    of s, where it is driven.
    Angles are exact between both ends of a step, see `geometry.turning`.
    """

    name: str
    terms: tuple[Term, ...]
    offset: float | None = None
    law: MotionLaw | None = None
    rows: int = field(default=1, init=False)

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """Driven if it has a law."""
        return "holonomic" if self.law is None else "driven"

    @property
    def shifted(self) -> bool:  # type: ignore[override]
        """Whether s is a state."""
        return self.offset is None

    @cached_property
    def movers(self) -> tuple[Body | Particle, ...]:  # type: ignore[override]
        """All that its joints move."""
        return tuple(dict.fromkeys(mover for term in self.terms for mover in movers(term.joint)))

    @cached_property
    def follows(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of its angles."""
        return tuple(dict.fromkeys(term.angle for term in self.terms if term.turns))

    @property
    def expects(self) -> Array:  # type: ignore[override]
        """Where its only coordinate is an angle with a given value, that angle; else angles as built."""
        if len(self.terms) == 1 and self.target is not None:
            return np.full(len(self.follows), (self.target + (self.offset or 0.0)) / self.terms[0].coefficient)
        built = {name: value for term in self.terms for name, value in built_turns(term.joint).items()}
        return np.array([built[name] for name in self.follows])

    @property
    def force_unit(self) -> str:  # type: ignore[override]
        """That of the force on its first coordinate, where this is what its reaction is."""
        first = self.terms[0]
        turns = isinstance(first.coordinate, Angle) or not first.coordinate.reaches
        return ("N m" if turns else "N") if first.coefficient == 1.0 else ""

    @cached_property
    def _columns(self) -> list[Array]:
        """Where the coordinates of each term's joint are among those of all movers."""
        ends = np.cumsum([0, *(space_of(mover).size for mover in self.movers)])
        first = {mover: int(ends[k]) for k, mover in enumerate(self.movers)}
        return [
            np.concatenate([first[mover] + np.arange(space_of(mover).size) for mover in movers(term.joint)])
            for term in self.terms
        ]

    def coordinates(self, q: Array, turned: Array) -> Array:
        """q_k of all terms, (..., terms)."""
        values = []
        for term, at in zip(self.terms, self._columns, strict=True):
            if term.turns:
                near = turned[..., self.follows.index(term.angle)]
                values.append(turning.continued(turning.angle(term.function, q[..., at]), near))
            else:
                values.append(term.function.value(q[..., at])[..., 0])
        return np.stack(values, axis=-1)

    def angles(self, q: Array, turned: Array) -> Array:
        """Its angles, those nearest to `turned`, (..., angles followed)."""
        values, names = self.coordinates(q, turned), [term.angle if term.turns else "" for term in self.terms]
        return values[..., [names.index(name) for name in self.follows]]

    @cached_property
    def coefficients(self) -> Array:
        """c_k, (terms,)."""
        return np.array([term.coefficient for term in self.terms])

    def value(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return (self.coordinates(q, turned) @ self.coefficients)[..., None] - (self.offset or 0.0)

    def magnitude(self, q: Array, turned: Array) -> Array:
        """Angles by at least one radian, displacements by the terms that make them up."""
        total = np.full(q.shape[:-1], abs(self.offset or 0.0))
        values = self.coordinates(q, turned)
        for k, (term, at) in enumerate(zip(self.terms, self._columns, strict=True)):
            size = np.maximum(np.abs(values[..., k]), 1.0)
            if isinstance(term.coordinate, Product) and term.coordinate.reaches:  # cosines count as numbers
                size = term.function.magnitude(q[..., at])[..., 0]
            total = total + abs(term.coefficient) * size
        return total[..., None]

    def C(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        rows = []
        for term, at in zip(self.terms, self._columns, strict=True):
            a, b = q0[..., at], q1[..., at]
            rows.append(
                turning.secant(term.function, a, b) if term.turns else term.function.gradient(0.5 * (a + b))[..., 0, :]
            )
        return self._gathered(rows, q1)

    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:  # noqa: D102
        by_q, by_v = [], []
        for term, at in zip(self.terms, self._columns, strict=True):
            ends = q0[..., at], q1[..., at], v0[..., at], v1[..., at]
            if term.turns:
                D_q, D_v = turning.rate_secants(term.function, *ends)
            else:
                D_q = term.function.turn(0.5 * (ends[2] + ends[3]))[..., 0, :]
                D_v = term.function.gradient(0.5 * (ends[0] + ends[1]))[..., 0, :]
            by_q.append(D_q)
            by_v.append(D_v)
        return self._gathered(by_q, q1), self._gathered(by_v, q1)

    def bend(self, q: Array, v: Array) -> Array:  # noqa: D102
        total = np.zeros(q.shape[:-1])
        for term, at in zip(self.terms, self._columns, strict=True):
            a, b = q[..., at], v[..., at]
            bent = turning.bend(term.function, a, b) if term.turns else apply(term.function.turn(b), b)[..., 0]
            total = total + term.coefficient * bent
        return total[..., None]

    def _gathered(self, rows: Sequence[Array], q: Array) -> Array:
        """Σ c_k rows_k over the coordinates of all movers, (..., 1, n)."""
        total = np.zeros(q.shape)
        for term, at, row in zip(self.terms, self._columns, rows, strict=True):
            total[..., at] += term.coefficient * row
        return total[..., None, :]


def sums_of(joint: Joint) -> list[Coupling]:
    """The sums of scalars that a joint keeps at zero, as the lead of a screw, d·z - pitch θ = 0."""
    return [
        Coupling(name, tuple(Term(joint, scalar, c) for c, scalar in one.terms), 0.0)
        for name, one in zip(joint.sum_names, joint.joint.sums, strict=True)
    ]
