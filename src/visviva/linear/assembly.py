"""The linear system of a variation: second order for the mechanics, first order for all states together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.linear.reduction import Basis
from visviva.linear.second_order import SecondOrder
from visviva.linear.variation import Variation

NOISE = 1e-9  # of the largest entry, in units in which each inertia is one: what is left where parts cancel

ROUNDING = 1e-13  # of the largest coefficient of a rate


def second_order(v: Variation, b: Basis, M: Array, turn: Array, W: Array, rate: Basis | None = None) -> SecondOrder:
    """M η̇ + D η + K p + S σ = B u with ε = H p, ζ = N η + Q p and ε̇ = ζ - (turn - W) ε.

    M, turn: of all velocities, in the axes of the basis.
    W:       how these axes turn against those of the velocities: M (ζ̇ - W ζ) is the inertia force.
    rate:    how the basis changes along the motion, Ṅ and Q̇, where it is not steady in these axes.
    """
    N, Q, H = b.N, b.Q, b.H
    E, F = N[b.choice.p], (Q - (turn - W) @ H)[b.choice.p]  # ṗ = E η + F p
    by_eta, by_p = Q @ E - W @ N, Q @ F - W @ Q  # ζ̇ = N η̇ + by_eta η + by_p p
    if rate is not None:
        by_eta, by_p = by_eta + rate.N, by_p + rate.Q
    D, K = N.T @ (M @ by_eta + v.force.eta), N.T @ (M @ by_p + v.force.p)
    F = np.where(np.abs(F) > NOISE * max(np.abs(part).max(initial=0.0) for part in (turn, W, Q)), F, 0.0)
    return _without_noise(SecondOrder(N.T @ M @ N, D, K, -N.T @ v.force.u, N.T @ v.force.sigma, E, F))


def in_increments(m: SecondOrder) -> SecondOrder:
    """The same with p̈ in place of η̇, η = ṗ - F p, where all constraints are holonomic."""
    if m.K.shape[0] != m.K.shape[1] or not m.F.any():
        return m
    return _without_noise(replace(m, D=m.D - m.M @ m.F, K=m.K - m.D @ m.F, F=np.zeros_like(m.F)))


def _without_noise(m: SecondOrder) -> SecondOrder:
    """The same, where parts that only rounding leaves are zero: damping, gyroscopic and circulatory forces."""
    unit = 1.0 / np.sqrt(np.maximum(np.diagonal(m.M), 1e-300))
    fast = np.sqrt(float(np.abs(unit[:, None] * m.K).max(initial=0.0)))
    if m.holonomic:
        K = unit[:, None] * m.K * unit
        size = float(np.abs(K).max(initial=0.0))
        fast = np.sqrt(size)
        if np.abs(K - K.T).max(initial=0.0) <= NOISE * size:
            m = replace(m, K=m.stiffness)
    D = unit[:, None] * m.D * unit
    bound = NOISE * max(fast, float(np.abs(D).max(initial=0.0)))
    for part, other in ((m.damping, m.gyroscopic), (m.gyroscopic, m.damping)):
        if np.abs(unit[:, None] * part * unit).max(initial=0.0) <= bound:
            m = replace(m, D=other if np.abs(unit[:, None] * other * unit).max(initial=0.0) > bound else 0.0 * m.D)
    return m


def state_space(v: Variation, m: SecondOrder, name: str) -> tuple[Array, Array, Array, Array]:
    """A, B, C, D of the states (p, η, σ)."""
    free, others, inputs = len(m.F), m.S.shape[1], m.B.shape[1]
    inverse, rates, outputs = inverted(m.M, name), v.rates, v.outputs
    A = np.vstack(
        [
            np.hstack([m.F, m.E, np.zeros((free, others))]),
            -inverse @ np.hstack([m.K, m.D, m.S]),
            np.hstack([rates.p, rates.eta, rates.sigma]),
        ]
    )
    A = np.where(np.abs(A) > ROUNDING * np.abs(A).max(axis=1, initial=0.0, keepdims=True), A, 0.0)
    B = np.vstack([np.zeros((free, inputs)), inverse @ m.B, rates.u])
    return A, B, np.hstack([outputs.p, outputs.eta, outputs.sigma]), outputs.u


def inverted(M: Array, name: str) -> Array:
    """M⁻¹ of a mass matrix that must be definite."""
    unit = 1.0 / np.sqrt(np.maximum(np.abs(np.diagonal(M)), 1e-300))
    scaled = unit[:, None] * M * unit
    if len(M) and np.linalg.eigvalsh((scaled + scaled.T) / 2)[0] < 1e-12:
        raise ModelError(
            f"{name} has a motion without inertia: its acceleration is undetermined, and the system is singular.\n"
            "Give what moves there mass and inertia, or hold it by a joint."
        )
    return unit[:, None] * np.linalg.inv(scaled) * unit
