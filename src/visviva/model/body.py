"""What acts on a single rigid body: gyroscopic forces and external wrenches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.hat import skew
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractPort, AbstractRouting


@final
@dataclass(frozen=True, eq=False)
class Gyroscopic(AbstractRouting):
    """Euler's moment of a body, in the direct product SO(3) x R³: J = diag(π̂, 0) with π = J ω, so that Jω = π x ω.

    The direct-product group of Lohmayer, Capobianco, Leyendecker, section 3.3; in SE(3) it would be P∧ of
    Stramigioli, Maschke, Bidard, eq. (21).
    """

    name: str
    reads: tuple[str, ...]  # the velocity (ω; v)
    acts: tuple[str, ...]  # the velocity
    M: Array  # (6, 6)

    def J(self, q: Array) -> Array:  # noqa: D102
        J = np.zeros((*q.shape[:-1], 6, 6))
        J[..., :3, :3] = skew((q @ self.M)[..., :3])
        return J


@final
@dataclass(frozen=True, eq=False)
class PosePort(AbstractPort):
    """A wrench (m; f) at the centre of mass, on coordinates (φ, d1, d2, d3).

    The force acts on φ, the moment as ½ m x d_i on each director; Latussek, Kinon, Betsch, eq. (32).

    axes: None for a wrench in world axes; else R (3, 3) of one in axes of the body, D R m and D R f with the directors
          D = (d1, d2, d3): over a step with their means, so that the port takes what it gives.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    space: AbstractSpace
    width: int = 6
    axes: Array | None = None  # (3, 3)

    def B(self, q: Array) -> Array:  # noqa: D102
        B = np.zeros((*q.shape[:-1], 12, 6))
        B[..., :3, 3:] = np.eye(3)
        for i in range(3):
            B[..., 3 + 3 * i : 6 + 3 * i, :3] = -0.5 * skew(q[..., 3 + 3 * i : 6 + 3 * i])
        if self.axes is not None:
            turn = np.swapaxes(q[..., 3:].reshape(*q.shape[:-1], 3, 3), -1, -2) @ self.axes
            B[..., :3], B[..., 3:] = B[..., :3] @ turn, B[..., 3:] @ turn
        return np.swapaxes(lift_rows(np.swapaxes(B, -1, -2), q, (self.space,)), -1, -2)
