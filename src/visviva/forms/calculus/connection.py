"""Levi-Civita connection of a kinetic energy ½ ξ·M(q) ξ in velocities that need not be integrable.

    Γ_ijk = ½ (∂_k M_ij + ∂_j M_ik - ∂_i M_jk + γ_ij^s M_sk + γ_ik^s M_sj - γ_jk^s M_si)

The last index is the direction of differentiation. Then f_i = M_ij ξ̇ʲ + Γ_ijk ξʲ ξᵏ is the force of inertia, and
∂_k M_ij = Γ_ijk + Γ_jik. Konz (3.31) prints -γ_kj^s M_si, which breaks the second law.
Source: Konz (3.28)-(3.31), corrected.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.parameterisation import Parameterisation


def connection_coefficients(M: Array, dM: Array, gamma: Array) -> Array:
    """Γ_ijk, shape (n, n, n), from M, its derivatives ∂_k M_ij (k last) and γ_ij^k."""
    turned = np.einsum("ijs,sk->ijk", gamma, M)  # γ_ij^s M_sk
    total = dM + dM.swapaxes(1, 2) - np.moveaxis(dM, 2, 0)
    return np.asarray((total + turned + turned.swapaxes(1, 2) - np.einsum("jki->ijk", turned)) / 2)


@final
class Metric:
    """M(q), symmetric and positive definite, (n, n); a function of q, expressions, or numbers."""

    def __init__(self, p: Parameterisation, M: Any) -> None:
        self.p = p
        self.M = map_of(M, p.arguments, "M", (p.n, p.n))
        M0 = self.M.value(p.q0)
        if np.abs(M0 - M0.T).max(initial=0.0) > 1e-12 * np.abs(M0).max(initial=0.0):
            i, j = divmod(int(np.argmax(np.abs(M0 - M0.T))), p.n)
            pair = f"({p.velocities[i]!r}, {p.velocities[j]!r})"
            raise ModelError(f"M is not symmetric at {pair}: {M0[i, j]:g} and {M0[j, i]:g}.")
        lowest = float(np.linalg.eigvalsh(M0)[0]) if p.n else 1.0
        if not lowest > 0:
            raise ModelError(f"M is no metric: at q0 it has the eigenvalue {lowest:.3g}. All of them must be positive.")

    def value(self, q: Array) -> Array:
        """M, shape (n, n)."""
        return self.M.value(q)

    def slope(self, q: Array) -> Array:
        """∂_k M_ij, shape (n, n, n), k last."""
        return np.asarray(self.M.slope(q) @ self.p.A(q))

    def connection(self, q: Array) -> Array:
        """Γ_ijk, shape (n, n, n)."""
        return connection_coefficients(self.value(q), self.slope(q), commutation(self.p, q))

    def raised(self, q: Array) -> Array:
        """Γ^k_ij = (M⁻¹)^ks Γ_sij, shape (n, n, n), k first."""
        first = self.connection(q)
        flat = np.linalg.solve(self.value(q), first.reshape(self.p.n, -1))
        return np.asarray(flat, dtype=np.float64).reshape(first.shape)

    def inertia_force(self, q: Array, xi: Array, xi_dot: Array) -> Array:
        """M ξ̇ + Γ ξ ξ, shape (n,)."""
        return np.asarray(self.value(q) @ xi_dot + self.connection(q) @ xi @ xi)
