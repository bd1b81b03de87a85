"""The equations of motion of a multicopter, Konz (5.8)-(5.9), written out for any arrangement of rotors.

Velocities are ξ = (ω, v, θ̇ of the servos, ϖ of the rotors): twists are (ω; v) here, (v; ω) in the text.

    M(θ) ξ̇ + c(θ, ξ) + D ξ + f^G(R) = f^P(θ, ϖ) + f^U(k_M i, τ_S) + f^B

with the friction of (5.9e) against the spin, which is printed with the other sign. `copter.mechanism` has the same from
bodies that turn; this is the gyrostat, of which `copter.models.gyrostat` has the plain functions.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva._suggestions import suggesting
from visviva.copter.models import gyrostat as own
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError


@suggesting
@final
class Equations:
    """M, c and forces of a vehicle; θ are tilts of its servos, σ of them, ρ are its rotors."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.vehicle, self._constants = vehicle, own.gyrostat(vehicle)
        sigma, rho = len(vehicle.tilting), len(vehicle.rotors)
        self.tilts, self.spins = slice(6, 6 + sigma), slice(6 + sigma, 6 + sigma + rho)
        self.size = 6 + sigma + rho

    def M(self, theta: ArrayLike = ()) -> Array:
        """(5.9a), (n, n)."""
        return own.mass_matrix(self._constants, self._directions(theta)[0])

    def M_rate(self, theta: ArrayLike, xi: ArrayLike) -> Array:
        """Ṁ, by H_4 θ̇ = Ḣ_3."""
        rate, slopes, p = np.zeros((self.size, self.size)), self._directions(theta)[1], self._constants
        for i in self.vehicle.tilting:
            column = p.momentum[i] * slopes[i] * np.asarray(xi)[6 + p.servo[i]]
            rate[:3, self.spins.start + i] = rate[self.spins.start + i, :3] = column
        return rate

    def c(self, theta: ArrayLike, xi: ArrayLike) -> Array:
        """(5.9b): Coriolis, centrifugal and gyroscopic forces."""
        return own.coriolis(self._constants, *self._directions(theta), _floats(xi))

    def forces(
        self,
        R: ArrayLike,
        theta: ArrayLike,
        xi: ArrayLike,
        currents: ArrayLike,
        wanted: ArrayLike = (),
        *,
        wind: ArrayLike = (0.0, 0.0, 0.0),
        height: float = math.inf,
    ) -> Array:
        """f^P + f^U + f^B - D ξ - f^G, at an attitude R, for currents [A] and tilts θ_U that servos are asked for.

        wind: of the air in world axes [m/s].   height: of the origin above the ground [m].
        """
        H, angles = self._directions(theta)[0], np.atleast_1d(_floats(theta))
        if not height > -math.inf:
            raise ModelError(f"height above the ground is a number [m], inf where there is none, got {height!r}.")
        around = np.append(finite_vector(wind, "wind [m/s]", 3), height)
        return own.applied(
            self._constants, _floats(R), H, angles, _floats(xi), _floats(currents), _floats(wanted), around
        )

    def rates(
        self,
        R: ArrayLike,
        theta: ArrayLike,
        xi: ArrayLike,
        currents: ArrayLike,
        wanted: ArrayLike = (),
        *,
        wind: ArrayLike = (0.0, 0.0, 0.0),
        height: float = math.inf,
    ) -> Array:
        """ξ̇."""
        right = self.forces(R, theta, xi, currents, wanted, wind=wind, height=height) - self.c(theta, xi)
        return np.asarray(np.linalg.solve(self.M(theta), right))

    def _directions(self, theta: ArrayLike) -> tuple[Array, Array]:
        """Thrust axes and ∂h/∂θ of all rotors; columns of H_3 and H_4."""
        shape = len(self.vehicle.rotors), 3
        found = np.empty(shape), np.empty(shape)
        angles = self.vehicle.tilts(theta if np.size(theta) else None)[list(self.vehicle.tilting)]
        own.directions(self._constants, angles, *found)
        return found


def _floats(given: ArrayLike) -> Array:
    return np.asarray(given, dtype=np.float64)
