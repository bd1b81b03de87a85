"""The ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Ball, Chain
from visviva.library.joints.scalars import MEET, Product


@final
@dataclass(frozen=True)
class Spherical(AbstractJoint):
    """The child turns freely about the common origin; q is a rotation vector [rad], a chart only.

    R_PC = exp(q),   S(q) = (dexp(q); 0)
    """

    kind: ClassVar[str] = "spherical"
    glyph: ClassVar[str] = "ball"
    chain: ClassVar[Chain] = (Ball(),)
    rows: ClassVar[tuple[Product, ...]] = MEET
