"""A mechanism as a composite of the language: bodies, joints, springs and ports as boxes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.embedding import origin
from visviva.language import AbstractSystem, Composite, Quantity, compose, starting
from visviva.library.joints import Angle
from visviva.library.multibody import (
    force_port,
    freedom_port,
    freedom_spring,
    ground,
    joint,
    massless_body,
    particle,
    rigid_body,
    spring,
    tie,
    wrench_port,
)
from visviva.mechanism.assembly import Motion, StateLike, motion_of
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coordinates import POSES, pair_functions
from visviva.mechanism.elements import Element
from visviva.mechanism.joint_coordinates import coordinate_values
from visviva.mechanism.joints_only import check_joints_only
from visviva.mechanism.linkage import mass_vector
from visviva.mechanism.parts import Body, Force, Frame, Ground, Joint, Pair, Particle, Port, Torque, WrenchPort
from visviva.mechanism.placement import coordinates_of, frame_pose, offset
from visviva.mechanism.spring_slopes import measured
from visviva.mechanism.unwritten import refuse_unwritten
from visviva.numerics.rank import DATA

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism

GROUP = "SO3xR3"


def composite_of(m: Mechanism) -> Composite:
    """The mechanism as a composite that starts as assembled; `state_of` has the values of its variables at any motion.

    Boxes go by the names of the parts. Bodies are `rigid_body` boxes with the principal frame at the centre of mass
    and poses of SO(3) x R³, joints are `joint` boxes, or a `tie` where they are no function of few coordinates; springs
    are `spring` and `torsion` boxes, input ports outer ports. A free joint is no box: it constrains nothing.
    Of names only letters, digits and underscores are kept; the others become underscores.

    A `joint` has a relative pose of its own, and rows on velocities: over a run it opens by O(h²). Where joints repeat
    each other's constraints (`m.redundant()`), they would contradict each other then: there all are ties, which stay
    closed.
    Source: Lohmayer, Capobianco and Leyendecker, Figs. 1 to 3.
    """
    return starting(_Network(m).composite(), state_of(m))


def state_of(m: Mechanism, at: StateLike | None = None) -> dict[str, Array]:
    """Values of the variables of `composite_of(m)` at a motion, as assembled by default."""
    motion = motion_of(m, at)
    names = box_names(m)
    values: dict[str, Array] = {}
    if _on_ground(m):
        values["q_ground"] = origin(POSES)
    for body in m.bodies:
        values[f"q_{names[body.name]}"] = motion.q[body.name]
        if body.mass:
            values[f"p_{names[body.name]}"] = mass_vector(body) * motion.V[body.name]
    exact = bool(m.redundant())
    for part in m.joints:
        if _has_pose(part, exact):
            values[f"{names[part.name]}.q_r"] = _relative(part, motion)
    for element in m.elements:
        values[f"{names[element.name]}.y"] = pair_functions(element, element.rows).value(
            coordinates_of(element, motion)
        )
    for along in m.joint_elements:
        if along.energy is not None:
            values[f"{names[along.name]}.{along.port}"] = measured(along, motion)
    return values


def box_names(m: Mechanism) -> dict[str, str]:
    """The names of the parts as identifiers; an error where two become one."""
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, part in m.parts.items():
        if isinstance(part, Frame | AbstractCondition):
            continue
        short = re.sub(r"\W", "_", name)
        short = short if short.isidentifier() else f"_{short}"
        if short in taken:
            raise ModelError(
                f"parts {taken[short]!r} and {name!r} of mechanism {m.name!r} would both be the box {short!r} of its "
                "composite.\nBoxes have letters, digits and underscores in their names: rename one of the parts."
            )
        found[name], taken[short] = short, name
    return found


class _Network:
    """Boxes and junctions as they grow."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.names = box_names(m)
        self.boxes: dict[str, AbstractSystem] = {}
        self.junctions: dict[str, list[str]] = {}
        self.outer: dict[str, str] = {}

    def composite(self) -> Composite:
        m = self.m
        refuse_unwritten(m, "the language")
        if not m.bodies:
            raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
        check_joints_only(m, "the language of composites")
        if _on_ground(m):
            self._carrier("ground", ground(GROUP))
        for body in m.bodies:
            self._carrier(self.names[body.name], _body(body, m.gravity))
        refuse_across(m)
        driven = {port.joint.name for port in m.ports if isinstance(port, Torque | Force)}
        driven |= {one.joint.name for part in m.joint_elements for one in part.coordinates}
        exact = bool(m.redundant())
        screws = [part.name for part in m.joints if _couples_angles(part)]
        if exact and screws:
            raise ModelError(
                f"mechanism {m.name!r} has redundant constraints ({', '.join(m.redundant())}) and screws "
                f"({', '.join(screws)}),\nwhich have no form in the language of composites that stays closed: "
                "simulate the mechanism itself."
            )
        for part in m.joints:
            if part.joint.rows:
                self._between(part, _joint(part, m.theta0, part.name in driven, exact))
        for element in m.elements:
            self._between(element, _spring(element, m.theta0))
        for along in m.joint_elements:
            at, numbers = along.coordinates[0].joint, tuple(one.number for one in along.coordinates)
            system = freedom_spring(
                self._momentum(at), numbers, energy=along.energy, damping=along.damping, theta0=m.theta0
            )
            self.junctions[self._freedom(at)].append(f"{self._box(along.name, system)}.p_r")
        for port in m.ports:
            self._port(port)
        return compose(m.name or "mechanism", self.boxes, self.junctions, self.outer)

    def _carrier(self, name: str, system: AbstractSystem) -> None:
        self.boxes[name] = system
        self.junctions |= {f"{port}_{name}": [f"{name}.{port}"] for port in system.interface}

    def _box(self, name: str, system: AbstractSystem) -> str:
        self.boxes[self.names[name]] = system
        return self.names[name]

    def _between(self, pair: Joint | Element, system: AbstractSystem) -> None:
        """A box at two carriers; the port p_r of a driven joint has a junction of its own."""
        box = self._box(pair.name, system)
        if "p_r" in system.interface:
            self.junctions[f"drive_{box}"] = [f"{box}.p_r"]
        for number, end in (("1", pair.parent), ("2", pair.child)):
            at = "ground" if isinstance(end, Ground) else self.names[end.name]
            for letter in ("q", "p"):
                if f"{letter}_{number}" in system.interface:
                    self.junctions[f"{letter}_{at}"].append(f"{box}.{letter}_{number}")

    def _freedom(self, part: Joint) -> str:
        return f"drive_{self.names[part.name]}"

    def _momentum(self, part: Joint) -> Quantity:
        return self.boxes[self.names[part.name]].interface["p_r"].quantity

    def _port(self, port: Port) -> None:
        box, junction = self.names[port.name], f"port_{self.names[port.name]}"
        self.outer[box] = junction
        self.junctions[junction] = [f"{box}.port"]
        if isinstance(port, Torque | Force):
            unit = "m" if isinstance(port, Force) else "rad"
            self._box(port.name, freedom_port(self._momentum(port.joint), port.at.number, unit))
            self.junctions[self._freedom(port.joint)].append(f"{box}.p_r")
            return
        assert isinstance(port, WrenchPort)
        on_body = isinstance(port.carrier, Body)
        self._box(port.name, wrench_port(port.R_CB) if on_body else force_port())
        for letter in ("q", "p") if on_body else ("p",):
            self.junctions[f"{letter}_{self.names[port.carrier.name]}"].append(f"{box}.{letter}")


