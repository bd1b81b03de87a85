"""Port-controlled Hamiltonian systems in coordinates: what makes a structure matrix a Poisson bracket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.geometry.definite import semidefinite, symmetric
from visviva.numerics.nullspace import split

SKEW = 1e-12  # of the largest entry
Given = Callable[[Any], Any] | ArrayLike


@final
class PortHamiltonian:
    """ẋ = (J - R) ∂H + G u,   y = Gᵀ ∂H,   hence   Ḣ = y·u - ∂H·R ∂H   with J = -Jᵀ and R = Rᵀ ⪰ 0.

    n:       number of states.
    H:       a function of x, one number.   J: (n, n), numbers or a function of x.
    R, G:    (n, n) and (n, p), numbers or functions of x; none by default.

    Functions are plain Python in arithmetic and NumPy's functions; derivatives are exact, by jets.

    Source:  Stramigioli, Maschke and Bidard (18); y has p entries, not the n of the print.
    """

    def __init__(self, n: int, H: Callable[[Any], Any], J: Given, *, R: Given | None = None, G: Given | None = None):
        self.n = n
        self.arguments = Arguments((("x", tuple(f"x{i}" for i in range(n))),))
        self.H = map_of(H, self.arguments, "H", ())
        self.J_map = map_of(J, self.arguments, "J", (n, n))
        self.R_map = map_of(np.zeros((n, n)) if R is None else R, self.arguments, "R", (n, n))
        self.G_map = map_of(np.zeros((n, 0)) if G is None else G, self.arguments, "G", (n, None))

    def J(self, x: ArrayLike) -> Array:
        """The structure matrix at x, checked to be skew."""
        J = self.J_map.value(self._state(x))
        excess = np.abs(J + J.T)
        if excess.max(initial=0.0) > SKEW * np.abs(J).max(initial=0.0):
            i, j = np.unravel_index(excess.argmax(), excess.shape)
            raise ModelError(
                f"J must be skew, or it would create or lose power: J[{i}, {j}] + J[{j}, {i}] is {excess.max():.3g}."
            )
        return J

    def rates(self, x: ArrayLike, u: ArrayLike = ()) -> tuple[Array, Array]:
        """ẋ (n,) and y (p,)."""
        state = self._state(x)
        dH, G = self.H.slope(state), self.G_map.value(state)
        R = semidefinite(symmetric(self.R_map.value(state), self.n, "R"), "R")
        inputs = finite_vector(u, "u", G.shape[1])
        return (self.J(state) - R) @ dH + G @ inputs, G.T @ dH

    def dissipated(self, x: ArrayLike) -> float:
        """∂H·R ∂H, the power that leaves."""
        state = self._state(x)
        dH = self.H.slope(state)
        return float(dH @ self.R_map.value(state) @ dH)

    def jacobi(self, x: ArrayLike) -> Array:
        """Σ_l J_il ∂_l J_jk + J_kl ∂_l J_ij + J_jl ∂_l J_ki at [i, j, k]: zero for a Poisson bracket; (19)."""
        state = self._state(x)
        turned = np.einsum("il,jkl->ijk", self.J(state), self.J_map.slope(state))
        return turned + np.transpose(turned, (1, 2, 0)) + np.transpose(turned, (2, 0, 1))

    def rank(self, x: ArrayLike) -> int:
        """Rank of J, an even number."""
        return split(self.J(x)).rank

    def casimir_gradients(self, x: ArrayLike) -> Array:
        """Orthonormal basis (n, n - rank) of ker J: gradients of what stays constant for every H without ports."""
        return split(self.J(x)).Z

    def casimir_defect(self, C: Callable[[Any], Any], x: ArrayLike) -> Array:
        """J ∂C, shape (n,) or (n, m) for m functions; zero where C is a Casimir function."""
        state = self._state(x)
        many = map_of(lambda x: np.atleast_1d(C(x)), self.arguments, "C", (None,))
        return np.squeeze(self.J(state) @ many.slope(state).T)

    def canonical(self, x: ArrayLike) -> Array:
        """T (n, n) with T J Tᵀ = [[0, I, 0], [-I, 0, 0], [0, 0, 0]] at x, blocks of size m, m, n - 2m.

        The rank of J is 2m; (20) is printed with m = rank J. Coordinates that do so in a neighbourhood exist where
        the Jacobi identity holds and the rank is constant (Darboux).
        """
        J = self.J(x)
        values, vectors = np.linalg.eigh(1j * J)
        kept = values > SKEW * np.abs(values).max(initial=0.0)
        w = vectors[:, kept] * np.sqrt(2 / values[kept])
        return np.vstack([w.imag.T, w.real.T, split(J).Z.T])

    def _state(self, x: ArrayLike) -> Array:
        return finite_vector(x, "x", self.n)
