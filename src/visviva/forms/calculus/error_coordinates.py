"""Errors between a configuration and its reference, and how velocities of both compare."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.numerics.rank import rank


@final
class ErrorCoordinates:
    """e = χ(q, q_R), an invertible function of q for every reference q_R, redundant or not.

    Q carries velocities of the reference to the configuration, so that ė depends on ξ_E = ξ - Q ξ_R alone:

        Q = -(∇χ)⁺ ∇_R χ,      ė = ∇χ ξ_E,      ∇_R V = -Qᵀ ∇V  for every V(e)

    chi: a function of q and q_R with the names and order of the parameterisation, with one axis of results.

    Limits:  ∇_R χ must lie in the span of ∇χ, as it does where e stays on a manifold of dimension n: else an error.
    Source:  Konz (A.1)-(A.9), (4.30); the last term of (A.7) is (Φ⁺Φ ∇_R χ)ᵀ ∂V, zero all the same.
    """

    def __init__(self, p: Parameterisation, chi: Any) -> None:
        self.p = p
        names = (("q", p.coordinates), ("q_R", tuple(f"{name}_R" for name in p.coordinates)))
        self.chi = map_of(chi, Arguments(names), "chi", (None,))

    def value(self, q: Array, q_R: Array) -> Array:
        """e."""
        return self.chi.value(np.concatenate([q, q_R]))

    def slopes(self, q: Array, q_R: Array) -> tuple[Array, Array]:
        """∇χ = ∂χ/∂q A(q) and ∇_R χ = ∂χ/∂q_R A(q_R), of shapes (ν_e, n)."""
        slope, nu = self.chi.slope(np.concatenate([q, q_R])), self.p.size_q
        return slope[:, :nu] @ self.p.A(q), slope[:, nu:] @ self.p.A(q_R)

    def transport(self, q: Array, q_R: Array) -> Array:
        """Q (n, n)."""
        own, of_reference = self.slopes(q, q_R)
        if (found := rank(own)) < self.p.n:
            raise ModelError(
                f"∇χ has rank {found}, there are {self.p.n} velocities: the errors do not tell\n"
                "configurations apart here. Give an invertible function of q."
            )
        Q = -np.linalg.pinv(own) @ of_reference
        left = float(np.abs(of_reference + own @ Q).max())
        if left > 1e-9 * float(np.abs(of_reference).max()):
            raise ModelError(
                f"moving the reference changes the errors in ways that no velocity does, by {left:.3g}.\n"
                "Errors of all pairs must lie on one manifold of the dimension of the configuration space."
            )
        return np.asarray(Q)

    def velocity(self, q: Array, xi: Array, q_R: Array, xi_R: Array) -> Array:
        """ξ_E = ξ - Q ξ_R (n,)."""
        return np.asarray(xi - self.transport(q, q_R) @ xi_R)
