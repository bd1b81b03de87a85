"""Elements: what stores or dissipates energy between two frames, or along coordinates of joints, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from visviva._arrays import Array
from visviva.language import Storage
from visviva.library.joints import Product
from visviva.mechanism.parts import Carrier, Joint, JointCoordinate
from visviva.mechanism.thermal import Thermal
from visviva.mechanism.world_fields import AXES, POINT, POSE


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
    R_W: Array = field(metadata=AXES)  # (3, 3)
    r_W: Array = field(metadata=POINT)  # (3,)
    parent_frame: tuple[Array, Array] = field(metadata=POSE)
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
class JointElement:
    """Energy U(y) and damping D ẏ of coordinates y of one or several joints; angles are continuous over many turns.

    energy:  a storage of the language whose only port is "angle", where y is one angle, else "y"; or None.
    damping: matrix D ⪰ 0, (k, k), of the force D ẏ [N m s/rad, N s/m], or None.
    heat_to: what takes up the heat of the damping; None: the environment.
    """

    name: str
    coordinates: tuple[JointCoordinate, ...]
    energy: Storage | None = None
    damping: Array | None = None
    heat_to: Thermal | None = None

    @property
    def port(self) -> str:
        """That of its energy."""
        return "angle" if len(self.coordinates) == 1 and self.coordinates[0].turns else "y"

    @property
    def variable(self) -> str:
        """The state that is y."""
        return f"{self.name}.{self.port}"


@final
@dataclass(frozen=True, eq=False)
class Stop:
    """End stops of one coordinate y of a joint: energy U(y) of the indentation, and loss in the contact.

    The force is U'(y) (1 + χ(loss v)) with the rate v out of the range, never a pull: `library.stops.stop_resistance`.

    low, high: ends of the range [rad, m].
    energy:    a storage of the language whose only port is "y".   loss: [s/rad, s/m], 0 for none.
    """

    name: str
    at: JointCoordinate
    low: float
    high: float
    energy: Storage
    loss: float = 0.0
    heat_to: Thermal | None = None

    @property
    def joint(self) -> Joint:
        """Whose coordinate it is on."""
        return self.at.joint

    @property
    def variable(self) -> str:
        """The state that is its coordinate, continuous over many turns."""
        return f"{self.name}.angle" if self.at.turns else f"{self.name}.y"
