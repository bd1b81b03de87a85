"""Boxes in the builder: composites of the language as parts of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from visviva._arrays import AXES, Array, frozen
from visviva._suggestions import hint_of
from visviva.errors import ModelError
from visviva.language import Composite, Environment, Storage
from visviva.library.joints import SPIN_OF_CHILD, Length, Twist, along
from visviva.mechanism.box import MOMENTA, POSITIONS, VECTORS, Box
from visviva.mechanism.builder import Builder
from visviva.mechanism.inventory import kind_of, shown_parts
from visviva.mechanism.joining import direction, point_on
from visviva.mechanism.parts import Along, Body, Carrier, Ground, Joint, OneAlong, PairCoordinate, PairTwist, Particle
from visviva.mechanism.thermal import Thermal

ENVIRONMENT = "environment"
WORLD, BODY = "world", "body"  # in whose axes a twist is
OF_POINTS = "\nTwo points have a distance: give both, (a, b), or a point and an axis."
OF_FRAMES = "\nA body has a turn rate: a port of an angular momentum can be at ('rotor', (0, 0, 1)), with an axis."
ENDS = "give an end, (end, 'body') for axes of its own, or (end, other) for its motion against another part."
RESULTS = frozenset({"exergy_power", "flow", "power", "u", "work"})  # ends of names that results of a box have


class BoxMethods(Builder):
    """A box is a system with states of its own, wired by ports."""

    theta0: float

    def box(self, name: str, system: Composite, ports: Mapping[str, Any] | None = None) -> Box:
        """Any composite of the language as a part: its outer ports sit on joints, between points, on thermal nodes.

            m.box("dc", motor, ports={"shaft": "hinge", "s": "housing"})

        ports: where its ports are, by name.
               A port of an angular momentum sits on an angle of a joint, that of a momentum on a displacement: its
               effort is the rate of the coordinate, its flow the force of the parent on the child along it.
               A port of an angle or a displacement is the coordinate itself: for springs, and for laws that read it.
               Where a displacement is asked for, two ends of a line may stand, ("boom eye", "mast eye"), frames or
               centres of bodies and particles, or (body, point) with a world point as built: then it is their
               distance, positive forces push them apart. ("hook", (0, 0, 1)), an end and an axis of the ground, is
               how far the end has gone along the axis since it was built; forces act on it. Of a body that carries
               the axis along, ("hook", (0, 0, 1), "trolley"), in the world as built.
               A port of an angular momentum can be at ("rotor", (0, 0, 1)), a body or frame and an axis of the ground,
               or at ("rotor", (0, 0, 1), "carrier"): its effort is the angular velocity about that axis.
               Three momenta, `quantities.momentum3`, sit on a ball, "hip": angular velocities of the child against the
               parent in axes of the frame on the child, and torques; or on a point, "hook" or ("boom", (1, 0, 0)): its
               velocity, and a force. Six momenta, `quantities.momentum6`, sit on a body, at its centre of mass, or on a
               frame: the twist (ω; v), and a wrench (m; f). Axes are those of the world, ("hull", "body") says those
               of the body or frame; ("hull", "barge") is the motion against another part, in axes of the hull.
               A port of entropy sits on a thermal node; left out, or "environment": on the environment.
        All other ports stay inputs: `inputs={"dc.supply": 24.0}`, or "dc" where there is one only.

        Its states start as the system does, see `visviva.language.starting`, or as `initial={"dc.phi": 0.1}` says.
        Results are `run["dc.phi"]` for each of its states, `run["energy.dc"]`, `run["heat.dc"]`, and
        `run["dc.shaft.power"]`, `run["dc.shaft.force"]` of what goes through a port.
        """
        self._new_name(name, "box")
        where = f"box {name!r}"
        if not isinstance(system, Composite):
            raise ModelError(
                f"{where} must hold a composite system, got {type(system).__name__}.\n"
                "Wire components by visviva.language.compose(...), and show what the mechanism needs by outer=."
            )
        if ports is not None and not isinstance(ports, Mapping):
            raise ModelError(f"ports of {where} are a dictionary {{port: joint or node}}, got {ports!r}.")
        given = dict(ports or {})
        known = system.interface
        for asked in given:
            if asked not in known:
                listed = ", ".join(known) or "none"
                hint = hint_of(str(asked), known)
                raise ModelError(f"{where} has no port {asked!r}; its ports are: {listed}. {hint}")
        rates: dict[str, Along] = {}
        places: dict[str, OneAlong] = {}
        nodes: dict[str, Thermal | None] = {}
        for port in known.values():
            what, at = f"port {port.name!r} of {where}", given.get(port.name)
            if port.quantity.is_entropy:
                if port.name in given or _loose(system, port.name):
                    nodes[port.name] = self._node(at, what)
            elif port.name in given and port.quantity in MOMENTA:
                rates[port.name] = self._rate(at, what, f"{name}.{port.name}", MOMENTA[port.quantity])
            elif port.name in given and port.quantity in VECTORS:
                rates[port.name] = self._twist(at, what, f"{name}.{port.name}", port.quantity.dim)
            elif port.name in given and port.quantity in POSITIONS:
                places[port.name] = self._along(at, what, f"{name}.{port.name}", POSITIONS[port.quantity])
            elif port.name in given:
                raise ModelError(
                    f"{what} exchanges {port.quantity.name}, which no joint and no node does in "
                    f"{port.quantity.space}.\nMomenta and displacements in R sit on joints or between points, momenta "
                    "in R3 on balls and points, in R6\non bodies and frames, entropy on thermal nodes; others stay "
                    "inputs."
                )
        box = Box(name, system, rates, places, nodes)
        self._check_box(box, where)
        return self._add(box)

    def _rate(self, at: Any, what: str, name: str, turns: bool) -> Along:
        """A coordinate, or the turn rate of an end about an axis of something else."""
        several = turns and isinstance(at, tuple | list) and len(at) in (2, 3) and not self._is_joint(at[0])
        if several and self._is_axis(at[1]):
            return self._turn_rate(at, what, name)
        return self._along(at, what, name, turns)

    def _along(self, at: Any, what: str, name: str, turns: bool) -> OneAlong:
        """A coordinate of a joint, the distance of two ends, or the way of an end along an axis of something else."""
        if not isinstance(at, tuple | list) or len(at) not in (2, 3) or self._is_joint(at[0]):
            return self._coordinate(at, what, turns, OF_FRAMES if turns else OF_POINTS)
        if turns:
            raise ModelError(
                f"{what} acts along an angle, and {shown_parts(tuple(at))} is none.\nGive a joint that turns; a port "
                "of an angular momentum can be at an end and an axis, ('rotor', (0, 0, 1)): it has a\nrate, but no "
                "angle."
            )
        first, r_a = self._point(at[0], what)
        if self._is_axis(at[1]):
            against = self._carrying(at[2], what) if len(at) == 3 else self.ground
            if first is against:
                whose = "the ground" if isinstance(first, Ground) else repr(first.name)
                raise ModelError(
                    f"{what} is at a point of {whose}, which does not move along axes of its own: give one of another "
                    "body."
                )
            R = direction(name, at[1], what="port")
            assert R is not None
            return PairCoordinate(name, against, first, *_pose(R, r_a), _pose(R, r_a), along(2))
        if len(at) == 3:
            raise ModelError(
                f"{what} is at {shown_parts(tuple(at))}: give two ends, (a, b), an end and an axis, or an end, an axis "
                "and the body whose axis it is."
            )
        second, r_b = self._point(at[1], what)
        if first is second:
            raise ModelError(
                f"{what} is between two points of {first.name!r}, whose distance does not change: give points of two "
                "bodies."
            )
        axes = np.eye(3)
        return PairCoordinate(name, first, second, *_pose(axes, r_b), _pose(axes, r_a), Length())

    def _turn_rate(self, at: Any, what: str, name: str) -> PairTwist:
        """The angular velocity of an end about an axis of the ground, or of another body."""
        first, r = self._solid(at[0], what)
        against = self._carrying(at[2], what) if len(at) == 3 else self.ground
        if first is against:
            raise ModelError(f"{what} is the turn of {first.name!r} about axes of its own: give one of another body.")
        R = direction(name, at[1], what="port")
        assert R is not None
        return PairTwist(name, against, first, *_pose(R, r), _pose(R, r), Twist((2,), of_child=False))

    def _twist(self, at: Any, what: str, name: str, dim: int) -> PairTwist:
        """The spin of a joint that turns without coordinates, the velocity of a point, or the twist of a frame."""
        if self._is_joint(at) or (isinstance(at, tuple | list) and len(at) > 0 and self._is_joint(at[0])):
            return self._spin(at, what, name, dim)
        end, other = self._end_and_other(at, what)
        entries = tuple(range(6 - dim, 6))
        (first, r), R = self._point(end, what) if dim == 3 else self._solid(end, what), self._axes_of(end)
        if isinstance(first, Particle) and other == BODY:
            raise ModelError(f"{what} is in axes of {first.name!r}, a particle, which has none: leave out {BODY!r}.")
        against: Carrier = self.ground
        if other not in (WORLD, BODY):
            against = self._carrying(other, what)
        if first is against:
            raise ModelError(f"{what} is at a point of {first.name!r}, which does not move there: {ENDS}")
        of_child = other != WORLD and not isinstance(first, Particle)
        on_parent = _pose(R if against is not self.ground else np.eye(3), r)
        return PairTwist(name, against, first, *_pose(R, r), on_parent, Twist(entries, of_child))

    def _end_and_other(self, at: Any, what: str) -> tuple[Any, Any]:
        """An end, and in which axes its motion is: of the world, of its own body, or as it is against another part."""
        if not isinstance(at, tuple | list) or (len(at) == 2 and _is_vector(at[1])):
            return at, WORLD
        if len(at) != 2:
            raise ModelError(f"{what} is at {shown_parts(tuple(at))}: {ENDS}")
        end, other = at
        if not isinstance(other, str):
            self._find(other, what)
        elif other in (WORLD, BODY) and other in self.parts:
            raise ModelError(
                f"{what} is in axes {other!r}, but a part of mechanism {self.name!r} has this name too.\nCall the part "
                f"otherwise, or give it as m[{other!r}] where it is meant."
            )
        return end, other

    def _spin(self, at: Any, what: str, name: str, dim: int) -> PairTwist:
        """Angular velocity of the child of a joint against its parent, in axes of the frame on the child."""
        joint = self._find(at[0] if isinstance(at, tuple | list) else at, what)
        assert isinstance(joint, Joint)
        if dim != 3 or isinstance(at, tuple | list) or not joint.joint.spins:
            raise ModelError(
                f"{what} has {dim} momenta, and joint {joint.name!r} is {joint.joint.kind}: three momenta sit on the "
                "spin of a joint that\nturns without coordinates, as a ball. Give a port of one momentum to each "
                "coordinate of others, or sit on a body."
            )
        for end in (joint.parent, joint.child):
            if isinstance(end, Particle):
                raise ModelError(
                    f"{what} is at the spin of joint {joint.name!r}, but {end.name!r} is a particle and does not turn."
                )
        return PairTwist(
            name, joint.parent, joint.child, *joint.frame_on(joint.child), joint.frame_on(joint.parent), SPIN_OF_CHILD
        )

    def _solid(self, given: Any, what: str) -> tuple[Carrier, Array]:
        """An end that turns, and where it is: a frame, a body, the ground, or (body, world point as built)."""
        if given is self.ground or (isinstance(given, str) and given == self.ground.name):
            return self.ground, np.zeros(3)
        carrier, r = self._point(given, what)
        if isinstance(carrier, Particle):
            raise ModelError(
                f"{what} is at {carrier.name!r}, which is a particle and does not turn: give a body or a frame."
            )
        return carrier, r

    def _carrying(self, given: Any, what: str) -> Carrier:
        """What carries the axes along which something moves: a body, or the ground."""
        carrier = self._end(given, what)[0]
        if isinstance(carrier, Particle):
            raise ModelError(
                f"{what} is along axes of {carrier.name!r}, a particle, which has none: give a body or a frame there."
            )
        return carrier

    def _axes_of(self, given: Any) -> Array:
        """Axes of an end as built: those of its frame, or of its body."""
        carrier, frame = self._end(given[0] if isinstance(given, tuple | list) else given, "port")
        if frame is not None:
            return frame.R_WF
        return carrier.R_WB if isinstance(carrier, Body) else np.eye(3)

    def _is_axis(self, given: Any) -> bool:
        """Whether it is a direction: three numbers, or one of x, y and z that is no part."""
        return _is_vector(given) or (isinstance(given, str) and given in AXES and given not in self.parts)

    def _is_joint(self, given: Any) -> bool:
        return isinstance(self.parts.get(given) if isinstance(given, str) else given, Joint)

    def _point(self, given: Any, what: str) -> tuple[Carrier, Array]:
        """An end of a line: a frame, body or particle, or (body or ground, world point as built)."""
        if isinstance(given, tuple | list):
            if len(given) != 2:
                raise ModelError(f"{what} has the end {given!r}: give a frame, a body, or (body, point).")
            carrier, frame = self._end(given[0], what)
            return carrier, point_on(carrier, frame, given[1], what, "the point")
        carrier, frame = self._end(given, what)
        if frame is None and isinstance(carrier, Ground):
            raise ModelError(f"{what} ends on the ground: say where, (m.ground, (x, y, z)), or give a frame there.")
        return carrier, point_on(carrier, frame, None, what, "the point")

    def _node(self, at: Any, what: str) -> Thermal | None:
        if at is None or (isinstance(at, str) and at == ENVIRONMENT):
            return None
        part = self._find(at, what)
        if not isinstance(part, Thermal):
            raise ModelError(
                f"{what} is at {kind_of(part)} {part.name!r}, which takes up no heat: give a node made by\n"
                "m.thermal(...), or leave it out: then the heat goes to the environment."
            )
        return part

    def _check_box(self, box: Box, where: str) -> None:
        flat = box.flat
        for name, part in flat.boxes.items():
            if isinstance(part, Environment) and part.theta0 != self.theta0:
                raise ModelError(
                    f"{where} has an environment {name!r} at {part.theta0:g} K, mechanism {self.name!r} one at "
                    f"{self.theta0:g} K.\nExergy needs one: make them the same, by theta0= of vv.Mechanism(...)."
                )
        for name in (*box.states, *(flat.outer[port] for port in box.places)):
            if name in RESULTS:
                raise ModelError(
                    f"{where} has a state {name!r}, but run[{box.variable(name)!r}] is another result of it: call the "
                    f"junction otherwise.\nReserved are {', '.join(sorted(RESULTS))}."
                )
        for port in (*box.rates, *box.places, *box.nodes):
            junction = flat.outer[port]
            holder = box.holder(junction)
            ends = [f"{one}.{inner}" for one, inner in flat.junctions[junction].ends]
            if isinstance(holder, Environment) or (port in box.nodes and isinstance(holder, Storage)):
                raise ModelError(
                    f"port {port!r} of {where} is held inside, by {', '.join(ends)}: two parts would set its effort.\n"
                    "Put a wall (thermal.conduction) or a spring between them, or leave the inner one out."
                )
            others = [
                f"{one}.{inner}"
                for one, inner in flat.junctions[junction].ends
                if flat.boxes[one].interface[inner].power and not isinstance(flat.boxes[one], Storage)
            ]
            if port in box.places and others:
                raise ModelError(
                    f"port {port!r} of {where} is a displacement or an angle, and {', '.join(others)} would change it "
                    "as well.\nThere, springs may act and laws may read it (quantity.state). What has a rate of its "
                    "own goes to a port of momentum."
                )


def _is_vector(given: Any) -> bool:
    """Whether it is three numbers."""
    return (isinstance(given, np.ndarray) and given.shape == (3,)) or (
        isinstance(given, tuple | list) and len(given) == 3 and all(isinstance(one, Real) for one in given)
    )


def _pose(R: Array, r: Array) -> tuple[Array, Array]:
    return frozen(R), frozen(r)


def _loose(system: Composite, port: str) -> bool:
    """Whether a port of entropy is held by nothing inside, so that its heat goes to the environment."""
    flat = system.flatten()
    parts = (flat.boxes[box] for box, _ in flat.junctions[flat.outer[port]].ends)
    return not any(isinstance(part, Storage | Environment) for part in parts)
