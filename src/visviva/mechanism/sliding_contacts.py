"""What takes velocities away and no positions, as data: a blade, a disc that rolls, rows that a user has written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.contacts import blade_on_body, blade_on_ground, disc_on_body, disc_on_ground
from visviva.mechanism.parts import Body, Ground
from visviva.mechanism.placements import Placements
from visviva.mechanism.twist_rows import TwistRows, rows_of_law, rows_over_movers
from visviva.mechanism.world_fields import POSE


@final
@dataclass(frozen=True, eq=False)
class Blade:
    """A point of the child that has no velocity against the parent along a direction of the child.

    edge: (orientation, origin) in the world as built, z along that direction.
    """

    parent: Ground | Body
    child: Body
    edge: tuple[Array, Array] = field(metadata=POSE)

    @property
    def in_child(self) -> Array:
        """Direction and point in the principal frame of the child, (2, 3)."""
        return np.array([_inside(self.child, self.edge[0][:, 2]), self.child.to_principal(self.edge[1])])

    def twist_rows(self) -> TwistRows:
        """One row, along the direction."""
        law = blade_on_ground if isinstance(self.parent, Ground) else blade_on_body
        return rows_of_law(law, _bodies(self.parent, self.child), self.in_child.ravel())


@final
@dataclass(frozen=True, eq=False)
class Disc:
    """A disc on the child whose sharp edge rolls on a plane of the parent.

    plane, disc: (orientation, origin) in the world as built: z along the normal, and along the axis.   radius: [m].
    """

    parent: Ground | Body
    child: Body
    plane: tuple[Array, Array] = field(metadata=POSE)
    disc: tuple[Array, Array] = field(metadata=POSE)
    radius: float

    def twist_rows(self) -> TwistRows:
        """Two rows: along the direction in which it rolls, and across it."""
        normal = self.plane[0][:, 2]
        carried = normal if isinstance(self.parent, Ground) else _inside(self.parent, normal)
        axis, centre = _inside(self.child, self.disc[0][:, 2]), self.child.to_principal(self.disc[1])
        law = disc_on_ground if isinstance(self.parent, Ground) else disc_on_body
        numbers = np.concatenate([axis, centre, [self.radius], carried])
        return rows_of_law(law, _bodies(self.parent, self.child), numbers)


@final
@dataclass(frozen=True, eq=False)
class OwnRows:
    """Rows over the twists of parts, as expressions in the symbols of their placements.

    values: (rows, columns) of SymPy expressions; columns as in `twist_rows.traced_rows`.
    """

    values: Any
    placements: Placements

    def twist_rows(self) -> TwistRows:
        """The same over the twists of movers."""
        return rows_over_movers(self.values, self.placements)


def _bodies(parent: Ground | Body, child: Body) -> tuple[Body, ...]:
    return (child,) if isinstance(parent, Ground) else (parent, child)


def _inside(body: Body, vector: Array) -> Array:
    """A world direction as built in principal axes."""
    return body.R_WC.T @ vector
