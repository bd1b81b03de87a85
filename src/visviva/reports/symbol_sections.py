"""Equations as symbols: parameters, variables, equations and energies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from visviva.forms.flows.flow import FlowState
from visviva.forms.minimal.state import Coordinates
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.steps import entries_of
from visviva.forms.symbols.text import equation_terms, latex_lines, spelled_lines
from visviva.reports.blocks import Block, Formulas, Paragraph, Table
from visviva.reports.numbers import number
from visviva.views.equations_names import Label

MANY = 40  # definitions that are shown at once; more are folded


def parameters(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    """Symbols of numbers, with values and units."""
    if not e.values:
        yield Paragraph("All numbers stand in the equations themselves.")
        return
    yield Paragraph(
        "Symbols of lengths are components in the axes of the link or body that carries them; each stands for the size "
        "of its number, and signs are written out in the equations. Directions are numbers."
    )
    spelling = e.steps.spelling
    used = _used(e)
    rows = [
        (f"\\({spelling[symbol]}\\)", number(value), _unit(e, symbol))
        for symbol, value in e.values.items()
        if symbol in used
    ]
    half = -(-len(rows) // 2)
    if len(rows) > 12:  # two columns side by side
        padded = [*rows, ("", "", "")][: 2 * half]
        rows = [(*a, *b) for a, b in zip(padded[:half], padded[half:], strict=True)]  # type: ignore[misc]
        head: tuple[str, ...] = ("symbol", "value", "unit") * 2
        yield Table("Parameters.", head, tuple(rows), frozenset({1, 4}))
    else:
        yield Table("Parameters.", ("symbol", "value", "unit"), tuple(rows), frozenset({1}))


def _used(e: SymbolicEquations | DirectorEquations) -> set[Any]:
    """Symbols of the equations and energies; an inertia about an axis that nothing turns about is none."""
    terms = (
        [e.M, e.V_q, e.R_v, e.B_v, e.g, e.G, e.h_v] if isinstance(e, DirectorEquations) else [*equation_terms(e), e.V]
    )
    entries = [entry for term in terms for entry in entries_of(term)]
    known = e.steps.needed(entries).values()
    return set().union(set(), *(entry.free_symbols for entry in (*entries, *known)))


def variables(e: SymbolicEquations | DirectorEquations, start: FlowState | Coordinates) -> Iterator[Block]:
    """Coordinates, velocities, other states and inputs; start: their values there."""
    spelling = e.steps.spelling
    if isinstance(e, DirectorEquations):
        yield Paragraph(
            r"Every body has the centre of mass \(\phi\) and the directors \(d_1, d_2, d_3\), its principal axes, in "
            rf"world axes: {len(e.q)} coordinates \(q\) with velocities \(v = \dot{{q}}\). There are {len(e.lam)} "
            r"multipliers \(\lambda\), one for each row of the constraints \(g\)."
        )
    else:
        rows = tuple(
            (f"\\({spelling[s]}\\)", e.names[s], number(value), _unit(e, s))
            for symbols, values in ((e.q, start.q), (e.xi, start.xi), (e.s, start.s))
            for s, value in zip(symbols, values, strict=True)
        )
        head = ("symbol", "name in results", "at the start", "unit")
        yield Table("Coordinates, velocities and other states.", head, rows, frozenset({2}))
        if e.turns and any(_unit(e, s) == "1" for s in e.q):
            yield Paragraph(
                "Orientations are quaternions \\((w, x, y, z)\\); their velocities \\(\\omega\\) are in body axes."
            )
    if e.u:
        inputs = tuple((f"\\({spelling[s]}\\)", e.names[s], _unit(e, s)) for s in e.u)
        yield Table("Inputs.", ("symbol", "port", "unit"), inputs)


def _unit(e: SymbolicEquations | DirectorEquations, symbol: Any) -> str:
    return e.units.get(symbol, "") or "SI"


def equations(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    """Equations, what their names stand for, and definitions."""
    if isinstance(e, DirectorEquations):
        lines, where, definitions = e.lines()
    else:
        lines, where, definitions = latex_lines(e)
        yield Paragraph(_explained(e))
    yield Formulas(tuple(lines), numbered=True)
    yield Paragraph("with")
    yield Formulas(tuple(where))
    if definitions:
        folded = f"{len(definitions)} definitions" if len(definitions) > MANY else ""
        if not folded:
            yield Paragraph("and the abbreviations")
        yield Formulas(tuple(definitions), folded=folded)


def _explained(e: SymbolicEquations) -> str:
    """What stands in the equations, in words."""
    text = {
        "minimal": r"\(M\) is the mass matrix, \(c\) are inertia forces without accelerations, \(f\) is all that acts.",
        "kane-velocity": r"\(A\) is the mass matrix, \(D\) Kane's, \(\dot{A} = D + D^{\top}\); \(f\) is what acts.",
        "kane-momentum": r"\(p\) are momenta and \(D^{\top} \xi\) is the gyration force; \(f\) is what acts.",
        "lagrange": r"\(Q\) are the forces that have no potential; derivatives are along the velocities.",
        "hamilton": r"\(p\) are momenta, \(Q\) forces that have no potential; derivatives are along the velocities.",
    }[e.form]
    if e.Z.rows:
        names = ", ".join(f"{part.name} ({len(part.z)})" for part in e.rows)
        text += f" The rows \\(Z\\) with multipliers \\(\\lambda\\) are those of {names}."
    return text


def energies(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    """Kinetic energy, and stored energies by part."""
    writer = e.writer
    if isinstance(e, DirectorEquations):
        yield Formulas((("T", r"\frac{1}{2} v^{\top} M v"), ("V", writer.expression(e.V))))
        return
    lines = list(spelled_lines(writer, "T", e.T, ""))
    for name, energy in e.energies.items():
        lines += spelled_lines(writer, Label("V", (name,)).latex, energy, "")
    yield Formulas(tuple(lines))
