"""State equations of a bond graph, as SymPy, LaTeX and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from visviva.bonds.computation import given_to
from visviva.bonds.evaluation import Evaluation
from visviva.bonds.plan import Plan
from visviva.forms.kane.system import LONG

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph


@final
@dataclass(frozen=True, eq=False)
class StateEquations:
    """ẋ = F(x, u, t), what storages in derivative causality hold, and efforts and flows of all bonds.

    rates:    by state, in order.   dependent: states that follow from others, by state.   inputs: symbols of sources
              without a law.   values: numbers of parameters.   variables: ("e" or "f", bond) in terms of states,
              not simplified.
    """

    name: str
    rates: dict[Any, Any]
    dependent: dict[Any, Any]
    inputs: tuple[Any, ...]
    values: dict[Any, float]
    variables: dict[tuple[str, str], Any]

    def as_sympy(self) -> list[Any]:
        """Equations for the rates, then for dependent states."""
        import sympy

        lines = [sympy.Eq(_dotted(x), rate, evaluate=False) for x, rate in self.rates.items()]
        return lines + [sympy.Eq(x, value, evaluate=False) for x, value in self.dependent.items()]

    def latex(self) -> str:
        """An `aligned` environment."""
        import sympy

        names = {_dotted(x): rf"\dot{{{_letter(x)}}}" for x in self.rates} | {x: _letter(x) for x in self.rates}
        lines = [sympy.latex(line, symbol_names=names).replace("=", "&=", 1) for line in self.as_sympy()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        lines = [f"{self.name}:", *(f"{x}' = {rate}" for x, rate in self.rates.items())]
        return "\n".join(lines + [f"{x} = {value}" for x, value in self.dependent.items()])


def state_equations(graph: BondGraph) -> StateEquations:
    """The equations that follow from causal strokes and laws."""
    import sympy

    plan = Plan(graph)
    laws, at = plan.laws, Evaluation(plan, None, 0.0)

    def short(entry: Any) -> Any:
        entry = sympy.sympify(entry)
        if entry.is_rational_function(*entry.free_symbols):
            return sympy.cancel(sympy.together(entry))
        return entry if entry.count_ops() > LONG // 2 else sympy.trigsimp(sympy.together(entry))

    rates = dict(zip((laws.symbols[name] for name in laws.names), map(short, at.x_dot), strict=True))
    dependent: dict[Any, Any] = {}
    for label in plan.derivative:
        bond = graph.at(label)[0]
        held = at.law(label, "matrix") @ at.value(given_to(label, bond, plan.strokes))
        dependent |= dict(
            zip(laws.own_symbols(label, "q" if graph.elements[label].kind == "C" else "p"), held, strict=True)
        )
    variables = {(kind, bond.name): list(at.value((kind, bond.name))) for bond in graph.bonds for kind in ("e", "f")}
    return StateEquations(
        graph.name,
        {x: rate for x, rate in rates.items() if x not in dependent},
        {x: short(value) for x, value in dependent.items()},
        tuple(symbol for symbols in laws.inputs.values() for symbol in symbols),
        dict(laws.parameters),
        variables,
    )


def _dotted(x: Any) -> Any:
    import sympy

    return sympy.Symbol(f"{x}'", real=True)


def _letter(x: Any) -> str:
    import sympy

    return str(sympy.latex(x))
