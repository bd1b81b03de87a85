"""Closures: what rows on velocities keep together, as a function of the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.embedding import Flat, Rotations

if TYPE_CHECKING:
    from visviva.model.model import Model


class Pairing(Protocol):
    """What knows where its bodies have to be: a joint, or a condition on any states."""

    @property
    def length(self) -> float:
        """Its arm [m]."""

    def gap(self, *states: Any) -> Array:
        """Rotation vector [rad] and shift [m] by which it is open, (..., 6), of poses, then of other states."""


@final
@dataclass(frozen=True, eq=False)
class Closure:
    """A joint or a condition whose rows are on velocities: over a run it opens as far as the scheme is inaccurate.

    reads:  variables: poses of bodies, then others, as the relative pose that a joint has.
    spaces: those of as many poses; a particle has a position alone. What follows, or all, is given as coordinates.
    """

    name: str
    reads: tuple[str, ...]
    spaces: tuple[Rotations | Flat, ...]
    pairing: Pairing

    def gap(self, *q: Array) -> Array:
        """Rotation vector [rad] and shift [m] by which it is open, of coordinates with any leading axes, (..., 6)."""
        n = len(self.spaces)
        poses = (_pose(space, one) for space, one in zip(self.spaces, q[:n], strict=True))
        return self.pairing.gap(*poses, *q[n:])


def _pose(space: Rotations | Flat, q: Array) -> SE3:
    if isinstance(space, Flat):
        return SE3(np.broadcast_to(np.eye(3), (*q.shape, 3)), q)
    return SE3(space.rotation(q), space.translation(q))


def largest_opening(model: Model, x: Array) -> Array:
    """The largest opening of a joint at each state: an angle [rad], or a shift relative to the longest arm, (...)."""
    length = max((part.pairing.length for part in model.closures), default=0.0) or 1.0
    found = np.zeros(x.shape[:-1])
    for part in model.closures:
        gap = part.gap(*(x[..., model.layout.x[name]] for name in part.reads))
        turn, shift = np.linalg.norm(gap[..., :3], axis=-1), np.linalg.norm(gap[..., 3:], axis=-1)
        found = np.maximum(found, np.maximum(turn, shift / length))
    return found
