"""Where things go: nodes of a graph on the cells of a grid, by simulated annealing.

A step moves one node to any free cell, or a branch, which hangs on one edge, as a whole: shifted, turned, mirrored.
The costs of all possible places are found at once, and one is drawn with the probabilities of the heat bath,
exp(-cost/T). The generator has a fixed seed: equal graphs, equal drawings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.views.pattern_cost import Affected, Graph, Ints, costs, total_cost

EFFORTS = ((20, (6, 6, 2.5)), (35, (3, 10, 2.5)), (60, (3, 10, 2.5)), (np.inf, (1, 4, 1.0)))  # n: trials, sweeps, hot
COLD = 0.08
SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
ISOMETRIES = np.array([[[a, 0], [0, b]] for a, b in SIGNS] + [[[0, a], [b, 0]] for a, b in SIGNS])  # (8, 2, 2)
STEPS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0), (0, 2), (0, -2)])


def place(graph: Graph) -> Ints:
    """Columns and rows of the nodes, (n, 2), each cell used once."""
    if not graph.n:
        return np.zeros((0, 2), dtype=np.int64)
    order, roots = _breadth_first(graph)
    rank = np.argsort(order)
    bonds = [(roots[0], root) for root in roots[1:]]  # parts without connection would drift apart
    edges = rank[np.concatenate([graph.edges, np.array(bonds, dtype=np.int64).reshape(-1, 2)])]
    ordered = Graph(
        graph.n, edges, {int(rank[v]): side for v, side in graph.pins.items()}, graph.rank[order], graph.oblique
    )
    trials, sweeps, hot = next(effort for n, effort in EFFORTS if graph.n <= n)
    results = [_anneal(ordered, sweeps, hot, np.random.default_rng(trial)) for trial in range(trials)]
    return min(results, key=lambda P: total_cost(ordered, P))[rank]


def _anneal(graph: Graph, sweeps: int, hot: float, rng: np.random.Generator) -> Ints:
    P = np.zeros((graph.n, 2), dtype=np.int64)

    def settle(part: Affected, places: Ints, k: int, temperature: float) -> None:
        """Move the nodes of a part to one of several places, (c, moved, 2)."""
        X = np.repeat(P[None, :k], len(places), axis=0)
        X[:, part.moved] = places
        noise = rng.gumbel(size=len(places)) if temperature else 0.0
        P[:k] = X[(costs(part, X) - temperature * noise).argmin()]

    for v in range(graph.n):
        settle(Affected.by(graph, [v], v + 1), _free_cells(P[: v + 1], v), v + 1, 0.0)
    nodes = [Affected.by(graph, [v], graph.n) for v in range(graph.n)]
    branches = [(root, Affected.by(graph, moved, graph.n)) for root, moved in _branches(graph)]

    def sweep(temperature: float) -> None:
        for v in rng.permutation(graph.n):
            settle(nodes[v], _free_cells(P, v), graph.n, temperature)
        for root, branch in branches:
            settle(branch, _branch_places(P, root, branch.moved), graph.n, temperature)

    for temperature in np.geomspace(hot, COLD, sweeps):
        sweep(temperature)
    for _ in range(sweeps):
        before = P.copy()
        sweep(0.0)
        if (before == P).all():
            break
    return P


def _breadth_first(graph: Graph) -> tuple[list[int], list[int]]:
    """All nodes, from the most connected ones outwards, and the first node of every connected part."""
    order: list[int] = []
    roots = []
    for root in sorted(range(graph.n), key=lambda v: -len(graph.near[v])):
        if root in order:
            continue
        roots.append(root)
        part = [root]
        for v in part:
            part.extend(dict.fromkeys(w for w in graph.near[v] if w not in part))
        order += part
    return order, roots


def _branches(graph: Graph) -> list[tuple[int, list[int]]]:
    """The parts that hang on one edge: where they hang, and their nodes, from the one at the edge on."""
    found = []
    for a, b in graph.edges.tolist():
        for root, first in ((a, b), (b, a)):
            if graph.near[root].count(first) > 1:
                continue
            nodes = [first]
            for v in nodes:
                nodes.extend(dict.fromkeys(w for w in graph.near[v] if w not in nodes and (v, w) != (first, root)))
            if root not in nodes and 1 < len(nodes) <= graph.n // 2:
                found.append((root, nodes))
    return found


def _free_cells(P: Ints, v: int) -> Ints:
    """The cells around and between the other nodes that none of them has, (c, 1, 2)."""
    others = np.delete(P, v, axis=0)
    if not len(others):
        return np.zeros((1, 1, 2), dtype=np.int64)
    first, last = others.min(0) - 1, others.max(0) + 1
    taken = np.zeros(last - first + 1, dtype=bool)
    taken[tuple((others - first).T)] = True
    return (np.argwhere(~taken) + first)[:, None]


def _branch_places(P: Ints, root: int, moved: Ints) -> Ints:
    """Where a branch can be, near its root and clear of the other nodes; where it is comes first, (c, moved, 2)."""
    shape: Any = ISOMETRIES @ (P[moved] - P[moved[0]]).T  # (8, 2, moved)
    places = np.swapaxes(shape, 1, 2)[None] + P[root] + STEPS[:, None, None]
    places = np.concatenate([P[moved][None], places.reshape(-1, len(moved), 2)])
    others = np.delete(P, moved, axis=0)
    clear = (places[:, :, None] != others).any(-1).all((-1, -2))
    return places[clear]
