"""URDF, the Unified Robot Description Format: from a file to a `Description`.

Source: wiki.ros.org/urdf/XML; units are m, kg, rad, N.
"""

from __future__ import annotations

import os
from typing import TypeVar

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import hint_of
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name
from visviva.robots.description import KINDS, SINGLE, Description, Geometry, Joint, Limits, Link, MassData, Mimic
from visviva.robots.links_tree import in_order, some_names
from visviva.robots.markup import Element, read_markup, shortened
from visviva.robots.values import Words, number_of, numbers_of, optional_number, origin_of, text_of

OTHERS = {"sdf": "SDF", "mujoco": "MJCF", "drake": "a Drake model", "COLLADA": "a COLLADA scene"}
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHAPES = {"box": ("size", 3), "cylinder": ("radius", 1), "sphere": ("radius", 1), "capsule": ("radius", 1)}
Colour = tuple[float, float, float, float]
N = TypeVar("N", Link, Joint)


def read_description(source: str | os.PathLike[str]) -> Description:
    """What a URDF file says, or its text, which begins with "<"; an error that names the line where it is wrong."""
    robot, words = read_markup(source), Words()
    if robot.tag != "robot":
        kind = OTHERS.get(robot.tag, "another kind of file")
        raise ModelError(
            f"the root element is {robot}, so that this is {kind} and no URDF.\n"
            "That of a URDF is <robot>: convert the file first."
        )
    words.check(robot, ("name", "version"), ("link", "joint", "material", "transmission", "gazebo"))
    for tag in ("transmission", "gazebo"):
        words.skip(robot, tag)
    colours = _colours(robot, words)
    links = _by_name([(each, _link(each, colours, words)) for each in robot.all("link")])
    if not links:
        raise ModelError(f"{robot} has no <link>: a robot has at least one.")
    joints = _by_name([(each, _joint(each, words)) for each in robot.all("joint")])
    _check_mimics(joints)
    root, links, joints = in_order(links, joints, str(robot))
    name = robot.attributes.get("name", "").strip() or "robot"
    return Description(name, links, joints, root, words.ignored)


def _by_name(found: list[tuple[Element, N]]) -> dict[str, N]:
    lines: dict[str, int] = {}
    for element, part in found:
        if part.name in lines:
            raise ModelError(
                f"{element} has a name that another <{element.tag}> has in line {lines[part.name]}.\n"
                "Names of links are unique, and so are those of joints: rename one."
            )
        lines[part.name] = element.line
    return {part.name: part for _, part in found}


# -- links --------------------------------------------------------------------------------------------------------


def _link(element: Element, colours: dict[str, Colour], words: Words) -> Link:
    words.check(element, ("name", "type"), ("inertial", "visual", "collision"))
    words.skip(element, "collision")
    visuals = [_visual(each, element, colours, words) for each in element.all("visual")]
    return Link(text_of(element, "name"), _mass_data(element, words), tuple(visuals), str(element))


