"""States by the names that a run uses: which coordinates, poses, rates and other states a mapping gives."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.library.joints import Angle
from visviva.mechanism.box import Box
from visviva.mechanism.builder import rotation_matrix
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.inventory import whole
from visviva.mechanism.names import split_name
from visviva.mechanism.parts import Body, Frame, Ground, Joint, Motor, Particle
from visviva.mechanism.storage_states import check_entropy, entropy_with_temperature
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

Placed = Body | Frame | Particle
Key = tuple[str, int]  # joint, number of the coordinate
LISTED = 20
TEMPERATURE = ".temperature"
BOTH = "by its entropy and by its temperature"
INDEXED = re.compile(r"(.*)\[(\d+)\]")


@final
@dataclass(frozen=True, eq=False)
class PlaceGoal:
    """Where a body, frame or particle must be: R_WB (3, 3) and r (3,) of its frame in the world, None where open."""

    name: str
    part: Placed
    R: Array | None
    r: Array | None


@final
@dataclass(frozen=True, eq=False)
class SpeedGoal:
    """How it must move: its twist (6,) in its own axes, or the velocity (3,) of its origin in world axes."""

    name: str
    part: Placed
    twist: Array | None
    v: Array | None


@final
@dataclass(frozen=True, eq=False)
class Wanted:
    """What a mapping gives.

    q, rates:    of coordinates of joints.   turns, spins: of ball joints, R_PC and ω of the child against the parent in
                 the axes of the child's frame.   places, speeds: of bodies, frames and particles.
    others:      currents of motors [A], temperatures of thermal nodes [K] and states of boxes, by the names of a run.
    """

    q: dict[Key, float] = field(default_factory=dict)
    turns: dict[str, Array] = field(default_factory=dict)
    places: list[PlaceGoal] = field(default_factory=list)
    rates: dict[Key, float] = field(default_factory=dict)
    spins: dict[str, Array] = field(default_factory=dict)
    speeds: list[SpeedGoal] = field(default_factory=list)
    others: dict[str, Any] = field(default_factory=dict)


def wanted(m: Definition, given: Mapping[Any, Any], found: Wanted) -> Wanted:
    """The meaning of each key, checked; found: what is known already, and is added to."""
    for key, value in given.items():
        name, word, number = _parsed(m, key)
        match m.parts[name]:
            case Joint() as joint:
                _joint(m, found, joint, word, number, value, key)
            case Body() | Frame() | Particle() as part if number is None:
                _placed(m, found, part, word, value, key)
            case Motor() as motor if word == "current" and number is None:
                found.others[f"{name}.current"] = finite_number(value, f"current of motor {motor.name!r} [A]")
            case Thermal() as node if word == "temperature" and number is None:
                what = f"temperature of thermal node {node.name!r} [K]"
                found.others[f"{name}.temperature"] = finite_number(value, what, positive=True)
            case Box() as box if word.removesuffix(TEMPERATURE) in box.states and number is None:
                _box(m, found, box, word, value, key)
            case _:
                raise _no_state(m, key)
    return found


def gives_velocities(m: Definition, given: Mapping[Any, Any]) -> bool:
    """Whether a mapping says anything of how a mechanism moves."""
    found = wanted(m, given, Wanted())
    return bool(found.rates or found.spins or found.speeds)


def plain_names(m: Definition) -> dict[str, tuple[str, Key]]:
    """The names of single coordinates and rates: "q" or "rate", joint and number."""
    found: dict[str, tuple[str, Key]] = {}
    for joint in m.joints:
        k = len(joint.joint.coordinates)
        for word in ("q", "rate"):
            for i in range(k):
                found[f"{joint.name}.{word}" if k == 1 else f"{joint.name}.{word}[{i}]"] = word, (joint.name, i)
    return found


def state_names(m: Definition) -> list[str]:
    """All names by which a state can be given."""
    names: list[str] = []
    for name, part in m.parts.items():
        match part:
            case Joint() if part.joint.coordinates or part.joint.is_ball:
                names += [f"{name}.q", f"{name}.rate"]
                k = len(part.joint.coordinates)
                names += [f"{name}.{word}[{i}]" for word in ("q", "rate") for i in range(k) if k > 1]
            case Body():
                names += [f"{name}.{word}" for word in ("r", "R", "twist", "v")]
            case Frame() if not isinstance(part.carrier, Ground):
                names += [f"{name}.{word}" for word in ("r", "R", "twist", "v")]
            case Particle():
                names += [f"{name}.r", f"{name}.v"]
            case Motor():
                names.append(f"{name}.current")
            case Thermal():
                names.append(f"{name}.temperature")
            case Box():
                names += [part.variable(junction) for junction in part.states]
                names += [f"{part.variable(junction)}{TEMPERATURE}" for junction in part.entropies]
    return names


def _parsed(m: Definition, key: Any) -> tuple[str, str, int | None]:
    """Part, word and number of a key: "u.q[1]", ("u", 1), a handle, or a name alone."""
    number = None
    if isinstance(key, tuple) and len(key) == 2 and (number := whole(key[1])) is not None:
        key, word = key[0], "q"
    else:
        word = ""
    text = key if isinstance(key, str) else getattr(key, "name", None)
    if not isinstance(text, str):
        raise ModelError(f"a state of mechanism {m.name!r} is given by names such as 'hinge.q', got {key!r}.")
    if not isinstance(key, str) and m.parts.get(text) is not key:
        raise ModelError(f"the state of mechanism {m.name!r} names {text!r} by a handle of another mechanism.")
    name, rest = split_name(text, m.parts)
    if rest and number is None and (match := INDEXED.fullmatch(rest)):
        rest, number = match[1], int(match[2])
    word = rest or word
    if name not in m.parts:
        raise _no_state(m, text)
    if not word and not isinstance(m.parts[name], Joint | Placed):
        raise _no_state(m, text)
    return name, word, number


def _no_state(m: Definition, key: Any) -> ModelError:
    names, text = state_names(m), key if isinstance(key, str) else repr(key)
    part = m.parts.get(split_name(text, m.parts)[0])
    parts = dict.fromkeys(split_name(name, m.parts)[0] for name in names)
    own = [name for name in names if part is not None and split_name(name, m.parts)[0] == part.name]
    near = difflib.get_close_matches(text, own or [*names, *parts], n=3)
    near, listed = near or own[:LISTED], ", ".join(names[:LISTED])
    hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"There are {listed}."
    if isinstance(part, Joint) and not part.joint.coordinates and not part.joint.is_ball:
        hint = f"Joint {part.name!r} is {part.joint.kind} and has no coordinates; give poses of bodies or frames."
    if isinstance(part, Frame) and isinstance(part.carrier, Ground):
        hint = f"Frame {part.name!r} is on the ground and does not move."
    return ModelError(f"mechanism {m.name!r} has no state {text!r}. {hint}")


def _once(found: dict[Any, Any], at: Any, value: Any, key: Any, ways: str = "by its number and with its joint") -> None:
    if at in found:
        raise ModelError(f"{key!r} is given twice: {ways}. Give it once.")
    found[at] = value


def _joint(m: Definition, found: Wanted, joint: Joint, word: str, number: int | None, value: Any, key: Any) -> None:
    coordinates, word = joint.joint.coordinates, word or "q"
    if word not in ("q", "rate"):
        raise _no_state(m, key)
    if joint.joint.is_ball and number is None:
        if word == "rate":
            spin = finite_vector(value, f"rate of ball joint {joint.name!r}, ω in the child's frame [rad/s]", 3)
            return _once(found.spins, joint.name, spin, key)
        turn = finite_vector(value, f"q of ball joint {joint.name!r}, a quaternion (w, x, y, z)", 4)
        return _once(found.turns, joint.name, SO3.from_quat(turn, f"q of ball joint {joint.name!r}").R, key)
    if not coordinates:
        raise _no_state(m, key)
    units = ["rad" if isinstance(part, Angle) else "m" for part in coordinates]
    units = [f"{unit}/s" for unit in units] if word == "rate" else units
    values, numbers = found.q if word == "q" else found.rates, range(len(coordinates))
    what = f"{joint.name}.{word}"
    if number is not None:
        if number >= len(coordinates):
            raise ModelError(f"{what!r} has {len(coordinates)} entries, counted from 0; got {key!r}.")
        return _once(values, (joint.name, number), finite_number(value, f"{what}[{number}] [{units[number]}]"), key)
    given = finite_array(value, f"{what} [{', '.join(units)}]").reshape(-1) if len(units) == 1 else None
    if given is None:
        given = finite_vector(value, f"{what} [{', '.join(units)}]", len(units))
    elif given.shape != (1,):
        raise ModelError(f"{what} [{units[0]}] must be one number, got {value!r}.")
    for k in numbers:
        _once(values, (joint.name, k), float(given[k]), key)
    return None


def _box(m: Definition, found: Wanted, box: Box, word: str, value: Any, key: Any) -> None:
    """A state of a box; an entropy also by its temperature."""
    junction = word.removesuffix(TEMPERATURE)
    variable, what = box.variable(junction), f"{word} of box {box.name!r}"
    if word == junction:
        state = finite_vector(np.atleast_1d(finite_array(value, what)), what, box.states[junction])
        if junction in box.entropies:
            check_entropy(box.entropies[junction], m.theta0, state, variable, what)
        return _once(found.others, variable, state, key, BOTH)
    if junction not in box.entropies:
        raise _no_state(m, key)
    theta = finite_number(value, f"{what} [K]", positive=True)
    near = box.start(found.others)[variable]
    s = entropy_with_temperature(box.entropies[junction], m.theta0, near, theta, what)
    return _once(found.others, variable, s, key, BOTH)


def _placed(m: Definition, found: Wanted, part: Placed, word: str, value: Any, key: Any) -> None:
    if isinstance(part, Frame) and isinstance(part.carrier, Ground):
        raise _no_state(m, key)
    what, point = f"{part.name}.{word or 'pose'}", isinstance(part, Particle)
    R: Array | None = None
    r: Array | None = None
    if word == "r" or (point and word in ("", "q")):
        r = finite_vector(value, f"{what} [m]", 3)
    elif word == "R" and not point:
        R = _rotation(value, what)
    elif word == "" and not point:
        R, r = _pose(value, what)
    elif word == "q" and isinstance(part, Body):
        q = finite_vector(value, f"{what}, centre of mass and directors,", 12)
        R = SO3.from_matrix(POSES.rotation(q), name=f"directors of {what}").R @ part.R_BC.T
        r = POSES.translation(q) - R @ part.com
    elif word == "twist" and not point:
        goal = SpeedGoal(part.name, part, finite_vector(value, f"{what} (ω; v) [rad/s, m/s]", 6), None)
        return found.speeds.append(goal)
    elif word == "v":
        return found.speeds.append(SpeedGoal(part.name, part, None, finite_vector(value, f"{what} [m/s]", 3)))
    else:
        raise _no_state(m, key)
    found.places.append(PlaceGoal(part.name, part, R, r))
    return None


def _rotation(value: Any, what: str) -> Array:
    if np.shape(getattr(value, "R", value)) == (4,):
        return np.asarray(SO3.from_quat(finite_vector(value, f"{what}, a quaternion (w, x, y, z)", 4), what).R)
    return rotation_matrix(value, what)


def _pose(value: Any, what: str) -> tuple[Array, Array]:
    """From an SE3, a homogeneous matrix, or (r, quaternion) in seven numbers."""
    if isinstance(value, SE3):
        value = value.matrix
    if np.shape(value) == (7,):
        numbers = finite_vector(value, f"{what} (r, quaternion)", 7)
        return _rotation(numbers[3:], what), numbers[:3]
    if np.shape(value) != (4, 4):
        raise ModelError(
            f"{what} must be one pose: an SE3, a homogeneous (4, 4) matrix, or seven numbers (r; w, x, y, z), "
            f"got {value!r}."
        )
    X = SE3.from_matrix(finite_array(value, what), name=what)
    return X.R, X.r
