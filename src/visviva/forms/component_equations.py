"""Equations of motion by components, as SymPy, as LaTeX and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

from visviva.views.equations_text import LatexWriter, TextWriter, aligned


@final
@dataclass(frozen=True, eq=False)
class ComponentEquations:
    """Equations of a form, left and right sides by component, and what the names in them stand for.

    rates:    of coordinates and of velocities or momenta.   drives: forces of the drives of known velocities, and
              conditions.   where: momenta, known velocities, energies.
    spelling: LaTeX of the symbols.   values: numbers of parameters.
    """

    name: str
    form: str
    rates: tuple[tuple[Any, Any], ...]
    drives: tuple[tuple[Any, Any], ...]
    where: tuple[tuple[Any, Any], ...]
    spelling: dict[Any, str]
    values: Mapping[Any, float] = field(default_factory=dict)

    def with_numbers(self) -> ComponentEquations:
        """The same with numbers in place of parameters."""
        import sympy

        numbers = {symbol: sympy.Float(value) for symbol, value in self.values.items()}

        def put(pairs: tuple[tuple[Any, Any], ...]) -> tuple[tuple[Any, Any], ...]:
            return tuple((sympy.sympify(a).xreplace(numbers), sympy.sympify(b).xreplace(numbers)) for a, b in pairs)

        return replace(self, rates=put(self.rates), drives=put(self.drives), where=put(self.where), values={})

    def as_sympy(self) -> list[Any]:
        """All equations, then what the names stand for."""
        import sympy

        return [sympy.Eq(left, right, evaluate=False) for left, right in (*self.rates, *self.drives, *self.where)]

    def latex(self) -> str:
        """An `aligned` environment."""
        writer = LatexWriter(self.spelling)
        lines = [writer.equation(writer.expression(a), writer.expression(b)) for a, b in (*self.rates, *self.drives)]
        where = [writer.equation(writer.expression(a), writer.expression(b)) for a, b in self.where]
        return aligned(lines, where)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        writer = TextWriter()
        lines = [writer.equation(str(a), writer.expression(b)) for a, b in (*self.rates, *self.drives)]
        where = [writer.equation(str(a), writer.expression(b)) for a, b in self.where]
        return "\n".join([f"{self.name}, {self.form} form:", *lines, *(["where", *where] if where else [])])

    def __repr__(self) -> str:
        return (
            f"<ComponentEquations of {self.name!r} in {self.form} form: {len(self.rates) + len(self.drives)} equations>"
        )
