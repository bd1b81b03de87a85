"""The equations of motion of a multicopter, Konz (5.8)-(5.9), written out for any arrangement of rotors.

Velocities are ξ = (ω, v, θ̇ of the servos, ϖ of the rotors): twists are (ω; v) here, (v; ω) in the text.

    M(θ) ξ̇ + c(θ, ξ) + D ξ + f^G(R) = f^P(θ, ϖ) + f^U(k_M i, τ_S) + f^B

with the friction of (5.9e) against the spin, which is printed with the other sign. `copter.mechanism` has the same from
bodies that turn; this is the gyrostat.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva._suggestions import suggesting
from visviva.copter.vehicle import Vehicle


@suggesting
@final
class Equations:
    """M, c and forces of a vehicle; θ are tilts of its servos, σ of them, ρ are its rotors."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.vehicle = vehicle
        self._servos = [(i, servo) for i, r in enumerate(vehicle.rotors) if (servo := r.servo) is not None]
        sigma, rho = len(self._servos), len(vehicle.rotors)
        self.tilts, self.spins = slice(6, 6 + sigma), slice(6 + sigma, 6 + sigma + rho)
        self.size = 6 + sigma + rho
        self._spin_momentum = np.array([rotor.inertia * rotor.spin for rotor in vehicle.rotors])  # Θ_P ε
        self._fixed = np.zeros((self.size, self.size))
        self._fixed[:6, :6] = vehicle.inertia_matrix
        for j, (_, servo) in enumerate(self._servos):
            self._fixed[:3, 6 + j] = self._fixed[6 + j, :3] = servo.coupling * servo.axis
            self._fixed[6 + j, 6 + j] = servo.inertia
        self._fixed[self.spins, self.spins] = np.diag([rotor.inertia for rotor in vehicle.rotors])

    def M(self, theta: ArrayLike = ()) -> Array:
        """(5.9a), (n, n)."""
        M = self._fixed.copy()
        coupling = self.vehicle.directions(theta) * self._spin_momentum
        M[:3, self.spins] = coupling
        M[self.spins, :3] = coupling.T
        return M

    def M_rate(self, theta: ArrayLike, xi: ArrayLike) -> Array:
        """Ṁ, by H_4 θ̇ = Ḣ_3."""
        rate = np.zeros((self.size, self.size))
        for j, (i, H4) in enumerate(self._slopes(theta)):
            column = self._spin_momentum[i] * H4 * np.asarray(xi)[6 + j]
            rate[:3, self.spins.start + i] = rate[self.spins.start + i, :3] = column
        return rate

    def c(self, theta: ArrayLike, xi: ArrayLike) -> Array:
        """(5.9b): Coriolis, centrifugal and gyroscopic forces."""
        x = np.asarray(xi, dtype=np.float64)
        w, v, p = x[:3], x[3:6], (self.M(theta) @ x)[:6]
        c = np.zeros(self.size)
        c[:3] = np.cross(w, p[:3]) + np.cross(v, p[3:])
        c[3:6] = np.cross(w, p[3:])
        for j, (i, H4) in enumerate(self._slopes(theta)):
            spin, turn, L = x[self.spins.start + i], x[6 + j], self._spin_momentum[i]
            c[:3] += L * H4 * turn * spin
            c[6 + j] = -L * float(H4 @ w) * spin
            c[self.spins.start + i] = L * float(H4 @ w) * turn
        return c

    def forces(
        self, R: ArrayLike, theta: ArrayLike, xi: ArrayLike, currents: ArrayLike, wanted: ArrayLike = ()
    ) -> Array:
        """f^P + f^U + f^B - D ξ - f^G, at an attitude R, for currents [A] and tilts θ_U that servos are asked for."""
        own, x, i = self.vehicle, np.asarray(xi, dtype=np.float64), np.asarray(currents, dtype=np.float64)
        spins, f = x[self.spins], np.zeros(self.size)
        kappa_F, kappa_T, k_M, tau_MB = np.transpose([(r.kappa_F, r.kappa_T, r.k_M, r.tau_MB) for r in own.rotors])
        weight = own.weight * np.asarray(R, dtype=np.float64).T @ [0.0, 0.0, -1.0]
        f[:6] = own.allocation(theta) @ (kappa_F * spins**2) + own.bias - own.drag.matrix @ x[:6]
        f[:6] += np.concatenate([np.cross(own.com, weight), weight])
        for j, (_, servo) in enumerate(self._servos):
            f[6 + j] = servo.k_P * (np.asarray(wanted)[j] - np.asarray(theta)[j]) - servo.k_D * x[6 + j]
        f[self.spins] = k_M * i - tau_MB * np.sign(spins) - kappa_T * spins * np.abs(spins)
        return f

    def rates(
        self, R: ArrayLike, theta: ArrayLike, xi: ArrayLike, currents: ArrayLike, wanted: ArrayLike = ()
    ) -> Array:
        """ξ̇."""
        right = self.forces(R, theta, xi, currents, wanted) - self.c(theta, xi)
        return np.asarray(np.linalg.solve(self.M(theta), right))

    def _slopes(self, theta: ArrayLike) -> list[tuple[int, Array]]:
        """Numbers of the rotors that tilt, and ∂h/∂θ of each: columns of H_4."""
        found = []
        for (i, _), angle in zip(self._servos, np.atleast_1d(np.asarray(theta, dtype=np.float64)), strict=True):
            found.append((i, self.vehicle.rotors[i].direction(angle + np.pi / 2)))
        return found
