"""The joint of constant velocity: Rzeppa, tripod and double Cardan joints, as they act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Turn
from visviva.library.joints.scalars import MEET, Product, Sum, cosine


@final
@dataclass(frozen=True)
class Rzeppa(AbstractJoint):
    """Two shafts along z whose axes meet and may bend by less than a right angle, and that turn alike.

    R_PC(q) = R_x(q_1/2) R_y(q_2) R_x(q_1/2),   y_P·x_C - x_P·y_C = 0

    The balls of such a joint lie in the plane that halves the angle between the shafts, as the cross of a double Cardan
    joint does: R_PC has no part about z, its rotation vector is normal to it, and both shafts have the same speed at
    any bend. q = (bend about x, bend about y) is a chart only.
    """

    kind: ClassVar[str] = "rzeppa"
    glyph: ClassVar[str] = "ball"
    chain: ClassVar[Chain] = (Turn(0, 0, 0.5), Turn(1, 1), Turn(0, 0, 0.5))
    rows: ClassVar[tuple[Product, ...]] = MEET
    sums: ClassVar[tuple[Sum, ...]] = (Sum("spin", ((1.0, cosine(1, 0)), (-1.0, cosine(0, 1)))),)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2), cosine(0, 0))
