"""Where the elements of a drawn graph go: cells of a grid, neighbours beside each other, bonds straight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.bonds.fishbone import fishbone
from visviva.views.pattern_cost import Graph, Ints
from visviva.views.pattern_placement import place

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

LARGE = 60  # elements


def placed(graph: BondGraph) -> dict[str, tuple[int, int]]:
    """Column and row of each element; bonds between two elements that are side by side are level or upright."""
    labels = list(graph.elements)
    if len(labels) > LARGE:
        return fishbone({label: [bond.other(label) for bond in graph.at(label)] for label in labels}, _first(graph))
    number = {label: k for k, label in enumerate(labels)}
    pairs = dict.fromkeys((number[bond.tail], number[bond.head]) for bond in graph.bonds)
    pairs = dict.fromkeys(pair for pair in pairs if pair[::-1] not in pairs or pair[0] < pair[1])
    edges: Ints = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    P = place(Graph(len(labels), edges, {}, _reading(graph), oblique=True))
    P = P - P.min(0)
    rank = _reading(graph)
    for axis in (0, 1):
        if rank @ P[:, axis] < 0:
            P[:, axis] = P[:, axis].max() - P[:, axis]
    return {label: (int(x), int(y)) for label, (x, y) in zip(labels, P, strict=True)}


def _reading(graph: BondGraph) -> np.ndarray:
    """Sources are read first: the number of bonds from the first one, scaled."""
    depth = {_first(graph): 0}
    for label in (queue := list(depth)):
        for bond in graph.at(label):
            other = bond.other(label)
            if other not in depth:
                depth[other] = depth[label] + 1
                queue.append(other)
    values = np.array([float(depth[label]) for label in graph.elements])
    return 2 * (values - values.mean()) / max(float(np.ptp(values)), 1.0)


def _first(graph: BondGraph) -> str:
    """The first source, else the first element."""
    sources = (label for label, element in graph.elements.items() if element.kind in ("Se", "Sf"))
    return next(sources, next(iter(graph.elements)))
