"""Causality: which element computes the effort and which the flow of each bond, by sequential assignment (SCAP).

The stroke is at the end where the effort arrives; the element there answers with the flow. Sources and other fixed
laws come first, then storages, integral where possible, then resistors, then what is left; after each choice the
consequences at junctions, transformers and gyrators are drawn.

Source: Karnopp, Margolis and Rosenberg, System Dynamics, section on causality.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva.bonds.elements import STORES
from visviva.bonds.formula import AbstractLaw
from visviva.errors import ModelError
from visviva.numerics.rank import DATA, rank

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph

NEAR, FAR = True, False  # the stroke at the element itself, or at the other end


@final
@dataclass(frozen=True)
class Causality:
    """Strokes of a bond graph, and what follows for its equations.

    strokes:     by bond, the element at whose end the stroke is: the effort acts on it, and it answers with the flow.
    derivative:  storages whose state follows from others, so that they differentiate.
    loops:       elements of each algebraic loop: their efforts and flows are solved together.
    chosen:      resistors and junctions whose causality was free.
    """

    strokes: dict[str, str]
    derivative: tuple[str, ...]
    loops: tuple[tuple[str, ...], ...]
    chosen: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"derivative causality: {', '.join(self.derivative) or 'none'}"]
        lines.append(f"algebraic loops: {'; '.join(', '.join(loop) for loop in self.loops) or 'none'}")
        return "\n".join(lines)


class _Conflict(Exception):
    """An element that no assignment suits."""


class _Assignment:
    """Strokes so far, with the element whose law each follows from."""

    def __init__(self, graph: BondGraph) -> None:
        self.graph = graph
        self.strokes: dict[str, str] = {}
        self.roots: dict[str, str] = {}

    def near(self, label: str, bond: Bond) -> bool | None:
        """Whether the stroke is at this element; None if it is open."""
        return None if bond.name not in self.strokes else self.strokes[bond.name] == label

    def set(self, label: str, bond: Bond, near: bool, root: str) -> None:
        """Put a stroke and draw all consequences."""
        todo = [(label, bond, near)]
        for label, bond, near in todo:  # grows while it is read
            if bond.name in self.strokes:
                if self.near(label, bond) != near:
                    raise _Conflict(self._clash(label, bond, root))
                continue
            self.strokes[bond.name] = label if near else bond.other(label)
            self.roots[bond.name] = root
            for end in (bond.tail, bond.head):
                todo += [(end, other, there) for other, there in self.consequences(end)]

    def attempt(self, label: str, bond: Bond, near: bool) -> None:
        """The same, or nothing at all if it leads to a conflict."""
        before = dict(self.strokes), dict(self.roots)
        try:
            self.set(label, bond, near, label)
        except _Conflict:
            self.strokes, self.roots = before
            raise

    def consequences(self, label: str) -> Iterator[tuple[Bond, bool]]:
        """Strokes that follow at a junction, a transformer or a gyrator."""
        element, bonds = self.graph.elements[label], self.graph.at(label)
        if element.junction:
            strong = NEAR if element.kind == "0" else FAR
            ruling = [bond for bond in bonds if self.near(label, bond) == strong]
            open_bonds = [bond for bond in bonds if self.near(label, bond) is None]
            if len(ruling) + element.free > 1 or not (ruling or open_bonds or element.free):
                raise _Conflict(self._rulers(label, ruling))
            if ruling or element.free:
                yield from ((bond, not strong) for bond in open_bonds)
            elif len(open_bonds) == 1:
                yield open_bonds[0], strong
        elif element.kind in ("TF", "GY") and len(bonds) == 2:
            for bond, other in (bonds, bonds[::-1]):
                known = self.near(label, bond)
                if known is not None:
                    wanted = (not known) if element.kind == "TF" else known
                    if self.near(label, other) is not None and self.near(label, other) != wanted:
                        raise _Conflict(self._clash(label, other, self.roots[bond.name]))
                    yield other, wanted

    def _rulers(self, label: str, ruling: list[Bond]) -> str:
        kind = self.graph.elements[label].kind
        what = "effort" if kind == "0" else "flow"
        if not ruling:
            bonds = [bond for bond in self.graph.at(label) if bond.name in self.roots]
            return f"nothing imposes the {what} of {kind}-junction {label!r}: it is demanded by {self._roots(bonds)}"
        return f"the {what} of {kind}-junction {label!r} is imposed by {self._roots(ruling)}"

    def _clash(self, label: str, bond: Bond, root: str) -> str:
        both = sorted({root, self.roots[bond.name]})
        kind = self.graph.elements[label].kind
        return f"bond {bond.name} at {kind} {label!r} has opposite demands of {self._named(both)}"

    def _roots(self, bonds: list[Bond]) -> str:
        return self._named(sorted({self.roots[bond.name] for bond in bonds}))

    def _named(self, labels: list[str]) -> str:
        return " and ".join(f"{self.graph.elements[label].kind} {label!r}" for label in labels)


def assigned(graph: BondGraph) -> Causality:
    """The causality of a graph."""
    from visviva.bonds.computation import algebraic_loops

    work = _Assignment(graph)
    for label, bond, near in _fixed(graph):
        try:
            work.set(label, bond, near, label)
        except _Conflict as conflict:
            raise _ill(graph, conflict) from None
    derivative = tuple(dict.fromkeys(_preferred(graph, work)))
    chosen = tuple(_free(graph, work))
    strokes = {bond.name: work.strokes[bond.name] for bond in graph.bonds}
    return Causality(strokes, derivative, algebraic_loops(graph, strokes), chosen)


def _fixed(graph: BondGraph) -> Iterator[tuple[str, Bond, bool]]:
    """What laws demand: sources, laws that cannot be inverted, junctions whose flow is a state."""
    for label, element in graph.elements.items():
        bonds = graph.at(label)
        if element.kind in ("Se", "Sf"):
            yield label, bonds[0], element.kind == "Sf"
    for label, element in graph.elements.items():
        bonds = graph.at(label)
        if element.system is not None and element.kind == "RS":
            from visviva.bonds.domains import domain_of

            for bond in bonds:
                momentum = domain_of(element.system.interface[bond.port(bond.end(label))].quantity)[1]
                yield label, bond, not momentum
        elif element.kind == "RS":
            yield label, graph.bond(label, "heat"), NEAR
        if element.kind in ("R", "RS") and element.system is None and (element.functional or _singular(graph, label)):
            yield label, graph.bond(label, element.ports[0]), element.conductance
        if element.kind == "GY" and (len(bonds) == 1 or _singular(graph, label)):
            yield from ((label, bond, FAR) for bond in bonds)
        if element.kind == "TF" and _singular(graph, label):
            yield label, graph.bond(label, "out"), NEAR
            yield label, graph.bond(label, "in"), FAR
        if element.free:
            yield from ((label, bond, element.kind == "1") for bond in bonds)


def _singular(graph: BondGraph, label: str) -> bool:
    """Whether a modulus has no inverse, so that it can be applied in one direction only."""
    element = graph.elements[label]
    if element.kind in ("TF", "GY") and len({graph.widths[bond.name] for bond in graph.at(label)}) > 1:
        return True
    if element.functional or isinstance(element.given, AbstractLaw):
        return False
    numbers = np.atleast_2d(np.asarray(element.given, dtype=float))
    return bool(np.isfinite(numbers).all() and rank(numbers, tolerance=DATA) < len(numbers))


def _preferred(graph: BondGraph, work: _Assignment) -> Iterator[str]:
    """Storages, integral unless that is impossible; yields those that differentiate."""
    for label, element in graph.elements.items():
        if element.kind not in ("C", "I", *STORES):
            continue
        for bond in graph.at(label):
            port = bond.port(bond.end(label)) if element.kind in STORES else element.kind
            near = port == "I"
            if work.near(label, bond) is None:
                try:
                    work.attempt(label, bond, near)
                except _Conflict as first:
                    try:
                        work.attempt(label, bond, not near)
                    except _Conflict:
                        raise _ill(graph, first) from None
            if work.near(label, bond) != near:
                if element.kind in STORES:
                    raise ModelError(
                        f"the {port}-port of {element.kind} {label!r} in {graph.name!r} would be in derivative "
                        "causality, which such fields do not have.\n"
                        "Let another element follow instead."
                    )
                yield label


def _free(graph: BondGraph, work: _Assignment) -> Iterator[str]:
    """Resistors, then whatever is open."""
    for label, element in graph.elements.items():
        if element.kind in ("R", "RS"):
            bond = graph.bond(label, element.ports[0])
            if work.near(label, bond) is None:
                yield label
                _either(graph, work, label, bond, element.conductance)
    for bond in graph.bonds:
        if bond.name not in work.strokes:
            yield bond.tail
            _either(graph, work, bond.tail, bond, FAR)


def _either(graph: BondGraph, work: _Assignment, label: str, bond: Bond, near: bool) -> None:
    try:
        work.attempt(label, bond, near)
    except _Conflict:
        try:
            work.attempt(label, bond, not near)
        except _Conflict as conflict:
            raise _ill(graph, conflict) from None


def _ill(graph: BondGraph, conflict: _Conflict) -> ModelError:
    return ModelError(
        f"bond graph {graph.name!r} has no causality: {conflict}.\n"
        "A 0-junction has one bond that imposes its effort, a 1-junction one that imposes its flow: remove a source, "
        "or put\n"
        "an element between that gives way, such as R, C or I."
    )
