"""The order of computation that causal strokes describe: which variable of a bond follows from which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.bonds.elements import STORES

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph

Variable = tuple[str, str]  # ("e" or "f", bond)


def provider(graph: BondGraph, strokes: dict[str, str], variable: Variable) -> str:
    """The element that computes a variable: the flow comes from the end with the stroke, the effort from the other."""
    kind, name = variable
    bond = graph.bonds_by_name[name]
    return strokes[name] if kind == "f" else bond.other(strokes[name])


def given_to(label: str, bond: Bond, strokes: dict[str, str]) -> Variable:
    """The variable of a bond that an element receives."""
    return ("e" if strokes[bond.name] == label else "f", bond.name)


def asked_of(label: str, bond: Bond, strokes: dict[str, str]) -> Variable:
    """The variable of a bond that an element computes."""
    return ("f" if strokes[bond.name] == label else "e", bond.name)


def dependencies(graph: BondGraph, strokes: dict[str, str], variable: Variable) -> list[Variable]:
    """The variables that one is computed from at the same instant; none for outputs of states and sources."""
    label = provider(graph, strokes, variable)
    element, bonds = graph.elements[label], graph.at(label)
    here = graph.bonds_by_name[variable[1]]
    others = [given_to(label, bond, strokes) for bond in bonds if bond is not here]
    own = given_to(label, here, strokes)
    if element.junction:
        if element.free:
            return []
        ruling = "e" if element.kind == "0" else "f"
        if variable[0] != ruling:  # the balance, at the bond that rules
            return others
        return [given for given in others if given[0] == ruling]
    if element.kind in ("TF", "GY") and len(bonds) == 2:
        return others
    if element.kind == "RS":
        return [own, *others] if here.port(here.end(label)) == "heat" or element.system is not None else [own]
    if element.kind in ("R", "GY"):
        return [own]
    if element.kind in ("Se", "Sf"):
        return [own] if element.modulated and graph.laws.reads_own(label) else []
    if element.kind in STORES and here.port(here.end(label)) == "C":
        return [own]
    return []


def algebraic_loops(graph: BondGraph, strokes: dict[str, str]) -> tuple[tuple[str, ...], ...]:
    """Elements of each strongly connected part of the computation: resistors and couplings, or junctions if alone.

    Source: Tarjan (1972), Depth-first search and linear graph algorithms.
    """
    loops = dict[tuple[str, ...], None]()  # a part of efforts and one of flows may be of the same elements
    for part in strong_parts(graph, strokes):
        labels = {provider(graph, strokes, variable) for variable in part}
        shown = [label for label in graph.elements if label in labels and not graph.elements[label].junction]
        loops[tuple(shown or [label for label in graph.elements if label in labels])] = None
    return tuple(loops)


def strong_parts(graph: BondGraph, strokes: dict[str, str]) -> list[list[Variable]]:
    """Sets of variables that depend on each other, of more than one or of one that depends on itself."""
    variables = [(kind, bond.name) for bond in graph.bonds for kind in ("e", "f")]
    follows = {v: dependencies(graph, strokes, v) for v in variables}
    index: dict[Variable, int] = {}
    low: dict[Variable, int] = {}
    stack: dict[Variable, None] = {}
    parts: list[list[Variable]] = []
    for start in variables:
        path = [] if start in index else [(start, iter(follows[start]))]
        while path:  # what a recursion would keep: graphs may be deeper than Python's stack
            v, rest = path[-1]
            if v not in index:
                index[v] = low[v] = len(index)
                stack[v] = None
            for w in rest:
                if w not in index:
                    path.append((w, iter(follows[w])))
                    break
                if w in stack:
                    low[v] = min(low[v], index[w])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[v])
                if low[v] == index[v]:
                    part = _popped(stack, v)
                    if len(part) > 1 or v in follows[v]:
                        parts.append(part)
    return parts


def _popped(stack: dict[Variable, None], last: Variable) -> list[Variable]:
    """What lies on a stack down to an entry, in order."""
    part: list[Variable] = []
    while not part or part[-1] != last:
        part.append(stack.popitem()[0])
    return part[::-1]
