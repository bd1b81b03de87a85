"""The parts of a mechanism by name and by kind, and how errors call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva._kinds import of_kind
from visviva.errors import ModelError
from visviva.mechanism.box import Box
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import (
    Body,
    Force,
    Frame,
    Ground,
    Joint,
    JointCoordinate,
    Motor,
    Particle,
    Port,
    Torque,
    WrenchPort,
)
from visviva.mechanism.thermal import Thermal

Acting = Torque | Force | WrenchPort | Element | JointElement | Motor | Stop | Thermal | Box
Part = Body | Particle | Frame | Joint | Acting | AbstractCondition
Coordinate = Joint | str | tuple[Joint | str, int | str]

LISTED = 8  # parts of a module that an error names
WORLD = "world"  # the ground, where no part is called so
CALLED = {"WrenchPort": "port", "Torque": "port", "Force": "port", "Ground": "the", "Element": "spring"}
CALLED |= {"JointElement": "spring"}
CALLED |= {"Thermal": "thermal node"}


class Parts:
    """The parts of a mechanism by name and by kind, to be read.

    inclusions: what each module that `include` has put there has brought along to look at, by prefix.
    """

    name: str
    ground: Ground
    parts: Mapping[str, Part]
    inclusions: Mapping[str, Any]

    def __getitem__(self, name: str) -> Part | Ground:
        if name == self.ground.name or (name == WORLD and WORLD not in self.parts):
            return self.ground
        if name in self.inclusions:
            inside = [repr(part) for part in self.parts if part.startswith(f"{name}.")]
            listed = ", ".join(inside[:LISTED]) + (", …" if len(inside) > LISTED else "")
            raise ModelError(f"{name!r} of mechanism {self.name!r} is a module: name a part of it, {listed}.")
        if name not in self.parts:
            raise unknown_name(name, [self.ground.name, *self.parts], f"mechanism {self.name!r}")
        return self.parts[name]

    @property
    def bodies(self) -> list[Body | Particle]:
        """All that has mass, in the order of building."""
        return of_kind(self.parts.values(), Body | Particle)

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order of building."""
        return of_kind(self.parts.values(), Joint)

    @property
    def frames(self) -> list[Frame]:
        """All named frames."""
        return of_kind(self.parts.values(), Frame)

    @property
    def ports(self) -> list[Port]:
        """All input ports, in the order of building: the order of u."""
        return of_kind(self.parts.values(), Port)

    @property
    def elements(self) -> list[Element]:
        """Springs and dampers between two frames, in the order of building."""
        return of_kind(self.parts.values(), Element)

    @property
    def joint_elements(self) -> list[JointElement]:
        """Springs and dampers along coordinates of joints, in the order of building."""
        return of_kind(self.parts.values(), JointElement)

    @property
    def conditions(self) -> list[AbstractCondition]:
        """What constrains it beyond the rows of its joints, in the order of building."""
        return of_kind(self.parts.values(), AbstractCondition)

    @property
    def stops(self) -> list[Stop]:
        """End stops of joints, in the order of building."""
        return of_kind(self.parts.values(), Stop)

    @property
    def motors(self) -> list[Motor]:
        """Electric motors on joints, in the order of building; they are ports as well."""
        return of_kind(self.parts.values(), Motor)

    @property
    def thermals(self) -> list[Thermal]:
        """What takes up heat and gets warm, in the order of building."""
        return of_kind(self.parts.values(), Thermal)

    @property
    def boxes(self) -> list[Box]:
        """Composites of the language that are parts, in the order of building."""
        return of_kind(self.parts.values(), Box)

    @property
    def is_thermal(self) -> bool:
        """Whether it accounts for entropy: it has thermal nodes, or boxes that exchange heat."""
        return bool(self.thermals) or any(box.is_thermal for box in self.boxes)

    def _find(self, part: Part | Ground | str, where: str) -> Part | Ground:
        if isinstance(part, str):
            return self[part]
        if not isinstance(part, Part | Ground):
            raise ModelError(
                f"{where} refers to {part!r}, which is no part of mechanism {self.name!r}: give a part or its name."
            )
        if part is not self.ground and self.parts.get(part.name) is not part:
            raise ModelError(
                f"{where} refers to {kind_of(part)} {part.name!r}, which is no part of mechanism {self.name!r}.\n"
                "It was made by another mechanism: use a handle that this one returned, or a name."
            )
        return part

    def _coordinate(self, given: Coordinate, where: str, turns: bool | None = None, hint: str = "") -> JointCoordinate:
        """A coordinate of a joint, named in one of the ways in which it can be: joint, or (joint, number or name).

        turns: True for angles, False for displacements alone; of a joint that has one of them it is meant.
        hint:  what errors add, where no joint was given.
        """
        named = isinstance(given, tuple) and len(given) > 1
        if isinstance(given, tuple) and named:
            if len(given) != 2 or not (isinstance(given[1], str) or whole(given[1]) is not None):
                raise ModelError(
                    f"{where} refers to {shown_parts(given)}: a coordinate is (joint, number), counted from 0, or\n"
                    "(joint, name of the coordinate)."
                )
            part, wanted = self._find(given[0], where), given[1]
        else:
            part, wanted = self._find(given, where), None  # type: ignore[arg-type]  # it says what is no part
        if not isinstance(part, Joint):
            raise ModelError(
                f"{where} refers to {kind_of(part)} {part.name!r}: give a joint, or (joint, number).{hint}"
            )
        kind, every = part.joint, [JointCoordinate(part, k) for k in range(len(part.joint.coordinates))]
        if not every:
            raise ModelError(
                f"{where} refers to joint {part.name!r}, which is {kind.kind} and has no coordinate.\n"
                "Give a joint that turns or slides: revolute, prismatic, cylindrical, universal, planar, screw."
            )
        listed = ", ".join(f"{one.number} {kind.names[one.number]!r}: {_sort(one)}" for one in every)
        fitting = [one for one in every if turns is None or one.turns is turns]
        if named:
            k = kind.names.index(wanted) if wanted in kind.names else whole(wanted)
            if k is None or not 0 <= k < len(every):
                raise ModelError(f"{where} asks for coordinate {wanted!r} of joint {part.name!r}, which has {listed}.")
            fitting = [one for one in fitting if one.number == k]
        if not fitting:
            raise ModelError(
                f"{where} acts along {'an angle' if turns else 'a displacement'}, but of joint {part.name!r}, which is "
                f"{kind.kind},\nthere is {listed}. Give a coordinate that {'turns' if turns else 'slides'}."
            )
        if len(fitting) > 1:
            raise ModelError(
                f"{where} refers to joint {part.name!r}, which has several coordinates ({listed}).\n"
                f"Say which one: ({part.name!r}, {fitting[0].number}) for {kind.names[fitting[0].number]!r}."
            )
        return fitting[0]


def whole(number: object) -> int | None:
    """A whole number of Python or NumPy, None for anything else; True is none."""
    return int(number) if isinstance(number, int | np.integer) and not isinstance(number, bool) else None


def shown_parts(given: tuple[Any, ...]) -> str:
    """A tuple with the names of handles in it."""
    return "(" + ", ".join(repr(getattr(one, "name", one)) for one in given) + ")"


def _sort(one: JointCoordinate) -> str:
    return "angle" if one.turns else "displacement"


def kind_of(part: Part | Ground) -> str:
    """How errors call a part."""
    if isinstance(part, AbstractCondition):
        return "drive" if part.kind == "driven" else "constraint"
    return CALLED.get(type(part).__name__, type(part).__name__.lower())
