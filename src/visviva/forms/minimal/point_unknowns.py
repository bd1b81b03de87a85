"""The unknowns of boxes at one point of a minimal form, and the inertia of what they tie to joints."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.model.inner_unknowns import InnerUnknowns

if TYPE_CHECKING:
    from visviva.forms.minimal.point import Point

FAR = 3e-3  # of the time in which a velocity covers its size: for differences along the motion
WEIGHTS = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}  # of central differences of order 6


@final
class PointUnknowns:
    """The unknowns of boxes at one point of a form, with inputs u."""

    def __init__(self, inner: InnerUnknowns, point: Point, u: Array) -> None:
        self.inner, self.point = inner, point
        self.z, self.flow, N = inner.unknowns(point.x, u)
        self.ties = inner.ties(point.x, N) if N.shape[1] else None

    @cached_property
    def drift(self) -> Array:
        """C_e H'' f + b, with b = Ċ_V V the change of the rows along the motion at constant V and e, (r,)."""
        assert self.ties is not None
        ties, inner = self.ties, self.inner
        found = np.asarray(ties.C_e @ (ties.H @ self.flow[inner.at_e]))
        point, form = self.point, self.point.form
        fastest = float((np.abs(point.xi) / form.lengths).max(initial=0.0))
        if fastest:
            tau = FAR / fastest
            found = found + sum(
                weight * (self._rows(k * tau) - self._rows(-k * tau)) / tau for k, weight in WEIGHTS.items()
            )
        return found

    def _rows(self, tau: float) -> Array:
        """NᵀJ z with the configuration moved along the motion, (r,)."""
        from visviva.forms.minimal.point import Point

        assert self.ties is not None
        point, inner = self.point, self.inner
        ahead = Point(point.form, point.form.advance_q(point.q, tau * point.xi), point.xi, point.s)
        return np.asarray(self.ties.N.T @ (inner.model.J(ahead.x)[inner.at] @ self.z))

    @cached_property
    def inertia(self) -> Array:
        """C_Vᵀ A⁻¹ C_V over the velocities of the bodies, (m, m)."""
        if self.ties is None:
            return np.zeros((len(self.inner.at_V),) * 2)
        return np.asarray(self.ties.C_V.T @ np.linalg.solve(self.ties.A, self.ties.C_V))

    def tied(self, V_dot: Array) -> tuple[Array, Array]:
        """z and flows with the multipliers of ties at accelerations V̇ of the bodies."""
        if self.ties is None:
            return self.z, self.flow
        ties, inner = self.ties, self.inner
        mu = np.linalg.solve(ties.A, ties.C_V @ V_dot + self.drift)
        z, flow = self.z.copy(), self.flow.copy()
        z[inner.at] += ties.N @ mu
        flow[inner.at_V] -= ties.C_V.T @ mu
        flow[inner.at_e] -= ties.C_e.T @ mu
        return z, flow
