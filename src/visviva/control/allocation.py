"""Inputs that make a model M v̇ + b = B u follow a template M̄ v̇ + b̄ = 0 as nearly as they can; Konz (4.51)-(4.64).

Gauss' principle, ½ ‖v̇ + M̄⁻¹ b̄‖² in the metric M̄ → min over the accelerations that inputs can reach, is

    H = Bᵀ M⁻¹ M̄ M⁻¹ B,      u0 = H⁻¹ Bᵀ M⁻¹ (M̄ M⁻¹ b - b̄),      min ½ ‖u - u0‖²_H   subject to   W u ≤ l .

Where inputs are more than what they act on, H is singular: see `lexicographic`.

What is left of the template is the matching force b̃ in M̄ v̇ + b̄ = b̃. With any B⊥ of full rank, BᵀB⊥ = 0,

    λ = B⊥ᵀ(M M̄⁻¹ b̄ - b),   S = (B⊥ᵀ M M̄⁻¹ M B⊥)⁻¹,   b̃ = M B⊥ S λ,   𝒢0 = ½ λᵀ S λ = ½ b̃ᵀ M̄⁻¹ b̃ .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.lexicographic import Redundancy, lightest_inputs
from visviva.control.quadratic_program import solve_quadratic_program
from visviva.control.transport import SingularTemplateError
from visviva.numerics.nullspace import split

SINGULAR_RTOL = 1e-10  # of the largest eigenvalue of a desired inertia: as `kernels.control.tracking` refuses pivots
FEASIBLE = 1e-12  # relative: an input this near to its limit is within it


class Inputs(NamedTuple):
    """u0, H and what limits leave of u0."""

    u: Array  # (nu,)
    u0: Array  # (nu,)
    H: Array  # (nu, nu)
    multipliers: Array  # of the limits
    active: NDArray[np.intp]  # indices of limits that act
    status: str
    violation: float


class MatchingForce(NamedTuple):
    """What of a template inputs cannot follow."""

    lam: Array  # (n - rank B,)
    b_tilde: Array  # (n,)
    G0: float  # 𝒢0: least value of Gauss' function


def factor(M_bar: Array, who: str) -> tuple[Array, bool]:
    """Cholesky's factor of the desired inertia, or an error that says that there is none."""
    eigenvalues = np.linalg.eigvalsh(M_bar)
    if not eigenvalues[0] > SINGULAR_RTOL * max(eigenvalues[-1], 0.0):
        kind = "singular" if eigenvalues[0] > -SINGULAR_RTOL * abs(eigenvalues[-1]) else "indefinite"
        raise SingularTemplateError(
            f"the desired inertia of {who} is {kind} here: its eigenvalues go from {eigenvalues[0]:.3g} to "
            f"{eigenvalues[-1]:.3g}.\nGive gains(mass=...) to pairs and joints that together move with every velocity, "
            "and keep away from singular configurations."
        )
    return scipy.linalg.cho_factor(M_bar, lower=True)


def unlimited(M: Array, b: Array, B: Array, M_bar: Array, b_bar: Array, weight: Array | None) -> tuple[Array, Array]:
    """u0 and H. weight: (nu, nu), of ½ uᵀ weight u, for inputs that B does not tell apart."""
    Y = np.linalg.solve(M, B)  # M⁻¹B
    H = Y.T @ M_bar @ Y
    H = (H + H.T) / 2
    force = Y.T @ (M_bar @ np.linalg.solve(M, b) - b_bar)
    if weight is None:
        return scipy.linalg.solve(H, force, assume_a="pos"), H
    reached = reached_inputs(B)  # u counts by reached u alone
    z = scipy.linalg.solve(reached @ H @ reached.T, reached @ force, assume_a="pos")
    back = np.linalg.solve(weight, reached.T)
    u0 = back @ np.linalg.solve(reached @ back, z)
    return np.asarray(u0, dtype=np.float64), H


def redundancy(B: Array, weight: Array | None) -> Redundancy | None:
    """What B does not tell apart; None where that is nothing."""
    if weight is None:
        return None
    reached = reached_inputs(B)
    rank, nu = reached.shape
    return Redundancy(weight, np.linalg.svd(reached)[2][rank:].T) if rank < nu else None


def limited(
    H: Array,
    u0: Array,
    limits: tuple[Array, Array] | None,
    active: NDArray[np.intp] | None = None,
    redundant: Redundancy | None = None,
) -> Inputs:
    """The inputs nearest to u0 in the metric H that satisfy W u ≤ l; where there are several, the lightest.

    active: limits that are likely to act.
    """
    none = np.zeros(0, dtype=np.intp)
    if limits is None:
        return Inputs(u0, u0, H, np.zeros(0), none, "unlimited", 0.0)
    W, l = limits
    if (W @ u0 <= l + FEASIBLE * (1 + np.abs(l))).all():
        return Inputs(u0, u0, H, np.zeros(len(l)), none, "unlimited", 0.0)
    if redundant is None:
        found = solve_quadratic_program(H, u0, W, l, active=active)
    else:
        found = lightest_inputs(H, u0, W, l, redundant, active)
    status = str(getattr(found.status, "name", found.status)).lower().replace("_", " ")
    acting = np.asarray(found.active, dtype=np.intp)
    return Inputs(found.u, u0, H, found.multipliers, acting, status, float(found.violation))


def annihilator(B: Array) -> Array:
    """B⊥ (n, n - rank), orthonormal, with BᵀB⊥ = 0."""
    return split(B.T).Z


def reached_inputs(B: Array) -> Array:
    """An orthonormal basis (rank, nu) of the inputs that B (n, nu) tells apart: the others act as sums of these.

    Inputs count in units of their own action on velocities, so that neither volts nor newtons decide: `numerics.rank`.
    """
    parts = split(B.T)
    return np.asarray(np.linalg.qr(parts.units[:, None] * parts.U)[0].T)


def matching_force(
    M: Array, b: Array, M_bar: Array, b_bar: Array, B_perp: Array, factored: tuple[Array, bool]
) -> MatchingForce:
    """λ, b̃ and 𝒢0; b̃ and 𝒢0 do not depend on which B⊥ is taken."""
    if not B_perp.shape[1]:
        return MatchingForce(np.zeros(0), np.zeros(len(b)), 0.0)
    lam = B_perp.T @ (M @ scipy.linalg.cho_solve(factored, b_bar) - b)
    M_B = M @ B_perp
    S_lam = np.linalg.solve(M_B.T @ scipy.linalg.cho_solve(factored, M_B), lam)
    return MatchingForce(lam, M_B @ S_lam, float(lam @ S_lam) / 2)
