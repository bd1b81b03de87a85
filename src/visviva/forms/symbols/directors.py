"""Director equations: a mechanism as a port-Hamiltonian DAE in centres of mass and directors, as SymPy.

    E ẋ = (J - R) z + B u + h,    x = (q, v, λ),    E = diag(I, M, 0),    z = (∇V, v, λ)

        ⎡ 0   I   0  ⎤        ⎡ 0  0    0 ⎤
    J = ⎢-I   0  -Gᵀ ⎥,   R = ⎢ 0  R_v  0 ⎥,      G = ∇g of six rows per body and those of the joints
        ⎣ 0   G   0  ⎦        ⎣ 0  0    0 ⎦

Source: Latussek, Kinon, Betsch, (24)-(32) and Table 1; (27) has a stray ½ in its rows 4 to 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.compiler import compile_mechanism
from visviva.forms.minimal.model_states import ModelStates
from visviva.forms.minimal.spanning import Spanning
from visviva.forms.symbols.acting import Acting
from visviva.forms.symbols.director_places import DirectorPlaces
from visviva.forms.symbols.moving import Moving, dot, stacked
from visviva.forms.symbols.parameters import Parameters
from visviva.forms.symbols.rows import ConstraintRows, constraint_rows, drive_rates
from visviva.forms.symbols.steps import Steps, zeros
from visviva.forms.symbols.text import Lines, spelled_lines
from visviva.forms.symbols.variables import Register, Variables
from visviva.forms.trees.tree import Tree
from visviva.mechanism import Mechanism
from visviva.mechanism.parts import Body
from visviva.views.equations_names import Label
from visviva.views.equations_text import LatexWriter, TextWriter, aligned

if TYPE_CHECKING:
    from visviva.forms.symbols.code import GeneratedFunction


@final
@dataclass(frozen=True, eq=False)
class DirectorEquations:
    """Matrices are SymPy's, in terms of the `definitions` where these are.

    q, v, s, u, t: symbols of coordinates, velocities, other states, inputs and time.   lam: of the multipliers.
    rows:   constraints by name: internal ones are `<body>.directors`, others go by joint or condition.
    h:      forces of what is no mechanical storage, as motors; zero without such.
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
    h: Any
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
        return _matrix(np.concatenate([part.Z for part in self.rows]))

    @cached_property
    def g(self) -> Any:
        """Constraints on positions, zero where a row has none, (k,)."""
        return _matrix(np.concatenate([zeros(len(part.z)) if part.g is None else part.g for part in self.rows]))

    @cached_property
    def r(self) -> Any:
        """What G v must be, (k,): zero but for drives."""
        return _matrix(np.concatenate([part.r for part in self.rows]))

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

    @property
    def f(self) -> Any:
        """All forces but reactions: -∇V - R v + B u + h."""
        import sympy

        v, u = (sympy.Matrix(len(each), 1, list(each)) for each in (self.v, self.u))
        return -self.V_q - self.R_v * v + self.B_v * u + self.h

    @property
    def arguments(self) -> dict[str, tuple[Any, ...]]:
        """Symbols of what generated functions take, in this order."""
        return {"q": self.q, "v": self.v, "s": self.s, "u": self.u, "t": (self.t,)}

    @property
    def parameters(self) -> dict[str, Any]:
        """Symbols of parameters by name."""
        return {str(symbol): symbol for symbol in self.values}

    def definitions(self, *values: Any) -> dict[Any, Any]:
        """What the names in some expressions or matrices stand for, in order; default: those of the equations."""
        import sympy

        given = values or (self.V_q, self.R_v, self.B_v, self.G, self.g, self.h, self.s_dot)
        flat = [list(value) if isinstance(value, sympy.MatrixBase) else [value] for value in given]
        return self.steps.needed(entry for entries in flat for entry in entries)

    def function(self, *names: str, target: str = "numpy") -> GeneratedFunction:
        """Some of the quantities as a function of (q, v, s, u, t), generated as "numpy", "numba" or "c"."""
        from visviva.forms.symbols.code import generated

        return generated(self, names or ("M", "f", "G", "g"), target)

    def lines(self) -> tuple[Lines, Lines, Lines]:
        """Left and right sides in LaTeX: of the equations, of what their matrices are, and of definitions."""
        writer = LatexWriter(self.steps.spelling)
        driven = " + h" if any(self.h) else ""
        equations = [
            (r"\dot{q}", "v"),
            (r"M \dot{v}", r"-\nabla V - R_v v - G^{\top} \lambda + B_v u" + driven),
            ("G v", "r" if any(self.r) else "0"),
        ]
        diagonal = ", ".join(writer.expression(self.M[k, k]) for k in range(0, self.M.rows, 3))
        where = [
            ("M", rf"\mathrm{{diag}}\left({diagonal}\right) \otimes I_3"),
            ("G", r"\partial g / \partial q"),
            ("V", writer.expression(self.V)),
        ]
        for part in self.rows:
            if part.g is not None:
                where += spelled_lines(writer, rf"g_{{\text{{{part.name}}}}}", _matrix(part.g), "{}^{{({})}}")
        names = [(writer.expression(s), writer.expression(e)) for s, e in self.definitions(self.V, self.g).items()]
        return equations, where, names

    def latex(self) -> str:
        """An `aligned` environment, constraints by joint."""
        equations, where, names = self.lines()
        return aligned([f"{a} &= {b}" for a, b in equations], [f"{a} &= {b}" for a, b in (*where, *names)])

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        writer = TextWriter()
        lines = [f"{self.name}, directors:", "  q' = v", "  M v' = -dV - R_v v - G^T lam + B u", "  0 = G v", "where"]
        lines += [f"  M = diag({', '.join(str(self.M[k, k]) for k in range(0, self.M.rows, 3))}) x I_3", f"  V = {self.V}"]
        lines += [f"  g_{part.name} = {writer.expression(_matrix(part.g))}" for part in self._with_g()]
        return "\n".join([*lines, *(f"  {s} = {e}" for s, e in self.definitions(self.V, self.g).items())])

    def __repr__(self) -> str:
        return f"<DirectorEquations of {self.name!r}: {len(self.q)} coordinates, {len(self.lam)} multipliers>"

    def _with_g(self) -> list[ConstraintRows]:
        return [part for part in self.rows if part.g is not None]


