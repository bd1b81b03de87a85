"""Sensors: what laws of feedback read of a motion, by the names of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import SO3xR3_SPACE as POSES
from visviva.geometry.hat import vee
from visviva.geometry.linear import apply, transpose
from visviva.geometry.quadratic import Quadratic
from visviva.model.course import AbstractCourse


class AbstractSensor(ABC):
    """Some numbers of a motion, with any leading batch shapes."""

    size: ClassVar[int]

    @abstractmethod
    def read(self, course: AbstractCourse) -> Array:
        """Shape (..., size)."""


@final
@dataclass(frozen=True, eq=False)
class AngleSensor(AbstractSensor):
    """The angle of a joint, continuous over many turns, or its rate; turn: its number among the model's turns."""

    turn: int
    rate: bool
    size: ClassVar[int] = 1

    def read(self, course: AbstractCourse) -> Array:  # noqa: D102
        return (course.angle_rate(self.turn) if self.rate else course.angle(self.turn))[..., None]


@final
@dataclass(frozen=True, eq=False)
class ShiftSensor(AbstractSensor):
    """The displacement u·(r_B - r_A) of a joint, or its rate.

    y: the displacement over the coordinates of what it reads.
    ends:  body of A and u, body of B; None: the ground.   u, a, b: the axis and both points there, in principal axes.
    """

    reads: tuple[str, ...]
    y: Quadratic
    rate: bool
    ends: tuple[str | None, str | None]
    u: Array  # (3,)
    a: Array  # (3,)
    b: Array  # (3,)
    size: ClassVar[int] = 1

    def read(self, course: AbstractCourse) -> Array:  # noqa: D102
        return course.value_rates(self.y, self.reads) if self.rate else course.values(self.y, self.reads)


@final
@dataclass(frozen=True, eq=False)
class PointSensor(AbstractSensor):
    """A point r of a body in the world, or its velocity; arm: in principal axes, None of a particle."""

    body: str
    arm: Array | None  # (3,)
    rate: bool
    size: ClassVar[int] = 3

    def read(self, course: AbstractCourse) -> Array:  # noqa: D102
        q = (course.rates if self.rate else course.coordinates)((f"{self.body}.q",))
        return q if self.arm is None else POSES.translation(q) + apply(POSES.rotation(q), self.arm)


@final
@dataclass(frozen=True, eq=False)
class AxesSensor(AbstractSensor):
    """R_WF of a frame on a body, row by row; R_CF: in principal axes. Over a step it is the mean of both ends."""

    body: str
    R_CF: Array  # (3, 3)
    size: ClassVar[int] = 9

    def read(self, course: AbstractCourse) -> Array:  # noqa: D102
        R = POSES.rotation(course.coordinates((f"{self.body}.q",))) @ self.R_CF
        return R.reshape(*R.shape[:-2], 9)


@final
@dataclass(frozen=True, eq=False)
class TwistSensor(AbstractSensor):
    """The twist (ω; v) of a frame on a body in its own axes; arm, R_CF: where it is, in principal axes.

    With the directors D of the body, ω̂ = D⁻¹ Ḋ and v = R_WFᵀ ṙ. Over a step, D is the mean of both ends, and Ḋ and ṙ
    are secants: R1 = R0 cay(h ω) then, exactly.
    """

    body: str
    R_CF: Array  # (3, 3)
    arm: Array  # (3,)
    size: ClassVar[int] = 6

    def read(self, course: AbstractCourse) -> Array:  # noqa: D102
        q, q_dot = course.coordinates((f"{self.body}.q",)), course.rates((f"{self.body}.q",))
        D, D_dot = POSES.rotation(q), POSES.rotation(q_dot)
        w = vee(np.linalg.inv(D) @ D_dot)
        v = POSES.translation(q_dot) + apply(D_dot, self.arm)
        return np.concatenate([w @ self.R_CF, apply(transpose(D @ self.R_CF), v)], axis=-1)
