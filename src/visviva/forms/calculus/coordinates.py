"""Joints with ready-made coordinates, and parameterisations made of them.

Joints whose motions are a group have body Jacobians that are constant in their own velocities, and coordinates without
singularities. All others follow from their definition in `library.joints`, by `of_joint`.

Source: Konz, section 3.4; the list of joints is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_direction, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.charts import AbstractChart, Circle, Line, Matrix, Plane, Quaternion, Rigid, Space
from visviva.forms.calculus.edges import AbstractEdge, GivenEdge, adjoint, inverse_pose
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.joint_chart import JointChart
from visviva.forms.calculus.local_coordinates import ChartPlace, Exponentials
from visviva.forms.calculus.maps import Arguments, Block, Blocks
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.kinds import by_name, of_kind
from visviva.geometry.rotations import checked_homogeneous
from visviva.library.joints import (
    AbstractJoint,
    Cylindrical,
    Distance,
    PointOnLine,
    PointOnPlane,
    Screw,
    Universal,
)

Rotation = Literal["quaternion", "matrix"]
Pose = ArrayLike | Callable[..., Any]  # (4, 4), or a function of t
_ROTATIONS: dict[str, Matrix | Quaternion] = {"quaternion": Quaternion(), "matrix": Matrix()}


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """X_ab = X_aJ X(q) X_Kb: a motion X(q) between two joint frames J and K, each fixed in its own frame.

    q0: where the parameterisation is checked; the configuration as built by default.

    moving: functions of t, "at" for X_aJ and "to" for X_Kb, which are the identity then: `joined` puts them on frames
            of their own, "<name>.at" and "<name>.to".
    """

    name: str
    chart: AbstractChart
    X_aJ: Array  # (4, 4)
    X_Kb: Array  # (4, 4)
    moving: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self.name + suffix for suffix in self.chart.coordinates)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(self.name + suffix for suffix in self.chart.velocities)


@final
@dataclass(frozen=True, eq=False)
class JointEdge(AbstractEdge):
    """The edge of a joint: J = Ad(X_Kb⁻¹) S in the columns of its own velocities, J̇ ξ = Ad(X_Kb⁻¹) Ṡ ξ."""

    a: str
    b: str
    joint: Joint
    read: slice  # its coordinates
    move: slice  # its velocities
    n: int

    def pose(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return np.asarray(self.joint.X_aJ @ self.joint.chart.pose(q[self.read]) @ self.joint.X_Kb)

    def jacobian(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        J = np.zeros((6, self.n))
        J[:, self.move] = adjoint(inverse_pose(self.joint.X_Kb)) @ self.joint.chart.twists(q[self.read])
        return J

    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:  # noqa: D102
        own = self.joint.chart.bias(q[self.read], xi[self.move])
        return np.asarray(adjoint(inverse_pose(self.joint.X_Kb)) @ own)


def fixed(name: str = "fixed", *, at: Pose | None = None, to: Pose | None = None) -> Joint:
    """No coordinate: frame b is carried along by frame a."""
    return _joint(name, Rigid(), at, to)


def revolute(
    name: str,
    *,
    axis: ArrayLike = (0, 0, 1),
    by: Literal["angle", "pair"] = "angle",
    at: Pose | None = None,
    to: Pose | None = None,
) -> Joint:
    """A turn about an axis of the joint frame: one angle, or (c, s) = (cos, sin), which never leaves its circle.

    at:  pose X_aJ (4, 4) of the joint frame in frame a.   to: pose X_Kb of frame b in the joint frame that moves.
         Both may be functions of t.
    """
    e = _unit(axis, name)
    if by == "pair":
        return _joint(name, Circle(e), at, to)
    if by != "angle":
        raise ModelError(f"revolute joint {name!r} is given by='angle' or by='pair', got {by!r}.")
    return _joint(name, Line(np.concatenate([e, np.zeros(3)])), at, to)


def prismatic(name: str, *, axis: ArrayLike = (0, 0, 1), at: Pose | None = None, to: Pose | None = None) -> Joint:
    """A shift along an axis of the joint frame."""
    return _joint(name, Line(np.concatenate([np.zeros(3), _unit(axis, name)])), at, to)


def planar(name: str, *, at: Pose | None = None, to: Pose | None = None) -> Joint:
    """Motion in the xy plane of the joint frame, (x, y, c, s), in body velocities (ω; v_x, v_y)."""
    return _joint(name, Plane(), at, to)


def spherical(name: str, *, by: Rotation = "quaternion", at: Pose | None = None, to: Pose | None = None) -> Joint:
    """Turns about a point, in body velocities ω: a quaternion (w, x, y, z), or the matrix, column by column."""
    return _joint(name, _rotation(by, name), at, to)


def free(name: str, *, by: Rotation = "quaternion", at: Pose | None = None, to: Pose | None = None) -> Joint:
    """Any motion, in body velocities (ω; v): position, then quaternion or matrix."""
    return _joint(name, Space(_rotation(by, name)), at, to)


def cylindrical(name: str, *, at: ArrayLike | None = None, to: ArrayLike | None = None) -> Joint:
    """A turn about z of the joint frame and a shift along it, in their rates."""
    return of_joint(name, Cylindrical(), at=at, to=to)


def screw(name: str, *, pitch: float, at: ArrayLike | None = None, to: ArrayLike | None = None) -> Joint:
    """A turn about z of the joint frame with an advance along it, one angle over any number of turns.

    pitch: advance per radian [m/rad].
    """
    return of_joint(name, Screw(finite_number(pitch, f"pitch of joint {name!r}")), at=at, to=to)


def universal(name: str, *, at: ArrayLike | None = None, to: ArrayLike | None = None) -> Joint:
    """A turn about z of the joint frame, then one about the x axis that it has turned: two angles and their rates."""
    return of_joint(name, Universal(), at=at, to=to)


def distance(
    name: str,
    *,
    length: float,
    by: Rotation = "quaternion",
    at: ArrayLike | None = None,
    to: ArrayLike | None = None,
) -> Joint:
    """A massless rod from the joint frame, along its z axis as built, with a ball at either end.

    Two angles of the rod with their rates, then the rotation in body velocities ω.
    Limits:  the angles end where the rod has turned far from where it was built, see `library.joints.Distance`; a
             free body and a `Loop` have no such end.
    """
    rod = Distance(finite_number(length, f"length of joint {name!r}", positive=True))
    return of_joint(name, rod, by=by, at=at, to=to)


def point_on_line(
    name: str, *, by: Rotation = "quaternion", at: ArrayLike | None = None, to: ArrayLike | None = None
) -> Joint:
    """A point that slides along z of the joint frame, about which frame b turns: (z, rotation), and (rate, ω)."""
    return of_joint(name, PointOnLine(), by=by, at=at, to=to)


def point_on_plane(
    name: str, *, by: Rotation = "quaternion", at: ArrayLike | None = None, to: ArrayLike | None = None
) -> Joint:
    """A point that slides in the xy plane of the joint frame, about which frame b turns: (x, y, rotation)."""
    return of_joint(name, PointOnPlane(), by=by, at=at, to=to)


def of_joint(
    name: str,
    joint: AbstractJoint,
    *,
    by: Rotation = "quaternion",
    at: ArrayLike | None = None,
    to: ArrayLike | None = None,
) -> Joint:
    """Any joint of `visviva.library.joints`, or one of your own, in the coordinates of its definition.

    Velocities are rates of the coordinates; where the last three are a rotation vector, which is a chart only, that
    rotation is by quaternion or matrix, in body velocities ω, and so is that of a free joint. See `JointChart`.
    """
    of_kind(joint, AbstractJoint, f"joint {name!r}", "a joint of visviva.library.joints, such as Universal()")
    rotation = _rotation(by, name)
    return _joint(name, Space(rotation) if joint.nv == 6 else JointChart(joint, rotation), at, to)


def joined(joints: Mapping[tuple[str, str], Joint], q0: ArrayLike | None = None) -> Parameterisation:
    """The parameterisation of joints between frames, by ("a", "b"); coordinates and velocities one joint after another.

    q0: a configuration to check it at; as built by default.

    Poses at and to of a joint may be functions of time, at=lambda t: ...: what holds the joint then moves as given.
    """
    by_name(joints, "joints", "{('ground', 'arm'): coordinates.revolute('shoulder')}")
    for key, joint in joints.items():
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(name, str) and name for name in key)):
            raise ModelError(f"a joint is between two frames such as ('ground', 'arm'), got {key!r}.")
        of_kind(joint, Joint, f"the joint between {key[0]!r} and {key[1]!r}", "one of coordinates.revolute, free, ...")
    n = sum(len(joint.velocities) for joint in joints.values())
    size = sum(len(joint.coordinates) for joint in joints.values())
    rows = sum(len(joint.chart.phi.a) for joint in joints.values())
    edges, A, phi = list[JointEdge](), list[Block](), list[Block]()
    held = list[tuple[str, str, Callable[..., Any]]]()
    here, move, row = 0, 0, 0
    for (a, b), joint in joints.items():
        chart = joint.chart
        read = slice(here, here := here + len(chart.coordinates))
        columns = slice(move, move := move + len(chart.velocities))
        conditions = slice(row, row := row + len(chart.phi.a))
        J, K = (f"{joint.name}.{end}" if end in joint.moving else frame for end, frame in (("at", a), ("to", b)))
        edges.append(JointEdge(J, K, joint, read, columns, n))
        held += [(*((a, J) if end == "at" else (K, b)), X) for end, X in joint.moving.items()]
        A.append(Block(chart.A, read, (read, columns)))
        phi.append(Block(chart.phi, read, (conditions,)))
    start = np.concatenate([np.zeros(0), *(joint.chart.q0 for joint in joints.values())])
    coordinates = tuple(name for joint in joints.values() for name in joint.coordinates)
    kinematics = Blocks(size, (size, n), tuple(A))
    places = Arguments((("q", coordinates),), time=True)
    moving = [GivenEdge(a, b, map_of(X, places, f"the pose of {b!r} in {a!r}", (4, 4)), kinematics) for a, b, X in held]
    return Parameterisation.of_maps(
        coordinates,
        tuple(name for joint in joints.values() for name in joint.velocities),
        kinematics,
        Blocks(size, (rows,), tuple(phi)),
        [*edges, *moving],
        Exponentials(tuple(ChartPlace(edge.joint.chart, edge.read, edge.move) for edge in edges)),
        start if q0 is None else finite_vector(q0, "q0", size),
    )


def _joint(name: str, chart: AbstractChart, at: Pose | None, to: Pose | None) -> Joint:
    of_kind(name, str, "the name of a joint", "a string")
    moving: dict[str, Callable[..., Any]] = {end: X for end, X in (("at", at), ("to", to)) if callable(X)}
    return Joint(name, chart, _pose(at, f"at of joint {name!r}"), _pose(to, f"to of joint {name!r}"), moving)


def _pose(given: Pose | None, what: str) -> Array:
    if given is None or callable(given):
        return np.eye(4)
    X = finite_array(given, what, (4, 4))
    checked_homogeneous(X, what, 3)
    return X


def _unit(axis: ArrayLike, name: str) -> Array:
    e = finite_direction(axis, f"axis of joint {name!r}")
    length = float(np.linalg.norm(e))
    if length == 0:
        raise ModelError(f"axis of joint {name!r} is zero: give a direction.")
    return np.asarray(e / length)


def _rotation(by: str, name: str) -> Matrix | Quaternion:
    if not isinstance(by, str) or by not in _ROTATIONS:
        raise ModelError(f"joint {name!r} is given by one of {', '.join(_ROTATIONS)}, got {by!r}.")
    return _ROTATIONS[by]
