"""A mechanism along its spanning tree: poses and velocities of all bodies from the coordinates of the tree's joints.

From the body above a joint to the body below, with the joint's frames P and C on parent and child,

    X_child = X_parent X_P X_PC(y) X_C⁻¹,    X_parent = X_child X_C X_PC(y)⁻¹ X_P⁻¹  where the child is above,
    W_below = W_above ± Ad(X_WC) S(y) ẏ      in the world at its origin,

X_PC and S as the library of joints has them; bodies by their principal frames. What hangs on nothing flies: its pose is
X exp(y), with X kept beside y. Particles do not turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply, cross, homogeneous, transpose
from visviva.library.joints import AbstractJoint, Free, Revolute
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.kinematics import Int
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.mechanism.placement import offset
from visviva.numerics.convergence import Convergence, newton

ITERATIONS = 20
FITS, NEARLY = 1e-15, 1e-10  # of coordinates: changes that are rounding, and that are where they shrink no further


@final
@dataclass(frozen=True, eq=False)
class Posture:
    """Coordinates y of the tree's joints, (n,), and poses (bodies, 4, 4) from which those that fly are counted."""

    y: Array
    flying: Array


@final
@dataclass(frozen=True, eq=False)
class _Group:
    """Joints of one kind: the bodies below them, and their coordinates (bodies, nv) in y; sign: -1 if the parent is."""

    joint: AbstractJoint
    bodies: Int
    columns: Int
    sign: Array  # (bodies, 1, 1)


