"""Which rows a motion can rely on: rank at a configuration and near it, and how far it is from a singular one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.library.joints import Product
from visviva.mechanism.closure import typical_length
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Joint
from visviva.mechanism.positions import settled
from visviva.numerics.saddle import FEW

TRIALS = 3
KNOWN = 16  # configurations whose regularity is kept
STEP = 0.1  # of a trial displacement: of a typical length, and in radians
NEAR = 1e-3  # margin below which a configuration is called nearly singular
LISTED = 6  # joints named in a large mechanism


@final
@dataclass(frozen=True, eq=False)
class Regularity:
    """Rank of a mechanism's rows.

    kept:   a largest set of independent rows, at a regular configuration near by if this one is singular.
    rank:   number of independent rows at this configuration.
    margin: how far the kept rows are from dependence here, see `Linkage.margin`.
    """

    kept: Mask
    rank: int
    margin: float

    @property
    def warning(self) -> str:
        """What a user should know; empty at a regular configuration."""
        count = int(self.kept.sum())
        if self.rank < count:
            return (
                f"the configuration is singular: {self.rank} of the joints' rows are independent here, {count} near by;"
                " velocities have more freedom than motions"
            )
        if self.margin < NEAR:
            return f"the configuration is nearly singular: the rows of loops are independent by {self.margin:.2g} only"
        return ""


def regularity(linkage: Linkage, q: Array) -> Regularity:
    """Rank at q, and the rows that are independent there or, if they are more, after a small motion from there.

    It is a matter of geometry: masses only weigh the small motion, and it is found once for all of them.
    """
    known: dict[bytes, Regularity] = linkage.alike.setdefault(Regularity, {})
    key = q.tobytes()
    if key not in known:
        if len(known) >= KNOWN:
            known.clear()
        known[key] = _regularity(linkage, q)
    return known[key]


def _regularity(linkage: Linkage, q: Array) -> Regularity:
    place = linkage.kinematics.place(q)
    kept = linkage.independent(place)
    rank = int(kept.sum())
    for k in range(TRIALS if not kept.all() else 0):
        near = _near(linkage, q, k)
        if near is not None:
            other = linkage.independent(linkage.kinematics.place(near))
            kept = other if other.sum() > kept.sum() else kept
    return Regularity(kept, rank, float(linkage.margin(place, kept)))


def _near(linkage: Linkage, q: Array, seed: int) -> Array | None:
    """A configuration that a small motion in some direction leads to, if there is one."""
    kinematics, length = linkage.kinematics, typical_length(linkage.kinematics)
    V = np.random.default_rng(seed).uniform(-1, 1, kinematics.n) * np.where(linkage.turning, 1.0, length)
    V, _ = linkage.saddle(kinematics.place(q)).solve(linkage.metric * V, np.zeros(linkage.m))
    largest = float((np.abs(V) / np.where(linkage.turning, 1.0, length)).max(initial=0.0))
    return settled(linkage, kinematics.retract(q, STEP * V / largest)) if largest > 0 else None


def loosest_loop(linkage: Linkage, q: Array, kept: Mask) -> list[str]:
    """The joints of the loop whose rows are nearest to dependence, in the order of the mechanism.

    It is the loop with the largest share in the combination of rows that nearly vanishes beyond those of the tree; in
    large mechanisms, where that is not sought, the joints that close loops.
    """
    topology, kinematics = linkage.topology, linkage.kinematics
    closing = np.array(topology.loops, dtype=np.intp)
    if kinematics.n + kinematics.m > FEW or not (kept & linkage.closes).any():
        return [linkage.joints[k].name for k in closing[:LISTED]]
    y = np.abs(linkage.combination(kinematics.place(q), kept))
    joint_of_row = np.append(kinematics.pair, np.full(linkage.m - kinematics.m, -1))  # conditions belong to none
    share = {k: float(y[joint_of_row[linkage.closes] == k].max(initial=0.0)) for k in closing.tolist()}
    joint = max(share, key=lambda k: share[k])
    tree = [int(topology.joint[body]) for body in topology.cycle(*kinematics.ends[joint].tolist())]
    return [linkage.joints[k].name for k in sorted({joint, *tree})]


def range_end(joint: Joint, product: Product) -> str:
    """What is so at the end of the range of a joint, where a product of axes of its frames is zero."""
    a, b = ("xyz"[axis] for axis in (product.parent, product.child))
    between = f"between {a} of its parent and {b} of its child"
    return f"{joint.joint.kind} joint {joint.name!r} is bent by a right angle, {between}: its range ends there"
