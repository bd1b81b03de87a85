"""The sleeve on a shaft."""

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
class Cylindrical(AbstractJoint):
    """The child turns by q_1 [rad] about the common z axis and moves by q_2 [m] along it.

    X_PC(q) = exp(S q),   S = (e_z, 0; 0, e_z)
    """

    kind: ClassVar[str] = "cylindrical"
    nv: ClassVar[int] = 2
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, along(2))
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
    turns: ClassVar[bool] = True

    def S(self, q: Array) -> Array:  # noqa: D102
        return np.broadcast_to(np.eye(6)[:, [2, 5]], (*q.shape[:-1], 6, 2))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ np.eye(6)[[2, 5]])
