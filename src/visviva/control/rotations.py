"""Paths of rotations and of poses, with angular velocities and twists that are exact derivatives of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_direction, finite_number
from visviva._suggestions import helpful, suggesting
from visviva.control.abstract_path import (
    AbstractPath,
    Computed,
    Hold,
    as_path,
    combine_paths,
    series_about,
    span_of,
    together,
)
from visviva.control.paths import line, polynomial
from visviva.control.series import Series, concatenated, matmul
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.geometry.stumpff import stumpff

ORTHOGONAL = 1e-9


class PoseMotion(NamedTuple):
    """X_WB, its twist V = (ω; v) and V̇, (6,) both, in axes of the body."""

    X: SE3
    V: Array
    V_dot: Array


@suggesting
@final
@dataclass(frozen=True, eq=False, repr=False)
class RotationPath:
    """R_WB(t). `matrix` is the path of its entries, (3, 3).

    Ṙ = R ω̂ with ω in axes of the body: its derivatives follow from those of R, (RᵀṘ)ˇ.
    """

    matrix: AbstractPath

    def __call__(self, t: float) -> SO3:
        """R at one time."""
        return SO3(self.matrix.series(finite_number(t, "time of a rotation"), 0).c[0])

    @property
    def ends(self) -> tuple[float, float]:
        """[s], see `AbstractPath`."""
        return self.matrix.ends

    def series(self, t: float | Array, order: int = 2) -> Series:
        """Of R, about one time or many."""
        return self.matrix.series(t, order)

    def spin(self, t: float | Array, order: int = 1, *, world: bool = False) -> Series:
        """Series of ω in axes of the body, or of the world, about one time or many."""
        R = self.matrix.series(t, order + 1)
        return spin_of(R, world=world)

    def angular_velocity(self, t: float, order: int = 0) -> Array:
        """ω in axes of the body [rad/s], or one of its derivatives, (3,)."""
        return np.asarray(self.spin(t, order).derivatives[order])

    def __matmul__(self, other: Any) -> RotationPath:
        """R_AB @ R_BC: one turn after the other; either may stand still."""
        return RotationPath(combine_paths(matmul, self.matrix, as_rotation(other, "rotation").matrix))

    def __rmatmul__(self, other: Any) -> RotationPath:
        return as_rotation(other, "rotation") @ self

    __array_ufunc__ = None  # arrays leave operators to paths

    @property
    def T(self) -> RotationPath:
        """The inverse."""
        return RotationPath(combine_paths(lambda R: R.T, self.matrix))

    def delayed(self, by: float) -> RotationPath:
        """The same some seconds later."""
        return RotationPath(self.matrix.delayed(by))

    def stretched(self, factor: float) -> RotationPath:
        """The same slower by a factor, from t = 0 on."""
        return RotationPath(self.matrix.stretched(factor))

    def timed(self, clock: Any) -> RotationPath:
        """R(s(t))."""
        return RotationPath(self.matrix.timed(clock))

    def __repr__(self) -> str:
        return f"<path of rotations{span_of(self.ends)}>"


@suggesting
@final
@dataclass(frozen=True, eq=False, repr=False)
class PosePath:
    """X_WB(t): a path of its origin, (3,), and one of its axes."""

    position: AbstractPath
    rotation: RotationPath

    def __call__(self, t: float) -> SE3:
        """X at one time."""
        t = finite_number(t, "time of a pose")
        return SE3(self.rotation.series(t, 0).c[0], self.position.series(t, 0).c[0])

    @property
    def ends(self) -> tuple[float, float]:
        """[s], of both together."""
        return together([self.position, self.rotation.matrix])[0]

    def twist(self, t: float | Array, order: int = 1) -> Series:
        """Series of (ω; Rᵀ ṙ), (6,): in axes of the body, about one time or many."""
        R, rate = self.rotation.series(t, order + 1), self.position.series(t, order + 1).rate
        return concatenated([spin_of(R), matmul(R.upto(order).T, rate)])

    def motion(self, t: float) -> PoseMotion:
        """Pose, twist and its rate at one time."""
        V = self.twist(finite_number(t, "time of a pose")).derivatives
        return PoseMotion(self(t), V[0], V[1])

    def sample(self, times: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """r, (n, 3), R, (n, 3, 3), V and V̇, (n, 6), at many times."""
        t = finite_array(times, "times of a pose", (None,))
        R, r = series_about(self.rotation.series, t, 2), series_about(self.position.series, t, 2)
        V, V_dot = concatenated([spin_of(R), matmul(R.upto(1).T, r.rate)]).derivatives
        return r.c[0], R.c[0], V, V_dot

    def poses(self, times: ArrayLike) -> tuple[Array, Array]:
        """r, (n, 3), and R, (n, 3, 3), at many times."""
        t = finite_array(times, "times of a pose", (None,))
        return (
            series_about(self.position.series, t, 0).c[0].reshape(-1, 3),
            series_about(self.rotation.series, t, 0).c[0].reshape(-1, 3, 3),
        )

    def delayed(self, by: float) -> PosePath:
        """The same some seconds later."""
        return PosePath(self.position.delayed(by), self.rotation.delayed(by))

    def stretched(self, factor: float) -> PosePath:
        """The same slower by a factor, from t = 0 on: at half of the speed with 2."""
        return PosePath(self.position.stretched(factor), self.rotation.stretched(factor))

    def timed(self, clock: Any) -> PosePath:
        """X(s(t))."""
        return PosePath(self.position.timed(clock), self.rotation.timed(clock))

    def __repr__(self) -> str:
        return f"<path of poses{span_of(self.ends)}>"


def spin_of(R: Series, *, world: bool = False) -> Series:
    """Series of ω, of one order less than R: (RᵀṘ)ˇ, or (ṘRᵀ)ˇ in axes of the world."""
    now = R.upto(R.order - 1)
    W = (matmul(R.rate, now.T) if world else matmul(now.T, R.rate)).c
    W = 0.5 * (W - np.swapaxes(W, -1, -2))
    return Series(np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1), R.lead)


def as_rotation(given: Any, what: str) -> RotationPath:
    """A path of rotations, one that stands still (SO3 or a matrix), or a function of time that returns matrices."""
    if isinstance(given, RotationPath):
        return given
    if isinstance(given, SO3):
        return RotationPath(Hold(given.R))
    if callable(given) or isinstance(given, AbstractPath):
        return RotationPath(_orthogonal(as_path(given, (3, 3), what), what))
    return RotationPath(Hold(SO3.from_matrix(given, what).R))


def rotation(given: Any) -> RotationPath:
    """A path of rotations of a function of time that returns matrices (3, 3), of a matrix, or of an SO3."""
    return as_rotation(given, "a rotation")


@helpful
def pose(position: Any, rotation: Any = None) -> PosePath:
    """A path of poses of one of positions, (3,), and one of rotations; what is a number or a matrix stands still."""
    if rotation is None:
        rotation = np.eye(3)
    return PosePath(as_path(position, (3,), "position of a pose"), as_rotation(rotation, "rotation of a pose"))


@helpful
def turn(axis: ArrayLike, angle: Any, *, start: Any = None) -> RotationPath:
    """A turn about a fixed axis: start @ exp(axis φ(t)); the axis is the same in both frames.

    angle: φ(t) [rad], a path or a function of time, e.g. polynomial(0.0, np.pi / 2, 2.0); a number is a rate [rad/s].
    """
    n = finite_direction(axis, "axis of a turn")
    length = float(np.linalg.norm(n))
    if length < 1e-12:
        raise ModelError("the axis of a turn must not be zero.")
    n = n / length
    phi = line(0.0, angle) if isinstance(angle, int | float) else as_path(angle, (), "angle of a turn")
    K, P = SO3.hat(n), np.outer(n, n)

    return _from(start, RotationPath(combine_paths(lambda x: x.cos() * (np.eye(3) - P) + x.sin() * K + P, phi)))


@helpful
def rotation_vector(vector: Any, *, start: Any = None) -> RotationPath:
    """start @ exp(w(t)) of a path of rotation vectors w, (3,) [rad], e.g. a polynomial or a spline in so(3)."""
    return _from(start, RotationPath(combine_paths(exp_of, as_path(vector, (3,), "rotation vector"))))


@helpful
def slerp(start: Any, end: Any, duration: float, *, degree: int = 5, begin: float = 0.0) -> RotationPath:
    """From one rotation to another by the shortest turn, from rest to rest: start @ exp(s(t) log(startᵀ end))."""
    A, B = as_rotation(start, "start of a turn")(begin), as_rotation(end, "end of a turn")(begin)
    w = (A.inverse() @ B).log()
    s = polynomial(0.0, 1.0, duration, degree=degree, begin=begin)
    return _from(A, RotationPath(combine_paths(lambda x: exp_of(x * w), s)))


def exp_of(w: Series) -> Series:
    """exp(ŵ) = c₀ I + c₁ ŵ + c₂ w wᵀ of a series of rotation vectors, by Stumpff's functions of w·w, smooth at 0."""
    outer = w[:, None] * w[None, :]
    x = Series(np.trace(outer.c, axis1=-2, axis2=-1), outer.lead)
    c0, c1, c2 = (_stumpff_of(x, k) for k in range(3))
    return c0 * np.eye(3) + c1 * Series(skew(w.c), w.lead) + c2 * outer


