"""The weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint, Dot, Meet, Row


@final
@dataclass(frozen=True)
class Fixed(AbstractJoint):
    """The child does not move against the parent.

    Of the rotations, its rows admit the identity and the half turns about the three axes, and no others.
    """

    kind: ClassVar[str] = "fixed"
    nv: ClassVar[int] = 0
    rows: ClassVar[tuple[Row, ...]] = (Meet(), Dot(2, 0), Dot(2, 1), Dot(1, 0))
    upright: ClassVar[tuple[Dot, ...]] = (Dot(2, 2), Dot(0, 0))

    def S(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], 6, 0))

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.identity(q.shape[:-1])
