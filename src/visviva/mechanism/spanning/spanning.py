"""Spanning trees: a mechanism as a tree of links, and the joints that are cut to make it one.

The tree holds as many constraint rows as a tree can: joints with many rows come first (a spanning tree of greatest
weight, grown from the ground, the shallowest where several would do), so that the loops that are left have the least
rows. What hangs on nothing flies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints import AbstractJoint, Ball, Flight, Free, Shift, Turn
from visviva.mechanism.definition import Definition
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Particle
from visviva.mechanism.spanning.links import SIZES
from visviva.mechanism.spanning.tree import Link, Tree
from visviva.numerics.spanning_trees import grow

AXES = tuple(np.roll(np.eye(3), 2 - k, axis=1) for k in range(3))  # frames with z along x, y and z
REVERSED = np.diag([1.0, -1.0, -1.0])  # half a turn about x


@final
@dataclass(frozen=True, eq=False)
class Part:
    """One elementary motion of a joint.

    R: its axes in the joint's frame, z along its own axis.   coordinate: its number among those of the joint.
    """

    kind: str
    R: Array  # (3, 3)
    coordinate: int | None = None
    pitch: float = 0.0


FLIGHT = tuple(Part("slider", R) for R in AXES)  # of a particle


@final
@dataclass(frozen=True, eq=False)
class Place:
    """Where a link comes from, and where its coordinates and velocities are.

    joint:      it is a part of this joint; None: it flies.   carrier: the body or particle that the joint carries.
    coordinate: its number among the coordinates of the joint, where it has one.
    last:       whether it carries the body itself.
    """

    joint: Joint | None
    carrier: Body | Particle
    coordinate: int | None
    last: bool
    q: slice
    xi: slice


@final
@dataclass(frozen=True, eq=False)
class Spanning:
    """The tree of a mechanism: one or more links for each body and particle.

    places: of the links.   link: the one that carries each body and particle, by name.
    held:   names of the constraints that the tree satisfies by itself.   cut: joints that close loops.
    """

    tree: Tree
    places: tuple[Place, ...]
    link: dict[str, int]
    held: frozenset[str]
    cut: tuple[Joint, ...]

    @property
    def size_q(self) -> int:
        """Number of coordinates."""
        return sum(SIZES[link.kind][0] for link in self.tree.links)

    @property
    def n(self) -> int:
        """Number of velocities."""
        return sum(SIZES[link.kind][1] for link in self.tree.links)


def spanning(m: Definition, wanted: Collection[str] = ()) -> Spanning:
    """The tree with the least rows left to its loops; wanted: names of joints that are in it rather than others."""
    grown = list(_grow(m, wanted))
    used = [joint for joint, _, _ in grown if joint is not None]
    links: list[Link] = []
    places: list[Place] = []
    carried = {m.ground.name: -1}
    X_WL = {-1: SE3.identity()}  # poses of links that carry bodies, as built
    for joint, above, below in grown:
        parent = carried[above.name]
        X_WP, X_WC = _frames(joint, above, below)
        chain = _chain(joint, below)
        X_PJ, R = X_WL[parent].inverse() @ X_WP, np.eye(3)
        for k, part in enumerate(chain):
            last = k == len(chain) - 1
            name = below.name if last else f"{below.name} on {'ground' if joint is None else joint.name}, part {k + 1}"
            own = X_PJ @ SE3(R.T @ part.R, np.zeros(3))
            q, xi = SIZES[part.kind]
            q0, xi0 = (places[-1].q.stop, places[-1].xi.stop) if places else (0, 0)
            places.append(Place(joint, below, part.coordinate, last, slice(q0, q0 + q), slice(xi0, xi0 + xi)))
            link = Link(name, parent, part.kind, own.matrix, 0.0, np.zeros(3), np.zeros((3, 3)), part.pitch)
            if last:
                X_WL[len(links)] = X_WC @ SE3(part.R, np.zeros(3))
                link = _carrying(link, below, X_WL[len(links)])
            parent = len(links)
            links.append(link)
            X_PJ, R = SE3.identity(), part.R
        carried[below.name] = parent
    del carried[m.ground.name]
    held = {name for joint in used for name in (joint.name, *joint.sum_names)}
    cut = tuple(joint for joint in m.joints if joint not in used and joint.joint.rows)
    return Spanning(Tree(tuple(links), m.gravity), tuple(places), carried, frozenset(held), cut)


def strength(joint: AbstractJoint) -> int:
    """How many rows it has; -1 where it cannot hold a body in a tree."""
    return len(joint.rows) + len(joint.sums) if joint.carries else -1


def _grow(m: Definition, wanted: Collection[str]) -> Iterator[tuple[Joint | None, Carrier, Body | Particle]]:
    """Joint, what it hangs on and what it carries, outwards from the ground; Prim's algorithm."""
    ends: dict[str, Carrier] = {end.name: end for end in (m.ground, *m.bodies)}
    near: dict[str, list[tuple[str, Joint]]] = {name: [] for name in ends}
    for joint in m.joints:
        if strength(joint.joint) >= 0:
            near[joint.parent.name].append((joint.child.name, joint))
            near[joint.child.name].append((joint.parent.name, joint))

    def rank(joint: Joint, depth: int) -> tuple[bool, int, int]:
        return joint.name not in wanted, -strength(joint.joint), depth

    for edge, above, below in grow(ends, near, rank):
        carried = ends[below]
        if not isinstance(carried, Ground):
            yield edge, m.ground if above is None else ends[above], carried


