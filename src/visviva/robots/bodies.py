"""Links as bodies: which ones move together, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva.geometry import SE3
from visviva.geometry.inertia import Inertia
from visviva.robots.description import Description, Joint


@final
@dataclass(frozen=True, eq=False)
class Bodies:
    """The links that become bodies, and what the others become.

    poses:    X_WL of each link at q = 0, the root in the origin.
    carrier:  the link whose body each link belongs to, None: the ground.
    inertias: of the bodies, in the frames of their links; None for a body without mass.
    joints:   those that stay, in order.   held: joints of links that carry no mass, which stay at q = 0.
    """

    poses: dict[str, SE3]
    carrier: dict[str, str | None]
    inertias: dict[str, Inertia | None]
    joints: list[Joint]
    held: list[Joint]


def bodies_of(robot: Description, floating: bool, merge: bool) -> Bodies:
    """Links that fixed joints hold belong to the body above; so do those at the ends that carry no mass.

    floating: whether the root moves; else it belongs to the ground.
    merge:    whether fixed links with mass lose their joint; those without mass always do.
    """
    above, poses = robot.above, {robot.root: SE3.identity()}
    head: dict[str, str | None] = {robot.root: robot.root if floating else None}
    for name, joint in above.items():  # parents come first
        poses[name] = poses[joint.parent] @ joint.X_P
        stays = joint.kind != "fixed" or not (merge or robot.links[name].inertia is None)
        head[name] = name if stays else head[joint.parent]
    inertias = _inertias(robot, head, poses)
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
    return Bodies(poses, carrier, kept, [above[name] for name in kept if name in above], held)


def _inertias(robot: Description, head: dict[str, str | None], poses: dict[str, SE3]) -> dict[str, Inertia | None]:
    """Inertia of the links that move as one, in the frame of the first of them; None where they have no mass."""
    found: dict[str, Inertia | None] = {name: None for name, own in head.items() if own == name}
    for name, own in head.items():
        inertia = robot.links[name].inertia
        if own is None or inertia is None:
            continue
        if own != name:
            X = poses[own].inverse() @ poses[name]
            inertia = inertia.moved(X.R, X.r)
        before = found[own]
        found[own] = inertia if before is None else before + inertia
    return found
