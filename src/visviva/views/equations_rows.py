"""Rows: the equations of a system, one for each junction and each constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from visviva.views.equations_flows import Balance
from visviva.views.equations_terms import Form, Term, scaled, value
from visviva.views.equations_variables import Variables


@final
@dataclass(frozen=True, eq=False)
class Row:
    """One equation of n components, left = form; `kind` is rate, algebraic, constraint, effort or flow.

    name: of the junction, of the box whose constraint it is, of the outer port, or of the source.
    """

    kind: str
    name: str
    left: tuple[Any, ...]
    form: Form

    @property
    def n(self) -> int:
        """How many components it has."""
        return len(self.left)

    @property
    def right(self) -> Any:
        """The right-hand side: an expression, or a column of them."""
        return column(value(self.form, self.n))


def rows(v: Variables, net: Balance) -> tuple[Row, ...]:
    """Rates, balances of junctions without state, constraints, then efforts and flows of outer ports and sources.

    The flows into boxes balance with the outer one: x_dot = f - form where there is a state, f = form where not.
    """
    port = {at: name for name, at in v.flat.outer.items()}
    rates, algebraic, efforts, flows = [], [], [], []
    for at, form in net.flows.items():
        outer = (Term(1, (), v.outer_flows[at]),) if at in v.outer_flows else ()
        if at in v.holder:
            inner = sorted(scaled(-1, (), form), key=lambda term: term.sign < 0)  # a leading minus reads badly
            rates.append(Row("rate", at, v.rates[at], (*inner, *outer)))
            if outer:
                effort = () if v.efforts[at].is_zero else (Term(1, (), v.efforts[at]),)
                efforts.append(Row("effort", port[at], v.outer_efforts[at].entries, effort))
        elif outer:
            flows.append(Row("flow", port[at], v.outer_flows[at].entries, form))
        else:
            algebraic.append(Row("algebraic", at, (0,) * v.efforts[at].n, form))
    constraints = [Row("constraint", name, (0,) * v.multipliers[name].n, form) for name, form in net.rows.items()]
    flows += [Row("flow", name, v.multipliers[name].entries, form) for name, form in net.sources.items()]
    return (*rates, *algebraic, *constraints, *efforts, *flows)


def column(entries: Any) -> Any:
    """One entry as it is, several as a column."""
    import sympy

    matrix = sympy.ImmutableMatrix(list(entries))
    return matrix[0] if matrix.rows == 1 else matrix
