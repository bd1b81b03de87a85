"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.stumpff import stumpff
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import MEET, TURN, Product, Scalar, cosine


@final
@dataclass(frozen=True)
class Revolute(AbstractJoint):
    """The child turns by the angle q [rad] about the common z axis.

    X_PC(q) = exp(S q),   S = (e_z; 0)
    """

    kind: ClassVar[str] = "revolute"
    nv: ClassVar[int] = 1
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN,)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
    turns: ClassVar[bool] = True

    def S(self, q: Array) -> Array:  # noqa: D102
        S = np.zeros((*q.shape[:-1], 6, 1))
        S[..., 2, 0] = 1.0
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(about_z(q[..., 0]), np.zeros((*q.shape[:-1], 3)))


def about_z(angle: Array) -> Array:
    """exp of a rotation vector along z, shape (..., 3, 3): entry by entry what `SO3.exp` has."""
    c0, c1, c2 = stumpff(angle * angle, 2)
    R = np.zeros((*angle.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = c0
    R[..., 1, 0] = c1 * angle
    R[..., 0, 1] = 0.0 - R[..., 1, 0]  # zero has no sign
    R[..., 2, 2] = c0 + c2 * angle * angle
    return R
