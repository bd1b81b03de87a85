"""Local coordinates δ in Rⁿ of the configurations near one, in which a step of an integrator is made.

Laws:    advance(q, 0) = q; its derivative at δ = 0 is A; φ is zero to rounding wherever it leads.
         d/dt advance(q, δ) = A ξ at the configuration it leads to, if δ̇ = rate(q, δ, ξ).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ConvergenceError
from visviva.forms.calculus.charts import AbstractChart
from visviva.forms.calculus.maps import AbstractMap
from visviva.numerics.convergence import Convergence
from visviva.numerics.nullspace import split

GROWN = 3  # times that Newton's steps may fail to halve what is left of φ
EXACT = 1e-14  # of φ, in the size of its terms


class AbstractLocalCoordinates(ABC):
    """A map from Rⁿ to the configurations near q."""

    @abstractmethod
    def advance(self, q: Array, delta: Array) -> Array:
        """The configuration at δ from q, shape (ν,)."""

    @abstractmethod
    def rate(self, q: Array, delta: Array, xi: Array) -> Array:
        """δ̇ at the velocities ξ, shape (n,)."""


@final
@dataclass(frozen=True, eq=False)
class Tangents(AbstractLocalCoordinates):
    """The configuration over q + A δ, along the normals Φᵀ there: δ = Y (q' - q) with Y = A⁺, for any A and φ.

    Limits:  δ up to about the radius of curvature: half a turn of a rotation has none.
    """

    A: AbstractMap  # (ν, n)
    phi: AbstractMap  # (m,)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        moved = q + self.A.value(q) @ delta
        normals = self.phi.slope(q).T
        if not normals.shape[1]:
            return moved
        size = max(1.0, float(np.abs(normals).max() * np.abs(q).max()))
        to_rounding, last, grown = Convergence(EXACT * size, 1e3 * EXACT * size), np.inf, 0
        while grown < GROWN:
            phi = self.phi.value(moved)
            error = float(np.abs(phi).max())
            if to_rounding.ended(error):
                return moved
            last, grown = error, grown + (error > last / 2)
            moved = moved - normals @ split(self.phi.slope(moved) @ normals).solve(phi)  # rows of φ may be redundant
        raise ConvergenceError(
            f"no configuration lies over a step of length {float(np.linalg.norm(delta)):.3g} from here: φ stays at"
            f" {error:.1e}.\nThese local coordinates reach less than a quarter turn of a rotation: take a shorter step."
        )

    def rate(self, q: Array, delta: Array, xi: Array) -> Array:
        """Y(q) A(q') ξ."""
        # the nearest velocities, by the coordinates as they are: A has independent columns
        return np.asarray(np.linalg.lstsq(self.A.value(q), self.A.value(self.advance(q, delta)) @ xi, rcond=None)[0])


@final
@dataclass(frozen=True, eq=False)
class ChartPlace:
    """A chart with the places of its coordinates and velocities among all."""

    chart: AbstractChart
    q: slice
    xi: slice


@final
@dataclass(frozen=True, eq=False)
class Exponentials(AbstractLocalCoordinates):
    """X exp(δ) of every joint that is a group, q + δ of coordinates that have rates as velocities, of any length.

    Source:  Munthe-Kaas (1998), BIT 38, 92-111.
    """

    places: tuple[ChartPlace, ...]

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        moved = np.array(q, dtype=np.float64)
        for at in self.places:
            moved[at.q] = at.chart.nearest(at.chart.advance(moved[at.q], delta[at.xi]))
        return moved

    def rate(self, q: Array, delta: Array, xi: Array) -> Array:
        """dexp⁻¹(δ) ξ, or ξ, joint by joint."""
        found = np.array(xi, dtype=np.float64)
        for at in self.places:
            found[at.xi] = at.chart.inverse_tangent(delta[at.xi], found[at.xi])
        return found


@final
@dataclass(frozen=True, eq=False)
class Changed(AbstractLocalCoordinates):
    """Those of other velocities ξ = B(q) ξ', with δ = B(q) δ' at the start q."""

    local: AbstractLocalCoordinates
    B: AbstractMap  # (n, n)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return self.local.advance(q, self.B.value(q) @ delta)

    def rate(self, q: Array, delta: Array, xi: Array) -> Array:
        """B(q)⁻¹ δ̇ at ξ = B(q') ξ'."""
        B = self.B.value(q)
        own = B @ delta
        rate = self.local.rate(q, own, self.B.value(self.local.advance(q, own)) @ xi)
        return np.asarray(np.linalg.solve(B, rate), dtype=np.float64)
