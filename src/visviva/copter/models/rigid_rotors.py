"""Rotors of a rigid vehicle: late by their lag, in moving air, above the ground; at the steps of a flight."""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.gyrostat import add_blades, add_thrusts, air_twist, directions, gyrostat
from visviva.copter.vehicles.allotment import allot
from visviva.copter.vehicles.battery import driven
from visviva.copter.vehicles.blades import RADIUS
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError

NEAR = 1e-9  # of a step


def has_effects(vehicle: Vehicle) -> bool:
    """Whether rotors do not just push with κ_F ϖ² at once."""
    late = any(rotor.lag for rotor in vehicle.rotors)
    return late or vehicle.battery is not None or bool(gyrostat(vehicle).blades[:, :RADIUS].any())


@final
class RigidRotors:
    """A law that is asked at ticks, and what rotors make of its wrench in each step; for `Sampled`.

        T ϖ̇ = ϖ_U - ϖ,   F = κ_F mean(ϖ²) + …, see `copter.vehicles.blades`

    ϖ_U are speeds that the battery can hold. Steps of the lag are exact, and thrusts are those of the mean square of ϖ
    over a step. Tilts are as asked for.

    speeds, thrusts, asked: at the end of each step, in its mean, and the wrench that the law asked for.
    """

    def __init__(self, vehicle: Vehicle, law: Any, period: float, h: float, around: Surroundings) -> None:
        self.vehicle, self.law, self.around = vehicle, law, around
        self._every, self._h, self.period = round(period / h), h, period
        if self._every < 1 or abs(self._every * h - period) > NEAR * period:
            raise ModelError(
                f"rotors with options move in steps: the period of the law, {period:g} s, must be a whole number of "
                f"steps of {h:g} s."
            )
        self._p, self._lag = gyrostat(vehicle), np.array([rotor.lag for rotor in vehicle.rotors])
        self.reset()

    def reset(self) -> None:
        """A flight begins, rotors at hover."""
        self.law.reset()
        self.speeds, self.thrusts, self.asked = list[Array](), list[Array](), list[Array]()
        self._k, self._speed = 0, np.array(self.vehicle.hover.speeds)

    def update(self, now: Any) -> dict[str, Array]:
        """Wrench of the rotors over the step that begins."""
        if self._k % self._every == 0:
            self._wrench = np.array(self.law(now)["rotors"])
            self._ask(self._wrench)
        self._k += 1
        square = self._turn()
        R, p = np.reshape(now["craft.R"], (3, 3)), self._p
        around = self.around.around(now.t, np.asarray(now["craft.r"]))
        f = np.zeros(6)
        add_thrusts(p, self._H, square, f)
        through = air_twist(R, np.asarray(now["craft.twist"]), around)
        add_blades(p, R, self._H, through, np.sqrt(square), around[3], f)
        self.speeds.append(self._speed)
        self.thrusts.append(p.kappa_F * square)
        self.asked.append(self._wrench)
        return {"rotors": f}

    def _ask(self, wrench: Array) -> None:
        """Speeds and directions that make a wrench in still air, far from the ground."""
        n, tilting, p = len(self.vehicle.rotors), list(self.vehicle.tilting), self._p
        x = allot(self.vehicle, wrench[None])[0]
        F, theta = np.array(x[:n]), np.arctan2(x[n:], x[tilting])
        F[tilting] = np.hypot(x[tilting], x[n:])
        self._wanted = np.sqrt(np.maximum(F, 0.0) / p.kappa_F)
        if self.vehicle.battery is not None:
            self._wanted = driven(p, self._wanted)
        self._H, slopes = np.empty((n, 3)), np.empty((n, 3))
        directions(p, theta, self._H, slopes)

    def _turn(self) -> Array:
        """Mean of ϖ² over a step, to whose end speeds go on."""
        mean, end = np.empty(len(self._lag)), np.empty(len(self._lag))
        for i, (T, w, start) in enumerate(zip(self._lag, self._wanted, self._speed, strict=True)):
            end[i], mean[i] = follow(start, w, T, self._h)
        self._speed = end
        return mean


def follow(start: float, wanted: float, T: float, h: float) -> tuple[float, float]:
    """ϖ a step later, and the mean of ϖ² until then."""
    if T == 0.0:
        return wanted, wanted * wanted
    d, left = start - wanted, math.exp(-h / T)
    share = T / h
    mean = wanted * wanted + 2 * wanted * d * share * (1 - left) + d * d * share * 0.5 * (1 - left * left)
    return wanted + d * left, mean
