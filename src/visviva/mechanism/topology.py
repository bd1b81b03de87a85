"""The graph of a mechanism: which joints hang the bodies up as a tree, and which close loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva.errors import ModelError
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Particle, WrenchPort
from visviva.numerics.spanning_trees import DisjointSets, spanning_forest

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

Int = NDArray[np.intp]
WEAK = 2  # joints with at most so many rows hold a body by a point or less: they hang one up only where no other does


@final
@dataclass(frozen=True, eq=False)
class Topology:
    """A spanning tree of the bodies, rooted at the ground, and at the first body of every tree that flies.

    Bodies and joints are counted in the order of building; the ground is the number after the last body.

    order:  bodies, parents before children, breadth first.   roots: those that hang on nothing.
    parent: the body above each one, -1 for a root.   joint: the joint that hangs it up, -1 for a root.
    depth:  joints between it and its root, or the ground.   loops: joints that close a loop.
    groups: the loops, those together that have tree joints in common.
    """

    order: Int
    roots: tuple[int, ...]
    parent: Int
    joint: Int
    depth: Int
    loops: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    def cycle(self, a: int, b: int) -> list[int]:
        """Bodies whose tree joints lie on the way between bodies a and b, or between one of them and the ground."""
        return _cycle(a, b, self.parent.tolist(), self.depth.tolist())


def topology(bodies: Sequence[Body | Particle], joints: Sequence[Joint]) -> Topology:
    """The tree of the joints that came first, as they were built; a joint between parts of one tree closes a loop.

    Joints with few rows, such as rods, come after all others, so that loops have as few rows as possible.
    """
    number = {body.name: k for k, body in enumerate(bodies)}
    ground = len(bodies)

    def numbered(end: Carrier) -> int:
        return ground if isinstance(end, Ground) else number[end.name]

    strength = [len(joint.joint.rows) for joint in joints]
    order = [k for k in sorted(range(len(joints)), key=lambda k: strength[k] <= WEAK) if strength[k]]
    ends = {k: (numbered(joints[k].parent), numbered(joints[k].child)) for k in order}
    found = spanning_forest(ground, ends)
    loops = {k: ends[k] for k in sorted(found.loops)}
    parts = (found.order, found.parent, found.edge, found.depth)
    walked, parent, joint, depth = (np.array(part, dtype=np.intp) for part in parts)
    groups = _together(loops, list(found.parent), list(found.depth))
    return Topology(walked, found.roots, parent, joint, depth, tuple(loops), groups)


def _cycle(a: int, b: int, parent: list[int], depth: list[int]) -> list[int]:
    path, ground = [], len(parent)
    while a != b:
        if a == ground or (b != ground and depth[b] > depth[a]):
            a, b = b, a
        path.append(a)
        a = parent[a]
    return path


def _together(loops: dict[int, tuple[int, int]], parent: list[int], depth: list[int]) -> tuple[tuple[int, ...], ...]:
    """Loops that share a tree joint."""
    numbers, groups = list(loops), DisjointSets(len(loops))
    owner: dict[int, int] = {}
    for k, joint in enumerate(numbers):
        for body in _cycle(*loops[joint], parent, depth):
            groups.join(k, owner.setdefault(body, k))
    found: dict[int, list[int]] = {}
    for k, joint in enumerate(numbers):
        found.setdefault(groups.find(k), []).append(joint)
    return tuple(tuple(members) for members in found.values())


def check_connected(m: Definition) -> None:
    """An error that names what nothing mentions, in a mechanism whose other parts are connected.

    A body alone flies, and so does one that has a given motion, an input or a spring: only what was left out by mistake
    has none of these.
    """
    pairs: list[Joint | Element] = [*m.joints, *m.elements]
    if not pairs:
        return
    mentioned = {end.name for pair in pairs for end in (pair.parent, pair.child)}
    mentioned |= {mover.name for part in m.conditions for mover in part.movers}
    mentioned |= {port.carrier.name for port in m.ports if isinstance(port, WrenchPort)}
    for part in m.bodies:
        given = part.twist if isinstance(part, Body) else part.velocity
        if part.name not in mentioned and given is None:
            kind = "body" if isinstance(part, Body) else "particle"
            raise ModelError(
                f"{kind} {part.name!r} of mechanism {m.name!r} is connected with nothing: no joint, spring or input\n"
                f"mentions it. Connect it, or say that it flies: m.free('{part.name} flies', m.ground, {part.name!r})."
            )
