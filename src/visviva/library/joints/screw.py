"""The screw in its nut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Shift, Turn
from visviva.library.joints.scalars import TURN, Product, Scalar, Sum, along, cosine


@final
@dataclass(frozen=True)
class Screw(AbstractJoint):
    """The child turns by the angle q [rad] about the common z axis and advances by pitch · q [m] along it.

    X_PC(q) = exp(S q),   S = (e_z; pitch e_z),   d·z - pitch θ = 0

    pitch: advance per radian [m/rad]; a lead of l metres per turn is a pitch of l/(2π).
    """

    pitch: float
    kind: ClassVar[str] = "screw"
    glyph: ClassVar[str] = "thread"
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1))
    coordinates: ClassVar[tuple[Scalar, ...]] = (TURN,)
    names: ClassVar[tuple[str, ...]] = ("angle",)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2),)

    @property
    def chain(self) -> Chain:  # noqa: D102
        return Turn(2), Shift(2, factor=self.pitch)

    @property
    def sums(self) -> tuple[Sum, ...]:  # noqa: D102
        return (Sum("lead", ((1.0, along(2)), (-self.pitch, TURN))),)
