"""Linearisation of equations f(q, ξ, ξ̇, t) about a motion, in minimal local coordinates ε.

    q = q̄ + A(q̄) ε,   δξⁱ = ε̇ⁱ + γ_kj^i ξ̄ᵏ εʲ,   f ≈ f̄ + F0 ε + F1 ε̇ + F2 ε̈

Source: Konz (2.22)-(2.25).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_vector
from visviva.forms.calculus.commutation import commutation, commutation_slope
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.calculus.parameterisation import Parameterisation


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """f ≈ f̄ + F0 ε + F1 ε̇ + F2 ε̈ about one point of a motion."""

    f: Array  # (m,)
    F0: Array  # (m, n)
    F1: Array  # (m, n)
    F2: Array  # (m, n)


def linearised(
    p: Parameterisation, f: Any, q: Array, xi: Array | None = None, xi_dot: Array | None = None, t: float = 0.0
) -> Linearisation:
    """The linearisation of f, a function of q, xi, xi_dot and t, at (q, ξ, ξ̇); at rest by default.

    F2 = ∂f/∂ξ̇,  F1_i = ∂f/∂ξⁱ + ∂f/∂ξ̇ʲ γ_ki^j ξᵏ,
    F0_i = ∂_i f + ∂f/∂ξʲ γ_ki^j ξᵏ + ∂f/∂ξ̇ʲ (γ_ki^j ξ̇ᵏ + ∂_l γ_ki^j ξˡ ξᵏ);  Konz (2.24).
    """
    q = finite_vector(q, "q", p.size_q)
    xi = np.zeros(p.n) if xi is None else finite_vector(xi, "xi", p.n)
    xi_dot = np.zeros(p.n) if xi_dot is None else finite_vector(xi_dot, "xi_dot", p.n)
    rates = tuple(f"{name}_dot" for name in p.velocities)
    arguments = Arguments((("q", p.coordinates), ("xi", p.velocities), ("xi_dot", rates)), time=True)
    f_map, x = map_of(f, arguments, "f", (None,)), np.concatenate([q, xi, xi_dot, [t]])
    slope, nu, n = f_map.slope(x), p.size_q, p.n
    by_q, by_xi, by_rate = slope[:, :nu], slope[:, nu : nu + n], slope[:, nu + n : nu + 2 * n]
    gamma = commutation(p, q)
    turn = np.einsum("kij,k->ji", gamma, xi)  # δξ = ε̇ + turn ε
    turn_dot = np.einsum("kij,k->ji", gamma, xi_dot) + np.einsum("kijl,l,k->ji", commutation_slope(p, q), xi, xi)
    return Linearisation(
        f_map.value(x),
        by_q @ p.A(q) + by_xi @ turn + by_rate @ turn_dot,
        by_xi + by_rate @ turn,
        by_rate,
    )
