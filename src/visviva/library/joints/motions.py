"""Elementary motions: what joints are chains of, each by a coordinate, or by none.

Motions act one after the other from the parent to the child; the axes of each are those that the ones before leave.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3


class AbstractMotion(ABC):
    """A rigid motion X(q) with the body twist X⁻¹ Ẋ = hat(S(q) q_dot) by its own coordinates."""

    @property
    @abstractmethod
    def coordinates(self) -> slice:
        """Its own coordinates among those of the joint."""

    @abstractmethod
    def pose(self, q: Array) -> SE3:
        """X for coordinates q of the joint, shape (..., nv)."""

    @abstractmethod
    def twist(self, q: Array) -> Array:
        """S of its own coordinates, shape (..., 6, k) or one that broadcasts to it."""


@dataclass(frozen=True)
class AbstractAxisMotion(AbstractMotion):
    """A motion about or along an axis, counted 0, 1, 2 for x, y, z, by `factor` times one coordinate."""

    axis: int
    coordinate: int = 0
    factor: float = 1.0

    @property
    def coordinates(self) -> slice:  # noqa: D102
        return slice(self.coordinate, self.coordinate + 1)


@final
@dataclass(frozen=True)
class Turn(AbstractAxisMotion):
    """A turn about an axis, by `factor` times a coordinate [rad]."""

    def pose(self, q: Array) -> SE3:  # noqa: D102
        angle = self.factor * q[..., self.coordinate]
        R = np.zeros((*angle.shape, 3, 3))
        i, j, k = (self.axis + 1) % 3, (self.axis + 2) % 3, self.axis
        R[..., i, i] = R[..., j, j] = np.cos(angle)
        R[..., j, i] = np.sin(angle)
        R[..., i, j] = 0.0 - R[..., j, i]  # zero has no sign
        R[..., k, k] = 1.0
        return SE3(R, np.zeros((*angle.shape, 3)))

    def twist(self, q: Array) -> Array:  # noqa: D102
        return self.factor * np.eye(6)[:, self.axis, None]


@final
@dataclass(frozen=True)
class Shift(AbstractAxisMotion):
    """A shift along an axis, by `factor` times a coordinate [m, or rad with a factor in m/rad]."""

    def pose(self, q: Array) -> SE3:  # noqa: D102
        r = self.factor * q[..., self.coordinate, None] * np.eye(3)[self.axis]
        return SE3(np.broadcast_to(np.eye(3), (*r.shape, 3)), r)

    def twist(self, q: Array) -> Array:  # noqa: D102
        return self.factor * np.eye(6)[:, 3 + self.axis, None]


@final
@dataclass(frozen=True)
class Reach(AbstractMotion):
    """A constant length along z [m]."""

    length: float

    @property
    def coordinates(self) -> slice:  # noqa: D102
        return slice(0, 0)

    def pose(self, q: Array) -> SE3:  # noqa: D102
        r = np.zeros((*q.shape[:-1], 3))
        r[..., 2] = self.length
        return SE3(np.broadcast_to(np.eye(3), (*r.shape, 3)), r)

    def twist(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((6, 0))


@final
@dataclass(frozen=True)
class Ball(AbstractMotion):
    """Any turn, by three coordinates from one on that are a rotation vector [rad], a chart only: R = exp(w)."""

    first: int = 0

    @property
    def coordinates(self) -> slice:  # noqa: D102
        return slice(self.first, self.first + 3)

    def pose(self, q: Array) -> SE3:  # noqa: D102
        w = q[..., self.coordinates]
        return SE3(SO3.exp(w).R, np.zeros_like(w))

    def twist(self, q: Array) -> Array:  # noqa: D102
        spin = SO3.dexp(q[..., self.coordinates])
        return np.concatenate([spin, np.zeros_like(spin)], axis=-2)


@final
@dataclass(frozen=True)
class Flight(AbstractMotion):
    """Any motion, by a screw displacement, a chart only: X = exp(q)."""

    @property
    def coordinates(self) -> slice:  # noqa: D102
        return slice(0, 6)

    def pose(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q)

    def twist(self, q: Array) -> Array:  # noqa: D102
        return SE3.dexp(q)


Chain = tuple[AbstractMotion, ...]


def chain_pose(chain: Chain, q: Array) -> SE3:
    """X_PC(q), the product of all motions, for q of shape (..., nv)."""
    poses = [motion.pose(q) for motion in chain]
    if not poses:
        return SE3.identity(q.shape[:-1])
    X = poses[0]
    for pose in poses[1:]:
        X = X @ pose
    return X


def chain_twists(chain: Chain, q: Array) -> Array:
    """S(q) with X_PC⁻¹ Ẋ_PC = hat(S(q) q_dot), (..., 6, nv): Σ_k Ad((X_k+1 ... X_n)⁻¹) S_k over the motions."""
    S = np.zeros((*q.shape[:-1], 6, q.shape[-1]))
    back: SE3 | None = None  # the child's frame to that after the motion
    for motion in reversed(chain):
        twist = motion.twist(q)
        S[..., motion.coordinates] += twist if back is None else back.Ad() @ twist
        inverse = motion.pose(q).inverse()
        back = inverse if back is None else back @ inverse
    return S
