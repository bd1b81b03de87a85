"""Heat inside of a model: what dissipates heats an entropy variable or the environment, and warm things cool down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractDissipation


@final
@dataclass(frozen=True, eq=False)
class HeatCapacity(AbstractStorage):
    """The exergy U(s) - θ0 s of a constant heat capacity c, with U = c θ_start (exp(s/c) - 1); effort θ - θ0.

    Energy and entropy count from the start, so that their changes are not lost in the rounding of large numbers.
    """

    name: str
    variable: str
    c: float  # [J/K]
    theta: float  # at s = 0 [K]
    theta0: float
    has_zero: ClassVar[bool] = False

    def H(self, q: Array) -> Array:  # noqa: D102
        s = q[..., 0]
        return np.asarray(self.c * self.theta * np.expm1(s / self.c) - self.theta0 * s)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return self.theta * np.exp(q / self.c) - self.theta0

    def mean_effort(self, q0: Array, q1: Array) -> Array:
        """ΔU/Δs - θ0 = θ(s0) (exp(d) - 1)/d - θ0 with d = Δs/c."""
        d = (q1 - q0) / self.c
        still = d == 0
        ratio = np.where(still, 1.0, np.expm1(d) / np.where(still, 1.0, d))
        return self.theta * np.exp(q0 / self.c) * ratio - self.theta0


@final
@dataclass(frozen=True, eq=False)
class Heated(AbstractDissipation):
    """A dissipation R of a model without heat, whose power z·R z becomes heat at an entropy s with temperature θ:

        M = [[θ R, -R z], [-(R z)ᵀ, z·R z/θ]]/θ0,   flows -R z and z·R z/θ;   what it destroys is θ0 times the latter.

    Source: Lohmayer, Capobianco and Leyendecker (6). It sees the efforts of `inner`, then θ - θ0.
    """

    inner: AbstractDissipation
    sink: str
    theta0: float

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of what dissipates."""
        return self.inner.name

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """As without heat."""
        return self.inner.reads

    @property
    def acts(self) -> tuple[str, ...]:  # type: ignore[override]
        """As without heat, then the entropy."""
        return (*self.inner.acts, self.sink)

    @property
    def two_ended(self) -> bool:  # type: ignore[override]
        """As without heat."""
        return self.inner.two_ended

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        e, theta = z[..., :-1], self.theta0 + z[..., -1]
        seen = np.concatenate([e, theta[..., None]], axis=-1) if getattr(self.inner, "warm", False) else e
        R = self.inner.R(q, seen)
        f = apply(R, e)
        M = np.zeros((*np.broadcast_shapes(e.shape[:-1], R.shape[:-2]), z.shape[-1], z.shape[-1]))
        M[..., :-1, :-1] = theta[..., None, None] * R
        M[..., :-1, -1] = M[..., -1, :-1] = -f
        M[..., -1, -1] = (e * f).sum(-1) / theta
        return M / self.theta0


@final
@dataclass(frozen=True, eq=False)
class Cooling(AbstractDissipation):
    """Heat k (θ - θ0) from an entropy variable to the environment, a reservoir: flows -k (θ - θ0)/θ, k (θ - θ0)/θ0."""

    name: str
    acts: tuple[str, ...]  # the variable, the reservoir
    k: float  # [W/K]
    theta0: float
    reads: tuple[str, ...] = ()

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        theta = self.theta0 + z[..., 0]
        M = np.empty((*theta.shape, 2, 2))
        M[..., 0, 0], M[..., 1, 1] = self.k / theta, self.k * theta / self.theta0**2
        M[..., 0, 1] = M[..., 1, 0] = -self.k / self.theta0
        return M
