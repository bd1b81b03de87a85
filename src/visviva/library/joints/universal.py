"""The Cardan or Hooke joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Turn
from visviva.library.joints.scalars import MEET, TURN, Angle, Product, Scalar, cosine


@final
@dataclass(frozen=True)
class Universal(AbstractJoint):
    """The child turns by q_1 [rad] about z of the parent, then by q_2 [rad] about its own x axis; x stays normal to z.

    R_PC(q) = R_z(q_1) R_x(q_2),   S(q) = (R_x(q_2)ᵀ e_z, e_x; 0, 0)
    """

    kind: ClassVar[str] = "universal"
    glyph: ClassVar[str] = "cross"
    chain: ClassVar[Chain] = (Turn(2, 0), Turn(0, 1))
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, Angle(cosine(2, 2), cosine(2, 1)))
    names: ClassVar[tuple[str, ...]] = ("first", "second")
