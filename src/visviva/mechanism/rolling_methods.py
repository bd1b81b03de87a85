"""Conditions on velocities in the builder: blades, discs that roll, and rows of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.mechanism.builder import End
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.coordinates import as_built
from visviva.mechanism.inventory import kind_of
from visviva.mechanism.joining import Joining
from visviva.mechanism.joining import direction as axes_along
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Particle
from visviva.mechanism.placements import Placed, check_arguments, placements_of
from visviva.mechanism.sliding_contacts import Blade, Disc, OwnRows
from visviva.mechanism.twist_rows import TwistRows, traced_rows
from visviva.mechanism.velocity_conditions import VelocityCondition

EDGE, DISC = "knife edge", "rolling disc"  # how errors call them
FLAT = 1e-6  # sine of the angle between axis and normal of a disc that lies in its plane


class RollingMethods(Joining):
    """They are nonholonomic: they take velocities away, and no positions."""

    def knife_edge(
        self,
        name: str,
        parent: End,
        child: End,
        *,
        at: ArrayLike | None = None,
        direction: ArrayLike | None = None,
    ) -> VelocityCondition:
        """A blade, or a wheel without inertia: the child's point `at` has no velocity along `direction`.

        at:        a point of the child, in the world as built; default: its centre of mass.
        direction: the normal of the blade, in the world as built. It turns with the child.

        Velocities are those against the parent. Nothing holds the blade to a plane: add a planar joint, or others.
        """
        ends = self._ends(name, parent, child, EDGE)
        blade_axes = axes_along(name, direction, "direction", EDGE)
        place = self._place(name, ends, at, blade_axes, "direction", anywhere=True, what=EDGE)
        body, above = _turning(f"{EDGE} {name!r}", ends.child), _carrying(f"{EDGE} {name!r}", ends.parent)
        return self._add(VelocityCondition(name, Blade(above, body, place[1]), "N"))

    def rolling_disc(
        self,
        name: str,
        plane: End,
        disc: End,
        *,
        radius: float,
        axis: ArrayLike | None = None,
        at: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        point: ArrayLike | None = None,
    ) -> VelocityCondition:
        """A thin disc whose sharp edge rolls on a plane without slipping.

        plane:  the ground or a body that carries the plane; a named frame has it through its origin, normal to its z.
        radius: of the disc [m].
        axis:   of the disc, in the world as built; that of a named frame is its z.
        at:     centre of the disc, in the world as built; default: the centre of mass, the origin of a frame.
        normal: of the plane, to the side on which the disc is; default: (0, 0, 1).   point: of it; default: the origin.

        The edge stays on the plane exactly ("<name>.normal": one holonomic row, whose reaction is the normal force),
        and the point that touches has no velocity there (two nonholonomic rows: along the direction in which the disc
        rolls, n x axis, and across it). Where the edge is off the plane as built, assembling brings it there.
        """
        ends, what = self._ends(name, plane, disc, DISC), f"{DISC} {name!r}"
        rho = finite_number(radius, f"radius of {what} [m]", positive=True)
        body, above = _turning(what, ends.child), _carrying(what, ends.parent)
        R_P, r_P = _placed(what, name, ends.parent_frame, (normal, (0, 0, 1), "normal"), (point, (0, 0, 0), "point"))
        R_C, r_C = _placed(what, name, ends.child_frame, (axis, None, "axis"), (at, body.r_WC, "at"))
        n, a = R_P[:, 2], R_C[:, 2]
        if not float(np.linalg.norm(np.cross(n, a))) > FLAT:
            raise ModelError(
                f"the axis of {what} is along the normal of its plane: the disc lies flat, and touches it all round.\n"
                "Lean it: the axis of an upright disc is in the plane, e.g. axis=(0, 1, 0) with normal=(0, 0, 1)."
            )
        self._add(ContactHeight(f"{name}.normal", above, body, (R_P, r_P), (R_C, r_C), rho))
        return self._add(VelocityCondition(name, Disc(above, body, (R_P, r_P), (R_C, r_C), rho), "N"))

    def velocity_constraint(
        self, name: str, parts: Placed | str | Sequence[Placed | str], *, A: Callable[..., Any]
    ) -> VelocityCondition:
        """Rows A V = 0 over the twists of some bodies, frames and particles, as a function of where they are.

        parts: one of them, or several.
        A: takes one placement per part, and returns one row per condition, or a single row. A placement has the origin
           r of the body's frame, or of a named one, and its axes R; that of a particle has r alone. Columns are (ω; v)
           of each body or frame, its angular velocity and the velocity of its r, and v of each particle, in the order
           of the parts; all in world axes. It is traced: write it with arithmetic and NumPy's functions.

        A sphere of radius ρ that rolls on the ground: A=lambda ball: [[0, -ρ, 0, 1, 0, 0], [ρ, 0, 0, 0, 1, 0]].
        In the middle of a step R is the mean of both ends, which is not quite a rotation. Momentum is kept where no
        row changes if all parts are moved as one rigid body.
        """
        self._new_name(name, "velocity constraint")
        what = f"velocity constraint {name!r}"
        placements = placements_of(self._moving(what, parts))
        check_arguments(A, placements.parts, f"A of {what}")
        values = self._once(A, (traced_rows, id(A), name), lambda: traced_rows(A, placements, f"A of {what}"))
        condition = VelocityCondition(name, OwnRows(values, placements))
        _check_finite(condition.twists, f"A of {what}")
        return self._add(condition)

    def _moving(self, what: str, parts: Placed | str | Sequence[Placed | str]) -> list[Placed]:
        parts = (parts,) if isinstance(parts, str | Placed) else parts
        if not isinstance(parts, Sequence) or not parts:
            raise ModelError(f"{what} needs the parts it is about, e.g. (body,) or ('board', 'wheel'); got {parts!r}.")
        found: list[Placed] = []
        for given in parts:
            part = self._find(given, what)
            carrier = part.carrier if isinstance(part, Frame) else part
            if not isinstance(part, Placed) or not isinstance(carrier, Body | Particle):
                hint = "The ground does not move: leave it out." if isinstance(carrier, Ground) else "Give what moves."
                raise ModelError(f"{what} cannot be about {kind_of(part)} {part.name!r}. {hint}")
            if part in found:
                raise ModelError(f"{what} names {part.name!r} twice.")
            found.append(part)
        return found


def _placed(
    what: str,
    name: str,
    frame: Frame | None,
    along: tuple[ArrayLike | None, ArrayLike | None, str],
    origin: tuple[ArrayLike | None, ArrayLike, str],
) -> tuple[Array, Array]:
    """Orientation with z along a direction, and a point, from a named frame or from what was given, or its default."""
    if frame is not None:
        for given, _, word in (along, origin):
            if given is not None:
                raise ModelError(f"{what} is placed by frame {frame.name!r} already: leave out {word}.")
        return frame.R_WF, frame.r_WF
    z, p = along[0] if along[0] is not None else along[1], origin[0] if origin[0] is not None else origin[1]
    if z is None:
        raise ModelError(f"{what} has no {along[2]}. Give {along[2]}=(x, y, z), or a named frame with z along it.")
    R = axes_along(name, z, along[2], DISC)
    assert R is not None
    return R, finite_vector(p, f"{origin[2]} of {what}", 3)


def _turning(what: str, end: Carrier) -> Body:
    if not isinstance(end, Body):
        hint = "is a particle and has no orientation" if isinstance(end, Particle) else "does not move"
        raise ModelError(f"{what} needs a body as its second part, but {end.name!r} {hint}.")
    return end


def _carrying(what: str, end: Carrier) -> Ground | Body:
    """What carries the other side."""
    if isinstance(end, Particle):
        raise ModelError(f"{what} is against {end.name!r}, a particle, which has no orientation: give a body.")
    return end


def _check_finite(rows: TwistRows, what: str) -> None:
    A = rows.A(np.concatenate([as_built(mover) for mover in rows.movers]))
    if not np.isfinite(A).all():
        raise ModelError(f"{what} is not finite in the configuration as built.")
