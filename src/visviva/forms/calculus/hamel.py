"""Equations of motion of a Lagrangian L(q, ξ, t) in minimal velocities: Hamel's form of Lagrange's equations.

    d/dt ∂L/∂ξⁱ + γ_ij^k ξʲ ∂L/∂ξᵏ - ∂_i L = f_i

With q̇ = ξ they are Lagrange's, on rotations Euler's. They are Aᵀ times the equations of redundant coordinates.
Source: Konz (2.26)-(2.33).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.given import map_of, reads_time
from visviva.forms.calculus.maps import AbstractMap
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.flows.flowing import AbstractFlowing
from visviva.forms.kinds import of_kind
from visviva.numerics.rank import LIGHTEST, significant, velocity_units

if TYPE_CHECKING:
    from visviva.forms.calculus.hamel_flow import HamelFlow


@final
class Hamel(AbstractFlowing):
    """The motion of L(q, xi, t) under forces f(q, xi, t) that belong to the velocities.

    L: one number, a function of q, xi and t as far as it asks for them, or a SymPy expression in their names.
    f: (n,), none by default; power is f·ξ.   name: how errors and pages call it.
    """

    def __init__(self, p: Parameterisation, L: Any, f: Any = None, *, name: str = "lagrangian") -> None:
        self.name = name
        self.p = of_kind(p, Parameterisation, "p", "a Parameterisation")
        self.L: AbstractMap = map_of(L, p.motion, "L", ())
        self.f: AbstractMap = map_of(np.zeros(p.n) if f is None else f, p.motion, "f", (p.n,))

    @property
    def depends_on_time(self) -> bool:
        """Whether L asks for t."""
        return reads_time(self.L)

    @property
    def flow(self) -> HamelFlow:
        """What is integrated."""
        from visviva.forms.calculus.hamel_flow import HamelFlow

        return HamelFlow(self, self.name)

    def momentum(self, q: Array, xi: Array, t: float = 0.0) -> Array:
        """∂L/∂ξ, shape (n,)."""
        return self._split(self.L.slope(self._x(q, xi, t)))[1]

    def energy(self, q: Array, xi: Array, t: float = 0.0) -> float:
        """ξ·∂L/∂ξ - L."""
        x = self._x(q, xi, t)
        return float(np.asarray(xi) @ self._split(self.L.slope(x))[1] - self.L.value(x))

    def power(self, q: Array, xi: Array, t: float = 0.0) -> float:
        """Rate of the energy: f·ξ - ∂L/∂t."""
        x = self._x(q, xi, t)
        return float(self.f.value(x) @ xi - self._split(self.L.slope(x))[2][0])

    def mass(self, q: Array, xi: Array, t: float = 0.0) -> Array:
        """∂²L/∂ξ², shape (n, n)."""
        nu, n = self.p.size_q, self.p.n
        return self.L.bend(self._x(q, xi, t))[nu : nu + n, nu : nu + n]

    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:
        """The left side for ξ̇ = 0: (∂²L/∂ξ∂q) A ξ + ∂²L/∂ξ∂t + γ_ij^k ξʲ ∂L/∂ξᵏ - ∂_i L, shape (n,)."""
        return self._sides(q, xi, t)[1]

    def force(self, q: Array, xi: Array, xi_dot: Array, t: float = 0.0) -> Array:
        """The left side: the total force that this motion needs, shape (n,). Inverse dynamics."""
        M, bias = self._sides(q, xi, t)
        return np.asarray(M @ xi_dot + bias)

    def acceleration(self, q: Array, xi: Array, t: float = 0.0, extra: ArrayLike | None = None) -> Array:
        """ξ̇, shape (n,), under f and, where given, more forces. Forward dynamics."""
        M, bias = self._sides(q, xi, t)
        total = self.f.value(self._x(q, xi, t)) - bias
        if extra is not None:
            total = total + finite_vector(extra, "extra", self.p.n)
        check_inertia(M, self.p.velocities)
        return np.asarray(np.linalg.solve(M, total), dtype=np.float64)

    def _sides(self, q: Array, xi: Array, t: float) -> tuple[Array, Array]:
        nu, n, x = self.p.size_q, self.p.n, self._x(q, xi, t)
        slope, bend = self.L.slope(x), self.L.bend(x)[nu : nu + n]  # rows of ∂L/∂ξ
        by_q, momentum, _ = self._split(slope)
        A = self.p.A(q)
        moved = bend[:, :nu] @ (A @ xi) + bend[:, -1]
        turned = np.einsum("ijk,j,k->i", commutation(self.p, q), xi, momentum)
        return bend[:, nu : nu + n], moved + turned - by_q @ A

    def _x(self, q: Array, xi: Array, t: float) -> Array:
        n = self.p.size_q, self.p.n
        return np.concatenate([finite_vector(q, "q", n[0]), finite_vector(xi, "xi", n[1]), [finite_number(t, "t")]])

    def _split(self, slope: Array) -> tuple[Array, Array, Array]:
        nu, n = self.p.size_q, self.p.n
        return slope[:nu], slope[nu : nu + n], slope[nu + n :]


def check_inertia(M: Array, velocities: tuple[str, ...]) -> None:
    """An error that names a velocity without inertia, if there is one; velocities count in units of their inertia.

    M of a Lagrangian may be of any sign: it need not be definite, but regular.
    """
    unit = velocity_units(np.abs(np.diag(M)))
    _, s, Vt = np.linalg.svd(unit[:, None] * M * unit)
    if not (kept := significant(s, LIGHTEST)).all():
        worst = int(np.argmax(np.abs(Vt[~kept]).max(axis=0)))
        raise ModelError(
            f"the mass matrix is singular: no inertia resists the velocity {velocities[worst]!r}"
            f" (smallest singular value {s[-1]:.1e}, largest {s[0]:.1e}).\n"
            "Give every velocity kinetic energy, or remove it; at a singularity of a chart take other coordinates."
        )
