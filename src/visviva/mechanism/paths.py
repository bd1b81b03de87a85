"""Configurations of a mechanism along a path: of a coordinate of a joint, or of a body from pose to pose.

Each configuration is closed by the least motion in the metric of kinetic energy, in small steps, from where the known
ones lead on a straight line: so a path through a singular configuration, where branches meet, stays on its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3
from visviva.mechanism.assembly import Motion, coordinates, motion_at
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.coupling import Coupling, Term
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.motions import Coordinate, several, size_of
from visviva.mechanism.parts import Body
from visviva.mechanism.positions import settled

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

STEP = 0.2  # [rad], and of the size of the mechanism: the largest from one configuration to the next


class AbstractPath(ABC):
    """Configurations over a parameter s.   label: what s is.   start, end: its range."""

    label: str
    start: float
    end: float
    linkage: Linkage

    @abstractmethod
    def at(self, s: float) -> Array:
        """Coordinates of all bodies at s, (size,)."""

    def motion(self, s: float) -> Motion:
        """The same as a motion at rest."""
        return motion_at(self.linkage, self.at(s), {})

    def _expected(self, known: dict[float, Array], near: float, s: float) -> Array:
        """Where the configuration known near s, and another one not too close to it, lead in a straight line."""
        apart = [other for other in known if abs(other - near) >= 0.5 * abs(s - near) and other != near]
        if not apart:
            return known[near]
        other = min(apart, key=lambda place: abs(place - s))
        slope = (known[near] - known[other]) / (near - other)
        return self.linkage.kinematics.orthonormal(known[near] + (s - near) * slope)


@final
class JointPath(AbstractPath):
    """A coordinate of a joint goes from where it is to a value; other coordinates may be held.

    hold: coordinates that keep their values, where the mechanism has more than one motion.
    """

    def __init__(
        self, m: Definition, motion: Motion, coordinate: Coordinate, to: float, hold: Sequence[Coordinate] = ()
    ) -> None:
        self._definition = m
        self.linkage = Linkage(m)
        self._term, held = term_of(m, coordinate), [term_of(m, one) for one in several(hold, "hold")]
        if any(term.joint is self._term.joint and term.coordinate is self._term.coordinate for term in held):
            raise ModelError(f"joint {self._term.joint.name!r} cannot follow a path and be held: take it out of hold.")
        q = coordinates(self.linkage, motion)
        self.start = value_of(self.linkage, self._term, q, motion)
        self.end = finite_number(to, f"end of the path of joint {self._term.joint.name!r}")
        if self.end == self.start:
            raise ModelError(
                f"joint {self._term.joint.name!r} is at {self.end:.6g} already: give another end of its path."
            )
        self._held = tuple(
            Coupling(f"hold {k}", (term,), value_of(self.linkage, term, q, motion)) for k, term in enumerate(held)
        )
        names = ", ".join(repr(term.joint.name) for term in held)
        self._with = f" with {names} held" if held else ""
        unit = "rad" if self._term.turns else "m"
        self.label = f"{self._term.joint.name} [{unit}]"
        self._step = STEP * (1.0 if self._term.turns else size_of(m))
        self._known = {self.start: q}

    def at(self, s: float) -> Array:  # noqa: D102
        known = min(self._known, key=lambda other: abs(other - s))
        count = max(1, int(np.ceil(abs(s - known) / self._step)))
        for value in np.linspace(known, s, count + 1)[1:].tolist():
            path = Coupling("path", (self._term,), value)
            held = {part.name: part for part in (path, *self._held)}
            m = self._definition.variant(parts={**self._definition.parts, **held})
            found = settled(Linkage(m), self._expected(self._known, known, value))
            if found is None:
                raise AssemblyError(
                    f"joint {self._term.joint.name!r} of mechanism {self._definition.name!r} cannot go from"
                    f" {known:.6g} to {value:.6g}{self._with}: its loops do not close there.\n"
                    "It is at the end of its range: let the path end before, or follow another joint."
                )
            known, self._known[value] = value, found
        return self._known[known]


@final
class BodyPath(AbstractPath):
    """A body goes along one screw from its pose to another; s runs from 0 to 1, and all else follows."""

    def __init__(self, m: Definition, motion: Motion, body: Body, to: SE3) -> None:
        self._definition, self._body = m, body
        self.linkage = Linkage(m)
        q = motion.q[body.name]
        self._from = SE3(POSES.rotation(q), POSES.translation(q))
        end = to @ SE3(body.R_BC, body.com)
        self._screw = (self._from.inverse() @ end).log()
        self.label, self.start, self.end = f"way of {body.name}", 0.0, 1.0
        size = float(np.abs(self._screw[:3]).max()), float(np.abs(self._screw[3:]).max()) / size_of(m)
        self._step = STEP / max(*size, STEP)
        self._known = {0.0: coordinates(self.linkage, motion)}
        bodies = [part.name for part in self.linkage.bodies]
        self._place = self.linkage.kinematics.places[bodies.index(body.name)]

    def at(self, s: float) -> Array:  # noqa: D102
        known = min(self._known, key=lambda other: abs(other - s))
        count = max(1, int(np.ceil(abs(s - known) / self._step)))
        for value in np.linspace(known, s, count + 1)[1:].tolist():
            X, q = self._from @ SE3.exp(value * self._screw), self._expected(self._known, known, value).copy()
            q[self._place] = POSES.point(X.R, X.r)
            found = settled(self.linkage, q, [self._body.name])
            if found is None:
                raise AssemblyError(
                    f"body {self._body.name!r} of mechanism {self._definition.name!r} cannot go beyond {known:.4g} of"
                    " its way: no configuration with it there closes the joints.\nGive a pose that it can reach."
                )
            known, self._known[value] = value, found
        return self._known[known]


def term_of(m: Definition, given: Coordinate) -> Term:
    """The coordinate of a joint that is meant."""
    one = m._coordinate(given, f"a path of mechanism {m.name!r}")
    return Term(one.joint, one.scalar, 1.0)


def value_of(linkage: Linkage, term: Term, q: Array, motion: Motion) -> float:
    """A coordinate at a configuration, an angle with its turns."""
    if term.turns and term.angle in motion.angles:
        return motion.angles[term.angle]
    rates = JointRates(linkage.bodies, [term.joint])
    return float(rates.values(q)[term.joint.joint.coordinates.index(term.coordinate)])
