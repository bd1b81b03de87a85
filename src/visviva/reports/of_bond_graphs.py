"""The report of a bond graph."""

from __future__ import annotations

from collections.abc import Iterator

from visviva.bonds import BondGraph
from visviva.reports.aligned import lines_of
from visviva.reports.blocks import Block, Figure, Formulas, Paragraph, Section, Table
from visviva.reports.numbers import number
from visviva.reports.report import Report


def bond_report(graph: BondGraph) -> Report:
    """All sections."""
    return Report(
        graph.name,
        f"A bond graph of {len(graph.elements)} elements and {len(graph.bonds)} bonds.",
        (
            Section("Graph", tuple(_graph(graph))),
            Section("Causality", tuple(_causality(graph))),
            Section("State equations", tuple(_equations(graph))),
        ),
    )


def _graph(graph: BondGraph) -> Iterator[Block]:
    yield Figure(graph.draw(), f"The bond graph {graph.name!r}, with half arrows and causal strokes.")
    rows = []
    for name, element in graph.elements.items():
        ends = ", ".join(bond.tail if bond.head == name else bond.head for bond in graph.at(name))
        rows.append((name, element.kind, ends))
    yield Table("Elements.", ("element", "kind", "bonds to"), tuple(rows))


def _causality(graph: BondGraph) -> Iterator[Block]:
    found = graph.causality
    text = f"In derivative causality: {', '.join(found.derivative) or 'nothing'}. Algebraic loops: "
    yield Paragraph(text + ("; ".join(", ".join(loop) for loop in found.loops) or "none") + ".")
    rows = tuple((bond.name, bond.tail, bond.head, found.strokes[bond.name]) for bond in graph.bonds)
    yield Table("Bonds: half arrow from and to, and where the stroke is.", ("bond", "from", "to", "stroke at"), rows)


def _equations(graph: BondGraph) -> Iterator[Block]:
    equations = graph.equations()
    if equations.rates:
        yield Formulas(tuple(lines_of(equations.latex())[0]), numbered=True)
    else:
        yield Paragraph("Nothing stores energy: there are no states.")
    if equations.values:
        rows = tuple((str(symbol), number(value)) for symbol, value in equations.values.items())
        yield Table("Parameters, in SI units.", ("parameter", "value"), rows, frozenset({1}))
