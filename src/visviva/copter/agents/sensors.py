"""Sensors of a flight: an IMU at every tick, and late frames of a motion capture system, with seeded noise.

    ω_M = R_B ω + ω_B + noise,     a_M = R_B (a - Rᵀ a_G) + a_B + noise

Frames tell r and R(q) of the body's frame at a time that has passed, on a clock of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.estimation import Misalignment, calibrate_misalignment
from visviva.errors import ModelError
from visviva.geometry import SO3

POSES, POSE_TIME = 20, 10.0  # at rest, and how long each is held [s], before a flight; Konz 5.4.1
DELAY_TIME = 60.0  # [s] of frames whose mean delay is found before a flight; Konz 5.4.3
FLIGHT, CALIBRATION, LATENCY = range(3)  # streams of random numbers, which each flight draws alike
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
    speed:                 noise of the speeds of rotors that drivers tell, per tick [rad/s]; none by default.
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
    speed: float = 0.0

    def __post_init__(self) -> None:
        for name in ("gyro", "accel", "speed", "position", "attitude", "delay", "jitter", "dropout"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} of sensors", minimum=0.0))
        for name in ("gyro_bias", "accel_bias", "mounting"):
            object.__setattr__(self, name, frozen(finite_vector(getattr(self, name), f"{name} of sensors", 3)))
        object.__setattr__(self, "frame_period", finite_number(self.frame_period, "frame_period [s]", positive=True))
        object.__setattr__(self, "blind", _spans(self.blind))
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise ModelError(f"seed of sensors must be a whole number, at least 0, got {self.seed!r}.")
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
        none = dict.fromkeys(("gyro", "accel", "speed", "position", "attitude", "delay", "jitter", "dropout"), 0.0)
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
        rng = np.random.default_rng([self.seed, CALIBRATION])
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

    def mean_delay(self, T_S: float, h: float) -> float:
        """T̄_D [s] of frames that are there at ticks T_S, as `identify_delay` finds it from a minute of them."""
        times, tick = self._frames(np.random.default_rng([self.seed, LATENCY]), DELAY_TIME, T_S, h)
        return float(np.mean(tick * T_S - times))

    def _frames(self, rng: np.random.Generator, end: float, T_S: float, h: float) -> tuple[Array, NDArray[np.int64]]:
        """Times [s] of all frames until the end, at steps h of a plant, and the ticks at which they are there."""
        times = np.round((0.3 * self.frame_period + np.arange(0, end, self.frame_period)) / h) * h
        arrival = times + self.delay + self.jitter * rng.uniform(-1, 1, len(times))
        return times, np.ceil(np.round(arrival / T_S, 6)).astype(np.int64)

    def draw(self, ticks: int, T_S: float, h: float, rotors: int = 0) -> Measured:
        """All noise of some ticks T_S, in which a plant makes steps h."""
        arriving, losing, noisy, framed, spinning = np.random.default_rng([self.seed, FLIGHT]).spawn(5)
        times, tick = self._frames(arriving, ticks * T_S, T_S, h)
        kept = losing.uniform(size=len(times)) >= self.dropout
        return Measured(
            self.R_B,
            np.concatenate([self.gyro_bias, self.accel_bias]),
            noisy.normal(size=(ticks, 6)) * np.repeat([self.gyro, self.accel], 3),
            self.speed * spinning.normal(size=(ticks, rotors)),
            np.round(times[kept] / h).astype(np.int64),
            times[kept] + CLOCK,
            tick[kept],
            framed.normal(size=(len(times), 6))[kept] * np.repeat([self.position, self.attitude], 3),
            np.reshape(self.blind, (-1, 2)),
        )


def _spans(blind: ArrayLike) -> tuple[tuple[float, float], ...]:
    """Pairs (from, until), or an error."""
    spans = finite_array(blind, "blind of sensors [s]")
    if spans.size == 0:
        return ()
    if spans.ndim != 2 or spans.shape[1] != 2 or not (spans[:, 0] < spans[:, 1]).all():
        raise ModelError(
            f"blind are pairs (from, until) of times [s] without frames, such as ((1.0, 3.0),), got {blind!r}."
        )
    return tuple((float(a), float(b)) for a, b in spans)


class Measured(NamedTuple):
    """What a flight adds to the truth."""

    R_B: Array
    bias: Array  # (6,) of gyroscope and accelerometer
    noise: Array  # (ticks, 6)
    speeds: Array  # (ticks, rotors) noise [rad/s]
    step: NDArray[np.int64]  # (frames,) of the plant, at which each is measured
    sent: Array  # (frames,) the same on the sender's clock [s]
    tick: NDArray[np.int64]  # (frames,) at which each is there
    frames: Array  # (frames, 6) noise of position [m] and attitude [rad]
    blind: Array  # (n, 2) times of the manoeuvre [s] between which no frame is measured
