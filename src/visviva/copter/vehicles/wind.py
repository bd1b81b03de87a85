"""Wind: steady, as a function of time and place, or with gusts by Dryden's spectra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.errors import ModelError

WAVES = 200  # of each component: each has the same share of the energy
FASTEST = 20.0  # [Hz] of the waves; what is faster is left out


@final
@helpful
@dataclass(frozen=True, eq=False)
class Turbulence:
    """Wind with gusts, a sum of waves whose energy has Dryden's spectra, by its seed; a smooth function of time.

        along:           2σ² L/(πV) / (1 + x²)                   x = ω L/V
        across, upright: σ² L/(πV) (1 + 3x²)/(1 + x²)²

    mean:   of the wind in world axes [m/s]. Gusts count along its level part, across and upright; along x without one.
    sigma:  root mean squares of the gusts, along, across and upright [m/s]; one number for all.
    length: their scales L [m]; one number for all.
    speed:  V at which they pass [m/s], by default that of the mean.   seed: of the waves.

    Waves are drawn at equal shares of the energy up to 20 Hz, and amplitudes make up for what is beyond.
    Source: MIL-F-8785C; waves as Shinozuka and Deodatis (1991) sum them.
    """

    mean: Array
    sigma: Array
    length: Array
    speed: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "mean", frozen(finite_vector(self.mean, "mean wind [m/s]", 3)))
        for name, least in (("sigma", "not negative"), ("length", "positive")):
            given = np.broadcast_to(finite_array(getattr(self, name), f"{name} of turbulence"), 3)
            if given.min() < 0 or (name == "length" and given.min() == 0):
                raise ModelError(f"{name} of turbulence must be {least}, got {getattr(self, name)!r}.")
            keep(self, name, frozen(given))
        if self.speed is None and not np.any(self.mean):
            raise ModelError("gusts pass with the mean wind, and this is zero: say how fast they pass, speed= [m/s].")
        speed = float(np.linalg.norm(self.mean)) if self.speed is None else self.speed
        keep(self, "speed", finite_number(speed, "speed of gusts [m/s]", positive=True))

    def __call__(self, t: float, r: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Wind [m/s] in world axes, the same at any place r."""
        w, phase, amplitude, axes = self._waves
        return np.asarray(self.mean + axes @ (amplitude * np.cos(w * t + phase).sum(axis=1)))

    def correlation(self, lag: float) -> Array:
        """Of each component, u(t) u(t + lag) in the mean [m²/s²]."""
        w, _, amplitude, _ = self._waves
        return np.asarray(0.5 * amplitude**2 * np.cos(w * lag).sum(axis=1))

    @cached_property
    def _waves(self) -> tuple[Array, Array, Array, Array]:
        """Frequencies and phases (3, n), amplitudes (3,), directions in columns."""
        rng, n = np.random.default_rng(self.seed), WAVES
        scale = self.length / float(self.speed or 1.0)
        w, phase = np.empty((3, n)), rng.uniform(0, 2 * np.pi, (3, n))
        for i, share in enumerate((_along, _across, _across)):
            x = np.geomspace(1e-6, 2 * np.pi * FASTEST * scale[i], 4000)
            shares = (np.arange(n) + rng.uniform(size=n)) / n * share(x[-1])
            w[i] = np.interp(shares, np.append(0.0, share(x)), np.append(0.0, x)) / scale[i]
        level = self.mean * [1.0, 1.0, 0.0]
        ahead = level / np.linalg.norm(level) if level.any() else np.array([1.0, 0.0, 0.0])
        up = np.array([0.0, 0.0, 1.0])
        return w, phase, self.sigma * np.sqrt(2 / n), np.column_stack([ahead, np.cross(up, ahead), up])


def _along(x: Array) -> Array:
    """Share of the energy in waves slower than x."""
    return 2 / np.pi * np.arctan(x)


def _across(x: Array) -> Array:
    return (2 * np.arctan(x) - x / (1 + x * x)) / np.pi


WindLike = ArrayLike | Callable[[float, Array], ArrayLike] | None
GustLike = ArrayLike | Callable[[float], ArrayLike] | None
