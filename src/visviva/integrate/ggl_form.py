"""The director form with the stabilisation of Gear, Gupta and Leimkuhler, as matrices of a port-Hamiltonian system."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.compiler.compile import compile
from visviva.errors import ModelError
from visviva.integrate.directors import DirectorSystem
from visviva.mechanism import Mechanism
from visviva.model import Model
from visviva.model.layout import Index
from visviva.numerics.rank import LIGHTEST


@final
@dataclass(frozen=True, eq=False)
class GGLForm:
    """E ẋ = (J - R) z + B u with z = (e, w, γ): the efforts and multipliers of the model, then one γ for each g.

        q̇ = v + M⁻¹ Gᵀ γ,   M v̇ = -∇V - Gᵀλ - (∂_q(G v))ᵀ γ + B u - R q̇,   G q̇ = 0,   d/dt (G v) = 0

    Forces and constraints see q̇ where the model has v: with z_model = P z, where P adds M⁻¹Gᵀγ to v, all matrices are
    those of the model between Pᵀ and P, so that J stays skew and R symmetric ⪰ 0; J has ∂_q(G v) beside them, in the
    rows of γ and, transposed and negative, in those of v. E has zeros for γ, and Eᵀz = dH.
    In the middle of a step of `PHMPGGL` the equations hold with (x1 - x0)/h for ẋ.
    Source: Latussek, Kinon, Betsch, eq. (61), which has neither B nor R.

    Made by `vv.ggl_form`. All functions take one state x of `model`.
    """

    model: Model  # in director form

    @property
    def size(self) -> int:
        """Number of z."""
        return self.model.layout.total + len(self.rows)

    @cached_property
    def rows(self) -> Index:
        """The algebraic rows of the model that have a γ: those with a g, in the order of `model.kinds`."""
        return np.flatnonzero(self.model.has_g)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The joint or constraint of each γ."""
        return tuple(self.model.kinds[row][0] for row in self.rows)

    def E(self, x: Array) -> Array:
        """That of the model, and zeros for γ, shape (size, size)."""
        return self._with_gam(self.model.E(x))

    def J(self, x: Array) -> Array:
        """Interconnection, skew."""
        J, total, P = self._with_gam(self.model.J(x)), self.model.layout.total, self.P(x)
        D_q = self._rate_slopes(x)[0]
        J[total:, self._velocities] += D_q
        J[self._velocities, total:] -= D_q.T
        return np.asarray(P.T @ J @ P)

    def R(self, x: Array, z: Array | None = None) -> Array:
        """Dissipation, symmetric ⪰ 0; z defaults to the efforts of x without multipliers."""
        P, total = self.P(x), self.model.layout.total
        z = self.z(x) if z is None else z
        return np.asarray(P.T @ self._with_gam(self.model.R(x, (P @ z)[:total])) @ P)

    def B(self, x: Array) -> Array:
        """Input matrix, one column per input of the model: y = Bᵀz is the power per input, at q̇."""
        return np.asarray(self.P(x)[: self.model.layout.total].T @ self.model.B(x))

    def P(self, x: Array) -> Array:
        """The change of efforts, (e, w, γ) with q̇ = v + M⁻¹Gᵀγ in the place of v."""
        P = np.eye(self.size)
        P[self._velocities, self.model.layout.total :] = np.linalg.solve(self.system.M, self._rate_slopes(x)[1].T)
        return P

    def z(self, x: Array, w: Array | None = None, gam: Array | None = None) -> Array:
        """Efforts at x, multipliers w of all rows of the model, and γ of those with a g; both default to zero."""
        return np.concatenate([self.model.z(x, w), np.zeros(len(self.rows)) if gam is None else gam])

    def H(self, x: Array) -> float:
        """Stored energy, that of the model."""
        return float(self.model.H(x))

    @cached_property
    def system(self) -> DirectorSystem:
        """The model as the director schemes see it."""
        return DirectorSystem(self.model, "the GGL form")

    @cached_property
    def _velocities(self) -> Index:
        return np.asarray(self.model.layout.act(tuple(self.model.kinetic)))

    def _rate_slopes(self, x: Array) -> tuple[Array, Array]:
        """∂_q(G v) and G = ∂_v(G v) of the rows with a g."""
        n = self.system.n
        q, v = x[:n], x[n : 2 * n]
        D_q, D_v = self.system.rate_secants(q, q, v, v)
        return D_q[self.rows], D_v[self.rows]

    def _with_gam(self, A: Array) -> Array:
        return np.pad(A, (0, len(self.rows)))


@helpful
def ggl_form(model: Model | Mechanism) -> GGLForm:
    """The GGL form of a mechanism, or of its Model in director form, as matrices: see `GGLForm`.

    form = vv.ggl_form(m)
    form.E(x), form.J(x), form.R(x), form.B(x)
    """
    if isinstance(model, Mechanism):
        model = compile(model, "directors")
    if not isinstance(model, Model):
        raise ModelError(
            f"ggl_form() takes a mechanism or a Model in director form, got {type(model).__name__}; "
            'vv.compile(m, "directors") is one.'
        )
    form = GGLForm(model)
    if model.prescribed:
        port = next(iter(model.prescribed.values())).name
        raise ModelError(
            f"{model.name!r} has no GGL form as matrices: {port!r} prescribes a rate, and rows of accelerations have\n"
            "its derivative, which is no input. vv.PHMPGGL() runs it; the matrices of the plain form are those of\n"
            'vv.compile(m, "directors").'
        )
    inertia = np.linalg.eigvalsh(form.system.M)
    if inertia[0] <= LIGHTEST * inertia[-1]:
        name = form.system.velocity_name(int(np.argmin(np.diag(form.system.M))))
        raise ModelError(
            f"{model.name!r} has no GGL form as matrices: {name} has a director without mass, and eq. (61) has M⁻¹.\n"
            "vv.PHMPGGL() runs it without an inverse; give the body some thickness to have the matrices."
        )
    return form
