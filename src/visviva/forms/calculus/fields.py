"""Scalar functions of the configuration: derivatives along velocities, critical points, covariant Hessian.

    ∂_i V = A_i^a ∂V/∂q^a,      ∂_i ∂_j V = A_i^a ∂/∂q^a (A_j^b ∂V/∂q^b),      ∂_i ∂_j V - ∂_j ∂_i V = γ_ij^k ∂_k V

Source: Konz (2.11)-(2.16).
"""

from __future__ import annotations

from typing import Any, Literal, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.connection import Metric
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.parameterisation import Parameterisation

Kind = Literal["minimum", "maximum", "saddle", "degenerate"]
FLAT = 1e-9  # a curvature below this part of the largest one is zero


@final
class Field:
    """V(q) on the configurations of a parameterisation; given as functions of q are."""

    def __init__(self, p: Parameterisation, V: Any, name: str = "V") -> None:
        self.p, self.name = p, name
        self.V = map_of(V, p.arguments, name, ())

    def value(self, q: Array) -> float:
        """V."""
        return float(self.V.value(q))

    def gradient(self, q: Array) -> Array:
        """∂_i V, shape (n,)."""
        return np.asarray(self.V.slope(q) @ self.p.A(q))

    def second(self, q: Array) -> Array:
        """∂_i ∂_j V at [i, j], shape (n, n); symmetric at critical points only.

        With ε = ξ t, V changes by ε·gradient + ½ ε·second ε along a motion with constant ξ, to second order.
        """
        A = self.p.A(q)
        turned = np.einsum("bja,ai->bij", self.p.A_slope(q), A)  # ∂_i A_j
        return np.asarray(A.T @ self.V.bend(q) @ A + np.einsum("b,bij->ij", self.V.slope(q), turned))

    def hessian(self, q: Array, metric: Metric) -> Array:
        """∂_i ∂_j V - Γ^k_ji ∂_k V, shape (n, n): symmetric everywhere, a tensor.

        Konz (2.16) prints Γ^k_ij, which is right as a quadratic form only.
        """
        return np.asarray(self.second(q) - np.einsum("kji,k->ij", metric.raised(q), self.gradient(q)))

    def kind(self, q: Array) -> Kind:
        """What the critical point q is, by the signs of the second derivatives; "degenerate" where one vanishes."""
        slope, H = self.gradient(q), self.second(q)
        scale = max(1.0, float(np.abs(H).max(initial=0.0)))
        if np.abs(slope).max(initial=0.0) > FLAT**0.5 * scale:
            worst = int(np.argmax(np.abs(slope)))
            raise ModelError(
                f"{self.name} has no critical point here: along {self.p.velocities[worst]!r} it changes by"
                f" {slope[worst]:.3e}.\nSolve gradient(q) = 0 first."
            )
        curvatures = np.linalg.eigvalsh((H + H.T) / 2)
        flat = FLAT * np.abs(curvatures).max(initial=0.0)
        if (curvatures < -flat).any() and (curvatures > flat).any():
            return "saddle"
        if (np.abs(curvatures) <= flat).any():
            return "degenerate"
        return "minimum" if curvatures[0] > 0 else "maximum"
