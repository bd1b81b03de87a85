"""Closures: what rows on velocities keep together, as a function of the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.embedding import Rotations


class Pairing(Protocol):
    """A joint that knows where its bodies have to be."""

    @property
    def length(self) -> float:
        """Its arm [m]."""

    def gap(self, X_1: SE3, X_2: SE3, q_r: Array) -> Array:
        """Rotation vector [rad] and shift [m] by which it is open, (..., 6)."""


@final
@dataclass(frozen=True, eq=False)
class Closure:
    """A joint whose rows are on velocities: over a run it opens as far as the scheme is inaccurate.

    reads: poses of its bodies and its own relative pose.   spaces: those of the poses.
    """

    name: str
    reads: tuple[str, str, str]
    spaces: tuple[Rotations, Rotations]
    pairing: Pairing

    def gap(self, q_1: Array, q_2: Array, q_r: Array) -> Array:
        """Rotation vector [rad] and shift [m] by which it is open, of coordinates with any leading axes, (..., 6)."""
        X_1, X_2 = (
            SE3(space.rotation(q), space.translation(q)) for space, q in zip(self.spaces, (q_1, q_2), strict=True)
        )
        return self.pairing.gap(X_1, X_2, q_r)


def largest_gap(gaps: Array, length: float) -> float:
    """The largest angle [rad], or shift relative to a length."""
    turns, shifts = np.linalg.norm(gaps[..., :3], axis=-1), np.linalg.norm(gaps[..., 3:], axis=-1)
    return float(np.maximum(turns, shifts / length).max(initial=0.0))
