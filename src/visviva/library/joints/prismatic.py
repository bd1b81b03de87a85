"""The slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Prismatic(AbstractJoint):
    """The child moves by q [m] along the common z axis and does not turn.

    X_PC(q) = exp(S q),   S = (0; e_z)
    """

    kind: ClassVar[str] = "prismatic"
    nv: ClassVar[int] = 1
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1), cosine(1, 0))
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(2),)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2), cosine(0, 0))

    def S(self, q: Array) -> Array:  # noqa: D102
        return np.broadcast_to(np.eye(6)[:, 5:6], (*q.shape[:-1], 6, 1))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q @ np.eye(6)[5:6])