def _stumpff_of(x: Series, k: int) -> Series:
    """c_k(x), whose derivatives are combinations of further ones: c_k' = (k c_{k+2} - c_{k+1})/2."""
    values = stumpff(x.c[0], max(2, k + 2 * x.order))
    terms, found = {k: 1.0}, list[Array]()
    for j in range(x.order + 1):
        found.append(np.asarray(sum(weight * values[i] for i, weight in terms.items()) / math.factorial(j)))
        ahead = dict[int, float]()
        for i, weight in terms.items():
            ahead[i + 2] = ahead.get(i + 2, 0.0) + 0.5 * i * weight
            ahead[i + 1] = ahead.get(i + 1, 0.0) - 0.5 * weight
        terms = ahead
    return Series(np.array(found), x.lead).composed(x)


def _from(start: Any, path: RotationPath) -> RotationPath:
    return path if start is None else as_rotation(start, "start of a turn") @ path


def _orthogonal(path: AbstractPath, what: str) -> AbstractPath:
    """The same, refused where its matrices are no rotations."""

    def inner(t: float, order: int) -> Series:
        found = path.inner(t, order)
        R = found.c[0]
        off = float(np.abs(R.T @ R - np.eye(3)).max())
        if off > ORTHOGONAL or np.linalg.det(R) < 0:
            raise ModelError(f"{what}: at t = {t:g} s the matrix is no rotation, RᵀR - 1 is {off:.3g}.")
        return found

    return Computed(inner, (3, 3), path.ends, path.breaks)
