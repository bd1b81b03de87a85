"""Reports of equations that were given by hand: flows of functions, and what is listed by components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.component_equations import ComponentEquations
from visviva.forms.flows.hand_flow import HandFlow
from visviva.forms.symbols.paper import Order, PaperWriter
from visviva.language.trace import Traced, UntraceableError, call, expressions
from visviva.reports.aligned import lines_of
from visviva.reports.blocks import Block, Formulas, Paragraph, Section, Table
from visviva.reports.numbers import number
from visviva.reports.report import Report
from visviva.views.equations_names import Label


def flow_report(flow: HandFlow) -> Report:
    """States, and equations where the functions can be traced."""
    counts = ", ".join(str(len(names)) for names in _names(flow))
    return Report(
        flow.name,
        f"A flow that is given as functions; numbers of coordinates, velocities and other states: {counts}.",
        (Section("States", tuple(_states(flow))), Section("Equations", tuple(_equations(flow)))),
    )


def _names(flow: HandFlow) -> tuple[list[str], list[str], list[str]]:
    q, n = flow.size_q, flow.n
    given = list(flow.names) or [
        *(f"q_{k + 1}" for k in range(q)),
        *(f"xi_{k + 1}" for k in range(n)),
        *(f"s_{k + 1}" for k in range(flow.extra)),
    ]
    return given[:q], given[q : q + n], given[q + n :]


def _states(flow: HandFlow) -> Iterator[Block]:
    kinds = ("coordinate", "velocity", "other state")
    rows = [
        (f"\\({Label(name).latex}\\)", kind) for names, kind in zip(_names(flow), kinds, strict=True) for name in names
    ]
    yield Table("States.", ("symbol", "what it is"), tuple(rows))


def _equations(flow: HandFlow) -> Iterator[Block]:
    import sympy

    symbols = [[sympy.Symbol(name, real=True) for name in names] for names in _names(flow)]
    spelling = {symbol: Label(str(symbol)).latex for group in symbols for symbol in group}
    q, xi, s = (np.array([Traced(symbol) for symbol in group], dtype=object) for group in symbols)
    t = Traced(sympy.Symbol("t", real=True))
    writer = PaperWriter(spelling, Order((*symbols[0], *symbols[2]), tuple(symbols[1]), {}))
    rest = (s,) if flow.extra else ()
    try:
        found = call(lambda: flow.given["rates"](t, q, xi, *rest), {}, f"rates of {flow.name!r}")
        parts = found if flow.extra else (found, [])
        values = [value for part in parts for value in expressions(part, f"rates of {flow.name!r}").ravel()]
        energy = _energy(flow, q, xi, *rest)
    except UntraceableError as reason:
        yield Paragraph(f"Its functions are known as numbers only: {reason}")
        return
    rates = [Label(str(symbol)).dotted for symbol in (*symbols[1], *symbols[2])]
    if len(values) != len(rates):
        raise ModelError(f"the rates of {flow.name!r} must be {len(rates)} numbers, got {len(values)}.")
    yield Formulas(tuple(zip(rates, map(writer.expression, values), strict=True)), numbered=True)
    if energy is not None:
        yield Paragraph("with the energy")
        yield Formulas((("H", writer.expression(energy)),))


def _energy(flow: HandFlow, *state: Any) -> Any:
    if "energy" not in flow.given:
        return None
    what = f"energy of {flow.name!r}"
    return expressions(call(lambda: flow.given["energy"](*state), {}, what), what).item()


def component_report(e: ComponentEquations, title: str) -> Report:
    """Equations by components, and parameters."""
    lines, where = lines_of(e.latex())
    blocks: list[Block] = [Formulas(tuple(lines), numbered=True)]
    if where:
        blocks += [Paragraph("with"), Formulas(tuple(where))]
    sections = [Section("Equations", tuple(blocks))]
    if e.values:
        rows = tuple((str(symbol), number(value)) for symbol, value in e.values.items())
        sections.append(Section("Parameters", (Table("Parameters.", ("symbol", "value"), rows, frozenset({1})),)))
    return Report(e.name, title, tuple(sections))
