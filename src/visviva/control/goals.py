"""Goals of a reference: what a path asks of a joint or of a frame, in positions, velocities and accelerations.

A goal gives rows A over the velocities of a mechanism with A v = V and A a = V̇ - Ȧ v, and the way e from a
configuration to where it is wanted, so that A δ = e to first order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva._suggestions import hint_of
from visviva.control.abstract_path import AbstractPath, as_path, series_about
from visviva.control.rotations import PosePath, RotationPath, as_rotation, pose, spin_of
from visviva.control.series import concatenated
from visviva.errors import ModelError
from visviva.forms.dynamics.entries import Entries
from visviva.forms.dynamics.handle import Dynamics
from visviva.forms.dynamics.loops import Motion
from visviva.geometry import SE3, SO3
from visviva.geometry.quaternion import matrix_of, quaternion

RADIANS, METRES = "rad", "m"


class State(NamedTuple):
    """A mechanism at q, v. motion: of loops that leave independent velocities; None: rows are over all of the tree."""

    d: Dynamics
    q: Array
    v: Array
    motion: Motion | None

    @property
    def N(self) -> Array:
        """All velocities of the tree are ξ = N v."""
        return np.eye(self.d.form.n) if self.motion is None else self.motion.N

    @property
    def drift(self) -> Array:
        """ξ̇ = N a + drift."""
        return np.zeros(self.d.form.n) if self.motion is None else self.motion.drift


class AbstractGoal(ABC):
    """One entry of a reference."""

    name: str
    units: tuple[str, ...]  # of its rows, RADIANS or METRES
    paths: tuple[AbstractPath, ...]

    @abstractmethod
    def target(self, t: float) -> Any:
        """Where it is wanted, as `way` takes it."""

    @abstractmethod
    def way(self, d: Dynamics, q: Array, target: Any) -> Array:
        """From q to a target, (k,)."""

    @abstractmethod
    def rows(self, state: State) -> Array:
        """A, (k, nv), or (k, n) over all velocities of the tree."""

    @abstractmethod
    def bias(self, state: State) -> Array:
        """Ȧ v, (k,)."""

    @abstractmethod
    def wanted(self, t: float) -> tuple[Array, Array]:
        """V and V̇, (k,) both."""

    def at(self, t: float) -> tuple[Any, Array, Array]:
        """Target, V and V̇."""
        return self.target(t), *self.wanted(t)


class AbstractJointGoal(AbstractGoal):
    """Of coordinates of the tree: rows are those of the identity."""

    entry: Entries

    def rows(self, state: State) -> Array:
        """Of all velocities that it names."""
        return state.N[self.entry.xi]

    def bias(self, state: State) -> Array:
        """Where velocities are independent ones, others depend on them."""
        return state.drift[self.entry.xi]

    @abstractmethod
    def value(self, t: float) -> Array:
        """Its coordinates in q."""

    @abstractmethod
    def sample(self, t: Array) -> tuple[Array, Array, Array]:
        """Its coordinates in q, V and V̇ at many times, one row for each."""


@final
@dataclass(frozen=True, eq=False)
class CoordinateGoal(AbstractJointGoal):
    """Angles and displacements of a joint."""

    name: str
    entry: Entries
    path: AbstractPath
    units: tuple[str, ...]

    @property
    def paths(self) -> tuple[AbstractPath, ...]:  # type: ignore[override]
        """One of its coordinates."""
        return (self.path,)

    def value(self, t: float) -> Array:
        """q."""
        return np.atleast_1d(self.path.series(t, 0).c[0])

    def target(self, t: float) -> Any:
        """Coordinates."""
        return self.value(t)

    def way(self, d: Dynamics, q: Array, target: Any) -> Array:
        """Difference of coordinates."""
        return np.asarray(target - q[self.entry.q])

    def wanted(self, t: float) -> tuple[Array, Array]:
        """q̇ and q̈."""
        found = self.path.derivatives(t, 2)
        return np.atleast_1d(found[1]), np.atleast_1d(found[2])

    def sample(self, t: Array) -> tuple[Array, Array, Array]:  # noqa: D102
        q, rate, growth = series_about(self.path.series, t, 2).derivatives.reshape(3, len(t), -1)
        return q, rate, growth


@final
@dataclass(frozen=True, eq=False)
class BallGoal(AbstractJointGoal):
    """The rotation of a ball, with ω in axes of the child."""

    name: str
    entry: Entries
    path: RotationPath
    units: tuple[str, ...] = (RADIANS,) * 3

    @property
    def paths(self) -> tuple[AbstractPath, ...]:  # type: ignore[override]
        """One of matrices."""
        return (self.path.matrix,)

    def value(self, t: float) -> Array:
        """Quaternion."""
        return quaternion(self.path.series(t, 0).c[0])

    def target(self, t: float) -> Any:
        """Rotation matrix."""
        return self.path.series(t, 0).c[0]

    def way(self, d: Dynamics, q: Array, target: Any) -> Array:
        """Rotation vector in axes of the child."""
        return SO3(matrix_of(q[self.entry.q]).T @ target).log()

    def wanted(self, t: float) -> tuple[Array, Array]:
        """ω and ω̇."""
        found = self.path.spin(t, 1).derivatives
        return found[0], found[1]

    def sample(self, t: Array) -> tuple[Array, Array, Array]:  # noqa: D102
        R = series_about(self.path.series, t, 2)
        rate, growth = spin_of(R).derivatives
        return quaternion(R.c[0]), rate, growth


@final
@dataclass(frozen=True, eq=False)
class FreeGoal(AbstractJointGoal):
    """The pose of what flies, with (ω; v) in axes of the body."""

    name: str
    entry: Entries
    path: PosePath
    units: tuple[str, ...] = (RADIANS,) * 3 + (METRES,) * 3

    @property
    def paths(self) -> tuple[AbstractPath, ...]:  # type: ignore[override]
        """Of position and rotation."""
        return self.path.position, self.path.rotation.matrix

    def value(self, t: float) -> Array:
        """(r, quaternion)."""
        X = self.path(t)
        return np.concatenate([X.r, quaternion(X.R)])

    def target(self, t: float) -> Any:
        """Pose."""
        return self.path(t)

    def way(self, d: Dynamics, q: Array, target: Any) -> Array:
        """Twist in axes of the body."""
        own = q[self.entry.q]
        return (SE3(matrix_of(own[3:]), own[:3]).inverse() @ target).log()

    def wanted(self, t: float) -> tuple[Array, Array]:
        """V and V̇."""
        found = self.path.twist(t, 1).derivatives
        return found[0], found[1]

    def sample(self, t: Array) -> tuple[Array, Array, Array]:  # noqa: D102
        r, R, rate, growth = self.path.sample(t)
        return np.concatenate([r, quaternion(R)], axis=1), rate, growth


@final
@dataclass(frozen=True, eq=False)
class FrameGoal(AbstractGoal):
    """Origin and axes of a frame, or one of both; rows (ω; v) in axes of the world."""

    name: str
    position: AbstractPath | None
    rotation: RotationPath | None

    @property
    def units(self) -> tuple[str, ...]:  # type: ignore[override]
        """Turning comes first."""
        return (RADIANS,) * 3 * (self.rotation is not None) + (METRES,) * 3 * (self.position is not None)

    @property
    def paths(self) -> tuple[AbstractPath, ...]:  # type: ignore[override]
        """Of both."""
        return tuple(x for x in (self.position, self.rotation and self.rotation.matrix) if x is not None)

    @property
    def _part(self) -> slice:
        return slice(3 if self.rotation is None else 0, 3 if self.position is None else 6)

    def target(self, t: float) -> Any:
        """Rotation matrix and position, None for what is free."""
        return tuple(None if path is None else path.series(t, 0).c[0] for path in (self.rotation, self.position))

    def way(self, d: Dynamics, q: Array, target: Any) -> Array:
        """Rotation vector and vector, in axes of the world."""
        X, found, (R, r) = d.pose(self.name, q), list[Array](), target
        if R is not None:
            found.append(X.R @ SO3(X.R.T @ R).log())
        if r is not None:
            found.append(r - X.r)
        return np.concatenate(found)

    def rows(self, state: State) -> Array:
        """Of the Jacobian."""
        J = state.d.tree_jacobian(self.name, state.q, "world")[self._part]
        return J if state.motion is None else np.asarray(J @ state.motion.N)

    def bias(self, state: State) -> Array:
        """J̇ v."""
        return state.d.bias_acceleration(self.name, state.q, state.v)[self._part]

    def wanted(self, t: float) -> tuple[Array, Array]:
        """(ω; v) and its rate."""
        return self.at(t)[1:]

    def at(self, t: float) -> tuple[Any, Array, Array]:
        """All by the same series."""
        R, r = (None if path is None else path.series(t, 2) for path in (self.rotation, self.position))
        parts = [*([] if R is None else [spin_of(R, world=True)]), *([] if r is None else [r.rate])]
        V = (parts[0] if len(parts) == 1 else concatenated(parts)).derivatives
        return (None if R is None else R.c[0], None if r is None else r.c[0]), V[0], V[1]


def goals_of(d: Dynamics, given: Mapping[Any, Any]) -> list[AbstractGoal]:
    """By names of joints, of their coordinates, of frames, bodies and particles."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f"a reference of {d.name!r} takes paths by name, e.g. {{{d.q_names[0].split('.')[0]!r}: "
            f"vv.control.polynomial(0.0, 1.0, 2.0)}}, got {given!r}."
        )
    return [_goal(d, str(getattr(name, "name", name)), path) for name, path in given.items()]


def _goal(d: Dynamics, name: str, given: Any) -> AbstractGoal:
    entry = d.entries.get(name)
    what = f"the reference of {name!r}"
    if entry is not None and entry.kind == "ball":
        return BallGoal(name, entry, as_rotation(given, what))
    if entry is not None and entry.kind == "free" and isinstance(given, PosePath | SE3 | tuple):
        return FreeGoal(name, entry, _pose(given, what))
    if name in d.frames:
        return _frame_goal(d, name, given, what)
    if entry is not None and len(entry.q):
        if entry.kind == "free":
            return FreeGoal(name, entry, _pose(given, what))
        n = len(entry.q)
        path = as_path(given, None, what)
        if path.shape not in ({(), (1,)} if n == 1 else {(n,)}):
            raise ModelError(
                f"{what} is a path of {n} coordinate{'s' * (n > 1)}, {', '.join(d.q_names[k] for k in entry.q)}, "
                f"got one of shape {path.shape}."
            )
        return CoordinateGoal(name, entry, path, units_of(d, entry))
    for joint in d.definition.joints:
        if name in (joint.name, f"{joint.name}.q"):
            raise ModelError(
                f"joint {joint.name!r} of {d.name!r} closes a loop and has no coordinate of its own: give one of "
                f"{', '.join(d.q_names)},\nor take it into the tree: "
                f"vv.control.reference(vv.dynamics(m, independent=({joint.name!r},)), {{{joint.name!r}: ...}})."
            )
    known = {*(key for key, value in d.entries.items() if len(value.q)), *d.frames}
    raise ModelError(f"mechanism {d.name!r} has no joint, frame or body {name!r}. {hint_of(name, known)}")


def _frame_goal(d: Dynamics, name: str, given: Any, what: str) -> FrameGoal:
    if name == d.definition.ground.name:
        raise ModelError(f"{what}: the ground does not move.")
    if isinstance(given, RotationPath | SO3):
        found = FrameGoal(name, None, as_rotation(given, what))
    elif isinstance(given, PosePath | SE3) or (isinstance(given, tuple) and len(given) == 2):
        X = _pose(given, what)
        found = FrameGoal(name, X.position, X.rotation)
    else:
        return FrameGoal(name, as_path(given, (3,), what + ", a position,"), None)
    if d.is_point(name):
        raise ModelError(f"{what}: a particle has a position and no axes, give a path of three numbers.")
    return found


def _pose(given: Any, what: str) -> PosePath:
    if isinstance(given, PosePath):
        return given
    if isinstance(given, SE3):
        return pose(given.r, given.rotation)
    if isinstance(given, tuple) and len(given) == 2:
        return pose(*given)
    raise ModelError(f"{what} is a path of poses, vv.control.pose(position, rotation), got {given!r}.")


def units_of(d: Dynamics, entry: Entries) -> tuple[str, ...]:
    """RADIANS or METRES, of velocities."""
    return tuple(RADIANS if turns else METRES for turns in turning(d)[entry.xi])


def turning(d: Dynamics) -> NDArray[np.bool_]:
    """Which velocities of the tree are angular."""
    found = np.zeros(d.form.n, dtype=bool)
    for place, link in zip(d.form.spanning.places, d.form.tree.links, strict=True):
        own = np.arange(place.xi.start, place.xi.stop)
        found[own] = np.arange(len(own)) < (3 if link.kind == "free" else 0 if link.kind == "slider" else len(own))
    return found
