"""Director equations: a mechanism as a port-Hamiltonian DAE in centres of mass and directors, as SymPy.

    E ẋ = (J - R) z + B u + h,    x = (q, v, λ),    E = diag(I, M, 0),    z = (∇V, v, λ)

        ⎡ 0   I   0  ⎤        ⎡ 0  0    0 ⎤
    J = ⎢-I   0  -Gᵀ ⎥,   R = ⎢ 0  R_v  0 ⎥,      G = ∇g of six rows per body and those of the joints
        ⎣ 0   G   0  ⎦        ⎣ 0  0    0 ⎦

Source: Latussek, Kinon, Betsch, (24)-(32) and Table 1; (27) has a stray ½ in its rows 4 to 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.forms.symbols.paper import Order, PaperWriter
from visviva.forms.symbols.rows import ConstraintRows
from visviva.forms.symbols.steps import Steps, entries_of, matrix_of, zeros
from visviva.forms.symbols.text import Lines
from visviva.views.equations_text import aligned

if TYPE_CHECKING:
    from visviva.forms.symbols.code import GeneratedFunction


@final
@dataclass(frozen=True, eq=False)
class DirectorEquations:
    """Matrices are SymPy's, in terms of the `definitions` where these are.

    q, v, s, u, t: symbols of coordinates, velocities, other states, inputs and time.   lam: of the multipliers.
    rows:   constraints by name: internal ones are `<body>.directors`, others go by joint or condition.
    h_v:    forces of what is no mechanical storage, as motors; zero without such.
    """

    name: str
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    lam: tuple[Any, ...]
    s: tuple[Any, ...]
    u: tuple[Any, ...]
    t: Any
    M: Any
    V: Any
    V_q: Any
    R_v: Any
    B_v: Any
    h_v: Any
    s_dot: Any
    rows: tuple[ConstraintRows, ...]
    values: Mapping[Any, float]
    units: Mapping[Any, str]
    names: Mapping[Any, str]
    steps: Steps
    form: str = "directors"

    @cached_property
    def G(self) -> Any:
        """Gradients of the constraints, and rows of conditions on velocities, (k, n)."""
        return matrix_of(np.concatenate([part.Z for part in self.rows]))

    @cached_property
    def g(self) -> Any:
        """Constraints on positions, zero where a row has none, (k,)."""
        return matrix_of(np.concatenate([zeros(len(part.z)) if part.g is None else part.g for part in self.rows]))

    @cached_property
    def r(self) -> Any:
        """What G v must be, (k,): zero but for drives."""
        return matrix_of(np.concatenate([part.r for part in self.rows]))

    @cached_property
    def E(self) -> Any:
        """diag(I, M, 0)."""
        import sympy

        return sympy.diag(sympy.eye(len(self.q)), self.M, sympy.zeros(len(self.lam)))

    @cached_property
    def J(self) -> Any:
        """Skew."""
        import sympy

        n, k = len(self.q), len(self.lam)
        one, none = sympy.eye(n), sympy.zeros(n)
        return sympy.Matrix(
            sympy.BlockMatrix(
                [
                    [none, one, sympy.zeros(n, k)],
                    [-one, none, -self.G.T],
                    [sympy.zeros(k, n), self.G, sympy.zeros(k)],
                ]
            ).as_explicit()
        )

    @cached_property
    def R(self) -> Any:
        """Symmetric, positive semidefinite."""
        import sympy

        return sympy.diag(sympy.zeros(len(self.q)), self.R_v, sympy.zeros(len(self.lam)))

    @cached_property
    def z(self) -> Any:
        """Efforts (∇V, v, λ)."""
        import sympy

        return sympy.Matrix([*self.V_q, *self.v, *self.lam])

    @cached_property
    def B(self) -> Any:
        """Input matrix over (q, v, λ)."""
        import sympy

        m = len(self.u)
        return sympy.Matrix.vstack(sympy.zeros(len(self.q), m), self.B_v, sympy.zeros(len(self.lam), m))

    @cached_property
    def h(self) -> Any:
        """(0, h_v, -r): what neither storages, losses nor inputs do."""
        import sympy

        return sympy.Matrix.vstack(sympy.zeros(len(self.q), 1), self.h_v, -self.r)

    @property
    def f(self) -> Any:
        """All forces but reactions: -∇V - R_v v + B_v u + h_v."""
        import sympy

        v, u = (sympy.Matrix(len(each), 1, list(each)) for each in (self.v, self.u))
        return -self.V_q - self.R_v * v + self.B_v * u + self.h_v

    @property
    def arguments(self) -> dict[str, tuple[Any, ...]]:
        """Symbols of what generated functions take, in this order."""
        return {"q": self.q, "v": self.v, "s": self.s, "u": self.u, "t": (self.t,)}

    @property
    def writer(self) -> PaperWriter:
        """How expressions are written in LaTeX."""
        return PaperWriter(self.steps.spelling, Order((*self.q, *self.s, *self.u), (*self.v, *self.lam), self.units))

    @property
    def parameters(self) -> dict[str, Any]:
        """Symbols of parameters by name."""
        return {str(symbol): symbol for symbol in self.values}

    def definitions(self, *values: Any) -> dict[Any, Any]:
        """What the names in some expressions or matrices stand for, in order; default: those of the equations."""
        given = values or (self.V_q, self.R_v, self.B_v, self.G, self.g, self.h_v, self.s_dot)
        return self.steps.needed(entry for value in given for entry in entries_of(value))

    def function(self, *names: str, target: str = "numpy") -> GeneratedFunction:
        """Some of the quantities as a function of (q, v, s, u, t), generated as "numpy", "numba" or "c"."""
        from visviva.forms.symbols.code import generated

        return generated(self, names or ("M", "f", "G", "g"), target)

    def lines(self) -> tuple[Lines, Lines, Lines]:
        """Left and right sides in LaTeX: of the equations, of what their matrices are, and of definitions."""
        from visviva.forms.symbols.director_text import latex_lines

        return latex_lines(self)

    def latex(self) -> str:
        """An `aligned` environment, constraints by joint."""
        equations, where, names = self.lines()
        return aligned([f"{a} &= {b}" for a, b in equations], [f"{a} &= {b}" for a, b in (*where, *names)])

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        from visviva.forms.symbols.director_text import plain

        return plain(self)

    def __repr__(self) -> str:
        return f"<DirectorEquations of {self.name!r}: {len(self.q)} coordinates, {len(self.lam)} multipliers>"
