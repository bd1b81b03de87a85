"""Sizes in which rows of constraints are judged: their own terms over motions of one radian, or as far as bodies are
large; so that a mechanism of nanometres is judged as one of metres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.rigid.constraints import Instant, Rows
from visviva.numerics.projection import relative

if TYPE_CHECKING:
    from visviva.forms.rigid.system import RigidSystem

Level = Literal["position", "velocity"]


@final
@dataclass(frozen=True, eq=False)
class Sizes:
    """move: by velocity, how far one radian or one length of the system takes it (n,).   rate: the fastest, in these,
    at least 1 [1/s]."""

    move: Array
    rate: float

    def off(self, part: Rows, level: Level) -> Array:
        """How far a state is from rows that have such a level, (c,), relative to their terms."""
        return relative(getattr(part, level), self.of(part, level))

    def of(self, part: Rows, level: Level) -> Array:
        """Of the terms of rows at such a level, (c,)."""
        size = part.terms @ self.move * (1.0 if level == "position" else self.rate)
        return np.where(size > 0, size, 1.0)


def sizes_at(system: RigidSystem, at: Instant) -> Sizes:
    """Of a state; lengths are those of the system as built, or here, whichever are longer."""
    L = max(system.built_length, length_at(system, at)) or 1.0
    moved = np.max([np.maximum(frame.terms[0], frame.terms[1] / L) for frame in at.frames.values()], axis=0)
    move = 1 / np.where(moved > 0, moved, 1.0)
    return Sizes(move, max(1.0, float(np.abs(at.xi / move).max(initial=0.0))))


def length_at(system: RigidSystem, at: Instant) -> float:
    """The largest of the distances of frames from the origin, radii of gyration, and arms of loops [m]."""
    places = [float(np.linalg.norm(frame.X.r)) for frame in at.frames.values()]
    turning = [
        float(np.sqrt(np.abs(np.diag(inertia)[:3]).max() / inertia[3, 3]))
        for inertia in system.inertias.values()
        if inertia[3, 3] > 0
    ]
    return max(*places, *turning, *(constraint.reach for constraint in system.every_constraint), 0.0)
