"""The sleeve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Shift, Turn
from visviva.library.joints.scalars import TURN, Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Cylindrical(AbstractJoint):
    """The child turns by q_1 [rad] about the common z axis and moves by q_2 [m] along it.

    X_PC(q) = exp(S q),   S = (e_z, 0; 0, e_z)
    """

    kind: ClassVar[str] = "cylindrical"
    glyph: ClassVar[str] = "sleeve"
    chain: ClassVar[Chain] = (Shift(2, 1), Turn(2, 0))
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, along(2))
    names: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
