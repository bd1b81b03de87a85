"""Spanning trees of graphs: what hangs on what, and which edges close loops.

    grow             outwards from some roots, the best edge that is within reach first (Prim, 1957)
    spanning_forest  edges in a given order, each that joins two trees (Kruskal, 1956); numbered breadth first

Prim's tree by ranks of edges and Kruskal's in the order of these ranks have the same weight; where ranks are equal the
first grows shallow trees, the second keeps the order in which edges were given.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, final

Node = TypeVar("Node", bound=Hashable)
Edge = TypeVar("Edge")


def grow(
    roots: Iterable[Node],
    near: Mapping[Node, Sequence[tuple[Node, Edge]]],
    rank: Callable[[Edge, int], tuple[Any, ...]] = lambda edge, depth: (depth,),
) -> Iterator[tuple[Edge | None, Node | None, Node]]:
    """Edge, node above and node below, parents before children; a root that no other has reached has neither.

    near: neighbours of each node, and the edges to them.
    rank: of an edge at a node so many edges from its root, smaller ones first; equal ones as they came within reach.
          By default the tree grows breadth first.
    """
    depth: dict[Node, int] = {}
    waiting: list[tuple[tuple[Any, ...], int, Edge, Node, Node]] = []
    number = itertools.count()

    def reach(node: Node, above: Node | None) -> None:
        depth[node] = 0 if above is None else depth[above] + 1
        for other, edge in near[node]:
            heapq.heappush(waiting, (rank(edge, depth[node]), next(number), edge, node, other))

    for root in roots:
        if root in depth:
            continue
        yield None, None, root
        reach(root, None)
        while waiting:
            _, _, edge, above, below = heapq.heappop(waiting)
            if below not in depth:
                yield edge, above, below
                reach(below, above)


@final
class DisjointSets:
    """Which of the numbers below n were joined to each other (Tarjan, 1975)."""

    def __init__(self, n: int) -> None:
        self._leader = list(range(n))

    def find(self, k: int) -> int:
        """A member of its set, the same for all of them."""
        while self._leader[k] != k:
            self._leader[k] = self._leader[self._leader[k]]
            k = self._leader[k]
        return k

    def join(self, a: int, b: int) -> bool:
        """Make one set of two; whether they were two."""
        a, b = self.find(a), self.find(b)
        self._leader[a] = b
        return a != b


@final
@dataclass(frozen=True)
class Forest:
    """Trees of the nodes 0 … n, the ground n among their roots.

    order:  nodes but the ground, parents before children, breadth first.   roots: those that hang on nothing.
    parent: the node above each one, -1 for a root.   edge: the edge to it, -1 for a root.
    depth:  edges between it and its root.   loops: edges that close a loop, in the order in which they were looked at.
    """

    order: tuple[int, ...]
    roots: tuple[int, ...]
    parent: tuple[int, ...]
    edge: tuple[int, ...]
    depth: tuple[int, ...]
    loops: tuple[int, ...]


def spanning_forest(n: int, ends: Mapping[int, tuple[int, int]]) -> Forest:
    """The trees of edges with these ends, in their order: one that joins two trees is in it, the others close loops."""
    trees, loops = DisjointSets(n + 1), list[int]()
    near: dict[int, list[tuple[int, int]]] = {node: [] for node in range(n + 1)}
    for k, (a, b) in ends.items():
        if trees.join(a, b):
            near[a].append((b, k))
            near[b].append((a, k))
        else:
            loops.append(k)
    parent, edge, depth = [-1] * (n + 1), [-1] * (n + 1), [0] * (n + 1)
    order, roots = list[int](), list[int]()
    for way, above, below in grow((n, *range(n)), near):
        if above is not None and way is not None:
            parent[below], edge[below], depth[below] = above, way, depth[above] + 1
        elif below != n:
            roots.append(below)
        if below != n:
            order.append(below)
    return Forest(tuple(order), tuple(roots), tuple(parent[:n]), tuple(edge[:n]), tuple(depth[:n]), tuple(loops))
