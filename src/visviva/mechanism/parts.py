"""The parts of a mechanism, as built: plain data, and the handles that the builder returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol, final

import numpy as np

from visviva._arrays import Array, frozen
from visviva.library.joints import AbstractJoint, Angle, Length, Product, Scalar, Twist
from visviva.mechanism.friction import FrictionLaw
from visviva.mechanism.thermal import Thermal
from visviva.mechanism.world_fields import AXES, POINT, POSE, VECTOR


@final
@dataclass(frozen=True, eq=False)
class Ground:
    """The world: what does not move."""

    name: str = "ground"


@final
@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body. Its frame B may sit anywhere; the equations use the principal frame C at the centre of mass.

    R_WB, r_WB: pose of B in the world, as built.   com: centre of mass in B.   J: inertia about it, axes of B.
    R_BC, J_C:  principal axes in B and principal moments.   twist: initial (ω; v) of B in its own axes, or None.
    """

    name: str
    mass: float
    J: Array  # (3, 3)
    com: Array  # (3,)
    R_WB: Array = field(metadata=AXES)  # (3, 3)
    r_WB: Array = field(metadata=POINT)  # (3,)
    R_BC: Array  # (3, 3)
    J_C: Array  # (3,)
    twist: Array | None = None  # (6,)

    @cached_property
    def R_WC(self) -> Array:
        """Orientation of the principal frame, as built."""
        return frozen(self.R_WB @ self.R_BC)

    @cached_property
    def r_WC(self) -> Array:
        """Centre of mass in the world, as built."""
        return frozen(self.r_WB + self.R_WB @ self.com)

    def to_principal(self, point_W: Array) -> Array:
        """Coordinates in the principal frame of a world point of the mechanism as built."""
        return self.R_WC.T @ (point_W - self.r_WC)


@final
@dataclass(frozen=True, eq=False)
class Particle:
    """A point mass: position and velocity, no orientation."""

    name: str
    mass: float
    r_W: Array = field(metadata=POINT)  # (3,)
    velocity: Array | None = field(default=None, metadata=VECTOR)  # (3,)


Carrier = Ground | Body | Particle


@final
@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame on a body or on the ground, given as built in the world."""

    name: str
    carrier: Ground | Body
    R_WF: Array = field(default_factory=lambda: np.eye(3), metadata=AXES)
    r_WF: Array = field(default_factory=lambda: np.zeros(3), metadata=POINT)


class Pair(Protocol):
    """Two carriers with a frame on each, in the world as built: what joints and springs have in common."""

    @property
    def parent(self) -> Carrier: ...  # noqa: D102

    @property
    def child(self) -> Carrier: ...  # noqa: D102

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between parent and child, with a frame on each; z is its axis.

    R_W, r_W:     the frame on the child, in the world as built.
    parent_frame: the one on the parent, where it is another: assembling brings them together.
    rate:         initial rates of its coordinates [rad/s, m/s], None if open.
    friction:     viscous coefficients of its coordinates [N m s/rad, N s/m].
    laws:         other laws of friction, by coordinate, None where there is none; that of a ball acts on |ω|.
    spin_friction: matrix D ⪰ 0 of the torque -D ω of a ball, in axes of the frame on the child [N m s/rad], or None.
    heat_to:      what takes up the heat of friction; None: the environment.
    q_built:      its coordinates as built, (k,): the frame on the parent is where they are zero. None: all are zero, or
                  named frames say what they are.
    """

    name: str
    joint: AbstractJoint
    parent: Carrier
    child: Carrier
    R_W: Array = field(metadata=AXES)  # (3, 3)
    r_W: Array = field(metadata=POINT)  # (3,)
    rate: Array | None = None  # (k,)
    friction: Array = field(default_factory=lambda: np.zeros(0))  # (k,)
    parent_frame: tuple[Array, Array] | None = field(default=None, metadata=POSE)
    laws: tuple[FrictionLaw | None, ...] = ()
    heat_to: Thermal | None = None
    q_built: Array | None = None  # (k,)
    spin_friction: Array | None = None  # (3, 3)

    @property
    def sum_names(self) -> tuple[str, ...]:
        """Names of the conditions that belong to it: the sums of its kind, as the lead of a screw."""
        return tuple(f"{self.name}.{one.name}" for one in self.joint.sums)

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""
        if end is self.parent and self.parent_frame is not None:
            return self.parent_frame
        return self.R_W, self.r_W


@final
@dataclass(frozen=True, eq=False)
class JointCoordinate:
    """One coordinate of a joint, by its number."""

    joint: Joint
    number: int
    width: ClassVar[int] = 1

    @property
    def scalar(self) -> Scalar:
        """What it is, as a function of the two frames."""
        return self.joint.joint.coordinates[self.number]

    @property
    def turns(self) -> bool:
        """Whether it is an angle [rad]; others are displacements [m]."""
        return isinstance(self.scalar, Angle)

    @property
    def pair(self) -> Joint:
        """Between whose frames it is."""
        return self.joint


