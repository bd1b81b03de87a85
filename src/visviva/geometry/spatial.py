"""Twists, wrenches and momenta that know what they belong to and in which frame they are expressed.

Vectors are (..., 6), angular part first: (ω; v), (m; f). Twists change frames by Ad, wrenches and momenta by Ad⁻ᵀ.
Source: Stramigioli, Maschke and Bidard, sections 2.3 and 2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.frames import Pose
from visviva.geometry.linear import apply, dot


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Twist:
    """T_of^{frame, wrt} = (ω; v): motion of `of` with respect to `wrt`, in coordinates of `frame`.

    v is the velocity of the point of `of` that passes the origin of `frame`.
    """

    vector: Array  # (..., 6)
    of: str
    wrt: str
    frame: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", finite_array(self.vector, f"twist of '{self.of}'", (6,)))

    def in_frame(self, pose: Pose) -> Twist:
        """Ad T: the same motion in coordinates of `pose.dst`; the pose must start from the twist's frame."""
        _starts_from(pose, self.frame, f"the twist of '{self.of}'")
        return Twist(apply(pose.X.Ad(), self.vector), self.of, self.wrt, pose.dst)

    def __add__(self, other: Twist) -> Twist:
        """T_A/C = T_A/B + T_B/C, in either order."""
        _one_frame(self.frame, other.frame, "twists", "add")
        if self.wrt == other.of:
            return Twist(self.vector + other.vector, self.of, other.wrt, self.frame)
        if other.wrt == self.of:
            return Twist(self.vector + other.vector, other.of, self.wrt, self.frame)
        raise ModelError(
            f"cannot add the twist of '{self.of}' with respect to '{self.wrt}' and that of '{other.of}' with"
            f" respect to '{other.wrt}'.\n"
            "Twists add along a chain, A/B + B/C = A/C; -T turns A/B into B/A."
        )

    def __neg__(self) -> Twist:
        """T_B/A = -T_A/B, in the same frame."""
        return Twist(-self.vector, of=self.wrt, wrt=self.of, frame=self.frame)

    def velocity_at(self, points: ArrayLike) -> Array:
        """v + ω × p (..., 3): velocity of the points of `of` that are at p, both in coordinates of `frame`."""
        p = finite_array(points, f"points in frame '{self.frame}'", (3,))
        return np.asarray(self.vector[..., 3:] + np.cross(self.vector[..., :3], p))


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Wrench:
    """F = (m; f) on the body `on`: moment about the origin of `frame`, and force, in coordinates of `frame`."""

    vector: Array  # (..., 6)
    on: str
    frame: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", finite_array(self.vector, f"wrench on '{self.on}'", (6,)))

    def in_frame(self, pose: Pose) -> Wrench:
        """Ad⁻ᵀ F: the same load in coordinates of `pose.dst`; the pose must start from the wrench's frame."""
        _starts_from(pose, self.frame, f"the wrench on '{self.on}'")
        return Wrench(apply(pose.X.coAd(), self.vector), self.on, pose.dst)

    def __add__(self, other: Wrench) -> Wrench:
        _one_frame(self.frame, other.frame, "wrenches", "add")
        _one_body(self.on, other.on, "wrenches")
        return Wrench(self.vector + other.vector, self.on, self.frame)


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Momentum:
    """P = (angular; linear) momentum of `of`, about the origin and in coordinates of `frame`."""

    vector: Array  # (..., 6)
    of: str
    frame: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", finite_array(self.vector, f"momentum of '{self.of}'", (6,)))

    def in_frame(self, pose: Pose) -> Momentum:
        """Ad⁻ᵀ P: the same momentum in coordinates of `pose.dst`; the pose must start from its frame."""
        _starts_from(pose, self.frame, f"the momentum of '{self.of}'")
        return Momentum(apply(pose.X.coAd(), self.vector), self.of, pose.dst)

    def __add__(self, other: Momentum) -> Momentum:
        _one_frame(self.frame, other.frame, "momenta", "add")
        _one_body(self.of, other.of, "momenta")
        return Momentum(self.vector + other.vector, self.of, self.frame)


def power(wrench: Wrench, twist: Twist) -> Array:
    """m·ω + f·v [W], the work per time of a wrench on a body that moves; the same in every frame."""
    _one_frame(wrench.frame, twist.frame, "a wrench and a twist", "pair")
    if wrench.on != twist.of:
        raise ModelError(
            f"the wrench acts on '{wrench.on}', the twist is that of '{twist.of}'.\n"
            "A wrench does work on the motion of the body it acts on."
        )
    return dot(wrench.vector, twist.vector)


def _starts_from(pose: Pose, frame: str, what: str) -> None:
    if pose.src != frame:
        raise ModelError(
            f"{what} is in frame '{frame}', the pose {pose.name} starts from '{pose.src}'.\n"
            f"Use a pose with src='{frame}', for example the inverse()."
        )


def _one_frame(a: str, b: str, what: str, verb: str) -> None:
    if a != b:
        raise ModelError(
            f"cannot {verb} {what} in different frames, '{a}' and '{b}'.\nBring both to one frame with in_frame(pose)."
        )


def _one_body(a: str, b: str, what: str) -> None:
    if a != b:
        raise ModelError(f"cannot add {what} of different bodies, '{a}' and '{b}'. Add those of one body.")
