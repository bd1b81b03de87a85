"""The screw in its nut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import TURN, Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Screw(AbstractJoint):
    """The child turns by the angle q [rad] about the common z axis and advances by pitch · q [m] along it.

    X_PC(q) = exp(S q),   S = (e_z; pitch e_z)

    pitch: advance per radian [m/rad]; a lead of l metres per turn is a pitch of l/(2π).
    """

    pitch: float
    kind: ClassVar[str] = "screw"
    nv: ClassVar[int] = 1
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN,)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
    turns: ClassVar[bool] = True

    @property
    def lead(self) -> float:
        """Its pitch."""
        return self.pitch

    def S(self, q: Array) -> Array:  # noqa: D102
        twist = np.eye(6)[:, 2:3] + self.pitch * np.eye(6)[:, 5:6]
        return np.broadcast_to(twist, (*q.shape[:-1], 6, 1))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ (np.eye(6)[2:3] + self.pitch * np.eye(6)[5:6]))
