"""Where the elements of a drawn graph go: cells of a grid, neighbours beside each other, bonds straight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.bonds.checks import connected_parts
from visviva.bonds.fishbone import fishbone
from visviva.views.pattern_cost import Graph, Ints
from visviva.views.pattern_placement import place

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

LARGE = 60  # elements


def placed(graph: BondGraph) -> dict[str, tuple[int, int]]:
    """Column and row of each element; parts that no bonds join are one below the other."""
    cells: dict[str, tuple[int, int]] = {}
    for part in connected_parts({label: graph.at(label) for label in graph.elements}):
        below = max((row + 1 for _, row in cells.values()), default=0)
        inside = set(part)
        own = _placed(graph, [label for label in graph.elements if label in inside])
        cells |= {label: (column, below + row) for label, (column, row) in own.items()}
    return cells


def _placed(graph: BondGraph, labels: list[str]) -> dict[str, tuple[int, int]]:
    """Elements that bonds join; bonds between two of them that are side by side are level or upright."""
    first = _first(graph, labels)
    if len(labels) > LARGE:
        return fishbone({label: [bond.other(label) for bond in graph.at(label)] for label in labels}, first)
    number, rank = {label: k for k, label in enumerate(labels)}, _reading(graph, labels, first)
    pairs = dict.fromkeys((number[bond.tail], number[bond.head]) for bond in graph.bonds if bond.tail in number)
    pairs = dict.fromkeys(pair for pair in pairs if pair[::-1] not in pairs or pair[0] < pair[1])
    edges: Ints = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    P = place(Graph(len(labels), edges, {}, rank, oblique=True))
    P = P - P.min(0)
    for axis in (0, 1):
        if rank @ P[:, axis] < 0:
            P[:, axis] = P[:, axis].max() - P[:, axis]
    return {label: (int(x), int(y)) for label, (x, y) in zip(labels, P, strict=True)}


def _reading(graph: BondGraph, labels: list[str], first: str) -> np.ndarray:
    """Sources are read first: the number of bonds from the first one, scaled."""
    depth = {first: 0}
    for label in (queue := list(depth)):
        for bond in graph.at(label):
            other = bond.other(label)
            if other not in depth:
                depth[other] = depth[label] + 1
                queue.append(other)
    values = np.array([float(depth[label]) for label in labels])
    return 2 * (values - values.mean()) / max(float(np.ptp(values)), 1.0)


def _first(graph: BondGraph, labels: list[str]) -> str:
    """The first source, else the first element."""
    return next((label for label in labels if graph.elements[label].kind in ("Se", "Sf")), labels[0])
