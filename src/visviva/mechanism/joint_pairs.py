"""Kinematic pairs of joints as they stand, from the chain of motions, or from the rows, of their kind."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints import Ball, Flight, Product, Sum
from visviva.library.joints.scalars import pair_vectors
from visviva.mechanism.assembly import Motion
from visviva.mechanism.joint_coordinates import coordinate_values
from visviva.mechanism.parts import Joint
from visviva.mechanism.placement import coordinates_of, frame_pose
from visviva.numerics.nullspace import split
from visviva.structure import Pair


def pair_of(joint: Joint, motion: Motion) -> Pair:
    """The kinematic pair of a joint as it stands; the first columns of S belong to the coordinates of the joint."""
    parent, child = (frame_pose(joint, end, motion) for end in (joint.parent, joint.child))
    if joint.joint.carries:
        return Pair.allowing(_twists(joint, motion, parent, child))
    A, vectors = joint_wrenches(joint, parent, child).T, pair_vectors(parent, child)
    rates = [one.wrench_at(vectors) for one in joint.joint.coordinates]
    Q = np.array([np.concatenate([moment, f]) for f, _, moment in rates]).reshape(-1, 6)
    every = np.vstack([A, Q])
    named = np.linalg.pinv(every)[:, len(A) :]
    return Pair.allowing(np.hstack([named, split(every).Z]), SE3(np.eye(3), child.r))


def friction_rates(joint: Joint, motion: Motion, S: Array) -> Array:
    """What friction of a joint acts on, over its relative twist in the world: rates of coordinates, or ω, (k, 6).

    ω of what turns without coordinates is in the axes of the child's frame.   S: of its pair.
    """
    if joint.joint.spins:
        return np.hstack([frame_pose(joint, joint.child, motion).R.T, np.zeros((3, 3))])
    return np.asarray(np.linalg.pinv(S)[: len(joint.joint.coordinates)])


def joint_wrenches(joint: Joint, parent: SE3, child: SE3) -> Array:
    """Wrenches (m; f) on the child at its origin for unit multipliers of rows and sums, world axes, (6, 6 - nv)."""
    vectors = pair_vectors(parent, child)
    kept: list[Product | Sum] = [*joint.joint.rows, *joint.joint.sums]
    wrenches = [one.wrench_at(vectors) for one in kept]
    return np.array([np.concatenate([moment, f]) for f, _, moment in wrenches]).reshape(-1, 6).T


def _twists(joint: Joint, motion: Motion, parent: SE3, child: SE3) -> Array:
    """Twists of the chain in the world at its origin, (6, nv), those of a ball about the axes of the parent."""
    q, kind = np.zeros(joint.joint.nv), joint.joint
    q[: len(kind.coordinates)] = coordinate_values(joint, coordinates_of(joint, motion))
    S, X = np.zeros((6, kind.nv)), parent
    for one in kind.chain:
        if isinstance(one, Flight):
            return np.eye(6)
        if isinstance(one, Ball):
            S[:, one.coordinates] = SE3(parent.R, child.r).Ad()[:, :3]
            continue
        S[:, one.coordinates] += X.Ad() @ one.twist(q)
        X = X @ one.pose(q)
    return S
