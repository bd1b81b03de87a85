"""Links as bodies: which ones move together, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.geometry.inertia import Inertia
from visviva.robots.description import Description, Joint, MassData


@final
@dataclass(frozen=True, eq=False)
class Bodies:
    """The links that become bodies, and what the others become.

    poses:    X_WL of each link as built, the root in the origin.
    q_built:  coordinates of joints as built, by name: 0, and of those that mimic what they then have.
    carrier:  the link whose body each link belongs to, None: the ground.
    inertias: of the bodies, in the frames of their links; None for a body without mass.
    joints:   those that stay, in order.   held: joints of links that carry no mass, which stay at q = 0.
    repaired: bodies whose inertia is not that of the file, see `nearest_inertia`.
    """

    poses: dict[str, SE3]
    q_built: dict[str, float]
    carrier: dict[str, str | None]
    inertias: dict[str, Inertia | None]
    joints: list[Joint]
    held: list[Joint]
    repaired: list[str]


def bodies_of(robot: Description, floating: bool, merge: bool, repair: bool) -> Bodies:
    """Links that fixed joints hold belong to the body above; so do those at the ends that carry no mass.

    floating: whether the root moves; else it belongs to the ground.
    merge:    whether fixed links with mass lose their joint; those without mass always do.
    repair:   whether an inertia that no body has is replaced; else it is an error.
    """
    above, poses, q_built = robot.above, {robot.root: SE3.identity()}, _coordinates_as_built(robot)
    head: dict[str, str | None] = {robot.root: robot.root if floating else None}
    for name, joint in above.items():  # parents come first
        poses[name] = poses[joint.parent] @ joint.X_P @ _motion(joint, q_built[joint.name])
        stays = joint.kind != "fixed" or not (merge or robot.links[name].inertia is None)
        head[name] = name if stays else head[joint.parent]
    inertias, repaired = _inertias(robot, head, poses, repair)
    coupled = {name for j in robot.joints.values() if j.mimic is not None for name in (j.name, j.mimic.joint)}
    carrying = {name for name, inertia in inertias.items() if inertia is not None}
    for name in reversed(inertias):
        if name in above and (name in carrying or above[name].name in coupled):
            carrying.add(name)
            over = head[above[name].parent]
            if over is not None:
                carrying.add(over)
    held = [above[name] for name in inertias if name not in carrying and name in above]
    carrier: dict[str, str | None] = {}
    for name in robot.links:
        own = head[name]
        if own == name and name in above and name not in carrying:
            own = carrier[above[name].parent]
        carrier[name] = own if own == name or own is None else carrier[own]
    kept = {name: inertia for name, inertia in inertias.items() if name in carrying}
    return Bodies(poses, q_built, carrier, kept, [above[name] for name in kept if name in above], held, repaired)


def _coordinates_as_built(robot: Description) -> dict[str, float]:
    """q = multiplier q_other + offset of joints that mimic another, which may do so as well; all others are at zero."""
    found: dict[str, float] = {}
    for name in robot.joints:
        chain = [robot.joints[name]]
        while (mimic := chain[-1].mimic) is not None and mimic.joint not in found:
            chain.append(robot.joints[mimic.joint])
        for joint in reversed(chain):
            mimic = joint.mimic
            found[joint.name] = 0.0 if mimic is None else mimic.multiplier * found[mimic.joint] + mimic.offset
    return found


def _motion(joint: Joint, q: float) -> SE3:
    """Of the child at a coordinate of a joint that has one."""
    if q == 0:
        return SE3.identity()
    if joint.kind == "prismatic":
        return SE3(np.eye(3), q * joint.axis)
    return SE3(SO3.exp(q * joint.axis).R, np.zeros(3))


def _inertias(
    robot: Description, head: dict[str, str | None], poses: dict[str, SE3], repair: bool
) -> tuple[dict[str, Inertia | None], list[str]]:
    """Inertia of the links that move as one, in the frame of the first of them, None where they have no mass.

    Only the sum has to be that of a body: many a file has a part of a link that no body has. And which were repaired.
    """
    sums: dict[str, MassData | None] = {name: None for name, own in head.items() if own == name}
    parts: dict[str, list[str]] = {name: [] for name in sums}
    for name, own in head.items():
        given = robot.links[name].inertia
        if own is not None and given is not None:
            given = given if own == name else given.moved(poses[own].inverse() @ poses[name])
            before = sums[own]
            sums[own] = given if before is None else before + given
            parts[own].append(robot.links[name].where)
    found: dict[str, Inertia | None] = {}
    repaired: list[str] = []
    for name, total in sums.items():
        try:
            found[name] = None if total is None else Inertia(total.mass, total.J, total.com)
        except ModelError as cause:
            assert total is not None
            others = f" with {len(parts[name]) - 1} links fixed to it" if len(parts[name]) > 1 else ""
            what = f"{parts[name][0]}{others}"
            if not total.mass > 0:
                raise ModelError(
                    f"{what} has an inertia, but the mass 0. What turns has mass: give it one,\n"
                    "or set its inertia to zero as well, for a link that is only a frame."
                ) from cause
            if not repair:
                raise ModelError(
                    f"{what}: {cause}\nOr take the nearest inertia that a body can have: repair=True."
                ) from cause
            repaired.append(name)
            found[name] = nearest_inertia(total)
    return found, repaired


def nearest_inertia(given: MassData) -> Inertia:
    """The inertia with the nearest Euler tensor E = ½ tr(J) I - J that a body has: no eigenvalue of it is negative."""
    J = 0.5 * (given.J + given.J.T)
    values, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    return Inertia.from_euler(given.mass, axes @ np.diag(np.maximum(values, 0.0)) @ axes.T, given.com)
