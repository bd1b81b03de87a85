"""Flattening: nested patterns become one; what was inside is named by its path."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.language.composite import Composite, End, Junction, with_ends
from visviva.language.system import AbstractSystem, Renamed


def flatten(system: Composite) -> Composite:
    """Substitute composite boxes until only primitive ones are left.

    A junction keeps the name that it has at the outermost level where it is seen; junctions seen only inside a box
    are named box.junction. Boxes inside box b are named b.inner. The order is that of a walk from left to right.
    Initial values go with their junctions; where several boxes have one for the same junction, the first counts.
    """
    boxes: dict[str, AbstractSystem] = {}
    inside: dict[str, Junction] = {}
    start: dict[str, Array] = {}
    at_port: dict[End, tuple[End, ...]] = {}  # what stands behind a port of a box, in terms of primitive boxes
    for name, box in system.boxes.items():
        old = {port: port for port in box.interface}
        while isinstance(box, Renamed):
            old = {port: box.old[behind] for port, behind in old.items()}
            box = box.system
        if not isinstance(box, Composite):
            boxes[name] = box
            at_port |= {(name, port): ((name, behind),) for port, behind in old.items()}
            continue
        flat = flatten(box)
        boxes |= {f"{name}.{inner}": part for inner, part in flat.boxes.items()}
        shown = {junction: port for port, junction in flat.outer.items()}
        ends = {at: tuple((f"{name}.{b}", p) for b, p in junction.ends) for at, junction in flat.junctions.items()}
        new = {behind: port for port, behind in old.items()}
        meets = {end: at for at, junction in system.junctions.items() for end in junction.ends}
        for at, value in flat.start.items():
            start.setdefault(meets[name, new[shown[at]]] if at in shown else f"{name}.{at}", value)
        for at, junction in flat.junctions.items():
            if at in shown:
                at_port[name, new[shown[at]]] = ends[at]
            else:
                inside[f"{name}.{at}"] = with_ends(junction, f"{name}.{at}", ends[at])
    junctions = {
        at: with_ends(junction, at, tuple(inner for end in junction.ends for inner in at_port[end]))
        for at, junction in system.junctions.items()
    }
    return Composite(system.name, boxes, junctions | inside, dict(system.outer), start | system.start)