@final
class JointTree:
    """The tree of a linkage, prepared for any coordinates.

    cut:     joints with rows that are not in it.
    n:       number of coordinates.   columns: those of the joint that carries each body, all of them.
    active:  (n,) which of them move anything: a ball joint does not turn a particle.
    joint:   of each body, None where it flies.   below: the body that each joint of the tree carries, by name.
    """

    def __init__(self, linkage: Linkage) -> None:
        self.bodies, topology = linkage.bodies, linkage.topology
        self.order = topology.order.tolist()
        self.joint: list[Joint | None] = [_carrying(linkage, k) for k in topology.joint.tolist()]
        above = topology.parent.tolist()
        self.parent = [-1 if self.joint[b] is None else above[b] for b in range(len(above))]  # of the ground: the last
        self.below = {joint.name: b for b, joint in enumerate(self.joint) if joint is not None}
        self.cut = [joint for joint in linkage.joints if joint.joint.rows and joint.name not in self.below]
        kinds = [Free() if joint is None else joint.joint for joint in self.joint]
        ends = np.cumsum([0, *(kind.nv for kind in kinds)]).tolist()
        self.columns = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.n = int(ends[-1])
        self.active = np.ones(self.n, dtype=bool)
        self._reversed = np.zeros(len(kinds), dtype=bool)
        self._above, self._under, self._on_child = (np.tile(np.eye(4), (len(kinds), 1, 1)) for _ in range(3))
        self.point = np.array([isinstance(body, Particle) for body in self.bodies], dtype=bool)
        for b, joint in enumerate(self.joint):
            self._hang(b, joint, kinds[b])
        found: dict[AbstractJoint, list[int]] = {}
        for b, kind in enumerate(kinds):
            found.setdefault(kind, []).append(b)
        self._groups = [
            _Group(
                kind,
                np.array(at),
                np.array([np.arange(ends[b], ends[b + 1]) for b in at], dtype=np.intp),
                np.where(self._reversed[at], -1.0, 1.0)[:, None, None],
            )
            for kind, at in found.items()
        ]
        self._flies = [b for b, joint in enumerate(self.joint) if joint is None]
        self._beads = [b for b, one in enumerate(self.joint) if self.point[b] and one is not None]
        self._beads = [b for b in self._beads if not self._reversed[b]]
        self._turned = np.flatnonzero(self._reversed).tolist()
        self._moved = [b for b, kind in enumerate(kinds) if kind.nv]
        self._first = [ends[b] for b in self._moved]

    def _hang(self, b: int, joint: Joint | None, kind: AbstractJoint) -> None:
        body = self.bodies[b]
        if isinstance(body, Particle) and (joint is None or joint.child is body):
            self.active[self.columns[b]] = np.arange(kind.nv) >= 3 if joint is None else _named(kind)
        if joint is None:
            return
        self._reversed[b] = joint.parent is body
        X_P, X_C = (offset(joint, end).matrix for end in (joint.parent, joint.child))
        above, under = (X_C, X_P) if self._reversed[b] else (X_P, X_C)
        self._above[b], self._under[b] = above, _inverse(under)
        self._on_child[b] = X_C

    # -- positions ----------------------------------------------------------------------------------------------

    def poses(self, at: Posture) -> Array:
        """Principal frames of all bodies in the world, then of the ground, (bodies + 1, 4, 4)."""
        local = np.empty((len(self.bodies), 4, 4))
        for group in self._groups:
            X = group.joint.X_PC(at.y[group.columns])
            local[group.bodies] = homogeneous(X.R, X.r, 1.0)
        if self._turned:
            local[self._turned] = _inverse(local[self._turned])
        local = self._above @ local @ self._under
        if self._flies:
            local[self._flies] = at.flying[self._flies] @ local[self._flies]
        X_W = np.empty((len(self.bodies) + 1, 4, 4))
        X_W[-1] = np.eye(4)
        for b in self.order:
            np.matmul(X_W[self.parent[b]], local[b], out=X_W[b])
            if self.point[b]:
                X_W[b, :3, :3] = np.eye(3)
        return X_W

    def coordinates(self, X_W: Array) -> dict[str, Array]:
        """Coordinates of all bodies, by name, as a `Motion` has them."""
        q = POSES.point(X_W[:-1, :3, :3], X_W[:-1, :3, 3])
        return {body.name: q[b, :3] if self.point[b] else q[b] for b, body in enumerate(self.bodies)}

    def posture(self, X_W: Array, near: Array) -> Posture:
        """The coordinates at poses that satisfy the tree's joints, by Newton's method from some that are near."""
        y, flying = np.array(near), np.tile(np.eye(4), (len(self.bodies), 1, 1))
        for b, joint in enumerate(self.joint):
            if joint is None:
                flying[b], y[self.columns[b]] = X_W[b], 0.0
                continue
            X = _inverse(self._above[b]) @ _inverse(X_W[self.parent[b]]) @ X_W[b] @ _inverse(self._under[b])
            X_PC = SE3(*_parts(_inverse(X) if self._reversed[b] else X))
            own, columns = self.active[self.columns[b]], np.arange(self.n)[self.columns[b]]
            step = partial(_onto, joint.joint, X_PC, own, self.point[b] and not own.all())
            y[columns], _ = newton(y[columns], step, Convergence(FITS, NEARLY), ITERATIONS)
        return Posture(y, flying)

    # -- velocities ---------------------------------------------------------------------------------------------

    def screws(self, at: Posture, X_W: Array) -> Array:
        """Twists in the world, at its origin, of what is below a joint for unit rates of its coordinates, (n, 6)."""
        Z = np.empty((self.n, 6))
        frames = X_W[:-1] @ self._on_child  # of the child below; where the child is above:
        for b in self._turned:
            frames[b] = X_W[self.parent[b]] @ self._on_child[b]
        for b in self._beads:  # their frame does not turn with the parent, as the one that they slide along does
            frames[b, :3, :3] = X_W[self.parent[b], :3, :3] @ self._above[b, :3, :3]
        for group in self._groups:
            R, r = _parts(frames[group.bodies])
            both = np.empty((len(R), group.joint.nv, 6))
            if isinstance(group.joint, Revolute):  # the common one: its axis is a column of R
                w = both[..., :3] = R[:, None, :, 2]
                both[..., 3:] = cross(r[:, None, :], w)
            else:
                S = group.joint.S(at.y[group.columns])
                w = both[..., :3] = _columns(R, S[..., :3, :])
                np.add(_columns(R, S[..., 3:, :]), cross(r[:, None, :], w), out=both[..., 3:])
            Z[group.columns] = both * group.sign
        return Z

    def velocities(self, at: Posture, X_W: Array, rates: Array) -> dict[str, Array]:
        """V of all bodies by name, as a `Motion` has them."""
        W = np.zeros((len(self.bodies) + 1, 6))
        if self.n:
            W[self._moved] = np.add.reduceat(self.screws(at, X_W) * rates[:, None], self._first, axis=0)
        for b in self.order:
            W[b] += W[self.parent[b]]
            if self.point[b]:
                W[b, 3:] += cross(W[b, :3], X_W[b, :3, 3])
                W[b, :3] = 0.0
        R, r = _parts(X_W[:-1])
        w = W[:-1, :3]
        V = np.concatenate([apply(transpose(R), w), W[:-1, 3:] + cross(w, r)], axis=-1)
        return {body.name: V[b, 3:] if self.point[b] else V[b] for b, body in enumerate(self.bodies)}

    def jacobian(self, at: Posture, X_W: Array) -> Array:
        """V = S ẏ over the velocities of all bodies, one after the other, (m, n)."""
        Z, W = self.screws(at, X_W).T, np.zeros((len(self.bodies) + 1, 6, self.n))
        rows = []
        for b in self.order:
            W[b] = W[self.parent[b]]
            W[b][:, self.columns[b]] = Z[:, self.columns[b]]
            if self.point[b]:
                W[b, 3:] -= skew(X_W[b, :3, 3]) @ W[b, :3]
                W[b, :3] = 0.0
        for b in range(len(self.bodies)):
            R, r = _parts(X_W[b])
            linear = W[b, 3:] - skew(r) @ W[b, :3]
            rows.append(linear if self.point[b] else np.concatenate([R.T @ W[b, :3], linear]))
        return np.concatenate([np.zeros((0, self.n)), *rows])

    def rates(self, at: Posture, X_W: Array, V: dict[str, Array]) -> Array:
        """The rates ẏ of velocities that satisfy the tree's joints, (n,)."""
        Z, rates, W = self.screws(at, X_W).T, np.zeros(self.n), np.zeros((len(self.bodies) + 1, 6))
        for b, body in enumerate(self.bodies):
            R, r = _parts(X_W[b])
            w = R @ V[body.name][:3] if isinstance(body, Body) else np.zeros(3)
            W[b] = np.concatenate([w, V[body.name][-3:] - np.cross(w, r)])
        for b in range(len(self.bodies)):
            own = np.arange(self.n)[self.columns[b]][self.active[self.columns[b]]]
            twist, columns = W[b] - W[self.parent[b]], Z[:, own]
            if self.point[b]:  # its velocity alone is known
                at_point = np.hstack([-skew(X_W[b, :3, 3]), np.eye(3)])
                twist, columns = at_point @ twist, at_point @ columns
            rates[own] = np.linalg.lstsq(columns, twist, rcond=None)[0]
        return rates


