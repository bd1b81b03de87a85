"""The states of a bond graph, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from visviva.bonds.elements import STORES
from visviva.bonds.groups import space_of

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph


@final
@dataclass(frozen=True)
class State:
    """Some states that belong together: those of an element, of the coordinates or the flow of a junction."""

    owner: str
    kind: str  # "q", "p", "velocity" (of a field), "coordinate", "flow" (of a junction)
    names: tuple[str, ...]


def states_of(graph: BondGraph) -> Iterator[State]:
    """Coordinates first, then those of elements, in order."""
    for junction, names in graph.coordinates.items():
        yield State(junction, "coordinate", names)
    for label, element in graph.elements.items():
        width = graph.widths[graph.at(label)[0].name]
        if element.free and element.kind == "1":
            yield State(label, "flow", element.names or numbered(f"f_{label}", width))
        elif element.kind in ("C", "I"):
            kind, space = "q" if element.kind == "C" else "p", space_of(element)
            size = width if space is None else space.size
            yield State(label, kind, element.names or numbered(f"{kind}_{label}", size))
        elif element.kind == "IC" and element.energy:
            yield State(label, "q", numbered(f"q_{label}", width))
            yield State(label, "p", numbered(f"p_{label}", width))
        elif element.kind in STORES:
            kind = "p" if isinstance(element.given, tuple) or element.given.momentum else "velocity"
            yield State(label, kind, element.names or numbered(f"{kind[0]}_{label}", width))


def numbered(name: str, n: int) -> tuple[str, ...]:
    """Names of n components."""
    return (name,) if n == 1 else tuple(f"{name}_{k + 1}" for k in range(n))