def director_equations(m: Mechanism, numeric: bool) -> DirectorEquations:
    """The equations of a mechanism."""
    import sympy

    model = compile_mechanism(m, "directors")
    states = ModelStates(model, Spanning(Tree((), m.gravity), (), {}, frozenset(), ()))
    steps = Steps()
    parameters = Parameters(steps, numeric)
    variables = _variables(m, states, steps)
    names = tuple(dict.fromkeys(part.name for part in model.constraints))
    inner = {f"{body.name}.directors" for body in m.bodies}
    places = DirectorPlaces(
        m, states, variables, tuple(name for name in names if name not in inner), parameters, steps
    )
    gravity = parameters.vector(m.gravity, Label("g"), "m/s²")
    masses = places.masses()
    acting = Acting(places)
    if any(gravity):
        acting.pull("gravity", *_weight(places, masses, gravity))
    drive_rates(places, acting.s_dot)
    rows = (*_internal(places), *constraint_rows(places))
    lam = [steps.symbol(Label("lambda", (part.name, str(k + 1)))) for part in rows for k in range(len(part.z))]
    total = sum(acting.forces.values(), zeros(places.n))
    u = list(variables.u)
    B = np.array([[sympy.sympify(force).diff(one) for one in u] for force in total], dtype=object)
    return DirectorEquations(
        m.name,
        *(tuple(each) for each in (variables.q, variables.xi, lam, variables.s, variables.u)),
        variables.t,
        sympy.diag(*masses),
        sum(acting.potentials.values(), sympy.Integer(0)),
        _matrix(acting.slope),
        _matrix(acting.R),
        _matrix(B.reshape(places.n, len(u))),
        _matrix(acting.driven),
        _matrix(acting.s_dot),
        rows,
        parameters.values,
        parameters.units,
        variables.names,
        steps,
    )


def _variables(m: Mechanism, states: ModelStates, steps: Steps) -> Variables:
    register, q, v = Register(steps), list[Any](), list[Any]()
    for body in m.bodies:
        labels = [Label("varphi", (body.name, str(i + 1))) for i in range(3)]
        if isinstance(body, Body):
            labels += [Label("d", (body.name, f"{k + 1}{i + 1}")) for k in range(3) for i in range(3)]
        else:
            labels = [Label("r", label.subscripts) for label in labels]
        q += [register.symbol(f"{body.name}.q[{k}]", label) for k, label in enumerate(labels)]
        v += [register.symbol(f"{body.name}.v[{k}]", label, dotted=True) for k, label in enumerate(labels)]
    names = [name if at.stop - at.start == 1 else f"{name}[{k}]" for name, at in states.s.items() for k in range(at.stop - at.start)]
    none = np.array([], dtype=object)
    arrays = (np.array(each, dtype=object) for each in (q, v))
    return Variables(*arrays, none, none, *register.others(m, names), register.names)


def _internal(places: DirectorPlaces) -> Iterator[ConstraintRows]:
    """½(d_i·d_i - 1) and d_i·d_j; (26)."""
    for body in places.m.bodies:
        if isinstance(body, Body):
            d = places.principal(body)
            pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            y = stacked([_half(dot(d[i], d[j])) if i == j else dot(d[i], d[j]) for i, j in pairs])
            yield ConstraintRows(f"{body.name}.directors", "holonomic", y.value, y.row, zeros(6), -y.bias)


def _half(y: Moving) -> Moving:
    return Moving((y.value - 1) / 2, y.row / 2, y.rate / 2, y.bias / 2)


def _weight(places: DirectorPlaces, masses: Any, gravity: Any) -> tuple[Any, Any]:
    """Force m g on the centres of mass, and V = -Σ m g·φ."""
    force, V = zeros(places.n), 0
    for body in places.m.bodies:
        centre = places.centre(body)
        first = int(np.flatnonzero(centre.row[0])[0])
        force = force + masses[first] * (centre.row.T @ gravity)
        V -= masses[first] * (gravity @ centre.value)
    return force, V


def _matrix(values: Any) -> Any:
    import sympy

    array = np.asarray(values, dtype=object)
    shape = array.shape if array.ndim == 2 else (array.size, 1)
    return sympy.Matrix(*shape, [sympy.sympify(value) for value in array.ravel()])
