"""Goals of a state beyond coordinates of the tree: poses of bodies and frames, turns of cut ball joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.mechanism.joint_tree import JointTree
from visviva.mechanism.parts import Body, Frame, Ground, Joint, Particle
from visviva.mechanism.placement import offset
from visviva.mechanism.state_names import Placed, PlaceGoal, Wanted


@final
@dataclass(frozen=True, eq=False)
class _Goal:
    """A frame on body `a`, seen from one on body `b` (the last: the world), goes from X0 along a screw."""

    label: str
    a: int
    b: int
    X_a: Array  # (4, 4) in principal frames
    X_b: Array
    X0: SE3
    R: Array | None  # the rotation vector of its turn, None where it is open
    r: Array | None  # its displacement

    def at(self, s: float) -> tuple[Array | None, Array | None]:
        """Orientation and origin wanted at s."""
        R = None if self.R is None else self.X0.R @ SO3.exp(s * self.R).R
        return R, None if self.r is None else self.X0.r + s * self.r


@final
class Goals:
    """Places of bodies, frames and particles that a state must have; rows of each: turn in lengths, then origin."""

    def __init__(self, tree: JointTree, want: Wanted, X_W: Array) -> None:
        self._tree, self._X_W = tree, X_W
        number = {body.name: k for k, body in enumerate(tree.bodies)}
        self._goals: list[_Goal] = []
        for goal in merged(want.places):
            a, X_a = number[carrier_of(goal.part).name], frame_on(goal.part)
            now = _pose(X_W[a] @ X_a)
            turn = None if goal.R is None else SO3(now.R.T @ goal.R).log()
            way = None if goal.r is None else goal.r - now.r
            self._goals.append(_Goal(goal.name, a, len(tree.bodies), X_a, np.eye(4), now, turn, way))
        self._number = number

    def add_turn(self, joint: Joint, R: Array) -> None:
        """A ball joint that is cut goes to the relative orientation R_PC."""
        ends = [
            len(self._tree.bodies) if isinstance(e, Ground) else self._number[e.name]
            for e in (joint.parent, joint.child)
        ]
        X_b, X_a = (offset(joint, end).matrix for end in (joint.parent, joint.child))
        now = _pose(X_b).inverse() @ _pose(self._X_W[ends[0]]).inverse() @ _pose(self._X_W[ends[1]] @ X_a)
        self._goals.append(_Goal(f"{joint.name}.q", ends[1], ends[0], X_a, X_b, now, SO3(now.R.T @ R).log(), None))

    def distance(self, length: float) -> float:
        """The longest way, in radians and in lengths."""
        ways = [0.0]
        for goal in self._goals:
            ways += [float(np.linalg.norm(goal.R))] if goal.R is not None else []
            ways += [float(np.linalg.norm(goal.r)) / length] if goal.r is not None else []
        return max(ways)

    def value(self, X_W: Array, s: float, length: float) -> Array:
        """How far each is from where it should be at s, (k,)."""
        gaps = [np.zeros(0)]
        for goal in self._goals:
            X, (R, r) = self._relative(goal, X_W), goal.at(s)
            gaps += [length * SO3(R.T @ X.R).log()] if R is not None else []
            gaps += [X.r - r] if r is not None else []
        return np.concatenate(gaps)

    def rows(self, X_W: Array, S: Array, columns: Sequence[slice], s: float, length: float) -> Array:
        """Its derivative over the coordinates of the tree, near the goal, (k, n)."""
        found = [np.zeros((0, S.shape[1]))]
        for goal in self._goals:
            X_a, (R, r) = _pose(X_W[goal.a] @ goal.X_a), goal.at(s)
            if R is not None:
                turn = self._spin(goal.a, X_W, S, columns) - self._spin(goal.b, X_W, S, columns)
                w = SO3(R.T @ self._relative(goal, X_W).R).log()
                found.append(length * SO3.dexp_inv(w) @ X_a.R.T @ turn)
            if r is not None:
                found.append(point_rows(self._tree, goal.a, X_W, X_a.r, S, columns))
        return np.concatenate(found)

    def labels(self) -> list[str]:
        """What each row belongs to."""
        return [goal.label for goal in self._goals for part in (goal.R, goal.r) if part is not None for _ in range(3)]

    def _relative(self, goal: _Goal, X_W: Array) -> SE3:
        return _pose(X_W[goal.b] @ goal.X_b).inverse() @ _pose(X_W[goal.a] @ goal.X_a)

    def _spin(self, body: int, X_W: Array, S: Array, columns: Sequence[slice]) -> Array:
        if body == len(self._tree.bodies) or self._tree.point[body]:
            return np.zeros((3, S.shape[1]))
        first = columns[body].start
        return np.asarray(X_W[body, :3, :3] @ S[first : first + 3])


def point_rows(tree: JointTree, body: int, X_W: Array, r: Array, S: Array, columns: Sequence[slice]) -> Array:
    """Velocity in world axes of the point of a body that is at r, over the coordinates of the tree, (3, n)."""
    own = S[columns[body]]
    if tree.point[body]:
        return own
    arm = X_W[body, :3, :3].T @ (r - X_W[body, :3, 3])
    return np.asarray(own[3:] - X_W[body, :3, :3] @ skew(arm) @ own[:3])


def merged(goals: Sequence[PlaceGoal]) -> list[PlaceGoal]:
    """One goal for each part, from its position and its orientation."""
    found: dict[str, PlaceGoal] = {}
    for goal in goals:
        other = found.get(goal.name)
        if other is not None and (
            (goal.R is not None and other.R is not None) or (goal.r is not None and other.r is not None)
        ):
            raise ModelError(f"the place of {goal.name!r} is given twice: give its pose, or its r and R, once each.")
        if other is not None:
            goal = PlaceGoal(
                goal.name,
                goal.part,
                other.R if goal.R is None else goal.R,
                other.r if goal.r is None else goal.r,
            )
        found[goal.name] = goal
    return list(found.values())


def carrier_of(part: Placed) -> Body | Particle:
    """What it moves with."""
    carrier = part.carrier if isinstance(part, Frame) else part
    assert not isinstance(carrier, Ground)
    return carrier


def frame_on(part: Placed) -> Array:
    """Its frame in the principal frame of its carrier, (4, 4)."""
    if isinstance(part, Particle):
        return np.eye(4)
    if isinstance(part, Body):
        return SE3(part.R_BC, part.com).inverse().matrix
    body = carrier_of(part)
    assert isinstance(body, Body)
    return (SE3(body.R_WC, body.r_WC).inverse() @ SE3(part.R_WF, part.r_WF)).matrix


def _pose(X: Array) -> SE3:
    return SE3(X[:3, :3], X[:3, 3])
