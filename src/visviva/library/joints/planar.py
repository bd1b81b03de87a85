"""The joint that keeps the child to a plane of the parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Shift, Turn
from visviva.library.joints.scalars import TURN, Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Planar(AbstractJoint):
    """The child turns by q_1 [rad] about the normal z and moves by (q_2, q_3) [m] along x and y of the parent.

    R_PC = R_z(q_1),   r_PC = (q_2, q_3, 0),   S(q) = (e_z, 0, 0; 0, Rᵀe_x, Rᵀe_y)
    """

    kind: ClassVar[str] = "planar"
    glyph: ClassVar[str] = "table"
    chain: ClassVar[Chain] = (Shift(0, 1), Shift(1, 2), Turn(2, 0))
    rows: ClassVar[tuple[Product, ...]] = (along(2), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN, along(0), along(1))
    names: ClassVar[tuple[str, ...]] = ("angle", "x", "y")
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)
