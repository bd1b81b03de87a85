"""What a joint is: the motion it allows, and the same thing said as constraint rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

from visviva._arrays import Array
from visviva.geometry import SE3


@final
@dataclass(frozen=True)
class Meet:
    """Three rows: the origins of the joint frames on parent and child coincide (world axes)."""

    count: ClassVar[int] = 3


@final
@dataclass(frozen=True)
class Dot:
    """One row: axis `parent` of the frame on the parent is normal to axis `child` of the one on the child.

    Axes are counted 0, 1, 2 for x, y, z.
    """

    parent: int
    child: int
    count: ClassVar[int] = 1


@final
@dataclass(frozen=True)
class Along:
    """One row: the child's origin, seen from the parent's, has no component along axis `axis` of the parent's frame."""

    axis: int
    count: ClassVar[int] = 1


@final
@dataclass(frozen=True)
class AlongChild:
    """The same with axis `axis` of the child's frame."""

    axis: int
    count: ClassVar[int] = 1


@final
@dataclass(frozen=True)
class Rod:
    """One row: ½ (d·d - length²) with the distance d of the origins."""

    length: float = 0.0
    count: ClassVar[int] = 1


Row = Meet | Dot | Along | AlongChild | Rod


class AbstractJoint(ABC):
    """Child frame C against parent frame P; z is the joint's axis, and C = P as built (q = 0).

    Contract (checked by `visviva.testing.check_joint`):
    1. X_PC(0) is the identity and X_PC(q)⁻¹ Ẋ_PC(q) = hat(S q_dot): S is constant in the child.
    2. Every row vanishes at X_PC(q) for all q, and its derivative along S is zero.
    3. The rows are independent, and their number is 6 - nv.
    4. `turns` says that q is one angle about z.
    """

    kind: ClassVar[str]
    nv: ClassVar[int]
    rows: ClassVar[tuple[Row, ...]]
    turns: ClassVar[bool] = False

    @abstractmethod
    def S(self) -> Array:
        """Motion subspace: V_PC_C = S q_dot for a joint with joint coordinates, shape (6, nv)."""

    @abstractmethod
    def X_PC(self, q: Array) -> SE3:
        """Relative pose for joint coordinates q, shape (..., nv)."""
