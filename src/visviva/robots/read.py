"""read_urdf: a robot from its file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.mechanism import friction
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Ground
from visviva.mechanism.shapes import Shape
from visviva.robots.bodies import Bodies, bodies_of
from visviva.robots.description import SINGLE, SLIDING, TURNING, Geometry, Joint
from visviva.robots.names import PartNames
from visviva.robots.notes import notes_of
from visviva.robots.robot import Robot
from visviva.robots.urdf import read_description

Stops = tuple[float, float] | Mapping[str, tuple[float, float]]


@helpful
def read_urdf(
    source: str | os.PathLike[str],
    *,
    floating: bool = False,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    inputs: bool = True,
    stops: Stops | None = None,
    merge: bool = True,
    v_reg: float = 0.01,
    repair: bool = False,
) -> Robot:
    """The Mechanism that a URDF file describes, or its text, which begins with "<". It is built
    at q = 0; joints that mimic others are where these then have them.

    floating: whether the root link flies; else it is fixed to the ground.
    gravity:  acceleration [m/s²] in world axes, which are those of the root link as built.
    inputs:   whether joints have input ports: `<joint>_torque` of hinges [N m], `<joint>_force` of slides [N],
              `<joint>_wrench` (m; f) in world axes on the body that a planar or floating joint carries.
    stops:    (stiffness, damping) of elastic stops at the limits of hinges and slides, see `m.stop`, for all that have
              limits or by joint, {name: (stiffness, damping)}. None: limits are in `robot.limits`, and do nothing.
    merge:    whether links on fixed joints become part of the body that carries them, and frames of it. Else those
              with mass are bodies, and their welds have reactions.
    v_reg:    rate [rad/s, m/s] at which the dry friction of `<dynamics friction="…"/>` is regularised, see
              `vv.friction.coulomb`.
    repair:   whether an inertia that no body has (triangle inequality) is replaced by the nearest one; else it is
              refused. It is asked of what moves as one, not of each link that is fixed to it.

    A link is a body, or a frame where it moves with another, by its name in the file: run["tool.r"]. A joint that
    mimics another is coupled to it, `<joint>_mimic`. `robot.notes` says what was changed, `robot.description` has all
    that was read. Meshes are not opened, and files that declare entities are refused.
    """
    described = read_description(source)
    bodies = bodies_of(described, floating, merge, repair)
    if not bodies.inertias:
        raise ModelError(
            f"nothing of the robot {described.name!r} moves: none of its joints carries a link with mass.\n"
            "Give its links an <inertial>; for one that flies as a whole use floating=True."
        )
    if floating and bodies.inertias.get(described.root) is None:
        raise ModelError(
            f"the root link {described.root!r} has no mass, nor has what is fixed to it: with floating=True its\n"
            "motion would be undetermined. Give it an <inertial>, or leave floating=True out."
        )
    robot, names = Robot(described, gravity=gravity), PartNames()
    for name in described.links:
        robot.link_names[name] = names.new(name, "link")
    for joint in bodies.joints:
        robot.joint_names[joint.name] = names.new(joint.name, "joint")
    _add_bodies(robot, bodies)
    for joint in bodies.joints:
        _add_joint(robot, joint, bodies, names, finite_number(v_reg, "v_reg [rad/s, m/s]", positive=True))
    _add_mimics(robot, bodies, names)
    _add_frames(robot, bodies)
    if inputs:
        _add_ports(robot, bodies, names)
    if stops is not None:
        _add_stops(robot, bodies, stops, names)
    robot.notes = notes_of(robot, bodies, names, v_reg)
    return robot


def _add_bodies(robot: Robot, bodies: Bodies) -> None:
    for name, inertia in bodies.inertias.items():
        X = bodies.poses[name]
        robot.body(robot.link_names[name], inertia=inertia, at=X.r, rotation=X.R, massless=inertia is None)


def _carrier(robot: Robot, bodies: Bodies, link: str) -> Body | Ground:
    """The body that a link belongs to, or the ground."""
    own = bodies.carrier[link]
    part = robot.ground if own is None else robot[robot.link_names[own]]
    assert isinstance(part, Body | Ground)
    return part


def _add_joint(robot: Robot, joint: Joint, bodies: Bodies, names: PartNames, v_reg: float) -> None:
    name, X = robot.joint_names[joint.name], bodies.poses[joint.child]
    ends = _carrier(robot, bodies, joint.parent), _carrier(robot, bodies, joint.child)
    axis, loss = X.R @ joint.axis, _friction(joint, v_reg)
    q = bodies.q_built[joint.name] or None
    match joint.kind:
        case "revolute" | "continuous":
            robot.revolute(name, *ends, at=X.r, axis=axis, friction=loss, q_built=q)
        case "prismatic":
            robot.prismatic(name, *ends, at=X.r, axis=axis, friction=loss, q_built=q)
        case "planar":
            plane = robot.frame(names.added(f"{name}_plane"), ends[0], at=X.r, rotation=X.R @ _plane(joint))
            robot.planar(name, plane, ends[1])
        case "floating":
            origin = robot.frame(names.added(f"{name}_origin"), ends[0], at=X.r, rotation=X.R)
            robot.free(name, origin, ends[1])
        case "fixed":
            robot.fixed(name, *ends, at=X.r)
    if joint.limits is not None:
        robot.limits[name] = joint.limits


def _friction(joint: Joint, v_reg: float) -> Any:
    if joint.friction > 0:
        return friction.coulomb(joint.friction, v_reg=v_reg, viscous=joint.damping)
    return joint.damping


def _plane(joint: Joint) -> np.ndarray[Any, Any]:
    """Axes with z along the normal of a plane; those of the joint's frame where they have it, else turned from them."""
    n = joint.axis
    if n[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    x = np.array([1.0 - n[0] ** 2 / (1 + n[2]), -n[0] * n[1] / (1 + n[2]), -n[0]])
    return np.column_stack([x, np.cross(n, x), n])


def _add_mimics(robot: Robot, bodies: Bodies, names: PartNames) -> None:
    for joint in bodies.joints:
        if joint.mimic is None:
            continue
        own, other = robot.joint_names[joint.name], robot.joint_names[joint.mimic.joint]
        terms = {own: 1.0} | ({other: -joint.mimic.multiplier} if joint.mimic.multiplier else {})
        robot.coupler(names.added(f"{own}_mimic"), terms, offset=joint.mimic.offset)


def _add_frames(robot: Robot, bodies: Bodies) -> None:
    """Links that are not bodies as frames, and what all of them look like."""
    shapes: dict[str, list[Shape]] = {}
    for name, link in robot.description.links.items():
        carrier, X = _carrier(robot, bodies, name), bodies.poses[name]
        if bodies.carrier[name] != name:
            robot.frame(robot.link_names[name], carrier, at=X.r, rotation=X.R)
        shapes.setdefault(carrier.name, []).extend(_shape(geometry, X) for geometry in link.visuals)
    robot.shapes = {name: tuple(found) for name, found in shapes.items() if found}


def _shape(geometry: Geometry, X_WL: SE3) -> Shape:
    X, size = X_WL @ geometry.X_L, geometry.size
    match geometry.kind:
        case "box":
            half = np.array(size) / 2
        case "sphere":
            half = np.full(3, size[0])
        case "cylinder":
            half = np.array([size[0], size[0], size[1] / 2])
        case "capsule":
            half = np.array([size[0], size[0], size[1] / 2 + size[0]])
        case _:
            half = np.zeros(3)
    kind = "cylinder" if geometry.kind == "capsule" else geometry.kind
    return Shape(kind, half, X.R, X.r, geometry.mesh, None if geometry.colour is None else geometry.colour[:3])


def _add_ports(robot: Robot, bodies: Bodies, names: PartNames) -> None:
    for joint in bodies.joints:
        name = robot.joint_names[joint.name]
        if joint.mimic is not None or joint.kind == "fixed":
            continue
        if joint.kind in TURNING:
            robot.torque(names.added(f"{name}_torque"), name)
        elif joint.kind in SLIDING:
            robot.force(names.added(f"{name}_force"), name)
        else:
            robot.wrench(names.added(f"{name}_wrench"), robot.link_names[joint.child])


def _add_stops(robot: Robot, bodies: Bodies, stops: Stops, names: PartNames) -> None:
    limited = {
        robot.joint_names[joint.name]: joint
        for joint in bodies.joints
        if joint.kind in SINGLE and joint.limits is not None and joint.limits.lower is not None
    }
    if isinstance(stops, Mapping):
        for name in stops:
            if name not in limited:
                raise unknown_name(name, limited, "the list of joints with limits, which stops= refers to,")
        pairs = dict(stops)
    else:
        pairs = dict.fromkeys(limited, stops)
    for name, pair in pairs.items():
        bounds = limited[name].limits
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ModelError(f"stops of {name!r} must be (stiffness, damping), got {pair!r}.")
        assert bounds is not None
        assert bounds.lower is not None
        assert bounds.upper is not None
        robot.stop(names.added(f"{name}_stop"), name, bounds.lower, bounds.upper, stiffness=pair[0], damping=pair[1])
