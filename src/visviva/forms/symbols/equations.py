"""SymbolicEquations: the equations of motion of a mechanism or rigid system as SymPy, to read and to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.forms.symbols.inertia import Inertia
from visviva.forms.symbols.paper import Order, PaperWriter
from visviva.forms.symbols.rows import ConstraintRows
from visviva.forms.symbols.shortening import SHORT, Shortening
from visviva.forms.symbols.steps import Steps, entries_of, zeros

if TYPE_CHECKING:
    from visviva.forms.symbols.code import GeneratedFunction


@final
@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """M(q) ξ̇ + c(q, ξ) = f(q, ξ, s, u, t) - Zᵀλ,   Z ξ̇ = z,   q̇ = A(q) ξ,   ṡ = …

    Matrices are SymPy's. What is short is simplified; longer expressions are in terms of `definitions`, a list of short
    ones that is never expanded.

    name, form: of what, and in which form it prints: see `vv.symbols`.
    q, xi, xi_dot, p, s, u, t: symbols: coordinates, velocities, their rates, momenta, other states, inputs, time.
    forces:     generalised forces by part.   rows: constraints by name.   energies: stored energies by part.
    parameters: symbols by name.   values: their numbers.   units: theirs.
    spelling:   LaTeX of all symbols.   names: what results of a run call q, ξ, s and u.

    What it is made of, before it is simplified: A; inertia; acting, stored: forces and energies by part; slope: of all
    potentials along ξ; states: ṡ; commutation: gives γ; steps: definitions.   simplify: yes, no, or where it is short.
    rank: number of independent rows of Z on the constraints, where it is known: others are rounding, or repeat these.
    """

    name: str
    form: str
    q: tuple[Any, ...]
    xi: tuple[Any, ...]
    xi_dot: tuple[Any, ...]
    p: tuple[Any, ...]
    s: tuple[Any, ...]
    u: tuple[Any, ...]
    t: Any
    A: Any
    rows: tuple[ConstraintRows, ...]
    values: Mapping[Any, float]
    units: Mapping[Any, str]
    names: Mapping[Any, str]
    commutation: Callable[[], Any]
    steps: Steps
    inertia: Inertia
    simplify: bool | None
    acting: Mapping[str, Any]
    stored: Mapping[str, Any]
    slope: Any
    states: Any
    rank: int | None = None

    @cached_property
    def _shorter(self) -> Shortening:
        return Shortening(self.steps, self.units, self.simplify)

    # -- quantities -------------------------------------------------------------------------------------------------

    @cached_property
    def M(self) -> Any:
        """Mass matrix (n, n)."""
        return self._shorter.matrix(self.inertia.M)

    @cached_property
    def c(self) -> Any:
        """Inertia forces without ξ̇, (n,)."""
        return self._shorter.matrix(self.inertia.c)

    @cached_property
    def f(self) -> Any:
        """All forces that act, (n,): the sum of `forces`."""
        import sympy

        total = sum(self.acting.values(), zeros(len(self.xi)))
        if self._shorter.expands(entries_of(total)):
            return self._shorter.matrix(total)
        parts = (self._shorter.matrix(force, SHORT // 5) for force in self.acting.values())
        return sum(parts, sympy.zeros(len(self.xi), 1))

    @cached_property
    def forces(self) -> dict[str, Any]:
        """Generalised forces (n,) by part."""
        return {name: self._shorter.matrix(force) for name, force in self.acting.items()}

    @cached_property
    def Z(self) -> Any:
        """Rows of all constraints over ξ, (k, n)."""
        return self._shorter.matrix(np.concatenate([zeros(0, len(self.xi)), *(part.Z for part in self.rows)]))

    @cached_property
    def z(self) -> Any:
        """What Z ξ̇ must be, (k,)."""
        return self._shorter.matrix(np.concatenate([zeros(0), *(part.z for part in self.rows)]))

    @cached_property
    def r(self) -> Any:
        """What Z ξ must be, (k,): zero but for drives."""
        return self._shorter.matrix(np.concatenate([zeros(0), *(part.r for part in self.rows)]))

    @cached_property
    def g(self) -> Any:
        """Constraints on positions, zero where a row has none, (k,)."""
        parts = [zeros(len(part.z)) if part.g is None else part.g for part in self.rows]
        return self._shorter.matrix(np.concatenate([zeros(0), *parts]))

    @cached_property
    def s_dot(self) -> Any:
        """Rates of other states."""
        return self._shorter.matrix(self.states)

    @cached_property
    def q_dot(self) -> Any:
        """A ξ."""
        import sympy

        return self.A * sympy.Matrix(len(self.xi), 1, list(self.xi))

    @cached_property
    def D(self) -> Any:
        """Kane's matrix with c = D ξ and Ṁ = D + Dᵀ; Phillips and Amirouche (16), (56)."""
        return self._shorter.matrix(self.inertia.kane[0])

    @cached_property
    def gyration(self) -> Any:
        """Dᵀξ, with ṗ = f + Dᵀξ - Zᵀλ; Phillips and Amirouche (25), (57)."""
        return self._shorter.matrix(self.inertia.kane[1])

    @cached_property
    def momenta(self) -> Any:
        """M ξ, (n,)."""
        return self._shorter.matrix(self.inertia.momenta)

    @cached_property
    def T_q(self) -> Any:
        """∂_i T at constant ξ, along the velocities: Dᵀξ + γ_ij^k ξʲ p_k, (n,); Konz (3.16), (2.31)."""
        return self._shorter.matrix(self.inertia.kane[1] + self._turning)

    @cached_property
    def gamma(self) -> Any:
        """γ_ij^k, an object array (n, n, n): zero where velocities are rates of coordinates; Konz (2.19)."""
        return self.commutation()

    @cached_property
    def turning(self) -> Any:
        """γ_ij^k ξʲ p_k with p = M ξ, (n,): zero where all velocities are rates of coordinates."""
        return self._shorter.matrix(self._turning)

    @property
    def _turning(self) -> Any:
        p = self.inertia.momenta
        found = zeros(len(self.xi))
        for i, j, k in zip(*np.nonzero(self.gamma), strict=True):
            found[i] = found[i] + self.gamma[i, j, k] * self.xi[j] * p[k]
        return found

    @property
    def turns(self) -> bool:
        """Whether some velocities are no rates of coordinates."""
        return bool(np.any(self.gamma != 0))

    @property
    def in_rates(self) -> bool:
        """Whether all velocities are rates of coordinates, and spelled so."""
        return all(self.steps.spelling[w].startswith(r"\dot{") for w in self.xi)

    @cached_property
    def V_q(self) -> Any:
        """∂_i V, (n,): less the forces of gravity and springs."""
        return self._shorter.matrix(self.slope)

    @cached_property
    def Q(self) -> Any:
        """Forces without a potential, (n,): f = Q - ∂V."""
        return self._shorter.matrix(sum(self.acting.values(), zeros(len(self.xi))) + self.slope)

    @cached_property
    def Gamma(self) -> Any:
        """Γ_ijk with c_i = Γ_ijk ξʲ ξᵏ, an object array (n, n, n); the last index is that of the derivative."""
        found = self.inertia.Gamma
        return np.array(self._shorter.listed(found.ravel()), dtype=object).reshape(found.shape)

    @cached_property
    def T(self) -> Any:
        """Kinetic energy; ½ ξᵀM ξ where M is short."""
        import sympy

        if self._shorter.expands(entries_of(self.inertia.M)):
            n, xi, M = len(self.xi), self.xi, self.M
            squares = [M[i, i] * xi[i] ** 2 / 2 for i in range(n)]
            return sympy.Add(*squares, *(M[i, j] * xi[i] * xi[j] for i in range(n) for j in range(i + 1, n)))
        return self._shorter.listed([self.inertia.T])[0]

    @cached_property
    def energies(self) -> dict[str, Any]:
        """Stored energies besides kinetic energy, by part."""
        return {name: self._shorter.listed([energy])[0] for name, energy in self.stored.items()}

    @cached_property
    def V(self) -> Any:
        """All stored energy besides kinetic energy, that of thermal nodes included."""
        import sympy

        return self._shorter.listed([sum(self.stored.values(), sympy.Integer(0))])[0]

    @property
    def arguments(self) -> dict[str, tuple[Any, ...]]:
        """Symbols of what generated functions take, in this order."""
        return {"q": self.q, "xi": self.xi, "s": self.s, "u": self.u, "t": (self.t,)}

    @property
    def parameters(self) -> dict[str, Any]:
        """Symbols of parameters by name."""
        return {str(symbol): symbol for symbol in self.values}

    @property
    def spelling(self) -> dict[Any, str]:
        """LaTeX of all symbols."""
        return dict(self.steps.spelling)

    @property
    def writer(self) -> PaperWriter:
        """How expressions are written in LaTeX."""
        places, velocities = (*self.q, *self.s, *self.u), (*self.xi, *self.xi_dot, *self.p)
        return PaperWriter(self.steps.spelling, Order(places, velocities, self.units))

    def definitions(self, *values: Any) -> dict[Any, Any]:
        """What the names in some expressions or matrices stand for, in order; default: those of the equations."""
        from visviva.forms.symbols.text import equation_terms

        given = values or equation_terms(self)
        return self.steps.needed(entry for value in given for entry in entries_of(value))

    def expanded(self, value: Any) -> Any:
        """An expression or matrix with all definitions put in; it may be long."""
        import sympy

        full = self.steps.expanded(entries_of(value))
        if isinstance(value, sympy.MatrixBase):
            return sympy.Matrix(*value.shape, full)
        return np.array(full, dtype=object).reshape(np.shape(value)) if np.ndim(value) else full[0]

    # -- text and code ------------------------------------------------------------------------------------------

    def as_sympy(self) -> list[Any]:
        """The equations of the form by components."""
        from visviva.forms.symbols.text import components

        return components(self)

    def latex(self) -> str:
        """An `aligned` environment: the equations, then what names in them stand for."""
        from visviva.forms.symbols.text import latex

        return latex(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        from visviva.forms.symbols.text import plain

        return plain(self)

    def __repr__(self) -> str:
        counts = f"{len(self.q)} coordinates, {len(self.xi)} velocities, {self.Z.rows} constraint rows"
        return f"<SymbolicEquations of {self.name!r} in {self.form} form: {counts}>"

    def function(self, *names: str, target: str = "numpy") -> GeneratedFunction:
        """Some of the quantities as a function of (q, xi, s, u, t), generated as "numpy", "numba" or "c"."""
        from visviva.forms.symbols.code import generated

        return generated(self, names or ("M", "c", "f", "Z", "z"), target)

    def accelerations(self, q: Any, xi: Any, s: Any = (), u: Any = (), t: float = 0.0, *, target: str = "numpy") -> Any:
        """ξ̇ at a state that satisfies the constraints, from a generated function: "numpy", "numba" or "c".

        Of the rows of Z as many count as are independent of each other, `rank` at most, by the rule of `numerics.rank`.
        """
        from visviva.forms.minimal.constrained import constrained

        if target not in self._evaluate:
            self._evaluate[target] = self.function(target=target)
        M, c, f, Z, z = self._evaluate[target](q, xi, s, u, t)
        return constrained(M, Z, f - c, z, [str(symbol) for symbol in self.xi], f"{self.name!r}", self.rank).a

    @cached_property
    def _evaluate(self) -> dict[str, GeneratedFunction]:
        """Generated functions of M, c, f, Z and z, by target."""
        return {}
