"""Angular velocity and the torque that no model explains; Konz 5.4.2.

    ω̂[k+1] = ω̂[k] + T Θ⁻¹ (τ[k] + τ̂_B[k] - ω̂[k] × Θ ω̂[k]) + L_ω (ω_M[k] - ω̂[k])
    τ̂_B[k+1] = τ̂_B[k] + L_τ (ω_M[k] - ω̂[k])                                               (5.51)

Errors about an axis with the moment Θ_i have the poles of [[1 - L_ω, T/Θ_i], [-L_τ, 1]]: gains are not multiplied by T.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.estimation.buffers import is_finite
from visviva.errors import ModelError
from visviva.geometry.definite import symmetric


class RateObserver(NamedTuple):
    """Parameters, from `rate_observer`. A state s (6,) is ω̂ [rad/s], τ̂_B [N m], both in body axes."""

    T_S: float
    inertia: Array  # (3, 3)
    inverse: Array  # (3, 3)
    L_omega: float
    L_tau: float

    def start(self, w: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """The state at an angular velocity, without torque."""
        return np.concatenate([finite_vector(w, "angular velocity [rad/s]", 3), np.zeros(3)])

    def update(self, s: Array, w: ArrayLike, torque: ArrayLike) -> Array:
        """The state at the next tick, from the gyroscope and the known torque τ of this one, (3,)."""
        s = finite_vector(s, "state of the rate observer", 6)
        w = finite_vector(w, "measured angular velocity [rad/s]", 3)
        update_rate(self, s, w, finite_vector(torque, "torque [N m]", 3))
        return s

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Of errors about the principal axes, (3, 2), the smallest moment first."""
        return _poles(np.linalg.eigvalsh(self.inertia), self.T_S, self.L_omega, self.L_tau)


@helpful
def rate_observer(inertia: ArrayLike, T_S: float = 0.005, *, L_omega: float = 0.2, L_tau: float = 0.01) -> RateObserver:
    """inertia: Θ [kg m²], (3, 3) or (3,).   T_S: period [s].   Gains of the text; L_tau in N m s.

    An error comes where estimates would not settle.
    """
    Theta = symmetric(inertia, 3, "inertia of the rate observer")
    moments = np.linalg.eigvalsh(Theta)
    if moments[0] <= 0:
        raise ModelError(f"inertia of the rate observer must be positive definite; its least moment is {moments[0]:g}.")
    T = finite_number(T_S, "period T_S [s]", positive=True)
    L1 = finite_number(L_omega, "gain L_omega", positive=True)
    L2 = finite_number(L_tau, "gain L_tau [N m s]", positive=True)
    worst = float(np.abs(_poles(moments, T, L1, L2)).max())
    if worst >= 1:
        raise ModelError(
            f"the rate observer does not settle: errors are multiplied by up to {worst:.4g} at each tick.\n"
            f"Take L_omega below 2, and L_tau below L_omega Θ_min/T_S = {L1 * moments[0] / T:.3g} N m s."
        )
    return RateObserver(T, frozen(Theta), frozen(np.linalg.inv(Theta)), L1, L2)


def _poles(moments: NDArray[Any], T: float, L_omega: float, L_tau: float) -> NDArray[np.complex128]:
    matrices = [[[1 - L_omega, T / moment], [-L_tau, 1.0]] for moment in moments]
    return np.asarray(np.linalg.eigvals(np.array(matrices)), dtype=np.complex128)


def update_rate(p: RateObserver, s: Array, w: Array, torque: Array) -> bool:
    """Bring s to the next tick, in place. Without a measurement it goes on by the model, and says False."""
    measured = is_finite(w)
    G, J = p.inertia, p.inverse
    a, b, c = s[0], s[1], s[2]
    x = G[0, 0] * a + G[0, 1] * b + G[0, 2] * c
    y = G[1, 0] * a + G[1, 1] * b + G[1, 2] * c
    z = G[2, 0] * a + G[2, 1] * b + G[2, 2] * c
    m0 = torque[0] + s[3] - (b * z - c * y)
    m1 = torque[1] + s[4] - (c * x - a * z)
    m2 = torque[2] + s[5] - (a * y - b * x)
    for i in range(3):
        error = w[i] - s[i] if measured else 0.0
        s[i] += p.T_S * (J[i, 0] * m0 + J[i, 1] * m1 + J[i, 2] * m2) + p.L_omega * error
        s[3 + i] += p.L_tau * error
    return measured
