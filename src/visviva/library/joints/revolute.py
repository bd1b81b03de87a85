"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint, Dot, Meet, Row


@final
@dataclass(frozen=True)
class Revolute(AbstractJoint):
    """The child turns by the angle q about the common z axis.

    X_PC(q) = exp(S q),   V_PC_C = S q_dot,   S = (e_z; 0)
    """

    kind: ClassVar[str] = "revolute"
    nv: ClassVar[int] = 1
    rows: ClassVar[tuple[Row, ...]] = (Meet(), Dot(2, 0), Dot(2, 1))
    turns: ClassVar[bool] = True

    def S(self) -> Array:  # noqa: D102
        return np.eye(6)[:, 2:3]

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ self.S().T)
