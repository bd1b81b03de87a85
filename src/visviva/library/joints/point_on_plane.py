"""A point that stays in a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.geometry.linear import transpose
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import Product, Scalar, along


@final
@dataclass(frozen=True)
class PointOnPlane(AbstractJoint):
    """The child's origin moves by (q_1, q_2) [m] along x and y of the parent; the rest of q is a rotation vector.

    r_PC = (q_1, q_2, 0),   R_PC = exp(w),   S(q) = (0, 0, dexp(w); R_PCᵀe_x, R_PCᵀe_y, 0)
    """

    kind: ClassVar[str] = "point_on_plane"
    nv: ClassVar[int] = 5
    rows: ClassVar[tuple[Product, ...]] = (along(2),)
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(0), along(1))

    def S(self, q: Array) -> Array:  # noqa: D102
        S = np.zeros((*q.shape[:-1], 6, 5))
        S[..., :3, 2:] = SO3.dexp(q[..., 2:])
        S[..., 3:, :2] = transpose(self.X_PC(q).R)[..., :2]
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(SO3.exp(q[..., 2:]).R, q[..., :2] @ np.eye(3)[:2])
