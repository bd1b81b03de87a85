"""The weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import MEET, Product, cosine


@final
@dataclass(frozen=True)
class Fixed(AbstractJoint):
    """The child does not move against the parent.

    Of the rotations, its rows admit the identity and the half turns about the three axes, and no others.
    """

    kind: ClassVar[str] = "fixed"
    nv: ClassVar[int] = 0
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0), cosine(2, 1), cosine(1, 0))
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2), cosine(0, 0))

    def S(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], 6, 0))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.identity(q.shape[:-1])
