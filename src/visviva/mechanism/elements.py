"""Elements: what stores or dissipates energy between two frames of a mechanism, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva._arrays import Array
from visviva.language import Storage
from visviva.library.joints import Angle, Product, Scalar
from visviva.mechanism.parts import Carrier, Joint
from visviva.mechanism.thermal import Thermal


@final
@dataclass(frozen=True, eq=False)
class Element:
    """Energy U(y) and damping D ẏ of functions y of the relative placement of two frames, see `pair_functions`.

    R_W, r_W:     the frame on the child, in the world as built.   parent_frame: the one on the parent.
    rows:         the functions y.
    energy:       a storage of the language whose only port is "y", or None.
    damping:      matrix D ⪰ 0, (k, k), of the force D ẏ, or None.
    half_turn:    whether its energy ends at half a turn of the frames.
    heat_to:      what takes up the heat of the damping; None: the environment.
    line:         y = ½ d·d is the only function, and the damping is one of the length l = |d|: force D l_dot along it.
    """

    name: str
    parent: Carrier
    child: Carrier
    R_W: Array  # (3, 3)
    r_W: Array  # (3,)
    parent_frame: tuple[Array, Array]
    rows: tuple[Product, ...]
    energy: Storage | None = None
    damping: Array | None = None
    line: bool = False
    half_turn: bool = False
    heat_to: Thermal | None = None

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""
        return self.parent_frame if end is self.parent else (self.R_W, self.r_W)


@final
@dataclass(frozen=True, eq=False)
class Torsion:
    """Energy U(θ) and damping about the axis of a joint that turns; θ is continuous over many turns.

    energy:  a storage of the language whose only port is "angle", or None.
    damping: viscous coefficient [N m s/rad].   heat_to: what takes up its heat; None: the environment.
    """

    name: str
    joint: Joint
    energy: Storage | None = None
    damping: float = 0.0
    heat_to: Thermal | None = None


@final
@dataclass(frozen=True, eq=False)
class Stop:
    """End stops of one coordinate y of a joint: energy U(y) of the indentation, and loss in the contact.

    The force is U'(y) (1 + χ(loss v)) with the rate v out of the range, never a pull: `library.stops.stop_resistance`.

    coordinate: its number among those of the joint.   low, high: ends of the range [rad, m].
    energy:     a storage of the language whose only port is "y".   loss: [s/rad, s/m], 0 for none.
    """

    name: str
    joint: Joint
    coordinate: int
    low: float
    high: float
    energy: Storage
    loss: float = 0.0
    heat_to: Thermal | None = None

    @property
    def measure(self) -> Scalar:
        """The coordinate of the joint that is stopped."""
        return self.joint.joint.coordinates[self.coordinate]

    @property
    def variable(self) -> str:
        """The state that is its coordinate, continuous over many turns."""
        return f"{self.name}.angle" if isinstance(self.measure, Angle) else f"{self.name}.y"
