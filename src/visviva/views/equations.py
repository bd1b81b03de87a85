"""The equations of a system as symbols: what is left when the variables of inner ports are eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat
from visviva.language import AbstractSystem, Composite, compose
from visviva.views.equations_flows import balance
from visviva.views.equations_names import Label
from visviva.views.equations_reduce import reduced
from visviva.views.equations_rows import Row, column, rows
from visviva.views.equations_terms import value
from visviva.views.equations_text import AbstractWriter, LatexWriter, TextWriter, aligned
from visviva.views.equations_variables import Variables, variables


@final
@dataclass(frozen=True, eq=False)
class Equations:
    """Reduced equations of a system; states and efforts by junction, multipliers by box.

    States of groups have left-trivialised rates ξ, x⁻¹ x_dot. Numbers of parameters are in `values`.
    """

    name: str
    rows: tuple[Row, ...]
    variables: Variables

    @property
    def rates(self) -> dict[str, Any]:
        """Rates of states by junction, those of environments too: ẋ, or ξ of groups."""
        return self._rights("rate")

    @property
    def algebraic(self) -> dict[str, Any]:
        """What vanishes at junctions without state: their balance of flows, whose unknown is the effort."""
        return self._rights("algebraic")

    @property
    def constraints(self) -> dict[str, Any]:
        """What vanishes by the rows of boxes: C e, whose unknown is the multiplier."""
        return self._rights("constraint")

    @property
    def outer(self) -> dict[str, dict[str, Any]]:
        """Effort "e" and flow "f" of every outer power port: the one that is given as its symbols."""
        efforts, flows, v = self._rights("effort"), self._rights("flow"), self.variables
        return {
            port: {
                "e": efforts.get(port, column(v.outer_efforts[at].entries)),
                "f": flows.get(port, column(v.outer_flows[at].entries)),
            }
            for port, at in v.flat.outer.items()
            if at in v.outer_flows
        }

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """Effort "e" of every source, which is given, and its flow "f": unknown symbols where it holds a state."""
        flows, v = self._rights("flow"), self.variables
        return {
            name: {"e": column(given.entries), "f": flows.get(name, column(v.multipliers[name].entries))}
            for name, given in v.given.items()
        }

    @property
    def where(self) -> dict[str, Any]:
        """Abbreviations: efforts of storages, and the matrices that `latex` and `str` name."""
        efforts = {vector.label: column(entries) for vector, entries in self.variables.abbreviations if vector.label}
        return {label.text: value for label, value in (efforts | _matrices(self.rows)).items()}

    @property
    def states(self) -> dict[str, Any]:
        """Symbols of states by junction, in embedding coordinates: r, then the columns of R."""
        return dict(self.variables.states)

    @property
    def efforts(self) -> dict[str, Any]:
        """Efforts by junction: symbols, zero at environments, or the expression where there is no abbreviation."""
        return {at: effort.entries for at, effort in self.variables.efforts.items()}

    @property
    def multipliers(self) -> dict[str, Any]:
        """Symbols of the multipliers that are left, by box."""
        return {row.name: self.variables.multipliers[row.name].entries for row in self.rows if row.kind == "constraint"}

    @property
    def parameters(self) -> dict[str, Any]:
        """Symbols of parameters by "box.parameter"."""
        return dict(self.variables.parameters)

    @property
    def values(self) -> dict[Any, float]:
        """Numbers of parameters, and of θ0 where there is an environment."""
        return dict(self.variables.values)

    def as_sympy(self) -> list[Any]:
        """All equations by components, then the abbreviations of efforts."""
        import sympy

        pairs = [pair for row in self.rows for pair in zip(row.left, value(row.form, row.n), strict=True)]
        for vector, entries in self.variables.abbreviations:
            pairs += zip(vector.entries, entries, strict=True)
        return [sympy.Eq(left, right, evaluate=False) for left, right in pairs]

    def latex(self) -> str:
        """An `aligned` environment: the equations in vectors, then what its names stand for."""
        lines, where = self._lines(LatexWriter(self.variables.spelling))
        return aligned(lines, where)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        lines, where = self._lines(TextWriter())
        return "\n".join([f"{self.name}:", *lines, *(["where", *where] if where else [])])

    def __repr__(self) -> str:
        counts = ", ".join(f"{row.n} {row.kind} {row.name}" for row in self.rows)
        return f"<Equations of {self.name!r}: {counts}>"

    def _rights(self, kind: str) -> dict[str, Any]:
        return {row.name: row.right for row in self.rows if row.kind == kind}

    def _lines(self, writer: AbstractWriter) -> tuple[list[str], list[str]]:
        """The rows, and what their names stand for."""
        v = self.variables
        flat = {at for at in v.states if isinstance(v.flat.junctions[at].quantity.space.embedding, Flat)}
        lines = [writer.equation(_left(row, v, flat, writer), writer.form(row.form, row.n)) for row in self.rows]
        where = [(vector.label, column(entries)) for vector, entries in v.abbreviations]
        return lines, [
            writer.equation(writer.label(label), writer.expression(meaning))
            for label, meaning in (*where, *_matrices(self.rows).items())
            if label is not None
        ]


def _matrices(rows: tuple[Row, ...]) -> dict[Label, Any]:
    """Named blocks in rows of vectors, as they first appear."""
    factors = [factor for row in rows if row.n > 1 for term in row.form for factor in term.factors]
    return {factor.label: factor.matrix for factor in factors}


def _left(row: Row, v: Variables, flat: set[str], writer: AbstractWriter) -> str:
    match row.kind:
        case "rate":
            return writer.rate(v.state_labels[row.name], in_group=row.name not in flat)
        case "effort" | "flow":
            return writer.label(Label(row.name, suffix=f".{row.kind[0]}"))
    return "0"


@helpful
def equations(system: AbstractSystem) -> Equations:
    """The reduced equations of a system, of any nesting, as SymPy expressions.

    ẋ = J e - Cᵀλ - M e/θ0 + f at junctions with a state,   0 = C e,   and 0 = the same sum at junctions without.
    Transformers (boxes whose rows only give one effort by another) leave no trace. Nothing else is eliminated.
    Source: Lohmayer, Capobianco and Leyendecker, section 2 and (5), (8), (22), (31).
    """
    v = variables(as_composite(system).flatten())
    return Equations(v.flat.name, rows(v, reduced(v, balance(v))), v)


def as_composite(system: object) -> Composite:
    """The system itself, or a pattern of one box that shows all its ports."""
    if isinstance(system, Composite):
        return system
    if not isinstance(system, AbstractSystem):
        raise ModelError(f"equations are those of a system of the language, got {system!r}.")
    return compose(
        system.kind, {"box": system}, {port: (f"box.{port}",) for port in system.interface}, tuple(system.interface)
    )
