"""A bond graph while it is made from a mechanism: elements with their bonds, coordinates, and where states start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from visviva._arrays import Array
from visviva.bonds.elements import PORTS, Element
from visviva.bonds.placed_laws import PlacedLaw


@final
@dataclass
class Parts:
    """Elements and bonds so far, coordinates by junction, and where states start."""

    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[str] = field(default_factory=list)
    coordinates: dict[Any, str] = field(default_factory=dict)
    initial: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, element: Element, *ends: str) -> None:
        """An element with bonds: "< a" from a, "> b" to b."""
        self.elements[name] = element
        for end in ends:
            direction, other = end.split()
            self.bonds.append(f"{name} -> {other}" if direction == ">" else f"{other} -> {name}")

    def transform(self, name: str, law: PlacedLaw, label: str, tail: str, head: str) -> None:
        """An MTF between two junctions."""
        n_out, n_in = law.shape
        element = Element("TF", law, widths=(n_in, n_out), ports=PORTS["TF"], modulated=True, label=label)
        self.add(name, element, f"< {tail}", f"> {head}")

    def start(self, names: tuple[str, ...], values: Array) -> None:
        """Where states start."""
        self.initial |= dict(zip(names, map(float, values), strict=True))


def plain(name: str) -> str:
    """A name without blanks, as labels of elements have."""
    return name.replace(" ", "_")
