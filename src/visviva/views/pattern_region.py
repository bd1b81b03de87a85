"""What is to be drawn: a composite, with some of its boxes opened, as regions of nodes and the wires between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from visviva.errors import ModelError
from visviva.language import AbstractSystem, Composite
from visviva.language.system import Renamed

Path = tuple[str, ...]
JUNCTION = "junction"


@final
@dataclass(frozen=True)
class Node:
    """A box or a junction. `text` is the name of the box, or the port name that is written at the junction."""

    path: Path
    kind: str
    text: str

    @property
    def name(self) -> str:
        """The path with dots."""
        return ".".join(self.path)


@final
@dataclass(frozen=True)
class Wire:
    """A port. It ends at a junction of a region and starts at a box of the same region, or at a junction within.

    start, end: nodes; the end of an outer port of the whole pattern is None.
    through:    the region whose frame the wire crosses, if it does; a wire that does starts within it.
    text:       the port name to write where the wire leaves the box or frame, "" where the junction says it.
    """

    start: Node
    end: Node | None
    text: str
    power: bool
    through: Path | None = None


@final
@dataclass(frozen=True)
class Region:
    """One pattern: its boxes, of which the opened ones are regions again, its junctions and its wires.

    outer: the junctions that are shown outside, by outer port.   wires: also those through the frames of regions.
    """

    path: Path
    name: str
    boxes: tuple[Node | Region, ...]
    junctions: tuple[Node, ...]
    outer: dict[str, Node]
    wires: tuple[Wire, ...]

    @property
    def opened(self) -> Iterator[Region]:
        """The regions among the boxes."""
        return (box for box in self.boxes if isinstance(box, Region))

    @property
    def nodes(self) -> Iterator[Node]:
        """The other boxes, and the junctions."""
        yield from (box for box in self.boxes if isinstance(box, Node))
        yield from self.junctions


def walk(region: Region) -> Iterator[Region]:
    """A region and all regions within, from outside to inside."""
    yield region
    for inner in region.opened:
        yield from walk(inner)


def pattern(system: Composite, expand: frozenset[Path] | None) -> Region:
    """The region of a whole system; boxes at the paths of `expand` are opened, for None all composite boxes."""
    region = _region(system, (), system.name, expand)
    outside = tuple(
        Wire(region.outer[port], None, port, exposed.power, through=()) for port, exposed in system.interface.items()
    )
    return replace(region, wires=region.wires + outside)


def expanded_paths(system: Composite, names: tuple[str, ...]) -> frozenset[Path]:
    """The paths of dotted names, with those of all boxes around them; each must lead to a composite."""
    paths = set()
    for name in names:
        at: AbstractSystem = system
        steps = tuple(str(name).split("."))
        for depth, step in enumerate(steps):
            where = ".".join(steps[:depth]) or system.name
            boxes = _composite(at, where, name).boxes
            if step not in boxes:
                raise ModelError(f"there is no box {step!r} to expand in {where!r}; its boxes are {', '.join(boxes)}.")
            at = boxes[step]
            paths.add(steps[: depth + 1])
        _composite(at, name, name)
    return frozenset(paths)


def _composite(system: AbstractSystem, where: str, name: str) -> Composite:
    bare = _behind(system)[0]
    if not isinstance(bare, Composite):
        raise ModelError(
            f"cannot expand {name!r}: {where!r} is a primitive system ({bare.kind}).\n"
            "Only a composite has a pattern inside."
        )
    return bare


def _behind(system: AbstractSystem) -> tuple[AbstractSystem, dict[str, str]]:
    """A system without its renamings, and its own port names by the given ones."""
    own = {port: port for port in system.interface}
    while isinstance(system, Renamed):
        own = {port: system.old[name] for port, name in own.items()}
        system = system.system
    return system, own


def _region(system: Composite, path: Path, name: str, expand: frozenset[Path] | None) -> Region:
    starts: dict[tuple[str, str], tuple[Node, Path | None]] = {}
    boxes: list[Node | Region] = []
    for title, box in system.boxes.items():
        here = (*path, title)
        bare, own = _behind(box)
        if isinstance(bare, Composite) and (expand is None or here in expand):
            inner = _region(bare, here, title, expand)
            boxes.append(inner)
            starts |= {(title, port): (inner.outer[behind], here) for port, behind in own.items()}
        else:
            node = Node(here, box.kind, title)
            boxes.append(node)
            starts |= {(title, port): (node, None) for port in own}
    junctions, wires = {}, []
    for at, junction in system.junctions.items():
        shared = _shared_name([port for _, port in junction.ends])
        junctions[at] = Node((*path, at), JUNCTION, shared)
        for title, port in junction.ends:
            start, through = starts[title, port]
            text = "" if port == shared else port
            wires.append(Wire(start, junctions[at], text, system.boxes[title].interface[port].power, through))
    outer = {port: junctions[at] for port, at in system.outer.items()}
    return Region(path, name, tuple(boxes), tuple(junctions.values()), outer, tuple(wires))


def _shared_name(ports: list[str]) -> str:
    """The port name that is written once at the junction: the one most ports have, if it is not one of several."""
    name, count = Counter(ports).most_common(1)[0]
    return name if count > 1 or len(ports) == 1 else ""
