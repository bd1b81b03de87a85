"""What a joint is: a chain of motions, the same thing said as constraint rows, and its coordinates read off."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.geometry import SE3
from visviva.language.trace import Traced
from visviva.library.joints.motions import AbstractMotion, Ball, Chain, Flight, Shift, Turn, chain_pose, chain_twists
from visviva.library.joints.scalars import MEET, TURN, Angle, Product, Scalar, Sum, along, pair_vectors

CONSTANT = 1e-9  # of a product: what changes less along a motion does not change


class AbstractJoint(ABC):
    """Child frame C against parent frame P; z is the joint's axis, and C and P have the same axes as built (q = 0).

    chain:       motions from the parent to the child, see `motions`.
    rows:        what it keeps at zero, as products of two vectors of the pair: order and signs of its multipliers.
    sums:        sums of scalars that it keeps at zero beside its rows.
    coordinates: the first entries of q, read from the frames; the rest of q is a chart without a name.
    names:       of the coordinates, as users write them.
    upright:     products that are positive along the motion: rows cannot tell an axis from its reverse.
    glyph:       how it is drawn, see `views.mechanism_joints`.

    Numbers of its own, such as the pitch of a screw, are fields of a frozen dataclass; those declared as float are
    checked to be finite.

    Contract (checked by `visviva.testing.check_joint`):
    1. X_PC(0) is no turn; it moves the origin by `offset`, which is zero for nearly all joints.
    2. X_PC(q)⁻¹ Ẋ_PC(q) = hat(S(q) q_dot), and S(q) has full rank.
    3. Every row and sum vanishes at X_PC(q) for all q, and its derivative along S(q) is zero.
    4. Rows and sums are independent, and their number is 6 - nv.
    5. Coordinates are the first entries of q, and have names.
    6. The products `upright` are positive.
    """

    kind: ClassVar[str]
    glyph: ClassVar[str]
    coordinates: ClassVar[tuple[Scalar, ...]] = ()
    names: ClassVar[tuple[str, ...]] = ()
    upright: ClassVar[tuple[Product, ...]] = ()

    def __post_init__(self) -> None:
        """Checks the numbers of a joint: its fields that are declared as float, unless they are being traced."""
        declared: dict[str, dataclasses.Field[object]] = getattr(self, "__dataclass_fields__", {})
        for number in declared.values():
            if number.type in (float, "float") and not isinstance(getattr(self, number.name), Traced):
                what = f"{number.name} of a {self.kind} joint"
                object.__setattr__(self, number.name, finite_number(getattr(self, number.name), what))

    @property
    @abstractmethod
    def chain(self) -> Chain:
        """Its motions, from the parent to the child."""

    @property
    @abstractmethod
    def rows(self) -> tuple[Product, ...]:
        """What it keeps at zero."""

    @property
    def sums(self) -> tuple[Sum, ...]:
        """What else it keeps at zero."""
        return ()

    @property
    def nv(self) -> int:
        """Number of its freedoms."""
        return max((motion.coordinates.stop for motion in self.chain), default=0)

    @property
    def offset(self) -> Array:
        """Origin of the child's frame in the parent's, as built, shape (3,)."""
        return self.X_PC(np.zeros(self.nv)).r

    @property
    def bounds(self) -> tuple[Product, ...]:
        """Those of `upright` that change as it moves: its range ends where one of them is zero. The others stay one."""
        X = self.X_PC(np.linspace(0.3, 0.8, self.nv))
        vectors = pair_vectors(SE3(np.eye(3), np.zeros(3)), X)
        return tuple(one for one in self.upright if abs(one.value_at(vectors) - 1.0) > CONSTANT)

    @property
    def turns(self) -> bool:
        """Whether its only angle is that about z, its first coordinate."""
        return [one for one in self.coordinates if isinstance(one, Angle)] == [TURN]

    @property
    def slides(self) -> bool:
        """Whether it has a displacement along z among its coordinates."""
        return along(2) in self.coordinates

    @property
    def carries(self) -> bool:
        """Whether bodies can hang on it in a tree of hinges, screws, sliders and balls, by coordinates with names.

        Others, whose coordinates have no names or turn several axes, and that reach somewhere, are closed by rows.
        """
        links = [motion for k, motion in enumerate(self.chain) if not self._is_pitch(k)]
        scalars = [motion for motion in links if isinstance(motion, Turn | Shift)]
        others = [motion for motion in links if motion not in scalars]
        own = {motion.coordinate for motion in scalars if motion.factor == 1.0}
        ends = not others or (others == links[-1:] and isinstance(others[0], Ball | Flight))
        return ends and len(own) == len(scalars) == len(self.coordinates)

    def _is_pitch(self, k: int) -> bool:
        """Whether a motion of the chain is the advance of the turn before it, as that of a screw."""
        motion = self.chain[k]
        return isinstance(motion, Shift) and k > 0 and self.chain[k - 1] == Turn(motion.axis, motion.coordinate)

    @property
    def rotation_vector(self) -> slice | None:
        """Which entries of q are a rotation vector, a chart without a name; None where none are."""
        return next((motion.coordinates for motion in self.chain if isinstance(motion, Ball)), None)

    @property
    def is_ball(self) -> bool:
        """Whether it turns by a rotation vector and does nothing else."""
        return self.rotation_vector is not None and self.nv == 3

    @property
    def spins(self) -> bool:
        """Whether its points meet and it turns without coordinates: its friction is on the angular velocity."""
        return self.rows[:3] == MEET and self.nv > 0 and not self.coordinates

    @property
    def of_child(self) -> tuple[int, ...]:
        """Coordinates of motions about or along axes of the child; those of the others are fixed in the parent."""
        return tuple(
            motion.coordinates.start
            for k, motion in enumerate(self.chain)
            if isinstance(motion, Turn | Shift) and not all(_keeps(one, motion) for one in self.chain[:k])
        )

    def S(self, q: Array) -> Array:
        """Motion subspace: V_PC_C = S(q) q_dot, shape (..., 6, nv)."""
        return chain_twists(self.chain, q)

    def X_PC(self, q: Array) -> SE3:
        """Relative pose for joint coordinates q, shape (..., nv)."""
        return chain_pose(self.chain, q)


def _keeps(first: AbstractMotion, then: Turn | Shift) -> bool:
    """Whether a motion leaves the axis of one that follows it where it is."""
    if isinstance(first, Shift):
        return isinstance(then, Shift) or first.axis == then.axis
    return isinstance(first, Turn) and first.axis == then.axis
