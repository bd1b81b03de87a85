"""From a bond graph to a system of the language.

A 0-junction is a junction of displacements (one effort, flows balance), a 1-junction is one of momenta: there the flow
of the bond is the effort e of the language, and the effort of the bond is its flow. Where a bond leads from one to the
other stands the symplectic gyrator that bond graphs leave out, with power along the half arrow,

    1 -> 0:  ṗ = -F, q̇ = v        0 -> 1:  q̇ = -v, ṗ = F        both:  ẋ_tail = -e_head, ẋ_head = e_tail.

R is irreversible: its heat goes to the environment at theta0, that of RS into its thermal bond. A constant source is a
storage whose energy shows the work it gave; other sources are outer ports, and take their values at vv.simulate. A
temperature that is given is a source of the language, whose input is θ - θ0.
States start at zero unless a run says otherwise. A second storage at a junction has one of its own, tied to it by a
constraint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.bonds.boxes import coupling_box, field_box, resistor_box, source_box, storage_box
from visviva.bonds.domains import DOMAINS
from visviva.bonds.elements import Element
from visviva.errors import ModelError
from visviva.language import Composite, Quantity, compose, environment, reversible, source, starting
from visviva.language.system import AbstractSystem
from visviva.library.quantities import entropy

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph

ENVIRONMENT = "environment"


@final
@dataclass
class Wiring:
    """Boxes and junctions so far; a node is a junction of the language."""

    graph: BondGraph
    boxes: dict[str, AbstractSystem] = field(default_factory=dict)
    ends: dict[int, list[str]] = field(default_factory=dict)  # of each node
    names: dict[int, str] = field(default_factory=dict)
    quantities: dict[int, Quantity] = field(default_factory=dict)
    stored: dict[int, str] = field(default_factory=dict)  # the state of each node that has one
    states: dict[str, int] = field(default_factory=dict)  # the node of each state
    outer: dict[str, int] = field(default_factory=dict)

    def node(self, name: str, quantity: Quantity) -> int:
        """A junction more."""
        number = len(self.ends)
        self.ends[number], self.names[number], self.quantities[number] = [], name, quantity
        return number

    def add(self, name: str, box: AbstractSystem, at: dict[str, int]) -> None:
        """A box with its ports at nodes."""
        name = self.unused(name, self.boxes)
        self.boxes[name] = box
        for port, node in at.items():
            self.ends[node].append(f"{name}.{port}")

    @staticmethod
    def unused(name: str, taken: Any) -> str:
        """An identifier like a name that is not taken."""
        plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
        plain = plain if plain.isidentifier() else f"n{plain}"
        while plain in taken:
            plain += "_"
        return plain


def to_system(graph: BondGraph) -> Composite:
    """A composite with the same motion; states keep their names, q_<name> and p_<name>."""
    for label, element in graph.elements.items():
        if element.kind in ("IC", "NIC", "T*") or element.free:
            raise ModelError(
                f"{element.kind} {label!r} of {graph.name!r} has no counterpart among the primitive systems of the "
                "language.\n"
                "Simulate the graph itself."
            )
        bonds = graph.at(label)
        if element.kind == "1" and any(graph.domains[bond.name] == "thermal" for bond in bonds):
            raise ModelError(
                f"1-junction {label!r} of {graph.name!r} has thermal bonds: entropy has no momentum that a system of "
                "the language could hold.\nSimulate the graph itself."
            )
    kinds = {(bond.name, end): _momentum(graph, bond, end) for bond in graph.bonds for end in ("tail", "head")}
    nodes, wiring = _nodes(graph, kinds)
    for label, element in graph.elements.items():
        if element.kind in ("C", "I"):
            bond = graph.at(label)[0]
            _store(wiring, label, element, nodes[bond.name, bond.end(label)])
    _coordinates(wiring, nodes)
    for label, element in graph.elements.items():
        at = {bond.port(bond.end(label)): nodes[bond.name, bond.end(label)] for bond in graph.at(label)}
        _element(wiring, label, element, at, kinds)
    for bond in graph.bonds:
        if kinds[bond.name, "tail"] != kinds[bond.name, "head"]:
            ends = {end: nodes[bond.name, end] for end in ("tail", "head")}
            eye = np.eye(graph.widths[bond.name])
            none = np.zeros_like(eye)
            ports = {end: wiring.quantities[node] for end, node in ends.items()}
            wiring.add(f"bond_{bond.name}", reversible(ports, J=np.block([[none, -eye], [eye, none]])), ends)
    names: dict[int, str] = {}
    for node in wiring.ends:
        names[node] = Wiring.unused(wiring.stored.get(node, wiring.names[node]), names.values())
    junctions = {names[node]: tuple(ends) for node, ends in wiring.ends.items() if ends}
    outer = {Wiring.unused(port, ()): names[node] for port, node in wiring.outer.items()}
    system = compose(graph.name, wiring.boxes, junctions, outer)
    return starting(system, {names[node]: np.zeros(wiring.quantities[node].dim) for node in wiring.stored})


def _momentum(graph: BondGraph, bond: Bond, end: str) -> bool:
    """Whether an end of a bond is at a junction of momenta."""
    label = bond.tail if end == "tail" else bond.head
    element, other = graph.elements[label], graph.elements[bond.other(label)]
    if element.kind in ("0", "1"):
        return element.kind == "1"
    if element.kind in ("Se", "Sf") and graph.domains[bond.name] != "thermal":
        constant = element.given is not None and not element.functional
        return (element.kind == "Se") != constant
    if element.kind in ("C", "I"):
        return element.kind == "I"
    if element.system is not None:
        from visviva.bonds.domains import domain_of

        return domain_of(element.system.interface[bond.port(end)].quantity)[1]
    if graph.domains[bond.name] == "thermal":
        return False
    if element.kind in ("R", "RS"):
        return other.kind not in ("0", "C")
    near = [graph.elements[b.other(label)].kind for b in graph.at(label)]
    return not (len(near) == 2 and all(kind in ("0", "C") for kind in near))


def _nodes(graph: BondGraph, kinds: dict[tuple[str, str], bool]) -> tuple[dict[tuple[str, str], int], Wiring]:
    """The node at each end of each bond: one for a junction with all that is joined to it by equal kinds."""
    groups: list[set[tuple[str, str]]] = []

    def tie(ends: set[tuple[str, str]]) -> None:
        met = [group for group in groups if group & ends]
        groups[:] = [group for group in groups if not group & ends] + [ends.union(*met)]

    for bond in graph.bonds:
        ends = {(bond.name, "tail"), (bond.name, "head")}
        for part in [ends] if kinds[bond.name, "tail"] == kinds[bond.name, "head"] else [{end} for end in ends]:
            tie(part)
    for label, element in graph.elements.items():
        if element.junction:
            tie({(bond.name, bond.end(label)) for bond in graph.at(label)})
    wiring, nodes = Wiring(graph), dict[tuple[str, str], int]()
    for group in groups:
        name, end = min(group)
        labels = [getattr(graph.bonds_by_name[b], e) for b, e in group]
        junction = next((label for label in graph.elements if label in labels and graph.elements[label].junction), None)
        quantity = DOMAINS[graph.domains[name]].quantity(kinds[name, end], graph.widths[name])
        for label in labels:
            primitive = graph.elements[label].system
            if graph.elements[label].kind in ("C", "I") and primitive is not None:
                quantity = next(iter(primitive.interface.values())).quantity
        node = wiring.node(junction or f"bond_{name}_{end}", quantity)
        nodes |= dict.fromkeys(group, node)
    return nodes, wiring


def _store(wiring: Wiring, label: str, element: Element, node: int) -> None:
    """A storage at a node, or at one of its own that is tied to it."""
    kind = "q" if element.kind == "C" else "p"
    quantity = wiring.quantities[node]
    state = f"{kind}_{label}"
    if node in wiring.stored:
        own, eye = wiring.node(state, quantity), np.eye(quantity.dim)
        wiring.add(
            f"tie_{label}", reversible({"a": quantity, "b": quantity}, C=np.hstack([eye, -eye])), {"a": node, "b": own}
        )
        node = own
    box = storage_box(wiring.graph, label, element, quantity)
    wiring.add(label, box, {next(iter(box.interface)): node})
    wiring.stored[node] = state
    names = next(s.names for s in wiring.graph.laws.states if s.owner == label)
    wiring.states |= dict.fromkeys(names, node)


def _coordinates(wiring: Wiring, nodes: dict[tuple[str, str], int]) -> None:
    """Coordinates that laws read: storages without energy."""
    from visviva.language import storage

    graph = wiring.graph
    for junction, names in graph.coordinates.items():
        symbols = {graph.laws.symbols[name] for name in names}
        if not any(graph.laws.depends(label, symbols) for label in graph.elements):
            continue
        bond = graph.at(junction)[0]
        p = nodes[bond.name, bond.end(junction)]
        width = graph.widths[bond.name]
        quantity = DOMAINS[graph.domains[bond.name]].quantity(False, width)
        q = wiring.node(names[0], quantity)
        wiring.add(f"at_{junction}", storage({"q": quantity}, H=0.0), {"q": q})
        eye, none = np.eye(width), np.zeros((width, width))
        box = reversible({"q": quantity, "p": wiring.quantities[p]}, J=np.block([[none, eye], [-eye, none]]))
        wiring.add(f"rate_{junction}", box, {"q": q, "p": p})
        wiring.stored[q] = names[0] if width == 1 else junction
        wiring.states |= dict.fromkeys(names, q)


def _element(
    wiring: Wiring, label: str, element: Element, at: dict[str, int], kinds: dict[tuple[str, str], bool]
) -> None:
    """The box of a coupling, a resistor or a source."""
    graph = wiring.graph
    if element.system is not None and element.kind == "RS":
        reads = {port: wiring.states[names[0]] for port, names in element.reads.items()}
        wiring.add(label, field_box(element), at | reads)
    elif element.kind in ("R", "RS"):
        bond = graph.bond(label, "in" if element.kind == "RS" else "")
        p = at["in" if element.kind == "RS" else ""]
        heat = at["heat"] if element.kind == "RS" else _environment(wiring)
        momentum = kinds[bond.name, bond.end(label)]
        wiring.add(label, resistor_box(graph, label, element, wiring.quantities[p], momentum), {"x": p, "s": heat})
    elif element.kind in ("Se", "Sf"):
        bond = graph.at(label)[0]
        if graph.domains[bond.name] == "thermal" and element.kind == "Se" and element.given == graph.theta0:
            wiring.add(label, environment({"s": entropy}, graph.theta0), {"s": at[""]})
            return
        constant = source_box(graph, label, element, wiring.quantities[at[""]])
        if constant is None and graph.domains[bond.name] == "thermal" and element.kind == "Se":
            wiring.add(label, source({"s": entropy}), {"s": at[""]})
        elif constant is None:
            wiring.outer[label] = at[""]
        else:
            wiring.add(label, constant, {"x": at[""]})
            wiring.stored[at[""]] = f"{'q' if element.kind == 'Se' else 'p'}_{label}"
    elif element.kind in ("TF", "GY"):
        momentum = kinds[graph.at(label)[0].name, graph.at(label)[0].end(label)]
        box, reads = coupling_box(graph, label, element, [wiring.quantities[n] for n in at.values()], momentum, wiring)
        wiring.add(label, box, {**at, **reads})


def _environment(wiring: Wiring) -> int:
    """The node of the environment, made when it is first needed."""
    for node, name in wiring.names.items():
        if name == "s_environment":
            return node
    node = wiring.node("s_environment", entropy)
    wiring.add(ENVIRONMENT, environment({"s": entropy}, wiring.graph.theta0), {"s": node})
    return node
