"""What is around a vehicle: wind that blows, and the ground below."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva.copter.vehicles.blades import LOWEST
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.copter.vehicles.wind import WindLike
from visviva.errors import ModelError, RunWarning
from visviva.model.control_law import INPUTS_TYPE

EXAMPLE = "wind= is a vector (4, 0, 0) [m/s], a function wind(t, r) of time and place, or vv.copter.Turbulence(...)"


@final
class Surroundings:
    """Wind and ground by time and place. The wind at the origin of a body acts on all of it.

    wind:   three numbers in world axes [m/s], a function wind(t, r), or None.
    ground: its height z [m], or None.
    """

    def __init__(self, wind: WindLike = None, ground: float | None = None) -> None:
        self.ground = None if ground is None else finite_number(ground, "height of the ground [m]")
        self.law = wind if callable(wind) else None
        if self.law is not None:
            _asked(self.law, 0.0, np.zeros(3))
        elif isinstance(wind, str):
            raise ModelError(f"{EXAMPLE}, got {wind!r}.")
        steady = np.zeros(3) if wind is None or callable(wind) else finite_vector(wind, "wind [m/s]", 3)
        self.steady = frozen(steady)

    def __bool__(self) -> bool:
        return self.law is not None or bool(self.steady.any()) or self.ground is not None

    @property
    def air(self) -> Array:
        """(4,) steady wind, and minus the height of the ground, inf where there is none; see `copter.models.plant`."""
        return np.append(self.steady, np.inf if self.ground is None else -self.ground)

    def wind(self, t: float, r: Array) -> Array:
        """[m/s] in world axes."""
        return self.steady if self.law is None else _asked(self.law, t, r)

    def around(self, t: float, r: Array) -> Array:
        """(4,) wind and height of r above the ground, see `copter.models.gyrostat`."""
        return np.append(self.wind(t, r), np.inf if self.ground is None else r[2] - self.ground)

    def check(self, vehicle: Vehicle) -> None:
        """ModelError where there is ground, and no rotor knows how large it is."""
        if self.ground is not None and not any(rotor.radius for rotor in vehicle.rotors):
            raise ModelError(
                f"the ground carries rotors by their radius, and those of {vehicle.name!r} have none: give each "
                "vv.copter.Rotor(..., radius=0.12), or leave out ground=."
            )

    def heights(self, vehicle: Vehicle, r: Array, R: Array) -> Array:
        """Of rotors above the ground, in radii, (n, k), at poses r (n, 3), R (n, 3, 3)."""
        rotors = [rotor for rotor in vehicle.rotors if rotor.radius]
        below = 0.0 if self.ground is None else self.ground
        z = [(r[:, 2] + R[:, 2] @ rotor.position - below) / rotor.radius for rotor in rotors]
        return np.transpose(z)

    def check_path(self, vehicle: Vehicle, name: str, t: Array, r: Array, R: Array) -> None:
        """ModelError where a reference leads a rotor into the ground."""
        self.check(vehicle)
        if self.ground is None:
            return
        lowest = self.heights(vehicle, r, R).min(axis=1)
        k = int(np.argmin(lowest))
        if lowest[k] <= 0:
            raise ModelError(
                f"{name} leads a rotor of {vehicle.name!r} into the ground at z = {self.ground:g} m, at t = "
                f"{t[k]:.3g} s, where the vehicle is at z = {r[k, 2]:.3g} m.\n"
                f"Give a lower one, such as ground={r[:, 2].min() - 1:.3g}."
            )

    def warn(self, vehicle: Vehicle, name: str, t: Array, r: Array, R: Array) -> None:
        """RunWarning where a rotor was too low."""
        if text := self.too_low(vehicle, name, t, r, R):
            warnings.warn(text, RunWarning, stacklevel=4)

    def too_low(self, vehicle: Vehicle, name: str, t: Array, r: Array, R: Array) -> str:
        """Where a rotor was lower than the formula of the ground goes, if anywhere."""
        if self.ground is None:
            return ""
        lowest = self.heights(vehicle, r, R).min(axis=1)
        k = int(np.argmin(lowest))
        if lowest[k] >= LOWEST:
            return ""
        return (
            f"in {name}, a rotor of {vehicle.name!r} is {lowest[k]:.2g} of its radius above the ground at t = "
            f"{t[k]:.3g} s: the ground effect 1/(1 - (R/4z)²) ends at {LOWEST:g}, and its value there is taken. "
            "Nothing holds a vehicle up on the ground."
        )


def _asked(law: Any, t: float, r: Array) -> Array:
    try:
        found = law(t, r)
    except TypeError as cause:
        raise ModelError(f"{EXAMPLE}; this one fails at t = {t:g}: {cause}.") from cause
    return finite_vector(found, f"wind(t, r) at t = {t:.4g} s [m/s]", 3)


@final
class WindCalls:
    """A wind in Python at an address that compiled flights ask, `inputs(n, T, P, t, r, w)`; keeps its first error.

    unknown: components of a wind that is not told, after an error.
    """

    def __init__(self, around: Surroundings, unknown: float = 0.0) -> None:
        self.error: BaseException | None = None
        self.r, self.w = np.zeros(3), np.array(around.steady)

        def call(n: int, T: int, P: int, t: float, x: int, u: int) -> None:
            try:
                self.w[:] = around.wind(t, self.r.copy())
            except BaseException as error:  # none passes through compiled code; the flight ends, and tells it
                self.error = self.error or error
                self.w[:] = unknown

        self._kept: Any = INPUTS_TYPE(call)
        found = ctypes.cast(self._kept, ctypes.c_void_p).value if around.law is not None else 0
        self.address = int(found or 0)
