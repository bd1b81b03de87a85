"""Conditions: what constrains a mechanism beyond the rows of its joints, over the coordinates of any of its bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from visviva._arrays import Array
from visviva.mechanism.motion_laws import MotionLaw
from visviva.mechanism.parts import Body, Particle

Kind = Literal["holonomic", "nonholonomic", "driven"]


class AbstractCondition(ABC):
    """Rows over the coordinates q of some bodies and particles, see `mechanism.coordinates`, one after the other.

    kind:     "holonomic":    g(q) = 0, C its gradient;
              "driven":       g(q) = s(t), with an s that follows a law;
              "nonholonomic": C(q) q_dot = 0, and no g.
    movers:   the bodies and particles whose coordinates it takes, in that order.   rows: how many.
    follows:  angles that it counts over many turns, by the names of `joint_coordinates.turn_names`; `turned` below
              holds their values, known to better than half a turn: what is more follows from q.
    shifted:  g(q) = s for an s that is a state of a run: it is driven, or as assembled.
    law:      of s, where it is driven; None else.
    force_unit: of its reaction, the generalised force -λ; empty where it depends on g.
    expects:  the angles it follows as it wants them assembled, to better than half a turn.

    Contract (checked by `visviva.testing.check_condition`), for any leading batch shape:
    1. C(q, q) is the gradient of `value` by q, of shape (..., rows, n).
    2. C(q0, q1) (q1 - q0) = value(q1) - value(q0) to rounding, for q1 near q0. Without a g: C at their mean.
    3. D_q Δq + D_v Δv = C(q1, q1) v1 - C(q0, q0) v0 to rounding, for (D_q, D_v) = rate_secants(q0, q1, v0, v1).
    4. bend(q, v) is the derivative of C(q, q) v along v at constant v.
    All of these where bodies are rigid, and the joints that it refers to closed.
    """

    name: str
    movers: tuple[Body | Particle, ...]
    kind: Kind
    rows: int
    follows: tuple[str, ...]
    shifted: bool
    law: MotionLaw | None
    expects: Array  # (angles followed,)
    force_unit: str

    @property
    def target(self) -> float | None:
        """What g must be as assembled; None where it is free."""
        if self.kind == "nonholonomic":
            return None
        if self.law is not None:
            return None if self.law.position is None else self.law.position(0.0)
        return None if self.shifted else 0.0

    @abstractmethod
    def C(self, q0: Array, q1: Array) -> Array:
        """Rows between the ends of a step, (..., rows, n)."""

    @abstractmethod
    def value(self, q: Array, turned: Array) -> Array:
        """g(q), without s; zero where there is none, (..., rows). turned: (..., angles followed)."""

    @abstractmethod
    def magnitude(self, q: Array, turned: Array) -> Array:
        """Size of the terms that cancel in g(q), (..., rows); one where there is none."""

    @abstractmethod
    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:
        """Discrete derivatives of C(q, q) v by q and v, (..., rows, n) each; of no use where there is no g."""

    @abstractmethod
    def bend(self, q: Array, v: Array) -> Array:
        """(dC/dt) v along the motion with q_dot = v, (..., rows)."""
