"""Boxes and junctions of a composite as they grow, and the names that both have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from visviva.errors import ModelError
from visviva.language import AbstractSystem
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.parts import Along, Carrier, Frame, Ground, Joint, JointCoordinate, Pair, Particle
from visviva.mechanism.placement import offset
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.geometry import SE3
    from visviva.mechanism.definition import Definition

NO_LETTER = r"\W"
GROUND, HEAT = "ground", "s"  # the box of what does not move; the junction of heat that has no node


class Wiring:
    """What is there so far.   outer: junctions that are shown, by the names of ports."""

    def __init__(self, m: Definition) -> None:
        self.m = m
        self.names = box_names(m)
        self.boxes: dict[str, AbstractSystem] = {}
        self.junctions: dict[str, list[str]] = {}
        self.outer: dict[str, str] = {}

    def add(self, box: str, system: AbstractSystem, at: Mapping[str, str]) -> None:
        """A box whose ports are at these junctions, which begin with it where they are new."""
        self.boxes[box] = system
        for port, junction in at.items():
            self.junctions.setdefault(junction, []).append(f"{box}.{port}")

    def add_between(self, pair: Pair, box: str, system: AbstractSystem, at: Mapping[str, str]) -> None:
        """A box with the ports q_1, p_1, q_2, p_2 of two carriers, as far as it has them, and others."""
        ends = {"1": self.carrier(pair.parent), "2": self.carrier(pair.child)}
        poses = {f"{letter}_{k}": f"{letter}_{end}" for k, end in ends.items() for letter in "qp"}
        self.add(box, system, {port: (poses | dict(at))[port] for port in system.interface})

    def carrier(self, end: Carrier) -> str:
        """The box of a body, a particle or the ground."""
        return GROUND if isinstance(end, Ground) else self.names[end.name]

    def rate(self, at: Along) -> str:
        """The junction where something acts along a coordinate of a joint, or a displacement between two frames."""
        if not isinstance(at, JointCoordinate):
            return f"rate_{re.sub(NO_LETTER, '_', at.name)}"
        return f"rate_{self.names[at.joint.name]}_{coordinate_port(at.joint, at.number)}"

    def heat(self, sink: Thermal | None) -> str:
        """The junction where heat goes to a node, or to the environment."""
        return HEAT if sink is None else f"s_{self.names[sink.name]}"


def box_names(m: Definition) -> dict[str, str]:
    """The names of the parts as identifiers; an error where two become one."""
    own = {name for joint in m.joints for name in joint.sum_names}
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, part in m.parts.items():
        if isinstance(part, Frame) or (isinstance(part, AbstractCondition) and name in own):
            continue
        short = re.sub(NO_LETTER, "_", name)
        short = short if short.isidentifier() else f"_{short}"
        if short in taken:
            raise ModelError(
                f"parts {taken[short]!r} and {name!r} of mechanism {m.name!r} would both be the box {short!r} of its "
                "composite.\nBoxes have letters, digits and underscores in their names: rename one of the parts."
            )
        found[name], taken[short] = short, name
    return found


def coordinate_port(joint: Joint, number: int) -> str:
    """The port of a joint's box for one of its coordinates: its name, of which letters and digits are kept."""
    short = re.sub(r"\W|_", "", joint.joint.names[number])
    return short if short.isidentifier() else f"c{number}"


def unit_of(at: Along) -> str:
    """ "rad" or "m"."""
    return "rad" if at.turns else "m"


def offsets(pair: Pair) -> tuple[SE3, SE3]:
    """The frames of a pair on its carriers."""
    return offset(pair, pair.parent), offset(pair, pair.child)


def particles(pair: Pair) -> tuple[bool, bool]:
    """Which of the ends are particles."""
    return isinstance(pair.parent, Particle), isinstance(pair.child, Particle)
