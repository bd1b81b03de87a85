"""What the eye dislikes in nodes placed on cells: long, bent, blocked and crossing edges, and a waste of space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pair = tuple[Any, Any]  # one coordinate of the two ends of segments

# The unit is an edge between neighbouring cells of a row.
REACH = (1.0, 1.15)  # per column and row: drawings are rather wide than high
SPAN = (0.1, 0.4)  # of the whole, per column and row
READING = (0.03, 0.01)  # per column and row that something is read before what it follows; decides between equals
BEND, BLOCKED, CROSSING, TURN = 1.4, 3.0, 4.0, 1.0
STRUCK, CLEAR = 8.0, 0.35  # oblique edges that pass a node more closely than so many cells
INSIDE, UPRIGHT = 1.5, 0.6  # of pins: per cell to the border, and if that is above or below
OPPOSITE = 3.0  # of a pin to the left and its partner to the right in different rows


@final
@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes 0 … n - 1 and edges.

    pins:    nodes that belong to the border, at a side (dx, dy) or, for None, at any.
    rank:    from -1 for what is read first to 1 for what is read last, (n,).
    oblique: edges are drawn as straight lines, not along rows and columns.
    """

    n: int
    edges: Ints  # (m, 2)
    pins: dict[int, tuple[int, int] | None]
    rank: Floats
    oblique: bool = False

    @cached_property
    def near(self) -> list[list[int]]:
        """The other ends of the edges at each node."""
        ends: list[list[int]] = [[] for _ in range(self.n)]
        for a, b in self.edges.tolist():
            ends[a].append(b)
            ends[b].append(a)
        return ends

    @cached_property
    def triples(self) -> Ints:
        """Nodes of two edges, in the middle, between their neighbours: a line is seen to go on through them."""
        found = [(ends[0], v, ends[1]) for v, ends in enumerate(self.near) if len(ends) == 2 and ends[0] != ends[1]]
        return np.array(found, dtype=np.int64).reshape(-1, 3)


@final
@dataclass(frozen=True, eq=False)
class Affected:
    """The parts of a graph whose cost changes when some nodes move together, among its first k nodes."""

    moved: Ints
    touched: Ints  # edges with a moved end
    rest: Ints
    apart: Any  # (touched, rest): they have no node in common
    apart_within: Any  # (touched, touched)
    triples: Ints
    pins: Ints
    sides: list[tuple[int, int] | None]
    opposite: list[tuple[int, int]]  # pins to the left and right that should be in one row
    rank: Floats
    oblique: bool

    @classmethod
    def by(cls, graph: Graph, moved: list[int], k: int) -> Affected:
        """Of the nodes `moved`."""
        edges = graph.edges[(graph.edges < k).all(-1)]
        triples = graph.triples[(graph.triples < k).all(-1)]
        mask = np.isin(edges, moved).any(-1)
        touched, rest = edges[mask], edges[~mask]
        pins = [v for v in graph.pins if v < k]
        return cls(
            np.array(moved, dtype=np.int64),
            touched,
            rest,
            _apart(touched, rest),
            np.triu(_apart(touched, touched)),
            triples[np.isin(triples, moved).any(-1)],
            np.array(pins, dtype=np.int64),
            [graph.pins[v] for v in pins],
            list(zip(*([v for v in pins if graph.pins[v] == side] for side in ((-1, 0), (1, 0))), strict=False)),
            graph.rank[:k],
            graph.oblique,
        )


def total_cost(graph: Graph, P: Ints) -> float:
    """The cost of a placement, (n, 2)."""
    return float(costs(Affected.by(graph, list(range(graph.n)), graph.n), P[None])[0])