def _on_ground(m: Mechanism) -> bool:
    pairs: list[Joint | Element] = [*(part for part in m.joints if part.joint.rows), *m.elements]
    return any(isinstance(end, Ground) for pair in pairs for end in (pair.parent, pair.child))


def _body(body: Body | Particle, gravity: Array) -> Composite:
    if isinstance(body, Particle):
        return particle(body.mass, gravity)
    if not body.mass:
        return massless_body()
    if body.J_C.min() <= DATA * body.J_C.sum():
        raise ModelError(
            f"body {body.name!r} has a principal moment of zero: in a composite its kinetic energy would be no "
            "function of its momentum.\n"
            "Give it the moment that it has about that axis, or simulate the mechanism itself."
        )
    return rigid_body(body.mass, body.J_C, gravity, GROUP)


def _joint(part: Joint, theta0: float, driven: bool, exact: bool) -> Composite:
    o1, o2 = _offsets(part)
    friction = np.diag(part.friction) if part.friction.any() else part.spin_friction
    if part.spin_friction is not None and not _has_pose(part, exact):
        raise ModelError(
            f"joint {part.name!r} has a matrix of friction on its angular velocity, and is a tie in the language of\n"
            "composites, which has no port for that: simulate the mechanism itself."
        )
    if not _has_pose(part, exact):
        return tie(
            (*part.joint.rows, *part.joint.sums),
            o1,
            o2,
            particles=_particles(part),
            coordinates=part.joint.coordinates,
            friction=friction,
            theta0=theta0,
            drive=driven,
        )
    return joint(
        part.joint,
        o1,
        o2,
        group=GROUP,
        friction=friction,
        theta0=theta0,
        drive=driven,
        general=True,
    )


