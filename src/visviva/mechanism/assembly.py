"""Assembling: consistent positions and velocities of a mechanism, and an account of what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast, final, runtime_checkable

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.geometry.turning import continued
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.drives import check_drives
from visviva.mechanism.joint_coordinates import built_turns, turn_names
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.mechanism.positions import close
from visviva.mechanism.singular import regularity
from visviva.mechanism.topology import check_connected
from visviva.mechanism.velocities import Given, changes, velocities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from visviva.mechanism.definition import Definition
    from visviva.mechanism.spanning.tree_states import TreeStates
    from visviva.mechanism.states import States


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """A configuration of a mechanism and its velocities.

    q: coordinates of every body and particle, by name, see `mechanism.coordinates`.
    V: (ω; v) of a body, ω in principal axes, v of the centre of mass in world axes; velocity of a particle.
    angles: every angle of a joint, by its name.
    others: currents of motors [A], temperatures of thermal nodes [K] and states of boxes by the names of a run, where
            not as built.
    """

    q: dict[str, Array]
    V: dict[str, Array]
    angles: dict[str, float]
    others: dict[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False)
class AssemblyReport:
    """What assembling changed, part by part, and what is special about the result; prints as a list."""

    changes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((*self.changes, *self.warnings)) or "nothing had to change"


def assemble(
    m: Definition, fixed: Sequence[str] | None = None, at: StateLike | None = None
) -> tuple[Motion, AssemblyReport]:
    """The positions and velocities nearest to what was built and given that satisfy all joints.

    Nearest means the least motion in the metric of kinetic energy. Where all joints fit as built, nothing moves.
    fixed: names of bodies and particles that keep their place, and of those, and of joints, whose twist, velocity or
           rate must be kept exactly. By default no place must be kept and all velocities that were given are; a
           contradiction is an error that names where it stays open.
    at:    a state, by names or otherwise, see `motion_of`: given values are kept, the rest stays as near as built.
    """
    linkage = linkage_of(m)
    if at is None:
        motion, lines = assembled(m, linkage, fixed)
    elif fixed is not None:
        raise ModelError("assemble() takes fixed=, for what was built, or at=, for a state: what at= gives is kept.")
    else:
        motion, built = motion_of(m, at), linkage.kinematics.as_built
        count_turns(linkage, motion)
        places = zip(linkage.bodies, linkage.kinematics.places, strict=True)
        lines = [line for part, place in places if (line := _displacement(part, built[place], motion.q[part.name]))]
    warning = regularity(linkage, coordinates(linkage, motion)).warning
    return motion, AssemblyReport(tuple(lines), (warning,) if warning else ())


def linkage_of(m: Definition) -> Linkage:
    """Its joints, once it is clear that it can be assembled at all."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    check_connected(m)
    return Linkage(m)


def assembled(m: Definition, linkage: Linkage, fixed: Sequence[str] | None = None) -> tuple[Motion, list[str]]:
    """The motion, and what changed, without a look at how regular it is."""
    kept = _checked_names(m, fixed) if fixed is not None else {*m.parts}
    built = linkage.kinematics.as_built
    q = close(linkage, built, kept if fixed is not None else ())
    check_drives(linkage, q)
    given = Given(linkage, q)
    V = velocities(linkage, q, given, kept)
    parts = list(zip(linkage.bodies, linkage.kinematics.places, linkage.kinematics.columns, strict=True))
    motion = Motion(
        {body.name: q[place].copy() for body, place, _ in parts},
        {body.name: V[columns].copy() for body, _, columns in parts},
        _angles(linkage, q, q is not built),
    )
    ways = [_displacement(body, built[place], q[place]) for body, place, _ in parts]
    moved = [f"{way} to close the joints" for way in ways if way]
    return motion, moved + changes(linkage, given, V)


@runtime_checkable
class Moving(Protocol):
    """What knows a motion of a mechanism: a run (its end), an instant of one, an equilibrium."""

    def motion_of(self, m: Definition) -> Motion:
        """Its motion, or an error where it is one of another mechanism."""


StateLike = Motion | Moving | Mapping[Any, Any] | tuple["ArrayLike", "ArrayLike"]


def prepared_states(m: Definition) -> States:
    """The states of a mechanism by name, prepared once."""
    from visviva.mechanism.states import States as Prepared

    made = m.made
    if Prepared not in made:
        made[Prepared] = Prepared(m)
    states: States = made[Prepared]
    return states


def _tree_states(m: Definition) -> TreeStates:
    """The states of a mechanism by coordinates and velocities of its spanning tree, prepared once."""
    from visviva.mechanism.spanning.tree_states import TreeStates as Prepared

    made = m.made
    if Prepared not in made:
        made[Prepared] = Prepared(m)
    states: TreeStates = made[Prepared]
    return states


