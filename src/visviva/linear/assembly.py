"""The linear system of a variation: second order for the mechanics, first order for all states together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.linear.reduction import Basis
from visviva.linear.second_order import SecondOrder
from visviva.linear.variation import Variation
from visviva.numerics.constrained import NoInertia, check_definite

LEAST = 2e-15  # of the largest stiffness, in the same units: less is its rounding
NOISE = 1e-9  # of the largest entry of a row or column, in units in which each inertia is one: what cancelling leaves
ROUNDING = 1e-13  # of the terms that add up to a coefficient
EPS = 1e-16
FLOOR = 1e-14  # of forces at hand: a change of them below is rounding


def second_order(v: Variation, b: Basis, M: Array, turn: Array, W: Array, rate: Basis | None = None) -> SecondOrder:
    """M η̇ + D η + K p + S σ = B u with ε = H p, ζ = N η + Q p and ε̇ = ζ - (turn - W) ε.

    M, turn: of all velocities, in the axes of the basis.
    W:       how these axes turn against those of the velocities: M (ζ̇ - W ζ) is the inertia force.
    rate:    how the basis changes along the motion, Ṅ and Q̇, where it is not steady in these axes.
    """
    N, Q, H = b.N, b.Q, b.H
    E, F = N[b.choice.p], (Q - (turn - W) @ H)[b.choice.p]  # ṗ = E η + F p
    F = np.where(np.abs(F) > NOISE * max(np.abs(part).max(initial=0.0) for part in (turn, W, Q)), F, 0.0)
    ways = [(Q, E), (-W, N)], [(Q, F), (-W, Q)]  # ζ̇ = N η̇ + by_eta η + by_p p
    rates = (np.zeros_like(N), np.zeros_like(Q)) if rate is None else (rate.N, rate.Q)
    forces = (v.force.eta, v.size[1]), (v.force.p, v.size[0])
    D, K = (
        _sum([(N.T @ M, extra), (N.T, force), *((N.T @ M @ a, b) for a, b in pairs)], FLOOR * np.abs(N.T) @ size)
        for pairs, extra, (force, size) in zip(ways, rates, forces, strict=True)
    )
    return without_noise(SecondOrder(N.T @ M @ N, D, K, -N.T @ v.force.u, N.T @ v.force.sigma, E, F))


def _sum(products: list[tuple[Array, Array]], floor: Array | float = 0.0) -> Array:
    """Σ a b, where entries that are rounding of its terms, or below a floor, are zero."""
    total, terms = sum(a @ b for a, b in products), sum(np.abs(a) @ np.abs(b) for a, b in products)
    return np.where(np.abs(total) > np.maximum(ROUNDING * terms, floor), total, 0.0)


def in_increments(m: SecondOrder) -> SecondOrder:
    """The same with p̈ in place of η̇, η = ṗ - F p, where all constraints are holonomic."""
    if m.K.shape[0] != m.K.shape[1] or not m.F.any():
        return m
    return without_noise(replace(m, D=m.D - m.M @ m.F, K=m.K - m.D @ m.F, F=np.zeros_like(m.F)))


def without_noise(m: SecondOrder) -> SecondOrder:
    """The same, where entries that only rounding leaves are zero: of damping, gyroscopic and circulatory forces.

    They are compared with their rows and columns alone, so that slow motions keep theirs beside fast ones. Stiffnesses
    below some ε of the largest are none: a rotation that nothing holds has rounding in its row alone, and no
    eigenvalue could be told from zero there.
    """
    unit = 1.0 / np.sqrt(np.maximum(np.diagonal(m.M), 1e-300))
    both = unit[:, None] * unit
    fast = np.sqrt(np.abs(both * (m.K @ m.E)).max(axis=1, initial=0.0))
    if m.holonomic:
        sizes = np.abs(both * m.K)
        m = replace(m, K=np.where(sizes > LEAST * sizes.max(initial=0.0), m.K, 0.0))
        m = replace(m, K=m.stiffness + _entries(m.circulatory, _around(both * m.K) / both))
    size = np.maximum(_around(both * m.D), np.sqrt(fast[:, None] * fast)) / both
    return replace(m, D=_entries(m.damping, size) + _entries(m.gyroscopic, size))


def _entries(part: Array, size: Array) -> Array:
    return np.where(np.abs(part) > NOISE * size, part, 0.0)


def _around(part: Array) -> Array:
    """The largest entry in the row or the column of each."""
    rows, columns = (np.abs(part).max(axis=axis, initial=0.0, keepdims=True) for axis in (1, 0))
    return np.maximum(rows, columns)


def state_space(v: Variation, m: SecondOrder, name: str) -> tuple[Array, Array, Array, Array]:
    """A, B, C, D of the states (p, η, σ)."""
    free, others, inputs = len(m.F), m.S.shape[1], m.B.shape[1]
    inverse, rates, outputs = inverted(m.M, name), v.rates, v.outputs
    A = np.vstack(
        [
            np.hstack([m.F, m.E, np.zeros((free, others))]),
            _sum([(-inverse, np.hstack([m.K, m.D, m.S]))]),
            np.hstack([rates.p, rates.eta, rates.sigma]),
        ]
    )
    B = np.vstack([np.zeros((free, inputs)), inverse @ m.B, rates.u])
    return A, B, np.hstack([outputs.p, outputs.eta, outputs.sigma]), outputs.u


def inverted(M: Array, name: str) -> Array:
    """M⁻¹ of a mass matrix that must be definite."""
    try:
        check_definite(M)
    except NoInertia:
        raise ModelError(
            f"{name} has a motion without inertia: its acceleration is undetermined, and the system is singular.\n"
            "Give what moves there mass and inertia, or hold it by a joint."
        ) from None
    unit = 1.0 / np.sqrt(np.diagonal(M))
    scaled = unit[:, None] * M * unit
    inverse = np.linalg.inv(scaled) if len(M) else scaled
    return unit[:, None] * np.where(np.abs(inverse) > EPS * np.abs(inverse).max(initial=0.0), inverse, 0.0) * unit
