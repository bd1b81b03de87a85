"""The inertia force of a rigid system in the forms of analytical mechanics. They agree; `RigidSystem` uses the first.

    bodies        f = Σ Jᵀ (𝓘 V̇ - ad(V)ᵀ 𝓘 V)
    Gibbs-Appell  f = ∂S/∂ξ̇,                    S = Σ ½ tr(Ẍ M' Ẍᵀ)
    Hamel         f_i = d/dt ∂T/∂ξⁱ + γ_ij^k ξʲ ∂T/∂ξᵏ - ∂_i T
    Levi-Civita   f_i = M_ij ξ̇ʲ + Γ_ijk ξʲ ξᵏ
    Hamilton      f_i = ṗ_i + γ_ij^k ξʲ p_k + ∂_i T(q, p),   p = M ξ

Source:  Konz, dissertation, (3.26)-(3.31), (3.108)-(3.111), (2.42).
Limits:  the last three need all derivatives ∂_k J_j, O(n²) evaluations: for comparison, not for simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.forms.calculus.commutation import commutation
from visviva.geometry.linear import homogeneous
from visviva.geometry.se3 import SE3

if TYPE_CHECKING:
    from visviva.forms.rigid.system import RigidSystem

GAMMA_SE3 = np.stack([SE3.ad(e).T for e in np.eye(6)])  # γ_ij^k = [e_i, e_j]^k


@final
@dataclass(frozen=True, eq=False)
class InertiaForms:
    """One rigid system at one configuration, with all first derivatives of its Jacobians along the velocities.

    gamma: (n, n, n), γ_ij^k.   J: by body (6, n).   dJ: by body (6, n, n), ∂_k J_j at [:, j, k].
    """

    system: RigidSystem
    q: Array
    gamma: Array
    J: dict[str, Array]
    dJ: dict[str, Array]

    @property
    def M(self) -> Array:
        """Σ Jᵀ 𝓘 J (n, n)."""
        return sum((J.T @ self._inertia(b) @ J for b, J in self.J.items()), np.zeros(self.gamma.shape[:2]))

    @property
    def M_slope(self) -> Array:
        """∂_k M_ij at [i, j, k]."""
        half = self._sum(lambda I, J, dJ: np.einsum("pik,pq,qj->ijk", dJ, I, J))
        return half + half.transpose(1, 0, 2)

    def connection(self) -> Array:
        """Γ_ijk = Σ J_i (𝓘 ∂_k J_j + Γ(J_j, J_k)) of the bodies, (n, n, n); the last index is the direction.

        Laws:    ∂_k M_ij = Γ_ijk + Γ_jik.   Source: Konz (3.109).
        """
        return self._sum(_body_connection)

    def bodies(self, xi: Array, xi_dot: Array) -> Array:
        """Σ Jᵀ (𝓘 V̇ - ad(V)ᵀ 𝓘 V)."""
        terms = self.system.terms(self.q, xi)
        return terms.M @ xi_dot + terms.c

    def acceleration_energy(self, xi: Array, xi_dot: Array) -> float:
        """S = Σ ½ tr(Ẍ M' Ẍᵀ) with Ẍ = X (V̇^ + V̂²).  Source: Konz (3.90c), (3.110)."""
        at, total = self.system.instant(self.q, xi), 0.0
        for name, moments in self.system.bodies.items():
            body = at.frames[name]
            V_hat = SE3.hat(body.V)
            X_ddot = homogeneous(body.X.R, body.X.r, 1.0) @ (SE3.hat(body.J @ xi_dot + body.B) + V_hat @ V_hat)
            total += float(np.einsum("ij,jk,ik->", X_ddot, moments.matrix, X_ddot)) / 2
        return total

    def gibbs_appell(self, xi: Array, xi_dot: Array) -> Array:
        """∂S/∂ξ̇: exact by central differences, since S is quadratic in ξ̇."""
        step = max(1.0, float(np.abs(xi_dot).max(initial=0.0)))
        S = self.acceleration_energy
        ways = step * np.eye(len(xi_dot))
        return np.array([(S(xi, xi_dot + e) - S(xi, xi_dot - e)) / (2 * step) for e in ways])

    def hamel(self, xi: Array, xi_dot: Array) -> Array:
        """d/dt (M ξ) + γ_ij^k ξʲ p_k - ½ ∂_i M_jk ξʲ ξᵏ."""
        M, dM = self.M, self.M_slope
        turn = np.einsum("ijk,j,k->i", self.gamma, xi, M @ xi)
        return M @ xi_dot + dM @ xi @ xi + turn - np.einsum("jki,j,k->i", dM, xi, xi) / 2

    def levi_civita(self, xi: Array, xi_dot: Array) -> Array:
        """M ξ̇ + Γ ξ ξ."""
        return self.M @ xi_dot + self.connection() @ xi @ xi

    def hamilton(self, p: Array, p_dot: Array) -> Array:
        """ṗ_i + γ_ij^k ξʲ p_k + ∂_i (½ pᵀ M⁻¹ p), ξ = M⁻¹ p."""
        xi = np.linalg.solve(self.M, p)
        turn = np.einsum("ijk,j,k->i", self.gamma, xi, p)
        return p_dot + turn - np.einsum("jki,j,k->i", self.M_slope, xi, xi) / 2

    def momentum_rate(self, xi: Array, xi_dot: Array) -> Array:
        """ṗ = M ξ̇ + Ṁ ξ."""
        return self.M @ xi_dot + self.M_slope @ xi @ xi

    def _inertia(self, body: str) -> Array:
        return self.system.bodies[body].spatial()

    def _sum(self, part: Callable[[Array, Array, Array], Array]) -> Array:
        total = np.zeros_like(self.gamma)
        for body, J in self.J.items():
            total += part(self._inertia(body), J, self.dJ[body])
        return total


def inertia_forms(system: RigidSystem, q: ArrayLike) -> InertiaForms:
    """All forms at a configuration."""
    q = finite_vector(q, "q", system.size_q)
    frames, slopes = system.instant(q, np.zeros(system.n)).frames, jacobian_slopes(system, q)
    names = list(system.bodies)
    gamma = commutation(system.parameterisation, q)
    return InertiaForms(system, q, gamma, {b: frames[b].J for b in names}, {b: slopes[b] for b in names})


def jacobian_slopes(system: RigidSystem, q: Array) -> dict[str, Array]:
    """By frame ∂_k J_j at [:, j, k], (6, n, n).

    It has a symmetric part in (j, k), from the bias J̇ ξ by polarisation, and a skew one, from
    ∂_k J_j - ∂_j J_k = γ_kj^s J_s - [J_k, J_j]: both exact.
    """
    n, gamma, e = system.n, commutation(system.parameterisation, q), np.eye(system.n)
    J = {name: frame.J for name, frame in system.instant(q, np.zeros(n)).frames.items()}
    alone = [system.instant(q, xi).frames for xi in e]
    twice = {name: np.zeros((6, n, n)) for name in system.parameterisation.frames}  # ∂_k J_j + ∂_j J_k
    for j in range(n):
        for k in range(j + 1):
            both = system.instant(q, e[j] + e[k]).frames  # B is quadratic in ξ
            for name, part in twice.items():
                part[:, j, k] = part[:, k, j] = both[name].B - alone[j][name].B - alone[k][name].B
    return {name: (part + _skew_part(gamma, J[name])) / 2 for name, part in twice.items()}


def _skew_part(gamma: Array, J: Array) -> Array:
    """γ_kj^s J_s - [J_k, J_j] at [:, j, k]."""
    brackets = np.einsum("pqr,pk,qj->rjk", GAMMA_SE3, J, J)
    return np.einsum("kjs,rs->rjk", gamma, J) - brackets


def _body_connection(inertia: Array, J: Array, dJ: Array) -> Array:
    g = np.einsum("pqh,hr->pqr", GAMMA_SE3, inertia)
    body = (g + g.transpose(0, 2, 1) - g.transpose(2, 0, 1)) / 2  # Γ_pqr; Konz (3.57)
    return np.einsum("pi,pq,qjk->ijk", J, inertia, dJ) + np.einsum("pqr,pi,qj,rk->ijk", body, J, J, J)
