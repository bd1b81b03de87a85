"""How far conditions of a mechanism are open in a composite, where rows on velocities keep them."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.language.system import AbstractStateClosure
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coupling import Coupling


class ConditionClosure(AbstractStateClosure):
    """|g| of a holonomic condition, relative to its terms."""

    length = 0.0

    def __init__(self, part: AbstractCondition) -> None:
        self.part = part
        self.ports = tuple(f"q_{k + 1}" for k in range(len(part.movers)))

    def gap(self, *states: Array) -> Array:
        """The largest of its rows, as an angle."""
        q, none = np.concatenate(states, axis=-1), np.zeros(0)
        return _as_angle(np.abs(self.part.value(q, none) / self.part.magnitude(q, none)).max(-1))


class CouplingClosure(AbstractStateClosure):
    """How far angles that follow rates, whose sum a coupling keeps to rounding, are from those of the joints."""

    length = 0.0

    def __init__(self, part: Coupling) -> None:
        self.part = part
        self.turning = [k for k, term in enumerate(part.terms) if term.turns]
        self.ports = (*(f"q_{k + 1}" for k in range(len(part.movers))), *(counter_box(k) for k in self.turning))

    def gap(self, *states: Array) -> Array:
        """The largest of them [rad]."""
        n = len(self.part.movers)
        q = np.concatenate(states[:n], axis=-1)
        if not self.turning:
            return np.zeros((*q.shape[:-1], 6))
        counted = np.concatenate(states[n:], axis=-1)
        names = [self.part.terms[k].angle for k in self.turning]
        near = counted[..., [names.index(name) for name in self.part.follows]]
        found = self.part.coordinates(q, near)[..., self.turning]
        return _as_angle(np.abs(found - counted).max(-1))


def counter_box(k: int) -> str:
    """The box that counts the turns of the k-th term of a coupling."""
    return f"turn{k + 1}"


def _as_angle(size: Array) -> Array:
    return np.stack([size, *5 * [np.zeros_like(size)]], axis=-1)
