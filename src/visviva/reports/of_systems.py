"""The report of a system of the language."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from visviva.language import AbstractSystem, Composite, Storage
from visviva.reports.aligned import lines_of
from visviva.reports.blocks import Block, Figure, Formulas, Paragraph, Section, Table
from visviva.reports.report import Report
from visviva.views import Equations, draw, equations
from visviva.views.equations import as_composite
from visviva.views.equations_text import LatexWriter


def system_report(system: AbstractSystem) -> Report:
    """All sections."""
    e = equations(system)
    flat = e.variables.flat
    return Report(
        e.name,
        f"A system of {len(flat.boxes)} components and {len(flat.junctions)} junctions.",
        (
            Section("System", tuple(_components(system, flat))),
            Section("Parameters", tuple(_parameters(e))),
            Section("States", tuple(_states(e))),
            Section("Equations", tuple(_equations(e))),
            Section("Energies", tuple(_energies(e))),
        ),
    )


def _components(system: AbstractSystem, flat: Composite) -> Iterator[Block]:
    yield Figure(draw(as_composite(system)), f"The interconnection pattern of {flat.name!r}.")
    rows = tuple(
        (name, box.kind, ", ".join(f"{port.name}: {port.quantity.name}" for port in box.interface.values()))
        for name, box in flat.boxes.items()
    )
    yield Table("Components and their ports.", ("component", "kind", "ports"), rows)
    if flat.outer:
        yield Paragraph(f"Outer ports: {', '.join(flat.outer)}.")


def _parameters(e: Equations) -> Iterator[Block]:
    spelling = e.variables.spelling
    rows = [(f"${spelling[symbol]}$", path, f"{e.values[symbol]:.6g}") for path, symbol in e.parameters.items()]
    rows += [
        (f"${spelling[symbol]}$", "temperature of the environment [K]", f"{value:.6g}")
        for symbol, value in e.values.items()
        if symbol not in e.parameters.values()
    ]
    if not rows:
        yield Paragraph("There are none: all numbers stand in the equations.")
        return
    yield Table("Parameters, in SI units.", ("symbol", "parameter of", "value"), tuple(rows), frozenset({2}))


def _states(e: Equations) -> Iterator[Block]:
    spelling, flat = e.variables.spelling, e.variables.flat
    rows = tuple(
        (
            ", ".join(f"${spelling[s]}$" for s in symbols[:3]) + (", …" if len(symbols) > 3 else ""),
            at,
            flat.junctions[at].quantity.name,
            _start(flat, at),
        )
        for at, symbols in e.states.items()
    )
    if rows:
        yield Table("States by junction.", ("symbol", "junction", "quantity", "at the start"), rows)
    else:
        yield Paragraph("There are none.")


def _start(flat: Composite, at: str) -> str:
    if at not in flat.start:
        return "–"
    values = np.atleast_1d(flat.start[at])
    return ", ".join(f"{value:.6g}" for value in values[:3]) + (", …" if len(values) > 3 else "")


def _equations(e: Equations) -> Iterator[Block]:
    lines, where = lines_of(e.latex())
    yield Formulas(tuple(lines), numbered=True)
    if where:
        yield Paragraph("with")
        yield Formulas(tuple(where))


def _energies(e: Equations) -> Iterator[Block]:
    v, writer = e.variables, LatexWriter(e.variables.spelling)
    lines = [
        (rf"H_{{\text{{{name}}}}}", writer.expression(v.of(name, box.H)[0]))
        for name, box in v.flat.boxes.items()
        if isinstance(box, Storage)
    ]
    if lines:
        yield Formulas(tuple(lines))
    else:
        yield Paragraph("Nothing stores energy.")
