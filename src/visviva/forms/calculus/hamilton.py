"""Hamilton's equations in minimal velocities, from a Hamiltonian H(q, p, t) or by Legendre transform of L.

    q̇ = A ∂H/∂p,      ṗ_i + γ_ij^k (∂H/∂p_j) p_k + ∂_i H = f_i,      p = ∂L/∂ξ,   H = p·ξ - L

Source: Konz (2.34)-(2.45). There p = ∂L/∂ẋ must read ∂L/∂ξ; in (2.43b) the last term is -∂_i c, and the bracket of
(2.44b) lacks ∂_j b_i - ∂_i b_j.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ConvergenceError, ModelError
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.hamel import Hamel, check_inertia
from visviva.forms.calculus.maps import AbstractMap, Arguments
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.kinds import of_kind
from visviva.numerics.convergence import Convergence, newton

ITERATIONS = 50
EXACT = 1e-15  # of the velocities: a change that is rounding
NEARLY = 1e-10  # where it shrinks no further, and is accepted


class AbstractHamiltonian(ABC):
    """H with its derivatives on the momenta of a parameterisation."""

    p: Parameterisation

    @abstractmethod
    def H(self, q: Array, momentum: Array, t: float = 0.0) -> float:
        """The Hamiltonian."""

    @abstractmethod
    def slopes(self, q: Array, momentum: Array, t: float = 0.0) -> tuple[Array, Array, float]:
        """∂H/∂q (ν,), ∂H/∂p (n,) and ∂H/∂t."""

    @abstractmethod
    def forces(self, q: Array, xi: Array, t: float) -> Array:
        """f, shape (n,)."""


@final
class Hamiltonian(AbstractHamiltonian):
    """A Hamiltonian that is given: a function of q, p and t, with entries of p called like the velocities."""

    def __init__(self, p: Parameterisation, H: Any, f: Any = None) -> None:
        self.p = p
        arguments = Arguments((("q", p.coordinates), ("p", p.velocities)), time=True)
        self._H: AbstractMap = map_of(H, arguments, "H", ())
        self._f: AbstractMap = map_of(np.zeros(p.n) if f is None else f, p.motion, "f", (p.n,))

    def H(self, q: Array, momentum: Array, t: float = 0.0) -> float:  # noqa: D102
        return float(self._H.value(np.concatenate([q, momentum, [t]])))

    def slopes(self, q: Array, momentum: Array, t: float = 0.0) -> tuple[Array, Array, float]:  # noqa: D102
        slope = self._H.slope(np.concatenate([q, momentum, [t]]))
        nu, n = self.p.size_q, self.p.n
        return slope[:nu], slope[nu : nu + n], float(slope[-1])

    def forces(self, q: Array, xi: Array, t: float) -> Array:  # noqa: D102
        return self._f.value(np.concatenate([q, xi, [t]]))


@final
class Legendre(AbstractHamiltonian):
    """H = p·ξ - L of a Lagrangian, with ξ from p = ∂L/∂ξ by Newton's method: one step where L is quadratic in ξ."""

    def __init__(self, system: Hamel) -> None:
        self.system, self.p = of_kind(system, Hamel, "what Legendre transforms", "a Hamel(p, L)"), system.p

    def velocity(self, q: Array, momentum: Array, t: float = 0.0) -> Array:
        """ξ with ∂L/∂ξ = p, shape (n,)."""
        xi = np.zeros(self.p.n)
        check_inertia(self.system.mass(q, xi, t), self.p.velocities)

        def step(xi: Array) -> tuple[float, Callable[[], Array]]:
            try:
                M = self.system.mass(q, xi, t)
                change = np.linalg.solve(M, momentum - self.system.momentum(q, xi, t))
            except (ModelError, np.linalg.LinAlgError):
                return np.inf, lambda: xi
            ahead = xi + change
            size = float(np.abs(ahead).max(initial=0.0))
            return float(np.abs(change).max(initial=0.0)) / (size or 1.0), lambda: ahead

        xi, found = newton(xi, step, Convergence(EXACT, NEARLY), ITERATIONS)
        if found:
            return xi
        raise ConvergenceError(
            f"no velocity was found that has the momentum {momentum.tolist()}: Newton's method ended at"
            f" {xi.tolist()}.\nA Lagrangian such as that may have bounded momenta: look at momentum(q, xi)."
        )

    def H(self, q: Array, momentum: Array, t: float = 0.0) -> float:  # noqa: D102
        return self.system.energy(q, self.velocity(q, momentum, t), t)

    def slopes(self, q: Array, momentum: Array, t: float = 0.0) -> tuple[Array, Array, float]:  # noqa: D102
        xi, nu = self.velocity(q, momentum, t), self.p.size_q
        slope = self.system.L.slope(np.concatenate([q, xi, [t]]))
        return -slope[:nu], xi, -float(slope[-1])  # ∂H/∂q = -∂L/∂q, ∂H/∂t = -∂L/∂t

    def forces(self, q: Array, xi: Array, t: float) -> Array:  # noqa: D102
        return self.system.f.value(np.concatenate([q, xi, [t]]))


def hamilton_rates(h: AbstractHamiltonian, q: Array, momentum: Array, t: float = 0.0) -> tuple[Array, Array]:
    """q̇ (ν,) and ṗ (n,)."""
    H_q, xi, _ = h.slopes(q, momentum, t)
    A = h.p.A(q)
    turned = np.einsum("ijk,j,k->i", commutation(h.p, q), xi, momentum)
    return np.asarray(A @ xi), np.asarray(h.forces(q, xi, t) - turned - H_q @ A)
