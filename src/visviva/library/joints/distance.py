"""The massless rod between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva._arrays import finite_number
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Ball, Chain, Reach, Turn
from visviva.library.joints.scalars import Product, rod


@final
@dataclass(frozen=True)
class Distance(AbstractJoint):
    """The origins of both frames keep their distance; as built the child's lies on the z axis of the parent's.

    q = (a, w), a chart only: r_PC = length R e_z with R = R_x(a_1) R_y(a_2), and R_PC = R exp(w).
    """

    length: float  # [m], positive
    kind: ClassVar[str] = "distance"
    glyph: ClassVar[str] = "rod"

    def __post_init__(self) -> None:
        """Checks the length."""
        super().__post_init__()
        if isinstance(self.length, float):  # as it is, unless it is being traced
            finite_number(self.length, "length of a distance joint [m]", positive=True)

    @property
    def chain(self) -> Chain:  # noqa: D102
        return Turn(0, 0), Turn(1, 1), Reach(self.length), Ball(2)

    @property
    def rows(self) -> tuple[Product, ...]:  # noqa: D102
        return (rod(self.length),)
