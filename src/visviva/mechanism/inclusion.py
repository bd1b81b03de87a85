"""A mechanism inside another one: all parts of a module, under a prefix, on a frame of the host.

The module's ground becomes the frame `<prefix>.ground` of the host. Parts are data, and their places in the world as
built are marked in their fields (`world_fields`): each is moved by the pose of that frame, refers to the parts that are
there already, and stands on the frame's carrier where it stood on the ground. Functions of places in the module's world
see places against the frame (`relative_placements`). Gravity is the host's, ports in world axes are in those of the
host.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.mechanism.coupling import Term
from visviva.mechanism.function_condition import FunctionCondition
from visviva.mechanism.inventory import Part
from visviva.mechanism.parts import Body, Frame, Ground, JointCoordinate, PairCoordinate, PairTwist, Particle
from visviva.mechanism.relative_placements import function_seen_from, rows_seen_from, same_as_world
from visviva.mechanism.shapes import Shape
from visviva.mechanism.sliding_contacts import Blade, Disc, OwnRows
from visviva.mechanism.world_fields import Place, place_of

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.mechanism import Mechanism

D = TypeVar("D")
SAME_GRAVITY = 1e-9  # of its size: rounding of a rotation
Shapes = Mapping[str, tuple[Shape, ...]]


@final
@dataclass(frozen=True, eq=False)
class Mount:
    """Where a module goes.

    prefix: of its names.   frame: what its ground becomes.   parts: those that are there, by their names in the module.
    """

    prefix: str
    frame: Frame
    parts: dict[str, Part] = field(default_factory=dict)

    def add(self, part: Part) -> Part:
        """A part of the module as one of the host; all that it refers to must be there."""
        self.parts[part.name] = made = self._with_motion(part, self._renamed(part))
        return made

    def place(self, how: Place, value: Any) -> Any:
        """A place in the module's world in that of the host."""
        R, r = self.frame.R_WF, self.frame.r_WF
        if value is None or same_as_world(R, r):
            return value
        if how == "pose":
            return R @ value[0], R @ value[1] + r
        return R @ value + r if how == "point" else R @ value

    def _renamed(self, part: Part) -> Part:
        name = f"{self.prefix}.{part.name}"
        if isinstance(part, FunctionCondition):
            held = tuple(map(self._referred, part.placements.parts))
            return FunctionCondition(name, *function_seen_from(self.frame, held, part.function))
        return replace(self.moved(part), name=name)  # type: ignore[type-var]

    def moved(self, data: D) -> D:
        """A dataclass with its places moved, and with parts of the host in the place of those of the module."""
        changed = {}
        for one in fields(data):  # type: ignore[arg-type]
            if one.init:
                how, value = place_of(one), getattr(data, one.name)
                changed[one.name] = self._referred(value) if how is None else self.place(how, value)
        return replace(data, **changed)  # type: ignore[type-var]

    def _referred(self, value: Any) -> Any:
        match value:
            case Ground():
                return self.frame.carrier
            case JointCoordinate() | Term() | Blade() | Disc():
                return self.moved(value)
            case PairCoordinate() | PairTwist():
                return replace(self.moved(value), name=f"{self.prefix}.{value.name}")
            case OwnRows():
                return rows_seen_from(self.frame, tuple(map(self._referred, value.placements.parts)), value)
            case tuple():
                return tuple(map(self._referred, value))
            case dict():
                return {key: self._referred(one) for key, one in value.items()}
        return self.parts[value.name] if isinstance(value, Part) else value

    def _with_motion(self, part: Part, made: Part) -> Part:
        """The part with an initial velocity that was given against the module's ground, which may move itself."""
        carrier = self.frame.carrier
        given = part.twist if isinstance(part, Body) else part.velocity if isinstance(part, Particle) else None
        if given is None or isinstance(carrier, Ground):
            return made
        word = "twist" if isinstance(part, Body) else "velocity"
        if carrier.twist is None:
            raise ModelError(
                f"{part.name!r} of module {self.prefix!r} has an initial {word} against the module's ground, which is "
                f"now body {carrier.name!r},\nwhose own twist at the start is open. Give m.body({carrier.name!r}, ..., "
                f"twist=...), or rates of joints in the module."
            )
        X_WC = SE3(carrier.R_WB, carrier.r_WB)
        if isinstance(made, Body):
            X_BC = SE3(made.R_WB, made.r_WB).inverse() @ X_WC
            assert made.twist is not None
            return replace(made, twist=made.twist + X_BC.Ad() @ carrier.twist)
        assert isinstance(made, Particle)
        assert made.velocity is not None
        omega, v = X_WC.R @ carrier.twist[:3], X_WC.R @ carrier.twist[3:]
        return replace(made, velocity=made.velocity + v + np.cross(omega, made.r_W - X_WC.r))


def include_module(host: Mechanism, module: Definition, prefix: str, frame: Frame) -> Shapes:
    """Put all parts of a module into the host, and return the shapes that they have there."""
    _check_environment(host, module, prefix, frame)
    mount = Mount(prefix, frame)
    made = [mount.add(part) for part in module.parts.values()]  # errors come before anything is added
    host._add(frame)
    for part in made:
        host._add(part)
    on = {Ground().name: frame.carrier.name} | {name: f"{prefix}.{name}" for name in module.parts}
    return {on[name]: tuple(map(mount.moved, shapes)) for name, shapes in module.shapes.items()}


def with_shapes(shapes: Shapes, more: Shapes) -> dict[str, tuple[Shape, ...]]:
    """Shapes by body, with others added."""
    return dict(shapes) | {name: (*shapes.get(name, ()), *added) for name, added in more.items()}


def without_shapes(shapes: Shapes, some: Shapes) -> dict[str, tuple[Shape, ...]]:
    """Shapes by body, with some that were added taken away."""
    gone = {id(shape) for added in some.values() for shape in added}
    left = {name: tuple(shape for shape in found if id(shape) not in gone) for name, found in shapes.items()}
    return {name: found for name, found in left.items() if found}


def _check_environment(host: Mechanism, module: Definition, prefix: str, frame: Frame) -> None:
    """Gravity and temperature of the environment are one for all: a module has the host's."""
    g, own = host.gravity, module.gravity
    if own.any() and not (_close(own, g) or _close(frame.R_WF @ own, g)):
        raise ModelError(
            f"module {prefix!r} ({module.name!r}) was built with gravity {_shown(own)}, mechanism {host.name!r} has "
            f"{_shown(g)}.\nThere is one gravity, that of the host, in its axes: build the module without, or with the "
            "same."
        )
    if module.theta0 != host.theta0:
        raise ModelError(
            f"module {prefix!r} ({module.name!r}) has an environment of theta0 = {module.theta0:g} K, mechanism "
            f"{host.name!r} one of {host.theta0:g} K.\nThere is one environment: build both with the same theta0."
        )


def _close(one: Array, other: Array) -> bool:
    return float(np.abs(one - other).max()) <= SAME_GRAVITY * float(np.abs(other).max())


def _shown(vector: Array) -> str:
    return "(" + ", ".join(f"{number:g}" for number in vector) + ")"
