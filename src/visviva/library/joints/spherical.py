"""The ball and socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint, Meet, Row


@final
@dataclass(frozen=True)
class Spherical(AbstractJoint):
    """The child turns freely about the common origin.

    X_PC(q) = exp(S q) with a rotation vector q; V_PC_C = S w with the angular velocity w in the child, S = (I; 0).
    """

    kind: ClassVar[str] = "spherical"
    nv: ClassVar[int] = 3
    rows: ClassVar[tuple[Row, ...]] = (Meet(),)

    def S(self) -> Array:  # noqa: D102
        return np.eye(6)[:, :3]

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ self.S().T)
