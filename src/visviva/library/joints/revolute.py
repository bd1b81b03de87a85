"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import TURN, AbstractJoint, Coordinate, Dot, Meet, Row


@final
@dataclass(frozen=True)
class Revolute(AbstractJoint):
    """The child turns by the angle q [rad] about the common z axis.

    X_PC(q) = exp(S q),   S = (e_z; 0)
    """

    kind: ClassVar[str] = "revolute"
    nv: ClassVar[int] = 1
    rows: ClassVar[tuple[Row, ...]] = (Meet(), Dot(2, 0), Dot(2, 1))
    coordinates: ClassVar[tuple[Coordinate, ...]] = (TURN,)
    upright: ClassVar[tuple[Dot, ...]] = (Dot(2, 2),)
    turns: ClassVar[bool] = True

    def S(self, q: Array) -> Array:  # noqa: D102
        return np.broadcast_to(np.eye(6)[:, 2:3], (*q.shape[:-1], 6, 1))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ np.eye(6)[2:3])
