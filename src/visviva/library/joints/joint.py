"""What a joint is: the motion it allows, the same thing said as constraint rows, and its coordinates read off."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.scalars import Product, Scalar, along


class AbstractJoint(ABC):
    """Child frame C against parent frame P; z is the joint's axis, and C and P have the same axes as built (q = 0).

    Contract (checked by `visviva.testing.check_joint`):
    1. X_PC(0) is no turn; it moves the origin by `offset`, which is zero for nearly all joints.
    2. X_PC(q)⁻¹ Ẋ_PC(q) = hat(S(q) q_dot), and S(q) has full rank.
    3. Every row vanishes at X_PC(q) for all q, and its derivative along S(q) is zero.
    4. The rows are independent, and their number is 6 - nv; where there is a `lead`, one less, and d·z - lead θ = 0
       is the last one, which is not quadratic.
    5. The first entries of q are the `coordinates`, read from the frames; the rest of q is a chart without a name.
    6. The products `upright` are positive along the motion: rows cannot tell an axis from its reverse.

    A joint that `turns` has the angle about z as its first coordinate; one that `slides` has a coordinate along z.
    """

    kind: ClassVar[str]
    nv: ClassVar[int]
    coordinates: ClassVar[tuple[Scalar, ...]] = ()
    upright: ClassVar[tuple[Product, ...]] = ()
    turns: ClassVar[bool] = False

    @property
    @abstractmethod
    def rows(self) -> tuple[Product, ...]:
        """What it keeps at zero."""

    @property
    def offset(self) -> Array:
        """Origin of the child's frame in the parent's, as built, shape (3,)."""
        return np.zeros(3)

    @property
    def lead(self) -> float | None:
        """What it advances along z per radian that it turns [m/rad], where it couples the two."""
        return None

    @property
    def slides(self) -> bool:
        """Whether it has a displacement along z among its coordinates."""
        return along(2) in self.coordinates

    @abstractmethod
    def S(self, q: Array) -> Array:
        """Motion subspace: V_PC_C = S(q) q_dot, shape (..., 6, nv)."""

    @abstractmethod
    def X_PC(self, q: Array) -> SE3:
        """Relative pose for joint coordinates q, shape (..., nv)."""
