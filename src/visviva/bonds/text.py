"""A bond graph as text: one line for each element and bond.

3  v ->| m        the half arrow is at m, and so is the stroke: v gives the effort, m answers with the flow
4  v |-> k        the stroke is at v
5  w =6=> T       a multibond of width 6
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.domains import DOMAINS
from visviva.bonds.formula import AbstractLaw, Formula
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph


def text(graph: BondGraph) -> str:
    """Elements with their laws, bonds with strokes and units, and what causality says."""
    try:
        causality = graph.causality
        strokes, notes = causality.strokes, str(causality).splitlines()
    except ModelError as reason:
        strokes, notes = {}, str(reason).splitlines()
    laws = port_equations(graph)
    width = max(map(len, graph.elements))
    lines = [f"{graph.name}: {len(graph.elements)} elements, {len(graph.bonds)} bonds"]
    for label, element in graph.elements.items():
        lines.append(f"  {element.shown:<4} {label:<{width}}  {';  '.join(laws[label])}".rstrip())
    bonds = [_bond(graph, bond, strokes.get(bond.name)) for bond in graph.bonds]
    wide = max(map(len, bonds))
    for bond, shown in zip(graph.bonds, bonds, strict=True):
        domain = DOMAINS[graph.domains[bond.name]]
        units = f"{domain.effort} [{domain.effort_unit}], {domain.flow} [{domain.flow_unit}]"
        lines.append(f"  {bond.name:>3}  {shown:<{wide}}  {units if domain.effort_unit else ''}".rstrip())
    return "\n".join([*lines, *(f"  {note}" for note in notes)])


def _bond(graph: BondGraph, bond: Bond, stroke: str | None) -> str:
    n = graph.widths[bond.name]
    arrow = "->" if n == 1 else f"={n}=>"
    marked = {None: arrow, bond.tail: f"|{arrow}", bond.head: f"{arrow}|"}[stroke]
    ends = []
    for label, port in ((bond.tail, bond.tail_port), (bond.head, bond.head_port)):
        several = len(graph.elements[label].ports) > 1 and graph.elements[label].kind not in ("TF", "GY")
        ends.append(f"{label}.{port}" if several else label)
    return f"{ends[0]} {marked} {ends[1]}"


def port_equations(graph: BondGraph) -> dict[str, list[str]]:
    """What each element says of the efforts and flows of its bonds, in words of the bonds' numbers."""
    return {label: list(_equations(graph, label)) for label in graph.elements}


def _equations(graph: BondGraph, label: str) -> Any:
    element, bonds = graph.elements[label], graph.at(label)
    e, f = ({bond.port(bond.end(label)): f"{kind}{bond.name}" for bond in bonds} for kind in ("e", "f"))
    if element.junction:
        ruling, summed = ("e", "f") if element.kind == "0" else ("f", "e")
        yield " = ".join(f"{ruling}{bond.name}" for bond in bonds)
        terms = [("+" if bond.head == label else "-") + f" {summed}{bond.name}" for bond in bonds]
        yield " ".join(terms).removeprefix("+ ") + " = 0"
        return
    if element.system is not None and element.kind == "RS":
        yield "entropy grows"
        return
    laws = graph.laws
    if element.kind in ("C", "I"):
        kind = "q" if element.kind == "C" else "p"
        rate, answer = (f[""], e[""]) if kind == "q" else (e[""], f[""])
        names = next(state.names for state in laws.states if state.owner == label)
        lifted = "N " if laws.has(label, "lift") else ""  # of a group, N(x) takes velocities to rates of coordinates
        yield f"{_vector(names)}' = {lifted}{rate}"
        if laws.has(label, "output"):
            yield f"{answer} = {_shown(laws.of(label, 'output'))}"
        else:
            yield f"{_vector(names)} = {_shown(laws.of(label, 'matrix'))} {answer}"
    elif element.kind in ("Se", "Sf"):
        formula = laws.of(label, "output")
        yield f"{(e if element.kind == 'Se' else f)['']} = {label if label in laws.inputs else _shown(formula)}"
    elif element.kind in ("R", "RS"):
        port = "in" if element.kind == "RS" else ""
        left, right = (f, e) if element.conductance else (e, f)
        role = "matrix" if laws.has(label, "matrix") else "factor"
        yield f"{left[port]} = {_shown(laws.of(label, role))} {right[port]}"
        if element.kind == "RS":
            yield f"{f['heat']} = {e[port]} {f[port]}/{e['heat']}"
    elif element.kind in ("TF", "GY"):
        modulus = _shown(laws.of(label, "matrix"))
        if len(bonds) == 1:
            yield f"{e['in']} = {modulus} {f['in']}"
        elif element.kind == "TF":
            yield f"{f['out']} = n {f['in']}"
            yield f"{e['in']} = {_transposed(graph, bonds)} {e['out']}"
            if modulus != "n":
                yield f"n = {modulus}"
        else:
            yield f"{e['in']} = r {f['out']}"
            yield f"{e['out']} = {_transposed(graph, bonds).replace('n', 'r')} {f['in']}"
            if modulus != "r":
                yield f"r = {modulus}"
    else:
        yield from _field(graph, label, e, f)


def _field(graph: BondGraph, label: str, e: dict[str, str], f: dict[str, str]) -> Any:
    laws, element = graph.laws, graph.elements[label]
    if laws.has(label, "flow"):
        yield f"p' = {e['I']}"
        yield f"{f['I']} = {_shown(laws.of(label, 'flow'))}"
        yield f"q' = {f['C']}"
    else:
        A = _shown(laws.of(label, "A"))
        momentum = not isinstance(element.given, AbstractLaw) or element.given.momentum
        if momentum:
            yield f"p' = {e['I']}"
            yield f"p = A {f['I']}"
        elif laws.has(label, "drift"):
            yield f"{e['I']} = d/dt(A {f['I']})"
        else:
            yield f"{e['I']} = A {f['I']}'"
        yield f"A = {A}"
    yield f"{e['C']} = {_shown(laws.of(label, 'effort'))}"


def _transposed(graph: BondGraph, bonds: list[Bond]) -> str:
    return "n" if all(graph.widths[bond.name] == 1 for bond in bonds) else "nᵀ"


def _shown(formula: Formula) -> str:
    """Expressions, shortened by SymPy where they are not long."""
    from visviva.forms.kane.system import tidy

    if formula.values is None:
        return formula.what
    values = np.asarray(formula.values, dtype=object)
    entries = list(tidy(values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)))
    if values.size == 1:
        only = str(entries[0])
        return f"({only})" if " " in only else only
    if len({str(entry) for entry in entries}) == 2 and values.ndim == 2 and values.shape[0] == values.shape[1]:
        n = len(values)
        if all((i == j) != (entries[i * n + j] == 0) for i in range(n) for j in range(n)):
            return f"{entries[0]} 1"
    rows = np.array(entries, dtype=object).reshape(values.shape)
    return str(rows.tolist()).replace("'", "")


def _vector(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
