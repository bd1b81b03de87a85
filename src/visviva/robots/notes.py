"""What was done with the file of a robot that its user should know."""

from __future__ import annotations

import numpy as np

from visviva.robots.bodies import Bodies
from visviva.robots.description import TURNING
from visviva.robots.links_tree import some_names
from visviva.robots.names import PartNames
from visviva.robots.robot import Robot

DEGREES = 20 * np.pi, 1000.0  # [rad]: limits beyond ten turns are rather degrees, unless they are meant to be none


def notes_of(robot: Robot, bodies: Bodies, names: PartNames, v_reg: float) -> tuple[str, ...]:
    """One sentence each, empty where the file was read as it is."""
    notes = [f"{kind} is called {found!r}" for kind, found in names.changed.items()]
    if bodies.held:
        listed = some_names([joint.name for joint in bodies.held])
        notes.append(f"no mass hangs on the joints {listed}: they stay at q = 0, and their links are frames")
    light = [robot.link_names[name] for name, inertia in bodies.inertias.items() if inertia is None]
    if light:
        notes.append(f"the links {some_names(light)} have no mass and move with what hangs on them")
    dry = [robot.joint_names[joint.name] for joint in bodies.joints if joint.friction > 0]
    if dry:
        notes.append(f"dry friction of {some_names(dry)} is regularised below rates of {v_reg:g} rad/s, m/s")
    if bodies.repaired:
        listed = some_names([robot.link_names[name] for name in bodies.repaired])
        notes.append(f"no body has the inertias of {listed}: the nearest that one has were taken")
    notes += _limits(robot, bodies)
    if robot.description.ignored:
        listed = ", ".join(f"{what} ({count})" for what, count in robot.description.ignored.items())
        notes.append(f"not read: {listed}")
    return tuple(notes)


def _limits(robot: Robot, bodies: Bodies) -> list[str]:
    """Limits that are not radians, or that the robot as built is outside of."""
    notes = []
    for joint in bodies.joints:
        if joint.limits is None or joint.limits.lower is None or joint.limits.upper is None:
            continue
        low, high, name = joint.limits.lower, joint.limits.upper, robot.joint_names[joint.name]
        if joint.kind in TURNING and DEGREES[0] < max(-low, high) < DEGREES[1]:
            notes.append(f"limits of {name!r}, {low:g} to {high:g} rad, seem to be degrees")
        elif not low <= (built := bodies.q_built[joint.name]) <= high:
            notes.append(f"q = {built:g} of {name!r}, as built, is outside of its limits, {low:g} to {high:g}")
    return notes
