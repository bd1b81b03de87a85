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
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point

ITERATIONS = 12
GROWN = 10.0  # times the least that was left of φ: no configuration is near
EXACT, NEARLY = 1e-14, 1e-11  # of φ, in the size of its terms


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

        def gap(moved: Array) -> Gap:
            phi = self.phi.value(moved)
            along = self.phi.slope(moved) @ normals
            return Gap(phi, np.full(len(phi), size), lambda z: normals @ least_change(along, z))

        rule = Convergence(EXACT, NEARLY, grown=GROWN)
        moved, reached = nearest_point(moved, gap, np.add, rule, ITERATIONS)
        if reached:
            return moved
        error = float(np.abs(self.phi.value(moved)).max())
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
