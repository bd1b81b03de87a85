"""A point that stays in a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Ball, Chain, Shift
from visviva.library.joints.scalars import Product, Scalar, along


@final
@dataclass(frozen=True)
class PointOnPlane(AbstractJoint):
    """The child's origin moves by (q_1, q_2) [m] along x and y of the parent; the rest of q is a rotation vector.

    r_PC = (q_1, q_2, 0),   R_PC = exp(w),   S(q) = (0, 0, dexp(w); R_PCᵀe_x, R_PCᵀe_y, 0)
    """

    kind: ClassVar[str] = "point_on_plane"
    glyph: ClassVar[str] = "bead_on_plate"
    chain: ClassVar[Chain] = (Shift(0, 0), Shift(1, 1), Ball(2))
    rows: ClassVar[tuple[Product, ...]] = (along(2),)
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(0), along(1))
    names: ClassVar[tuple[str, ...]] = ("x", "y")
