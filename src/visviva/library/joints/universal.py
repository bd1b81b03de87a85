"""The Cardan or Hooke joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.geometry.linear import transpose
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import MEET, TURN, Angle, Product, Scalar, cosine


@final
@dataclass(frozen=True)
class Universal(AbstractJoint):
    """The child turns by q_1 [rad] about z of the parent, then by q_2 [rad] about its own x axis; x stays normal to z.

    R_PC(q) = R_z(q_1) R_x(q_2),   S(q) = (R_x(q_2)ᵀ e_z, e_x; 0, 0)
    """

    kind: ClassVar[str] = "universal"
    nv: ClassVar[int] = 2
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, Angle(cosine(2, 2), cosine(2, 1)))

    def S(self, q: Array) -> Array:  # noqa: D102
        S = np.zeros((*q.shape[:-1], 6, 2))
        S[..., :3, 0] = transpose(_about(0, q[..., 1]).R)[..., 2]
        S[..., 0, 1] = 1.0
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        R = _about(2, q[..., 0]) @ _about(0, q[..., 1])
        return SE3(R.R, np.zeros((*q.shape[:-1], 3)))


def _about(axis: int, angle: Array) -> SO3:
    return SO3.exp(angle[..., None] * np.eye(3)[axis])
