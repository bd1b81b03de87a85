"""Wires on tracks: shortest paths around boxes that turn little, cross little and never run upon each other.

Each wire is found by A* over (crossing of tracks, direction). A wire that passes a crossing of tracks takes one of its
two ways, and both where it turns: no other wire can then share a stretch of track with it, or touch its corner.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

from visviva.views.pattern_grid import BLOCK, CORNER, FREE, Grid, Span, Tracks
from visviva.views.pattern_region import JUNCTION, Node, Path, Region, Wire, walk

Terminal = tuple[Node, int, int]  # node, side, slot
State = tuple[int, int, int]  # upright track, level track, direction
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))  # right, down, left, up
TURN, CROSS, OFF = 45, 70, 25  # costs, in the unit of the nominal places of tracks
UPRIGHT = 150  # of outer ports that leave the whole above or below
PASSES = 2  # over all wires: in the first one they do not know of each other


@final
@dataclass(frozen=True)
class Route:
    """The crossings of tracks that a wire passes, from block to block, and where it leaves these."""

    wire: Wire
    points: tuple[Tracks, ...]
    terminals: tuple[Terminal, ...]

    @property
    def ways(self) -> set[State]:
        """What the wire takes between the blocks: (x, y, 0) level, (x, y, 1) upright."""
        ways = set()
        for a, b in pairwise(self.points):
            way = 0 if a[1] == b[1] else 1
            ways |= {(*a, way), (*b, way)}
        return ways


@final
@dataclass(frozen=True)
class _Board:
    """The grid as nested lists, which are read faster, and what is taken."""

    grid: Grid
    thing: list[list[int]]
    inside: list[list[int]]
    places: tuple[list[int], list[int]]
    taken: set[State] = field(default_factory=set)
    terminals: set[Terminal] = field(default_factory=set)

    def toggle(self, route: Route) -> None:
        """Take the place of a route, or give it back."""
        self.taken.symmetric_difference_update(route.ways)
        self.terminals.symmetric_difference_update(route.terminals)

    def leaving(self, node: Node) -> Iterator[tuple[int, int, Tracks, int]]:
        """The free terminals of a node: side, slot, crossing of tracks, cost.

        Lines leave a side in its middle; several of them leave a box beside it, and spread like a fan from a junction.
        """
        middle, span = self.grid.slots // 2, self.grid.spans[node]
        for side in range(4):
            company = any((node, side, slot) in self.terminals for slot in range(self.grid.slots))
            for slot in range(self.grid.slots):
                off = abs(slot - middle)
                if (node, side, slot) in self.terminals:
                    continue
                if node.kind == JUNCTION:
                    cost = TURN * company + OFF * off
                else:
                    cost = OFF * (off == 0) if company else OFF * off
                yield side, slot, _terminal(span, side, slot), cost


def routes(region: Region, grid: Grid) -> list[Route] | None:
    """Routes of all wires, or None where the channels are too narrow."""
    home = {node: inner.path for inner in walk(region) for node in inner.nodes}
    wires = [wire for inner in walk(region) for wire in inner.wires]
    wires.sort(key=lambda wire: _distance(grid, wire))
    places = grid.nominal[0].tolist(), grid.nominal[1].tolist()
    board = _Board(grid, grid.thing.tolist(), grid.inside.tolist(), places)
    found: dict[int, Route] = {}
    for _ in range(PASSES):
        for k, wire in enumerate(wires):
            if k in found:
                board.toggle(found[k])
            route = _route(board, _task(board, wire, home[wire.start]))
            if route is None:
                return None
            board.toggle(route)
            found[k] = route
    return list(found.values())


def _terminal(span: Span, side: int, slot: int) -> Tracks:
    return ((span.x1, span.y0 + slot), (span.x0 + slot, span.y1), (span.x0, span.y0 + slot), (span.x0 + slot, span.y0))[
        side
    ]


def _distance(grid: Grid, wire: Wire) -> int:
    """Between the ends of a wire; outer ports come last."""
    if wire.end is None:
        return sum(grid.shape)
    a, b = grid.spans[wire.start].centre, grid.spans[wire.end].centre
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


@final
@dataclass(frozen=True)
class _Task:
    """A wire to be routed: where it may start, end and pass.

    starts, goals:  terminals of the two nodes, by state, with their costs; no goals for a wire to the outside.
    regions:        the numbers of regions in which it may run.   wall: that of the frame it may pass, or 0.
    low, high:      the nominal corners of the block where it ends.   least: the lowest cost of a goal.
    """

    wire: Wire
    starts: dict[State, tuple[int, Terminal]]
    goals: dict[State, tuple[int, Terminal]]
    regions: set[int]
    wall: int
    low: Tracks
    high: Tracks
    least: int

    def remaining(self, x: int, y: int) -> int:
        """At least so much is still to pay from a nominal place: the way, a turn, and the end."""
        if self.wire.end is None:
            return 0
        level, upright = max(self.low[0] - x, x - self.high[0], 0), max(self.low[1] - y, y - self.high[1], 0)
        return level + upright + self.least + (TURN if level and upright else 0)


def _task(board: _Board, wire: Wire, home: Path) -> _Task:
    regions, wall, low, high = {board.grid.number[home]}, 0, (0, 0), (0, 0)
    if wire.through is not None:
        span, wall = board.grid.walls[wire.through], board.grid.number[wire.through]
        regions.add(board.inside[span.x0 - 1][span.y0 - 1])
    starts, goals = {}, {}
    for side, slot, (x, y), cost in board.leaving(wire.start):
        starts[x, y, side] = cost, (wire.start, side, slot)
    if wire.end is not None:
        (xs, ys), block = board.places, board.grid.spans[wire.end]
        low, high = (xs[block.x0], ys[block.y0]), (xs[block.x1], ys[block.y1])
        for side, slot, (x, y), cost in board.leaving(wire.end):
            goals[x, y, (side + 2) % 4] = cost, (wire.end, side, slot)
    least = min((cost for cost, _ in goals.values()), default=0)
    return _Task(wire, starts, goals, regions, wall, low, high, least)


def _steps(board: _Board, task: _Task, state: State) -> Iterator[tuple[State, int]]:
    """Where a wire can go on from a crossing of tracks, and what that costs."""
    thing, inside, (xs, ys) = board.thing, board.inside, board.places
    x, y, direction = state
    here = thing[x][y]
    for turn in (0, 1, 3) if here == FREE else (0,):
        heading = (direction + turn) % 4
        u, v = x + SIDES[heading][0], y + SIDES[heading][1]
        if not (0 <= u < len(xs) and 0 <= v < len(ys)):
            continue
        there, way = thing[u][v], heading % 2
        if there == CORNER or inside[u][v] not in task.regions or (there > 0 and there != task.wall):
            continue
        cost = abs(xs[u] - xs[x]) + abs(ys[v] - ys[y])
        if there == BLOCK:
            if (u, v, heading) not in task.goals:
                continue
            cost += task.goals[u, v, heading][0]
        if here != BLOCK:
            crossed = (x, y, 1 - way) in board.taken
            if (x, y, way) in board.taken or (turn and crossed):
                continue
            cost += TURN if turn else CROSS * crossed
        if inside[u][v] == 0 and way == 1:
            cost += UPRIGHT
        yield (u, v, heading), cost


def _route(board: _Board, task: _Task) -> Route | None:
    (xs, ys), best, came = board.places, {}, {}
    heap: list[tuple[int, int, State, State | None]] = []
    for state, (cost, _) in task.starts.items():
        best[state] = cost
        heapq.heappush(heap, (cost + task.remaining(xs[state[0]], ys[state[1]]), cost, state, None))
    while heap:
        _, spent, state, before = heapq.heappop(heap)
        if state in came:
            continue
        came[state] = before
        if state in task.goals or board.inside[state[0]][state[1]] == 0:
            return _traced(task, state, came)
        for following, cost in _steps(board, task, state):
            total = spent + cost
            if total < best.get(following, total + 1):
                best[following] = total
                estimate = total + task.remaining(xs[following[0]], ys[following[1]])
                heapq.heappush(heap, (estimate, total, following, state))
    return None


def _traced(task: _Task, last: State, came: dict[State, State | None]) -> Route:
    states = [last]
    while (before := came[states[-1]]) is not None:
        states.append(before)
    states.reverse()
    ends = [task.starts[states[0]][1], *([task.goals[last][1]] if last in task.goals else [])]
    return Route(task.wire, tuple((x, y) for x, y, _ in states), tuple(ends))
