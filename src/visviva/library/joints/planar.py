"""The plate on a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.geometry.linear import transpose
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import TURN, Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Planar(AbstractJoint):
    """The child turns by q_1 [rad] about the normal z and moves by (q_2, q_3) [m] along x and y of the parent.

    R_PC = R_z(q_1),   r_PC = (q_2, q_3, 0),   S(q) = (e_z, 0, 0; 0, Rᵀe_x, Rᵀe_y)
    """

    kind: ClassVar[str] = "planar"
    nv: ClassVar[int] = 3
    rows: ClassVar[tuple[Product, ...]] = (along(2), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, along(0), along(1))
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
    turns: ClassVar[bool] = True

    def S(self, q: Array) -> Array:  # noqa: D102
        S = np.zeros((*q.shape[:-1], 6, 3))
        S[..., 2, 0] = 1.0
        S[..., 3:, 1:] = transpose(self.X_PC(q).R)[..., :2]
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(SO3.exp(q[..., :1] * np.eye(3)[2]).R, q[..., 1:] @ np.eye(3)[:2])
