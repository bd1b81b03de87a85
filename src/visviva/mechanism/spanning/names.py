"""Names of coordinates and velocities of a spanning tree: by joint, numbered as the joint numbers them."""

from __future__ import annotations

from visviva.mechanism.spanning.links import SIZES
from visviva.mechanism.spanning.spanning import Place, Spanning
from visviva.mechanism.spanning.tree import Link


def coordinate_names(spanning: Spanning) -> tuple[str, ...]:
    """`<joint>.q`, `<joint>.q[k]` where it has several; of what flies `<body>.q[k]`."""
    return _names(spanning, "q", 0)


def velocity_names(spanning: Spanning) -> tuple[str, ...]:
    """`<joint>.rate`, `<joint>.rate[k]` where it has several; of what flies `<body>.rate[k]`."""
    return _names(spanning, "rate", 1)


def _names(spanning: Spanning, word: str, which: int) -> tuple[str, ...]:
    names: list[str] = []
    links = list(zip(spanning.tree.links, spanning.places, strict=True))
    for link, place in links:
        own = [other for other in links if other[1].carrier is place.carrier]
        width = sum(SIZES[other.kind][which] for other, _ in own)
        first = _first(own, place, which)
        for k in range(SIZES[link.kind][which]):
            number = f"[{first + k}]" if width > 1 else ""
            names.append(f"{place.carrier.name if place.joint is None else place.joint.name}.{word}{number}")
    return tuple(names)


def _first(own: list[tuple[Link, Place]], place: Place, which: int) -> int:
    """Number of its first entry among those of its joint: named coordinates first, then the others in order."""
    if place.coordinate is not None:
        return place.coordinate
    before = sum(1 for _, other in own if other.coordinate is not None)
    for link, other in own:
        if other is place:
            return before
        before += SIZES[link.kind][which] if other.coordinate is None else 0
    return before
