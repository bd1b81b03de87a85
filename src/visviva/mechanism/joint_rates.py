"""Coordinates of many joints at once, and their rates as rows over the velocities of all bodies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.library.joints import Angle
from visviva.mechanism.kinematics import Kinematics, Placement
from visviva.mechanism.parts import Body, Joint, Particle

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@final
class JointRates:
    """Coordinates q of some joints, one joint after the other, each in the order of its `coordinates`.

    parts: where those of each joint are.
    """

    def __init__(self, bodies: Sequence[Body | Particle], joints: Sequence[Joint]) -> None:
        coordinates = [joint.joint.coordinates for joint in joints]
        rows = [
            [row for part in parts for row in ((part.cos, part.sin) if isinstance(part, Angle) else (part,))]
            for parts in coordinates
        ]
        self.kinematics = Kinematics(bodies, joints, rows)
        ends = np.cumsum([0, *(len(parts) for parts in coordinates)]).tolist()
        self.parts = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._turns = np.array([isinstance(part, Angle) for parts in coordinates for part in parts], dtype=bool)
        widths = np.where(self._turns, 2, 1)
        self._last = np.cumsum(widths) - 1  # the row of sin θ, or of the displacement
        self._cos = self._last - self._turns

    def values(self, q: Array) -> Array:
        """The coordinates at a configuration, angles in (-π, π], (k,)."""
        g = self.kinematics.value(self.kinematics.place(q))
        return np.where(self._turns, np.arctan2(g[self._last], g[self._cos]), g[self._last])

    def matrix(self, q: Array) -> csr_array:
        """Rows a with q_dot = a V, (k, n): of an angle (c ∇s - s ∇c)/(c² + s²)."""
        import scipy.sparse

        place: Placement = self.kinematics.place(q)
        g, C = self.kinematics.value(place), self.kinematics.matrix(self.kinematics.blocks(place))
        c, s = g[self._cos], g[self._last]
        square = np.where(self._turns, c * c + s * s, 1.0)
        k = np.arange(len(self._last))
        weights = np.concatenate([np.where(self._turns, c, 1.0) / square, np.where(self._turns, -s, 0.0) / square])
        at = (np.tile(k, 2), np.concatenate([self._last, self._cos]))
        return (scipy.sparse.csr_array((weights, at), shape=(len(k), self.kinematics.m)) @ C).tocsr()