def _chain(joint: Joint | None, below: Body | Particle) -> tuple[Part, ...]:
    """The elementary motions from what is above to what is below; the identity is one as well.

    Against the direction of the joint they follow in reverse order about reversed axes: the coordinates are the same.
    """
    chain = _parts(Free() if joint is None else joint.joint)
    if isinstance(below, Particle) and any(part.kind == "free" for part in chain):
        return FLIGHT
    if joint is not None and below is joint.parent:
        chain = tuple(replace(part, R=part.R @ REVERSED) for part in reversed(chain))
    if isinstance(below, Particle):  # it has no orientation
        chain = tuple(part for part in chain if part.kind != "ball")
    return chain or (Part("fixed", np.eye(3)),)


def _parts(joint: AbstractJoint) -> tuple[Part, ...]:
    """The chain of a joint as links; a shift by the coordinate of a turn is the pitch of a screw."""
    parts: list[Part] = []
    for motion in joint.chain:
        match motion:
            case Turn():
                parts.append(Part("hinge", AXES[motion.axis], motion.coordinate))
            case Shift() if parts and parts[-1].coordinate == motion.coordinate:
                parts[-1] = replace(parts[-1], pitch=motion.factor)
            case Shift():
                parts.append(Part("slider", AXES[motion.axis], motion.coordinate))
            case Ball():
                parts.append(Part("ball", AXES[2]))
            case Flight():
                parts.append(Part("free", AXES[2]))
    return tuple(parts)


def _frames(joint: Joint | None, above: Carrier, below: Body | Particle) -> tuple[SE3, SE3]:
    """The frames of a joint on what is above and below, in the world as built; what flies has its body frame."""
    if joint is None:
        at = below.r_WB if isinstance(below, Body) else below.r_W
        R = below.R_WB if isinstance(below, Body) else np.eye(3)
        return SE3.identity(), SE3(R, at)
    (R_P, r_P), (R_C, r_C) = joint.frame_on(above), joint.frame_on(below)
    return SE3(R_P, r_P), SE3(R_C, r_C)


def _carrying(link: Link, below: Body | Particle, X_WL: SE3) -> Link:
    """The link with the mass of what it carries."""
    if isinstance(below, Particle):
        r = X_WL.inverse().act(below.r_W)
        return replace(link, mass=below.mass, com=r, X_LB=SE3(X_WL.R.T, r).matrix)
    X_LB = X_WL.inverse() @ SE3(below.R_WB, below.r_WB)
    J = X_LB.R @ below.J @ X_LB.R.T
    return replace(link, mass=below.mass, com=X_LB.act(below.com), inertia=J, X_LB=X_LB.matrix)