def _spring(element: Element, theta0: float) -> Composite:
    return spring(
        element.rows,
        *_offsets(element),
        particles=_particles(element),
        energy=element.energy,
        damping=element.damping,
        line=element.line,
        theta0=theta0,
    )


def refuse_across(m: Mechanism) -> None:
    """An error that names a spring along coordinates of several joints."""
    across = [part for part in m.joint_elements if len({one.joint.name for one in part.coordinates}) > 1]
    if across:
        names = ", ".join(repr(part.name) for part in across)
        raise ModelError(
            f"mechanism {m.name!r} has springs across several joints: {names}.\n"
            "They have no box in the language of composites yet: simulate the mechanism itself."
        )


def _has_pose(part: Joint, exact: bool) -> bool:
    """Whether it has a relative pose of its own; the others are ties of rows."""
    kind = part.joint
    return _couples_angles(part) or (
        kind.carries
        and (bool(kind.coordinates) != (kind.rotation_vector is not None))
        and all(isinstance(a, Angle) or not isinstance(b, Angle) for a, b in pairwise(kind.coordinates))
        and not (exact or any(_particles(part)))
    )


def _couples_angles(part: Joint) -> bool:
    """Whether it keeps a sum with an angle, as a screw does, which has no row that stays closed."""
    return any(isinstance(scalar, Angle) for one in part.joint.sums for scalar in one.scalars)


def _offsets(pair: Pair) -> tuple[SE3, SE3]:
    return offset(pair, pair.parent), offset(pair, pair.child)


def _particles(pair: Pair) -> tuple[bool, bool]:
    return isinstance(pair.parent, Particle), isinstance(pair.child, Particle)


def _relative(part: Joint, motion: Motion) -> Array:
    """The relative pose of a joint in embedding coordinates: rotations by their columns, displacements as they are."""
    if part.joint.rotation_vector is not None:
        X = frame_pose(part, part.parent, motion).inverse() @ frame_pose(part, part.child, motion)
        return X.R.T.ravel()
    values = coordinate_values(part, coordinates_of(part, motion))
    if _couples_angles(part):
        return np.array([motion.angles[part.name]])
    parts = []
    for kind, value in zip(part.joint.coordinates, values, strict=True):
        c, s = np.cos(value), np.sin(value)
        parts.append(np.array([c, s, -s, c]) if isinstance(kind, Angle) else np.array([value]))
    return np.concatenate(parts)
