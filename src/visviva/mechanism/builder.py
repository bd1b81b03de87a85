"""What all methods that add parts to a mechanism share: names, handles, and what can carry what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.mechanism.box import Box
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.names import check_new_name, unknown_name
from visviva.mechanism.parts import (
    Body,
    Carrier,
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
End = Carrier | Frame | str
Coordinate = Joint | str | tuple[Joint | str, int | str]
RotationLike = SO3 | ArrayLike | None
P = TypeVar("P", bound=Part)
L = TypeVar("L")

PLAIN = (float, int, str, type(None))
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
        return [part for part in self.parts.values() if isinstance(part, Body | Particle)]

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Joint)]

    @property
    def frames(self) -> list[Frame]:
        """All named frames."""
        return [part for part in self.parts.values() if isinstance(part, Frame)]

    @property
    def ports(self) -> list[Port]:
        """All input ports, in the order of building: the order of u."""
        return [part for part in self.parts.values() if isinstance(part, Port)]

    @property
    def elements(self) -> list[Element]:
        """Springs and dampers between two frames, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Element)]

    @property
    def joint_elements(self) -> list[JointElement]:
        """Springs and dampers along coordinates of joints, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, JointElement)]

    @property
    def conditions(self) -> list[AbstractCondition]:
        """What constrains it beyond the rows of its joints, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, AbstractCondition)]

    @property
    def stops(self) -> list[Stop]:
        """End stops of joints, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Stop)]

    @property
    def motors(self) -> list[Motor]:
        """Electric motors on joints, in the order of building; they are ports as well."""
        return [part for part in self.parts.values() if isinstance(part, Motor)]

    @property
    def thermals(self) -> list[Thermal]:
        """What takes up heat and gets warm, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Thermal)]

    @property
    def boxes(self) -> list[Box]:
        """Composites of the language that are parts, in the order of building."""
        return [part for part in self.parts.values() if isinstance(part, Box)]

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


class Builder(Parts):
    """The parts of a mechanism that grows."""

    parts: dict[str, Part]
    inclusions: dict[str, Any]
    _laws: dict[Any, tuple[Any, Any]]

    def _new_name(self, name: str, what: str) -> None:
        check_new_name(name, self.parts, what)
        check_new_name(name, self.inclusions, what)

    def _add(self, part: P) -> P:
        _freeze(part)
        self.parts[part.name] = part
        return part

    def _traced(self, trace: Callable[..., L], *given: object) -> L:
        """trace(*given), once for the functions among them: a mechanism with other numbers has the same law."""
        if not any(map(callable, given)) or not all(callable(one) or isinstance(one, PLAIN) for one in given):
            return trace(*given)
        return self._once(given, (trace, *(id(one) if callable(one) else one for one in given)), lambda: trace(*given))

    def _once(self, given: object, key: object, make: Callable[[], L]) -> L:
        """make(), once for a key that has the id of what is given, which is kept so that nothing else gets it."""
        if key not in self._laws:
            self._laws[key] = given, make()
        law: L = self._laws[key][1]
        return law

    def _heat_sink(self, node: Thermal | str | None, where: str) -> Thermal | None:
        """The thermal node that takes up the heat of something; None: the environment."""
        if node is None:
            return None
        part = self._find(node, f"heat_to of {where}")
        if not isinstance(part, Thermal):
            raise ModelError(
                f"heat_to of {where} is {kind_of(part)} {part.name!r}, which takes up no heat: give a node made by\n"
                "m.thermal(...), or leave it out: then the heat goes to the environment."
            )
        return part

    def _end(self, part: End, where: str) -> tuple[Carrier, Frame | None]:
        """What carries one end of a joint or spring, and the named frame there, if one was given."""
        found = self._find(part, where)
        if isinstance(found, Frame):
            return found.carrier, found
        if not isinstance(found, Carrier):
            raise ModelError(
                f"{where} cannot hold {kind_of(found)} {found.name!r}: give a body, particle or ground, or a frame."
            )
        return found, None


def _freeze(part: Part) -> None:
    """Nothing that is written into the arrays of a handle can change the mechanism: they are read-only."""
    for value in vars(part).values():
        for array in value if isinstance(value, tuple) else (value,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False


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


def rotation_matrix(rotation: RotationLike, what: str) -> Array:
    """One rotation from the ways in which it can be given."""
    if rotation is None:
        return np.eye(3)
    if hasattr(rotation, "as_matrix"):  # a SciPy Rotation
        rotation = rotation.as_matrix()
    if np.shape(rotation) == (4,):
        raise ModelError(f"{what} is a quaternion: give SO3.from_quat((w, x, y, z)) of visviva.geometry, or a matrix.")
    R = SO3.from_matrix(rotation.R if isinstance(rotation, SO3) else rotation, name=what).R
    if R.shape != (3, 3):
        raise ModelError(f"{what} must be one rotation, a (3, 3) matrix; got shape {R.shape}.")
    return R
