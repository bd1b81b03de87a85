"""Where a mechanism can rest, and small motions about the place next to its start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from visviva.errors import VisvivaError
from visviva.forms.minimal.form import MinimalForm
from visviva.integrate.equilibrium import Equilibrium
from visviva.linear import equilibrium, linearise
from visviva.mechanism import Definition
from visviva.reports.blocks import Block, Paragraph, Table
from visviva.reports.numbers import number, vector
from visviva.reports.resting import resting

SHOWN = 20  # modes
FEW = 5  # coordinates beside each other


def equilibria(m: Definition, source: MinimalForm) -> Iterator[Block]:
    """All that are found, with their stability; reactions and modes of the one next to the start."""
    drives = ", ".join(part.name for part in m.conditions if part.law is not None)
    if drives:
        yield Paragraph(f"There is none to report: {drives} prescribes the motion.")
        return
    if not source.n:
        yield Paragraph("Nothing can move.")
        return
    try:
        found = equilibrium(m)
    except VisvivaError as reason:
        yield Paragraph(f"There is none to report: {reason}")
        return
    text = f"The {found.stability} equilibrium next to the start has the potential energy {number(found.energy)} J."
    if found.lowest is not None and found.stable:
        text += f" The lowest frequency of small oscillations is {number(np.sqrt(found.lowest) / (2 * np.pi))} Hz."
    yield Paragraph(text)
    yield _table(source, [found, *resting(m, source, found)])
    forces = [(name, vector(F[:3]), vector(F[3:])) for name, F in found.reactions.items() if len(F) == 6]
    if forces:
        yield Table(
            "Reactions on the child in the equilibrium next to the start, in the joint's frame.",
            ("joint", "moment [N m]", "force [N]"),
            tuple(forces),
        )
    yield from modes(m, found.motion)


def _units(source: MinimalForm) -> list[str]:
    from visviva.forms.symbols.variables import UNITS

    return [unit for link in source.tree.links for unit in UNITS[link.kind]]


def _table(source: MinimalForm, found: list[Equilibrium]) -> Table:
    """One row for each, or one column where there are many coordinates."""
    names = [f"{name} [{unit}]" for name, unit in zip(source.q_names, _units(source), strict=True)]
    head = (*names, "energy [J]", "stability", "frequency [Hz]", "growth [1/s]")
    rows = [_row(source, one) for one in found]
    caption = "Equilibria, with the lowest frequency of small motions or the rate of their growth."
    if len(names) <= FEW:
        return Table(caption, head, tuple(rows), frozenset(range(len(head))) - {len(names) + 1})
    columns = tuple(zip(head, *rows, strict=True))
    return Table(caption, ("", *(str(k + 1) for k in range(len(rows)))), columns, frozenset(range(1, len(rows) + 1)))


def _row(source: MinimalForm, found: Equilibrium) -> tuple[str, ...]:
    q = source.coordinates(found.motion).q
    frequency = growth = "–"
    if found.lowest is not None and found.stability == "stable":
        frequency = number(np.sqrt(found.lowest) / (2 * np.pi))
    elif found.lowest is not None and found.stability == "unstable":
        growth = number(np.sqrt(-found.lowest))
    return (*map(number, q), number(found.energy), found.stability, frequency, growth)


def modes(m: Any, at: Any) -> Iterator[Block]:
    """Small motions about a state."""
    try:
        found = linearise(m, at).modes()
    except VisvivaError as reason:
        yield Paragraph(f"Small motions have no linear equations: {reason}")
        return
    rows = []
    for k, mode in enumerate(found.modes[:SHOWN]):
        rate = f"{number(mode.eigenvalue.real)} {'+-'[mode.eigenvalue.imag < 0]} {number(abs(mode.eigenvalue.imag))}i"
        moving = sorted(mode.shares.items(), key=lambda item: -item[1])[:3]
        who = ", ".join(f"{name} {100 * share:.0f} %" for name, share in moving if share >= 0.02)
        rows.append((str(k + 1), rate, number(mode.frequency), number(mode.damping_ratio), who))
    if rows:
        yield Table(
            "Modes of small motions, slowest first; shares are those of kinetic energy.",
            ("mode", "eigenvalue [1/s]", "frequency [Hz]", "damping ratio", "what moves"),
            tuple(rows),
            frozenset({1, 2, 3}),
        )