def _mass_data(link: Element, words: Words) -> MassData | None:
    """Mass and inertia of a link in its frame; None where both are missing or zero."""
    inertial = link.one("inertial")
    if inertial is None:
        return None
    words.check(inertial, (), ("origin", "mass", "inertia"))
    X, mass, tensor = origin_of(inertial, words), inertial.one("mass"), inertial.one("inertia")
    if mass is None or tensor is None:
        raise ModelError(
            f"the <inertial> of {link} has no <{'mass' if mass is None else 'inertia'}>.\n"
            "It has both, or the link has no <inertial> and no mass."
        )
    words.check(mass, ("value",), ())
    words.check(tensor, MOMENTS, ())
    m = number_of(mass, "value")
    given = {name: number_of(tensor, name) for name in MOMENTS}
    J = np.array([[given["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
    if m < 0:
        raise ModelError(f"the mass of {link} is {m:g} kg: it must be positive, or 0 for none.")
    return MassData(m, np.zeros(3), J).moved(X) if m > 0 or J.any() else None


def _visual(element: Element, link: Element, colours: dict[str, Colour], words: Words) -> Geometry:
    words.check(element, ("name",), ("origin", "geometry", "material"))
    geometry = element.one("geometry")
    if geometry is None or len(geometry.children) != 1:
        found = "no <geometry>" if geometry is None else f"a <geometry> of {len(geometry.children)} elements"
        raise ModelError(f"{element}, of {link}, has {found}: it has one, with one shape.")
    shape, X = geometry.children[0], origin_of(element, words)
    colour = _colour(element.one("material"), colours, words)
    if shape.tag == "mesh":
        words.check(shape, ("filename", "scale"), ())
        scale = numbers_of(shape, "scale", 3) if "scale" in shape.attributes else np.ones(3)
        return Geometry("mesh", tuple(scale.tolist()), X, text_of(shape, "filename"), colour)
    if shape.tag not in SHAPES:
        raise ModelError(f"the shape {shape}, of {link}, is unknown. {hint_of(shape.tag, [*SHAPES, 'mesh'])}")
    name, count = SHAPES[shape.tag]
    long = shape.tag in ("cylinder", "capsule")
    words.check(shape, (name, "length") if long else (name,), ())
    size = numbers_of(shape, name, count).tolist() + ([number_of(shape, "length")] if long else [])
    if min(size) < 0:
        raise ModelError(f"{shape}, of {link}, has a negative size: lengths of shapes are positive [m].")
    return Geometry(shape.tag, tuple(size), X, None, colour)


def _colours(robot: Element, words: Words) -> dict[str, Colour]:
    """Colours of the materials that the file names once for all."""
    found: dict[str, Colour] = {}
    for material in robot.all("material"):
        colour = _colour(material, {}, words)
        if colour is not None:
            found[text_of(material, "name")] = colour
    return found


def _colour(material: Element | None, colours: dict[str, Colour], words: Words) -> Colour | None:
    if material is None:
        return None
    words.check(material, ("name",), ("color", "texture"))
    own = material.one("color")
    if own is None:
        return colours.get(material.attributes.get("name", "").strip())
    words.check(own, ("rgba",), ())
    r, g, b, a = np.clip(numbers_of(own, "rgba", 4), 0.0, 1.0).tolist()
    return r, g, b, a


# -- joints -------------------------------------------------------------------------------------------------------


def _joint(element: Element, words: Words) -> Joint:
    words.check(
        element,
        ("name", "type"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"),
    )
    for tag in ("calibration", "safety_controller"):
        words.skip(element, tag)
    name, kind = text_of(element, "name"), text_of(element, "type")
    if kind not in KINDS:
        raise ModelError(f"{element} has the unknown type {shortened(kind)!r}. {hint_of(shortened(kind), KINDS)}")
    parent, child = (_end(element, tag, words) for tag in ("parent", "child"))
    X, axis, limits = origin_of(element, words), _axis(element, kind, words), _limits(element, kind, words)
    mimic, dynamics = _mimic(element, kind, words), _dynamics(element, kind, words)
    return Joint(name, kind, parent, child, X, axis, limits, mimic, *dynamics, str(element))


def _end(joint: Element, tag: str, words: Words) -> str:
    """The name of the link at one end of a joint."""
    end = joint.one(tag)
    if end is None:
        raise ModelError(f'{joint} has no <{tag}>: write <{tag} link="…"/>.')
    words.check(end, ("link",), ())
    return text_of(end, "link")


def _axis(joint: Element, kind: str, words: Words) -> Array:
    axis = joint.one("axis")
    if axis is None or kind in ("fixed", "floating"):  # which have none, whatever is written there
        return np.array([1.0, 0.0, 0.0])
    words.check(axis, ("xyz",), ())
    vector = numbers_of(axis, "xyz", 3)
    largest = float(np.abs(vector).max())
    if not largest > 0:
        raise ModelError(f'the axis of {joint} is zero. It is a direction, such as xyz="0 0 1".')
    vector = vector / largest
    return np.asarray(vector / np.linalg.norm(vector))


def _limits(joint: Element, kind: str, words: Words) -> Limits | None:
    limit = joint.one("limit")
    if limit is None or kind == "fixed":
        return None
    words.check(limit, ("lower", "upper", "effort", "velocity"), ())
    lower, upper = optional_number(limit, "lower"), optional_number(limit, "upper")
    if kind == "continuous":
        lower = upper = None  # it turns without end
    if (lower is None) != (upper is None):  # the format has 0 for the one that is missing
        lower, upper = lower or 0.0, upper or 0.0
    if lower is not None and upper is not None and lower > upper:
        raise ModelError(f"{joint} has limits from {lower:g} to {upper:g}: lower must not be more than upper.")
    return Limits(
        lower, upper, optional_number(limit, "effort", minimum=0.0), optional_number(limit, "velocity", minimum=0.0)
    )


def _dynamics(joint: Element, kind: str, words: Words) -> tuple[float, float]:
    dynamics = joint.one("dynamics")
    if dynamics is None or kind == "fixed":
        return 0.0, 0.0
    words.check(dynamics, ("damping", "friction"), ())
    damping, friction = (number_of(dynamics, name, 0.0, minimum=0.0) for name in ("damping", "friction"))
    if (damping > 0 or friction > 0) and kind not in SINGLE:
        raise ModelError(
            f"{joint} is {kind} and has damping or friction, whose units the format\n"
            "has for revolute, continuous and prismatic joints only: remove <dynamics>."
        )
    return damping, friction


def _mimic(joint: Element, kind: str, words: Words) -> Mimic | None:
    mimic = joint.one("mimic")
    if mimic is None or kind == "fixed":
        return None
    words.check(mimic, ("joint", "multiplier", "offset"), ())
    if kind not in SINGLE:
        raise ModelError(f"{joint} is {kind} and mimics another: a joint that does has one coordinate.")
    return Mimic(text_of(mimic, "joint"), number_of(mimic, "multiplier", 1.0), number_of(mimic, "offset", 0.0))


def _check_mimics(joints: dict[str, Joint]) -> None:
    """An error for a joint that mimics what is not there, has no single coordinate, or in the end mimics itself."""
    for joint in joints.values():
        if joint.mimic is None:
            continue
        other = joints.get(joint.mimic.joint)
        if other is None:
            raise unknown_name(shortened(joint.mimic.joint), joints, f"the <mimic> of {joint.where}: the robot")
        if other.kind not in SINGLE:
            raise ModelError(
                f"{joint.where} mimics {other.name!r}, which is {other.kind}: give a joint with one coordinate."
            )
    settled: set[str] = set()
    for start in joints:
        path: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in settled and name not in path:
            path[name] = None
            mimic = joints[name].mimic
            name = None if mimic is None else mimic.joint
        if name is not None and name in path:
            names = list(path)
            ring = some_names([*names[names.index(name) :], name], " → ")
            raise ModelError(f"joints mimic each other in a ring: {ring}. One of them must move by itself.")
        settled.update(path)
