"""Energies of position and velocity together, from a Lagrangian L(q, v).

With p = ∂L/∂v the energy is H = v·p - L. Between both ends of a step

    H(x1) - H(x0) = D_q·Δq + D_v·Δv,   Δp = A Δv + B Δq,   Aᵀ ē = D_v

and with the descriptor A in place of ∂²L/∂v², the effort ē in place of v, and the skew matrix Bᵀ - B,

    Δq = h ē,   A Δv = h (-D_q + (Bᵀ - B) ē + f)

the balance ΔH = h f·ē is exact. A coordinate on which L does not depend has no entries in D_q and Bᵀ, so that its
momentum changes by h f alone. At one instant this is (8) of Latussek, Kinon, Betsch.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.model.curved import ends_of
from visviva.model.law import AbstractEnergyLaw
from visviva.model.maps import LawMap
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractRouting


class AbstractMotion(AbstractStorage):
    """H(q, v); `variable` is the velocity, `position` its coordinates. Its methods take x = (q, v) as one array."""

    position: str

    @property
    def reads(self) -> tuple[str, ...]:
        """Position and velocity."""
        return self.position, self.variable

    @abstractmethod
    def mass(self, x0: Array, x1: Array) -> Array:
        """A, shape (..., n, n)."""

    @abstractmethod
    def bend(self, x0: Array, x1: Array) -> Array:
        """B, shape (..., n, n)."""

    @abstractmethod
    def efforts(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        """(D_q, ē), shape (..., n) each."""

    @abstractmethod
    def momentum(self, x: Array) -> Array:
        """p, shape (..., n)."""


@final
@dataclass(frozen=True, eq=False)
class MassMotion(AbstractMotion):
    """H = ½ v·M(q) v of L = ½ v·M(q) v + a(q)·v: A is the mean of M, ē that of v; (19) of Latussek, Kinon, Betsch.

    M may be singular. M: its entries row by row.
    """

    name: str
    variable: str
    position: str
    M: LawMap
    a: LawMap
    has_zero: ClassVar[bool] = True

    def _matrix(self, q: Array) -> Array:
        values = self.M.value(q)
        n = q.shape[-1]
        return values.reshape(*values.shape[:-1], n, n)

    def H(self, q: Array) -> Array:  # noqa: D102
        q, v = ends_of(q)
        return 0.5 * (v * apply(self._matrix(q), v)).sum(-1)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return self.mean_effort(q, q)

    def momentum(self, x: Array) -> Array:  # noqa: D102
        q, v = ends_of(x)
        return apply(self._matrix(q), v) + self.a.value(q)

    def mass(self, x0: Array, x1: Array) -> Array:  # noqa: D102
        return 0.5 * (self._matrix(ends_of(x0)[0]) + self._matrix(ends_of(x1)[0]))

    def bend(self, x0: Array, x1: Array) -> Array:  # noqa: D102
        (q0, v0), (q1, v1) = ends_of(x0), ends_of(x1)
        v = 0.5 * (v0 + v1)
        return np.asarray((self._slopes(q0, q1) * v[..., None, :, None]).sum(-2) + self.a.secant(q0, q1))

    def efforts(self, x0: Array, x1: Array) -> tuple[Array, Array]:  # noqa: D102
        (q0, v0), (q1, v1) = ends_of(x0), ends_of(x1)
        squares = 0.5 * (v0[..., :, None] * v0[..., None, :] + v1[..., :, None] * v1[..., None, :])
        return 0.5 * (self._slopes(q0, q1) * squares[..., None]).sum((-3, -2)), 0.5 * (v0 + v1)

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        D_q, v = self.efforts(q0, q1)
        return np.concatenate([D_q, apply(self.mass(q0, q1), v)], axis=-1)

    def _slopes(self, q0: Array, q1: Array) -> Array:
        """Slopes of the entries of M, shape (..., n, n, n)."""
        slopes = self.M.secant(q0, q1)
        n = slopes.shape[-1]
        return slopes.reshape(*slopes.shape[:-2], n, n, n)


@final
@dataclass(frozen=True, eq=False)
class GeneralMotion(AbstractMotion):
    """H = v·p - L of any L with a regular ∂²L/∂v² and L(q, 0) = 0.

    law: of H, over x = (q, v).   p: the momenta, over x.
    """

    name: str
    variable: str
    position: str
    law: AbstractEnergyLaw
    parameters: Array
    p: LawMap
    has_zero: ClassVar[bool] = True

    def H(self, q: Array) -> Array:  # noqa: D102
        return self.law.energy(q, self.parameters)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return self.law.gradient(q, self.parameters)

    def momentum(self, x: Array) -> Array:  # noqa: D102
        return self.p.value(x)

    def mass(self, x0: Array, x1: Array) -> Array:  # noqa: D102
        return self._slopes(x0, x1)[1]

    def bend(self, x0: Array, x1: Array) -> Array:  # noqa: D102
        return self._slopes(x0, x1)[0]

    def efforts(self, x0: Array, x1: Array) -> tuple[Array, Array]:  # noqa: D102
        D_q, D_v = ends_of(self.mean_effort(x0, x1))
        return D_q, np.asarray(np.linalg.solve(transpose(self.mass(x0, x1)), D_v[..., None])[..., 0])

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.law.secant(q0, q1, self.parameters)

    def _slopes(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        slopes = self.p.secant(x0, x1)
        n = slopes.shape[-2]
        return slopes[..., :n], slopes[..., n:]


@final
@dataclass(frozen=True, eq=False)
class Coriolis(AbstractRouting):
    """The skew matrix Bᵀ - B of an energy of motion on its velocity, between both ends of a step.

    For ½ v·M(q) v it is Ṁ - 2 C with the Coriolis matrix C of (17); for a(q)·v it is minus the curl of a.
    """

    name: str
    motion: AbstractMotion
    two_ended: ClassVar[bool] = True

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the energy."""
        return self.motion.reads

    @property
    def acts(self) -> tuple[str, ...]:  # type: ignore[override]
        """The velocity."""
        return (self.motion.variable,)

    def J(self, q: Array) -> Array:  # noqa: D102
        B = self.motion.bend(*ends_of(q))
        return transpose(B) - B
