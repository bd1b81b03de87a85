"""Small motions about an equilibrium of a rigid system: M ε̈ + D ε̇ + K ε = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.forms.rigid.body_motion import between
from visviva.forms.rigid.inertia_forms import jacobian_slopes
from visviva.geometry.se3 import SE3
from visviva.numerics.nullspace import split

if TYPE_CHECKING:
    from visviva.forms.rigid.system import RigidSystem

BALANCED = 1e-7  # forces that may be left at an equilibrium, relative to those that balance there


@final
@dataclass(frozen=True, eq=False)
class SmallMotions:
    """M ε̈ + D ε̇ + K ε = 0 for displacements q = q₀ + A W ε.

    W: (n, m) directions that constraints leave free; the identity without constraints.
    """

    M: Array  # (m, m)
    D: Array  # (m, m)
    K: Array  # (m, m)
    W: Array  # (n, m)

    def state_matrix(self) -> Array:
        """Of d/dt (ε, ε̇), (2m, 2m)."""
        m = len(self.M)
        below = -np.linalg.solve(self.M, np.hstack([self.K, self.D]))
        return np.vstack([np.hstack([np.zeros((m, m)), np.eye(m)]), below])

    def eigenvalues(self) -> NDArray[np.complex128]:
        """Complex rates of the motions, 2m of them: oscillations have pairs σ ± iω [1/s]."""
        return np.linalg.eigvals(self.state_matrix()).astype(np.complex128)


def small_motions(system: RigidSystem, q: ArrayLike) -> SmallMotions:
    """The linear equations about a configuration at rest where all forces balance.

    K_ij = ∂_j (f^K + f^G)_i, exact: no differences. Geometric constraints add the curvature of what their reactions
    act along, ∂_j ∂_i ψ·λ, and leave the directions W.

    Source:  Konz, dissertation, (2.24), (2.25) at ξ = 0; under constraints the reduced Hessian of V + λ·ψ.
    """
    q = finite_vector(q, "q", system.size_q)
    at = system.instant(q, np.zeros(system.n))
    if system.force is not None:
        raise ModelError(
            "the system has forces from outside, whose derivatives are not known: linearise it without force=."
        )
    if any(damper.stream is not None for damper in system.dampers):
        raise ModelError("a fluid that moves keeps the system from resting: linearise it with fluids at rest.")
    rows = system.rows(at)
    for name, part in rows.items():
        if part.position is None:
            raise ModelError(
                f"constraint '{name}' is not geometric: small motions are those that ψ(q) = 0 leaves.\n"
                "Linearise without it."
            )
    _check_balance(system, q)
    K = stiffness(system, q)
    W = np.eye(system.n)
    if rows:
        W = split(np.concatenate([part.Z for part in rows.values()])).Z
        K = K + _curvature(system, q)
        K = (K + K.T) / 2  # symmetric on W at an equilibrium; the curvature is known in this part only
    terms = system.terms(q, np.zeros(system.n))
    return SmallMotions(W.T @ terms.M @ W, W.T @ terms.D @ W, W.T @ K @ W, W)


def _check_balance(system: RigidSystem, q: Array) -> None:
    rest = np.zeros(system.n)
    terms, solution = system.terms(q, rest), system.solve(q, rest)
    left = terms.M @ solution.xi_dot
    i = int(np.argmax(np.abs(left)))
    if np.abs(left[i]) > BALANCED * float(_sizes(system, q).max(initial=0.0)):
        name = system.parameterisation.velocities[i]
        raise AssemblyError(
            f"this is no equilibrium: along '{name}' a force of {left[i]:.3g} is left,\n"
            f"which accelerates it by {solution.xi_dot[i]:.3g}. Small motions are about a place where forces balance."
        )


def _sizes(system: RigidSystem, q: Array) -> Array:
    """What the forces along each velocity would be if no part of them cancelled another (n,)."""
    frames, total = system.instant(q, np.zeros(system.n)).frames, np.zeros(system.n)
    for name, moments in system.bodies.items():
        weight = np.abs(moments.spatial()[:, 3:]) @ np.full(3, np.linalg.norm(system.gravity))
        total += np.abs(frames[name].J).T @ weight
    for spring in system.springs:
        pair = between(frames[spring.a], frames[spring.b])
        total += spring.size(pair.X) * np.abs(pair.J).sum(axis=0)
    return total


def stiffness(system: RigidSystem, q: Array) -> Array:
    """∂_j (f^K + f^G)_i: Jacobians and wrenches both change."""
    frames = system.instant(q, np.zeros(system.n)).frames
    slopes = jacobian_slopes(system, q)
    K = np.zeros((system.n, system.n))
    for name, moments in system.bodies.items():
        body, inertia = frames[name], moments.spatial()
        pull = np.concatenate([np.zeros(3), body.X.R.T @ system.gravity])  # Ad(X)⁻¹ (0; a_G)
        K -= np.einsum("pij,p->ij", slopes[name], inertia @ pull)
        K += body.J.T @ inertia @ np.column_stack([SE3.ad(column) @ pull for column in body.J.T])
    for spring in system.springs:
        a, b = frames[spring.a], frames[spring.b]
        pair = between(a, b)
        A = pair.X.inverse().Ad()
        turned = np.stack([SE3.ad(column) @ A @ a.J for column in pair.J.T], axis=-1)  # -∂_j(A) J_a
        slope = slopes[spring.b] - np.einsum("pq,qij->pij", A, slopes[spring.a]) + turned
        K += np.einsum("pij,p->ij", slope, spring.wrench(pair.X))
        K += pair.J.T @ spring.hessian(pair.X) @ pair.J
    return K


def _curvature(system: RigidSystem, q: Array) -> Array:
    """Symmetric part of ∂_j ∂_i ψ·λ, from the right-hand sides z = -∂_j ∂_i ψ ξⁱ ξʲ by polarisation."""
    n = system.n
    lam = np.concatenate(list(system.solve(q, np.zeros(n)).multipliers.values()))

    def bent(xi: Array) -> float:
        rows = system.rows(system.instant(q, xi))
        z = np.concatenate([part.z for part in rows.values()])
        # terms linear in ξ, of stabilisation, cancel between ξ and -ξ
        opposite = np.concatenate([part.z for part in system.rows(system.instant(q, -xi)).values()])
        return -float(lam @ (z + opposite)) / 2

    rest, e = bent(np.zeros(n)), np.eye(n)
    alone = np.array([bent(e[i]) - rest for i in range(n)])
    C = np.diag(alone)
    for i in range(n):
        for j in range(i):
            C[i, j] = C[j, i] = (bent(e[i] + e[j]) - rest - alone[i] - alone[j]) / 2
    return C
