"""Sensors of a flight: an IMU at every tick, and late frames of a motion capture system, with seeded noise.

    ω_M = R_B ω + ω_B + noise,     a_M = R_B (a - Rᵀ a_G) + a_B + noise

Frames tell r and R(q) of the body's frame at a time that has passed, on a clock of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.estimation import Misalignment, calibrate_misalignment
from visviva.errors import ModelError
from visviva.geometry import SO3

POSES, POSE_TIME = 20, 10.0  # at rest, and how long each is held [s], before a flight; Konz 5.4.1
KNOWN = 2  # frames after which pose and velocity are
CLOCK = 100.0  # [s] of the sender's clock when ours is 0


def _gyro_bias() -> Array:
    return np.array([0.01, -0.006, 0.004])


def _accel_bias() -> Array:
    return np.array([0.3, -0.2, 0.1])


def _mounting() -> Array:
    return np.radians([1.5, -1.0, 2.0])


@final
@helpful
@dataclass(frozen=True, eq=False)
class Sensors:
    """Standard deviations of noise by axis, and what is constant. All zero: `Sensors.ideal()`.

    gyro, accel:           noise per sample [rad/s], [m/s²].
    gyro_bias, accel_bias: in axes of the sensor [rad/s], [m/s²].
    mounting:              rotation vector of R_B, of the vehicle's axes to those of the sensor [rad].
    position, attitude:    noise of frames [m], [rad].
    frame_period:          [s] between frames.
    delay, jitter:         a frame arrives delay ± jitter after it was measured, any time in between [s].
    dropout:               share of frames that are lost.
    blind:                 pairs (from, until) [s] of the manoeuvre in which none is measured.
    seed:                  of all that is drawn.
    """

    gyro: float = 0.005
    accel: float = 0.05
    gyro_bias: Array = field(default_factory=_gyro_bias)
    accel_bias: Array = field(default_factory=_accel_bias)
    mounting: Array = field(default_factory=_mounting)
    position: float = 1e-3
    attitude: float = np.radians(0.1)
    frame_period: float = 0.1
    delay: float = 0.034
    jitter: float = 0.010
    dropout: float = 0.01
    blind: tuple[tuple[float, float], ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("gyro", "accel", "position", "attitude", "delay", "jitter", "dropout"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} of sensors", minimum=0.0))
        for name in ("gyro_bias", "accel_bias", "mounting"):
            object.__setattr__(self, name, frozen(finite_vector(getattr(self, name), f"{name} of sensors", 3)))
        object.__setattr__(self, "frame_period", finite_number(self.frame_period, "frame_period [s]", positive=True))
        spans = np.reshape(np.asarray(self.blind, dtype=np.float64), (-1, 2))
        if not (spans[:, 0] < spans[:, 1]).all():
            raise ModelError(f"blind are times (from, until) [s] without frames, got {self.blind!r}.")
        object.__setattr__(self, "blind", tuple((float(a), float(b)) for a, b in spans))
        if self.dropout >= 1:
            raise ModelError(f"dropout is the share of frames that are lost, below 1, got {self.dropout:g}.")
        if self.jitter > self.delay:
            raise ModelError(f"frames cannot arrive before they are measured: delay {self.delay:g} s is less than "
                             f"jitter {self.jitter:g} s.")  # fmt: skip
        if 2 * self.jitter >= self.frame_period:
            raise ModelError(f"frames would overtake each other: 2 × jitter is not below {self.frame_period:g} s.")

    @classmethod
    def ideal(cls, **changes: ArrayLike) -> Sensors:
        """Without noise, bias, delay and loss, unless `changes` say otherwise."""
        none = dict.fromkeys(("gyro", "accel", "position", "attitude", "delay", "jitter", "dropout"), 0.0)
        level = dict.fromkeys(("gyro_bias", "accel_bias", "mounting"), np.zeros(3))
        return cls(**{**none, **level, **changes})  # type: ignore[arg-type]

    @property
    def R_B(self) -> Array:
        """Of the vehicle's axes to those of the sensor."""
        return SO3.exp(self.mounting).matrix

    def calibrate(self, rate: float, gravity: float) -> tuple[Misalignment, Array]:
        """Misalignment and the bias of the gyroscope, (3,), as means of poses at rest tell them; rate of samples [Hz].

        Attitudes of the poses are as a frame tells them.
        """
        rng = np.random.default_rng([self.seed, 1])
        axes = rng.normal(size=(POSES, 3))
        poses = np.array([SO3.exp(a / np.linalg.norm(a) * rng.uniform(0, np.pi)).matrix for a in axes])
        samples = np.sqrt(POSE_TIME * rate)
        a = gravity * poses[:, 2] @ self.R_B.T + self.accel_bias
        a = a + self.accel / samples * rng.normal(size=(POSES, 3))
        frames = np.sqrt(POSE_TIME / self.frame_period)
        turns = self.attitude / frames * rng.normal(size=(POSES, 3))
        told = poses @ np.array([SO3.exp(x).matrix for x in turns])
        bias = self.gyro_bias + self.gyro / (samples * np.sqrt(POSES)) * rng.normal(size=3)
        return calibrate_misalignment(told, a, gravity), bias

    def draw(self, ticks: int, T_S: float, h: float, settle: float = 0.0) -> Measured:
        """All noise of some ticks T_S, in which a plant makes steps h; settle: hover before the manoeuvre [s]."""
        rng = np.random.default_rng([self.seed, 0])
        end = ticks * T_S
        times = np.round((0.3 * self.frame_period + np.arange(0, end, self.frame_period)) / h) * h
        arrival = times + self.delay + self.jitter * rng.uniform(-1, 1, len(times))
        lost = rng.uniform(size=len(times)) < self.dropout
        tick = np.ceil(np.round(arrival / T_S, 6)).astype(np.int64)
        begin = tick[~lost][KNOWN - 1] * T_S + settle if (~lost).sum() >= KNOWN else np.inf
        for a, b in self.blind:
            lost |= (times >= begin + a) & (times <= begin + b)
        noise = rng.normal(size=(ticks, 6)) * np.repeat([self.gyro, self.accel], 3)
        frames = rng.normal(size=(len(times), 6)) * np.repeat([self.position, self.attitude], 3)
        kept, step = ~lost, np.round(times / h).astype(np.int64)
        return Measured(
            self.R_B, np.concatenate([self.gyro_bias, self.accel_bias]), noise, step[kept],
            times[kept] + CLOCK, tick[kept], frames[kept], begin,
        )  # fmt: skip


class Measured(NamedTuple):
    """What a flight adds to the truth."""

    R_B: Array
    bias: Array  # (6,) of gyroscope and accelerometer
    noise: Array  # (ticks, 6)
    step: NDArray[np.int64]  # (frames,) of the plant, at which each is measured
    sent: Array  # (frames,) the same on the sender's clock [s]
    tick: NDArray[np.int64]  # (frames,) at which each is there
    frames: Array  # (frames, 6) noise of position [m] and attitude [rad]
    begin: float  # of the manoeuvre, as far as frames tell [s]
