"""A point that stays on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Ball, Chain, Shift
from visviva.library.joints.scalars import Product, Scalar, along


@final
@dataclass(frozen=True)
class PointOnLine(AbstractJoint):
    """The child's origin moves by q_1 [m] along z of the parent; the rest of q is a rotation vector.

    r_PC = (0, 0, q_1),   R_PC = exp(w),   S(q) = (0, dexp(w); R_PCᵀe_z, 0)
    """

    kind: ClassVar[str] = "point_on_line"
    glyph: ClassVar[str] = "bead_on_wire"
    chain: ClassVar[Chain] = (Shift(2, 0), Ball(1))
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(2),)
    names: ClassVar[tuple[str, ...]] = ("displacement",)
