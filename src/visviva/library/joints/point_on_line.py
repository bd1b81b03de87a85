"""A point that stays on a straight line: the bead on a wire."""

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
class PointOnLine(AbstractJoint):
    """The child's origin moves by q_1 [m] along z of the parent; the rest of q is a rotation vector.

    r_PC = (0, 0, q_1),   R_PC = exp(w),   S(q) = (0, dexp(w); R_PCᵀe_z, 0)
    """

    kind: ClassVar[str] = "point_on_line"
    nv: ClassVar[int] = 4
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(2),)

    def S(self, q: Array) -> Array:  # noqa: D102
        S = np.zeros((*q.shape[:-1], 6, 4))
        S[..., :3, 1:] = SO3.dexp(q[..., 1:])
        S[..., 3:, 0] = transpose(self.X_PC(q).R)[..., 2]
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(SO3.exp(q[..., 1:]).R, q[..., :1] * np.eye(3)[2])
