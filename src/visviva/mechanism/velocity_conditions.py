"""Conditions on velocities that no function of the configuration stands behind: blades, rolling, and what a user gives.

They hold in the middle of a step, A(q̄) V̄ = 0, and their forces Aᵀλ there do no work: any step keeps the energy. They
do not hold at the nodes, where the velocities miss them by terms of second order in the step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.conditions import AbstractCondition, Kind
from visviva.mechanism.motion_laws import MotionLaw
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.sliding_contacts import Blade, Disc, OwnRows
from visviva.mechanism.twist_rows import TwistRows


@final
@dataclass(frozen=True, eq=False)
class VelocityCondition(AbstractCondition):
    """A(q) V = 0 over the twists of some bodies and particles.

    contact: what A follows from.
    """

    name: str
    contact: Blade | Disc | OwnRows
    force_unit: str = ""
    kind: Kind = field(default="nonholonomic", init=False)
    follows: tuple[str, ...] = field(default=(), init=False)
    shifted: bool = field(default=False, init=False)
    law: MotionLaw | None = field(default=None, init=False)
    expects: Array = field(default_factory=lambda: np.zeros(0), init=False)

    @cached_property
    def twists(self) -> TwistRows:
        """A, as a function of where the bodies are."""
        return self.contact.twist_rows()

    @property
    def blade(self) -> Array | None:
        """Normal and point of a blade in the principal frame of the last of its movers, (2, 3); None for others."""
        return self.contact.in_child if isinstance(self.contact, Blade) else None

    @property
    def movers(self) -> tuple[Body | Particle, ...]:  # type: ignore[override]
        """The bodies and particles whose twists it is about."""
        return self.twists.movers

    @property
    def rows(self) -> int:  # type: ignore[override]
        """Of A."""
        return self.twists.rows

    def C(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.twists.C(0.5 * (q0 + q1))

    def value(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], self.rows))

    def magnitude(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return np.ones((*q.shape[:-1], self.rows))

    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:  # noqa: D102
        C = self.C(q0, q1)
        return np.zeros_like(C), C

    def bend(self, q: Array, v: Array) -> Array:  # noqa: D102
        return self.twists.drift(q, v)