def _onto(joint: AbstractJoint, X_PC: SE3, own: Mask, point: bool, y: Array) -> tuple[float, Callable[[], Array]]:
    """A step of Newton's to the coordinates with a pose, of which `own` move: its length, and what it leads to.

    point: what hangs on it has no orientation.
    """
    now, S = joint.X_PC(y), joint.S(y)
    gap = (now.inverse() @ X_PC).log()
    if point:
        gap, S = np.concatenate([np.zeros(3), apply(now.R.T, X_PC.r - now.r)]), S * (np.arange(6) > 2)[:, None]
    step = np.zeros(len(y))
    step[own] = np.linalg.lstsq(S[:, own], gap, rcond=None)[0]
    size = max(1.0, float(np.abs(y).max(initial=0.0)))
    return float(np.abs(step).max(initial=0.0)) / size, lambda: y + step


def advanced(tree: JointTree, at: Posture, step: Array) -> Posture:
    """The posture after increments of all coordinates; rotation vectors stay shorter than a half turn."""
    y, flying = at.y + step, at.flying
    for b, joint in enumerate(tree.joint):
        columns = tree.columns[b]
        if joint is None:
            X = SE3.exp(y[columns])
            flying = flying.copy()
            flying[b], y[columns] = flying[b] @ X.matrix, 0.0
            continue
        turn = joint.joint.rotation_vector
        if turn is not None:
            at_w = slice(columns.start + turn.start, columns.start + turn.stop)
            angle = float(np.linalg.norm(y[at_w]))
            if angle > np.pi:
                y[at_w] *= 1.0 - 2 * np.pi / angle
    return Posture(y, flying)


def beyond_tree(linkage: Linkage, tree: JointTree) -> Mask:
    """Rows of a linkage that the motions of the tree do not satisfy by themselves; they do the sums of its joints."""
    cut, own = (
        {joint.name for joint in tree.cut},
        {name for joint in tree.joint if joint is not None for name in joint.sum_names},
    )
    joints = [linkage.joints[k].name in cut for k in linkage.kinematics.pair]
    return np.array([*joints, *(part.name not in own for part in linkage.conditions.owner)], dtype=bool)


def _carrying(linkage: Linkage, k: int) -> Joint | None:
    """The joint that carries a body; none where it flies, or hangs on what has directions without a chart."""
    return None if k < 0 or not linkage.joints[k].joint.carries else linkage.joints[k]


def _named(joint: AbstractJoint) -> Mask:
    """Coordinates that are no chart."""
    return np.asarray(np.arange(joint.nv) < len(joint.coordinates))


def _parts(X: Array) -> tuple[Array, Array]:
    return X[..., :3, :3], X[..., :3, 3]


def _columns(R: Array, S: Array) -> Array:
    """The columns of S (..., 3, n) in other axes, as rows (..., n, 3)."""
    return np.swapaxes(R @ S, -1, -2)


def _inverse(X: Array) -> Array:
    R, r = _parts(X)
    Rt = transpose(R)
    return homogeneous(Rt, -apply(Rt, r), 1.0)