def motion_of(m: Definition, at: StateLike | None, what: str = "the state") -> Motion:
    """The motion that a state means, checked; as assembled where there is none. All readings of a state go this way.

    at:   a `Motion` of `m.assemble()`, values by name (see `states`), a run, `run.final`, an equilibrium, or a pair
          (q, v) in the coordinates of `vv.dynamics(m)`.
    what: how errors call it.
    """
    if at is None:
        return assemble(m)[0]
    if isinstance(at, Mapping):
        return prepared_states(m).motion(at)
    if isinstance(at, tuple) and not any(isinstance(one, Motion) for one in cast(tuple[object, ...], at)):
        return _tree_states(m).motion(at, what)
    motion: object = at.motion_of(m) if isinstance(at, Moving) else at
    if not isinstance(motion, Motion):
        hint = " m.assemble() returns two things: pass the first." if isinstance(at, tuple) else ""
        raise ModelError(
            f"{what} of mechanism {m.name!r} must be values by name such as {{'hinge.q': 0.3}}, a run, run.final, "
            f"a Motion\nfrom m.assemble(), an equilibrium, or (q, v) of vv.dynamics(m); got {type(at).__name__}.{hint}"
        )
    if set(motion.q) != {part.name for part in m.bodies}:
        raise ModelError(f"{what} is of other bodies ({', '.join(motion.q)}) than those of mechanism {m.name!r}.")
    return motion


def motion_at(linkage: Linkage, q: Array, angles: dict[str, float]) -> Motion:
    """A configuration at rest; angles: those that are known to go beyond one turn."""
    places, columns = linkage.kinematics.places, linkage.kinematics.columns
    return Motion(
        {body.name: q[place] for body, place in zip(linkage.bodies, places, strict=True)},
        {body.name: np.zeros(part.stop - part.start) for body, part in zip(linkage.bodies, columns, strict=True)},
        _angles(linkage, q, True) | angles,
    )


def coordinates(linkage: Linkage, motion: Motion) -> Array:
    """The configuration of a motion, all bodies one after the other."""
    return np.concatenate([motion.q[body.name] for body in linkage.bodies])


def count_turns(linkage: Linkage, motion: Motion) -> None:
    """Let the conditions of a linkage count turns from the angles of a motion, and not from those as built."""
    linkage.conditions.near |= {name: motion.angles[name] for name in linkage.conditions.near}


def _checked_names(m: Definition, fixed: Sequence[str]) -> set[str]:
    if isinstance(fixed, str):
        raise ModelError(f"assemble(fixed=...) takes several names, e.g. fixed=({fixed!r},), got {fixed!r}.")
    for name in fixed:
        if name not in m.parts:
            raise unknown_name(name, m.parts, f"mechanism {m.name!r}")
        part = m.parts[name]
        if isinstance(part, Joint) and part.rate is None:
            raise ModelError(f"assemble(fixed=...) names joint {name!r}, which has no rate to keep: give it rate=....")
        if not isinstance(part, Joint | Body | Particle):
            raise ModelError(f"assemble(fixed=...) names {name!r}: give bodies, particles, or joints with a rate.")
    return set(fixed)


def _angles(linkage: Linkage, q: Array, moved: bool) -> dict[str, float]:
    """The angles of all joints; exactly as built, zero or as given, where a joint is."""
    angles = {name: value for joint in linkage.joints for name, value in built_turns(joint).items()}
    near = angles | linkage.conditions.near
    framed = [joint for joint in linkage.joints if joint.parent_frame is not None and joint.q_built is None]
    joints = linkage.joints if moved else framed
    if not joints:
        return angles
    rates = JointRates(linkage.bodies, joints)
    values = rates.values(q)
    for joint, part in zip(joints, rates.parts, strict=True):
        for name, value in zip(turn_names(joint), values[part], strict=False):
            angles[name] = float(continued(value, np.asarray(near.get(name, 0.0))))
    return angles


def _displacement(body: Body | Particle, built: Array, now: Array) -> str:
    """How far a body was moved and turned; empty if it was not."""
    if np.array_equal(built, now):
        return ""
    way = f"moved by {np.linalg.norm(now[:3] - built[:3]):.3g} m"
    if isinstance(body, Body):
        R_BA = SO3.nearest(POSES.rotation(now) @ POSES.rotation(built).T)
        way += f", turned by {np.linalg.norm(R_BA.log()):.3g} rad"
    return f"{body.name}: {way}"