def costs(part: Affected, X: Ints) -> Floats:
    """The costs of placements X, (c, k, 2), which differ in the places of the moved nodes, up to a common constant."""
    x, y = (np.ascontiguousarray(X[..., axis], dtype=np.int32) for axis in (0, 1))
    moved = [(u[:, part.touched[:, 0], None], u[:, part.touched[:, 1], None]) for u in (x, y)]  # (c, d, 1)
    fixed = [(u[:1, None, part.rest[:, 0]], u[:1, None, part.rest[:, 1]]) for u in (x, y)]  # (1, 1, e)
    (ax, bx), (ay, by) = moved
    across, up = np.abs(ax - bx)[..., 0], np.abs(ay - by)[..., 0]
    cost = (REACH[0] * across + REACH[1] * up + BEND * ((across > 0) & (up > 0))).sum(-1)
    blocked, between = (STRUCK, _on_line) if part.oblique else (BLOCKED, _between)
    cost += blocked * between(x[:, None], y[:, None], *moved).sum((-1, -2))
    cost += blocked * between(x[:, part.moved, None], y[:, part.moved, None], *fixed).sum((-1, -2))
    cost += CROSSING * (_crossing(moved, fixed) & part.apart).sum((-1, -2))
    if part.apart_within.any():
        turned = [(np.swapaxes(a, 1, 2), np.swapaxes(b, 1, 2)) for a, b in moved]
        cost += CROSSING * (_crossing(moved, turned) & part.apart_within).sum((-1, -2))
    start, middle, end = part.triples.T
    ux, uy, wx, wy = (
        x[:, middle] - x[:, start],
        y[:, middle] - y[:, start],
        x[:, end] - x[:, middle],
        y[:, end] - y[:, middle],
    )
    cost += TURN * ((ux * wy != uy * wx) | (ux * wx + uy * wy < 0)).sum(-1)
    west, east, north, south = x.min(1), x.max(1), y.min(1), y.max(1)
    cost += (
        SPAN[0] * (east - west) + SPAN[1] * (south - north) - READING[0] * x @ part.rank - READING[1] * y @ part.rank
    )
    for v, side in zip(part.pins, part.sides, strict=True):
        away = {(-1, 0): x[:, v] - west, (1, 0): east - x[:, v], (0, -1): y[:, v] - north, (0, 1): south - y[:, v]}
        if side is None:
            cost += np.minimum.reduce([INSIDE * cells + UPRIGHT * abs(dy) for (_, dy), cells in away.items()])
        else:
            cost += INSIDE * away[side]
    for one, two in part.opposite:
        cost += OPPOSITE * (y[:, one] != y[:, two])
    return cost


def _apart(edges: Ints, others: Ints) -> Any:
    return (edges[:, None, :, None] != others[None, :, None, :]).all((-1, -2))


def _between(x: Any, y: Any, level: Pair, upright: Pair) -> Any:
    """Whether points lie strictly between the ends of segments, which run along a row or a column."""
    (ax, bx), (ay, by) = level, upright
    in_column = (ax == bx) & (x == ax) & ((y - ay) * (by - y) > 0)
    return in_column | ((ay == by) & (y == ay) & ((x - ax) * (bx - x) > 0))


def _on_line(x: Any, y: Any, level: Pair, upright: Pair) -> Any:
    """Whether points lie beside segments in any direction, and closer to them than `CLEAR`."""
    (ax, bx), (ay, by) = level, upright
    ux, uy, px, py = bx - ax, by - ay, x - ax, y - ay
    along, square = px * ux + py * uy, ux * ux + uy * uy
    return (along > 0) & (along < square) & ((ux * py - uy * px) ** 2 < CLEAR**2 * square)


def _crossing(one: list[Pair], two: list[Pair]) -> Any:
    """Whether segments cross, away from their ends: each has the ends of the other on its two sides."""
    (ax, bx), (ay, by) = one
    (cx, dx), (cy, dy) = two
    ux, uy, wx, wy, rx, ry = bx - ax, by - ay, dx - cx, dy - cy, cx - ax, cy - ay
    c_side, a_side, skew = ux * ry - uy * rx, wx * ry - wy * rx, ux * wy - uy * wx
    return (c_side * (c_side + skew) < 0) & (a_side * (a_side + skew) < 0)
