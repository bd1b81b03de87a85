"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Turn
from visviva.library.joints.scalars import MEET, TURN, Product, Scalar, cosine


@final
@dataclass(frozen=True)
class Revolute(AbstractJoint):
    """The child turns by the angle q [rad] about the common z axis.

    X_PC(q) = exp(S q),   S = (e_z; 0)
    """

    kind: ClassVar[str] = "revolute"
    glyph: ClassVar[str] = "hinge"
    chain: ClassVar[Chain] = (Turn(2),)
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN,)
    names: ClassVar[tuple[str, ...]] = ("angle",)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
