"""The ball and socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import MEET, Product


@final
@dataclass(frozen=True)
class Spherical(AbstractJoint):
    """The child turns freely about the common origin; q is a rotation vector [rad], a chart only.

    R_PC = exp(q),   S(q) = (dexp(q); 0)
    """

    kind: ClassVar[str] = "spherical"
    nv: ClassVar[int] = 3
    rows: ClassVar[tuple[Product, ...]] = MEET

    def S(self, q: Array) -> Array:  # noqa: D102
        spin = SO3.dexp(q)
        return np.concatenate([spin, np.zeros_like(spin)], axis=-2)

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(SO3.exp(q).R, np.zeros_like(q))
