"""Kinematic pairs by their relative poses: the chains of joints, for coordinates that are angles, turns and lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, final

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Quantity
from visviva.library.joints import (
    AbstractJoint,
    AbstractMotion,
    Angle,
    Cylindrical,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Shift,
    Spherical,
    Turn,
    Universal,
)
from visviva.library.multibody.spatial import hat
from visviva.library.quantities import momentum_along

Placement = tuple[Any, Any]  # R (3, 3) and r (3,) of the frame C2 in C1


@final
@dataclass(frozen=True, eq=False)
class RelativePose:
    """Relative poses q_r; z is the axis, or the normal of the plane.

    group, dual:   spaces of q_r and of its momentum.
    pose:          I(q_r), of the state as a traced function sees it and the parameters.
    inclusion:     the columns of i, (6, n): u_r to the twist of C2 against C1, in C2. For a lower pair q_r forms a
                   subgroup of SE(3), and i = T_e I is constant.
    units:         of its freedoms; friction by one number needs a single one.
    Source:        Lohmayer, Capobianco and Leyendecker, section 5.1.
    """

    group: str
    dual: str
    pose: Callable[[Any, Mapping[str, Any]], Placement]
    inclusion: Callable[[Any, Mapping[str, Any]], Any]
    units: tuple[str, ...]
    parameters: dict[str, float] = field(default_factory=dict)
    moves: bool = False  # origins, by a coordinate that turns

    @property
    def pose_quantity(self) -> Quantity:
        """That of q_r."""
        return Quantity(self.group, "relative_pose")

    @property
    def momentum(self) -> Quantity:
        """That of p_r."""
        return momentum_along(*self.units) if self.dual == "R" else Quantity(self.dual, "momentum")

    @property
    def n(self) -> int:
        """How many freedoms there are."""
        return len(self.units)

    @property
    def translates(self) -> bool:
        """Whether the origins of the joint frames move apart."""
        return self.moves or "m" in self.units


def relative_pose(kind: str, pitch: float | None = None) -> RelativePose:
    """The pair of a given kind; only the screw has a pitch [m/rad], and needs it."""
    if kind == "screw":
        if pitch is None:
            raise ModelError("a screw joint needs its pitch [m/rad]: pitch=0.01. Without one it is a revolute joint.")
        return relative_pose_of(Screw(finite_number(pitch, "pitch of a screw joint [m/rad]")))
    if kind not in _KINDS:
        raise ModelError(f"there is no joint {kind!r}; there is {', '.join((*_KINDS, 'screw'))}.")
    if pitch is not None:
        raise ModelError(f"a {kind} joint has no pitch: it belongs to kind='screw'.")
    return _KINDS[kind]


@cache
def relative_pose_of(joint: AbstractJoint) -> RelativePose:
    """The pair of a joint whose chain has named coordinates alone, or is one ball.

    A coordinate that only turns is a rotation of the plane, every other one a number. Numbers of the joint, as the
    pitch of a screw, are parameters.
    """
    if joint.rotation_vector is not None:
        return RelativePose("SO3", "so3*", lambda q, _: (q.R, np.zeros(3)), _ball_inclusion, ("rad",) * 3)
    given = [one.name for one in fields(joint)] if is_dataclass(joint) else list[str]()
    numbers: dict[str, float] = {name: getattr(joint, name) for name in given}
    users = [[one for one in joint.chain if one.coordinates.start == k] for k in range(joint.nv)]
    spins = [len(using) == 1 and isinstance(using[0], Turn) for using in users]

    def chain(q: Any, given: Mapping[str, Any]) -> list[tuple[AbstractMotion, Placement]]:
        values = _split(q, spins)
        motions = replace(joint, **{name: given[name] for name in numbers}).chain if numbers else joint.chain  # type: ignore[type-var]
        return [(one, _placement(one, values[one.coordinates.start])) for one in motions]

    def pose(q: Any, given: Mapping[str, Any]) -> Placement:
        R, r = np.eye(3), np.zeros(3)
        for _, (turn, shift) in chain(q, given):
            R, r = R @ turn, r + R @ shift
        return R, r

    def inclusion(q: Any, given: Mapping[str, Any]) -> Any:
        columns = np.zeros((6, joint.nv), dtype=object)
        R, r = np.eye(3), np.zeros(3)  # of the child's frame in the one after the motion
        for one, (turn, shift) in reversed(chain(q, given)):
            assert isinstance(one, Turn | Shift)
            axis, k = np.eye(3)[one.axis], one.coordinate
            if isinstance(one, Turn):
                columns[:3, k] = columns[:3, k] + one.factor * (R.T @ axis)
                columns[3:, k] = columns[3:, k] + one.factor * (R.T @ (hat(axis) @ r))
            else:
                columns[3:, k] = columns[3:, k] + one.factor * (R.T @ axis)
            R, r = turn @ R, turn @ r + shift
        return columns

    groups, lengths = ["SO2" for spin in spins if spin], sum(not spin for spin in spins)
    if lengths:
        groups.append("R" if lengths == 1 else f"R{lengths}")
    assert spins == sorted(spins, reverse=True)  # rotations come first in the products of spaces
    dual = "so2*" if groups == ["SO2"] else "R" if joint.nv == 1 else f"R{joint.nv}"
    units = tuple("rad" if isinstance(one, Angle) else "m" for one in joint.coordinates)
    moves = any(isinstance(one, Shift) for one in joint.chain)
    return RelativePose("x".join(groups), dual, pose, inclusion, units, numbers, moves)


def _split(q: Any, spins: list[bool]) -> list[Any]:
    """The value of each coordinate: a rotation of the plane (2, 2), or a number."""
    if len(spins) == 1:
        return [q.R] if spins[0] else [q]
    found, at = list[Any](), 0
    for spin in spins:
        if spin:
            found.append(np.array([[q[at], q[at + 2]], [q[at + 1], q[at + 3]]], dtype=object))
            at += 4
        else:
            found.append(q[at])
            at += 1
    return found


def _placement(motion: AbstractMotion, value: Any) -> Placement:
    """Rotation and shift of one motion, for the value of its coordinate."""
    if isinstance(motion, Shift):
        return np.eye(3), np.array([motion.factor * value if k == motion.axis else 0 for k in range(3)], dtype=object)
    assert isinstance(motion, Turn)
    if isinstance(value, np.ndarray):
        plane = value
    else:
        c, s = np.cos(motion.factor * value), np.sin(motion.factor * value)
        plane = np.array([[c, -s], [s, c]], dtype=object)
    R = np.zeros((3, 3), dtype=object)
    R[motion.axis, motion.axis] = 1
    i, j = (motion.axis + 1) % 3, (motion.axis + 2) % 3
    R[np.ix_((i, j), (i, j))] = plane
    return R, np.zeros(3)


def _ball_inclusion(_: Any, __: Mapping[str, Any]) -> Any:
    return np.eye(6)[:, :3]


def _in_plane(q: Any, _: Mapping[str, Any]) -> Placement:
    """A pose of SE(2)."""
    R = np.zeros((3, 3), dtype=object)
    R[:2, :2], R[2, 2] = q.R, 1
    return R, np.array([*q.r, 0])


def _plane_inclusion(_: Any, __: Mapping[str, Any]) -> Any:
    return np.eye(6)[:, [2, 3, 4]]


_KINDS = {
    "spherical": relative_pose_of(Spherical()),
    "planar": RelativePose("SE2", "se2*", _in_plane, _plane_inclusion, ("rad", "m", "m")),
    "cylindrical": relative_pose_of(Cylindrical()),
    "revolute": relative_pose_of(Revolute()),
    "prismatic": relative_pose_of(Prismatic()),
    "universal": relative_pose_of(Universal()),
    "table": relative_pose_of(Planar()),
}  # planar by its group, in velocities of the child's axes; table by coordinates along the parent's
LOWER_PAIRS = ("spherical", "planar", "cylindrical", "revolute", "prismatic", "screw")