@final
@dataclass(frozen=True, eq=False)
class PairCoordinate:
    """A displacement between two frames that no joint need hold: a distance, or how far a point is along an axis.

    R_W, r_W: the frame on the child, in the world as built.   parent_frame: the one on the parent.
    """

    name: str
    parent: Carrier
    child: Carrier
    R_W: Array = field(metadata=AXES)  # (3, 3)
    r_W: Array = field(metadata=POINT)  # (3,)
    parent_frame: tuple[Array, Array] = field(metadata=POSE)
    scalar: Product | Length
    turns: ClassVar[bool] = False
    number: ClassVar[int] = 0
    width: ClassVar[int] = 1

    @property
    def pair(self) -> PairCoordinate:
        """Between whose frames it is: its own."""
        return self

    @property
    def is_length(self) -> bool:
        """Whether it is a distance."""
        return isinstance(self.scalar, Length)

    @property
    def product(self) -> Product:
        """What it is a function of: itself, or half the square of a distance."""
        return Length.half_square if isinstance(self.scalar, Length) else self.scalar

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""
        return self.parent_frame if end is self.parent else (self.R_W, self.r_W)


@final
@dataclass(frozen=True, eq=False)
class PairTwist:
    """Rates of a frame on the child against one on the parent that no coordinate has: entries of its twist.

    R_W, r_W: the frame on the child, in the world as built.   parent_frame: the one on the parent.
    """

    name: str
    parent: Carrier
    child: Carrier
    R_W: Array = field(metadata=AXES)  # (3, 3)
    r_W: Array = field(metadata=POINT)  # (3,)
    parent_frame: tuple[Array, Array] = field(metadata=POSE)
    twist: Twist
    is_length: ClassVar[bool] = False
    number: ClassVar[int] = 0

    @property
    def pair(self) -> PairTwist:
        """Between whose frames it is: its own."""
        return self

    @property
    def turns(self) -> bool:
        """Whether its entries are angular velocities alone."""
        return self.twist.turns

    @property
    def width(self) -> int:
        """Number of its entries."""
        return len(self.twist.entries)

    @property
    def scalars(self) -> tuple[PairCoordinate, ...]:
        """The products that its rates follow from."""
        frames = self.parent, self.child, self.R_W, self.r_W, self.parent_frame
        return tuple(PairCoordinate(f"{self.name}[{k}]", *frames, one) for k, one in enumerate(self.twist.products))

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""
        return self.parent_frame if end is self.parent else (self.R_W, self.r_W)


OneAlong = JointCoordinate | PairCoordinate  # a coordinate that a force acts along
Along = OneAlong | PairTwist  # what a force acts along


@final
@dataclass(frozen=True, eq=False)
class Torque:
    """An input port on an angle of a joint: the torque of the parent on the child along it [N m]."""

    name: str
    at: JointCoordinate
    width: int = 1

    @property
    def joint(self) -> Joint:
        """Whose coordinate it is on."""
        return self.at.joint


@final
@dataclass(frozen=True, eq=False)
class Force:
    """An input port on a displacement of a joint: the force of the parent on the child along it [N]."""

    name: str
    at: JointCoordinate
    width: int = 1

    @property
    def joint(self) -> Joint:
        """Whose coordinate it is on."""
        return self.at.joint


@final
@dataclass(frozen=True, eq=False)
class WrenchPort:
    """An input port on a body or particle: a wrench (m; f), or a force, at its centre of mass.

    frame: "world" for axes of the world, "body" for those of the body's frame B, which turn with it.
    """

    name: str
    carrier: Body | Particle
    width: int = 6
    frame: str = "world"

    @property
    def R_CB(self) -> Array | None:
        """Axes of the body in its principal ones, where the port is given in axes of the body."""
        return self.carrier.R_BC.T if self.frame == "body" and isinstance(self.carrier, Body) else None


@final
@dataclass(frozen=True, eq=False)
class Motor:
    """A direct-current motor on an angle of a joint: the input is its voltage [V], the output its current [A].

    L di/dt = voltage - R i - k θ_dot,   torque of the parent on the child along the angle: k i.

    resistance: R [Ω].   inductance: L [H].   k: constant [N m/A = V s/rad].   current: at the start [A].
    heat_to:    what takes up the heat R i² of the winding; None: the environment.
    """

    name: str
    at: JointCoordinate
    resistance: float
    inductance: float
    k: float
    current: float = 0.0
    heat_to: Thermal | None = None
    width: int = 1

    @property
    def joint(self) -> Joint:
        """Whose coordinate it is on."""
        return self.at.joint


Port = Torque | Force | WrenchPort | Motor
