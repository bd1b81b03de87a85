"""The direct product SO(3) × R³: the same poses as SE(3), composed differently."""

from __future__ import annotations

from typing import ClassVar, Self, final

from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.product import AbstractProduct
from visviva.geometry.rn import Rn
from visviva.geometry.rotations import checked_parts
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3


@final
class SO3xR3(AbstractProduct):
    """Poses (R, r) with (R₁, r₁)(R₂, r₂) = (R₁R₂, r₁ + r₂); algebra vectors (ω; ν).

    ω is in the body frame, ν = dr/dt in the reference frame. Unlike SE(3) this group does not act on points;
    `pose()` gives the displacement that does.

    Source: Lohmayer, Capobianco and Leyendecker, sections 3.3 to 3.10, the direct product.
    """

    groups: ClassVar = (SO3, Rn(3))
    dim: ClassVar[int] = 6

    @property
    def R(self) -> Array:
        """Rotation, (..., 3, 3)."""
        return self.factors[0].matrix

    @property
    def r(self) -> Array:
        """Position in the reference frame, (..., 3)."""
        return self.factors[1].log()

    @classmethod
    def from_parts(cls, R: ArrayLike, r: ArrayLike, name: str = "pose") -> Self:
        """Of R_AB and r_AB_A, checked; the batch shapes broadcast."""
        R, r = checked_parts(R, r, name, 3)
        return cls((SO3(R), Rn(3)(r)))

    def pose(self) -> SE3:
        """The same pose as an element of SE(3): r + R p for a point p of the body.

        Only the elements correspond, no composition or velocity: a rate (ω; ν) here is (ω; Rᵀ ν) there.
        """
        return SE3(self.R, self.r)
