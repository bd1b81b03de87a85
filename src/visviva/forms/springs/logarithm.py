"""An energy quadratic in the logarithm of a pose, and the second derivative of the logarithm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.rigid.body_motion import pose_of
from visviva.forms.springs.abstract import AbstractPoseEnergy
from visviva.geometry.definite import semidefinite, symmetric
from visviva.geometry.group import LogBranch
from visviva.geometry.se3 import SE3

TERMS = 64  # of the series of x/(1 - e⁻ˣ): at half a turn the last is below rounding


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class LogarithmEnergy(AbstractPoseEnergy):
    """V = ½ ξ·K ξ with ξ = log(X_R⁻¹ X): linear in the screw from the rest pose to the pose.

    K: (6, 6), for (ω; v), symmetric and not negative, or its diagonal; it is the Hessian at rest.

    Limits:  ends at half a turn, where the logarithm jumps and an error is raised.
    Source:  wrench dexp⁻¹(ξ)ᵀ K ξ; Stramigioli, Maschke and Bidard leave the potential of (22) open.
    """

    K: Array
    rest: SE3 = field(default_factory=SE3.identity)

    def __post_init__(self) -> None:
        object.__setattr__(self, "K", semidefinite(symmetric(self.K, 6, "K"), "K"))
        object.__setattr__(self, "rest", pose_of(self.rest, "rest pose of the energy"))

    def energy(self, X: SE3) -> float:  # noqa: D102
        xi = self._log(X)
        return float(xi @ self.K @ xi) / 2

    def wrench(self, X: SE3) -> Array:  # noqa: D102
        xi = self._log(X)
        return np.asarray(SE3.dexp_inv(xi).T @ self.K @ xi)

    def hessian(self, X: SE3) -> Array:  # noqa: D102
        xi = self._log(X)
        D, force = SE3.dexp_inv(xi), self.K @ xi
        bent = np.einsum("kij,k->ij", dexp_inv_slope(xi), force)  # by ξ_j
        return np.asarray(D.T @ self.K @ D + bent @ D)

    def _log(self, X: SE3) -> Array:
        xi, branch = (self.rest.inverse() @ X).log_with_branch()
        if branch == LogBranch.HALF_TURN:
            raise ModelError(
                "the pose is half a turn from rest, where its logarithm jumps and the energy has no wrench.\n"
                "Use ChordEnergy, which is smooth at any rotation, or stay below half a turn."
            )
        return xi


def dexp_inv_slope(xi: Array) -> Array:
    """∂ dexp⁻¹(ξ)_ki / ∂ξ_j at [k, i, j] (6, 6, 6), for angles up to half a turn.

    dexp⁻¹(ξ) = f(ad ξ) with f(x) = x/(1 - e⁻ˣ); the derivative of a power series of a matrix A along E is the upper
    right block of the same series of [[A, E], [0, A]].
    """
    A, block = SE3.ad(xi), np.zeros((6, 12, 12))
    block[:, :6, :6] = block[:, 6:, 6:] = A
    block[:, :6, 6:] = SE3.ad(np.eye(6))
    total = np.zeros((6, 12, 12))
    for c in reversed(_coefficients()):
        total = total @ block + c * np.eye(12)
    return np.asarray(np.moveaxis(total[:, :6, 6:], 0, -1))


@cache
def _coefficients() -> tuple[float, ...]:
    """Of x/(1 - e⁻ˣ) = Σ c_n xⁿ, by dividing the series."""
    divisor = [Fraction((-1) ** n, math.factorial(n + 1)) for n in range(TERMS)]
    c: list[Fraction] = []
    for n in range(TERMS):
        c.append(Fraction(n == 0) - sum((c[k] * divisor[n - k] for k in range(n)), Fraction(0)))
    return tuple(float(value) for value in c)
