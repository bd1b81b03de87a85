"""From cells to tracks: the upright and level lines on which wires may run, and what stands in their way.

The axis of a region is wall, channel, column, channel, …, column, channel, wall. A channel is a few tracks for wires; a
column is as wide as its widest node: a box or junction takes a block of `slots` tracks, of which the middle one goes
through its centre; an opened box takes the axis of its region. Tracks have an order, and no places yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva.views.pattern_cost import Ints
from visviva.views.pattern_region import Node, Path, Region, walk

Tracks = tuple[int, int]
FREE, BLOCK, CORNER = -1, -2, -3  # what is at a crossing of tracks, where it is not the wall of region k = 0, 1, …


@final
@dataclass(frozen=True)
class Plan:
    """Columns and rows, by path of the region.

    cells:   of the nodes and opened boxes of a region.
    shared:  the column and row of a region that continue those outside, so that a port leaves it straight; or None.
    """

    cells: dict[Path, dict[Node | Path, Tracks]]
    shared: dict[Path, tuple[int | None, int | None]]


@final
@dataclass(frozen=True)
class Span:
    """The first and last tracks of something, upright (x) and level (y)."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def centre(self) -> Tracks:
        """The tracks in the middle."""
        return (self.x0 + self.x1) // 2, (self.y0 + self.y1) // 2

    def along(self, axis: int) -> Tracks:
        """The first and last track of one axis."""
        return (self.x0, self.x1) if axis == 0 else (self.y0, self.y1)


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """All tracks; around the wall of the whole runs one more track, outside.

    spans:   of blocks, by node.   walls: of the frames of regions, by path.
    inside:  the number of the innermost region at a crossing of tracks, counted from outside: 0 is outside the whole.
    thing:   FREE, BLOCK, CORNER or the number k > 0 of the region of which a wall is there.
    number:  of regions.
    """

    slots: int
    shape: Tracks
    spans: dict[Node, Span]
    walls: dict[Path, Span]
    number: dict[Path, int]
    inside: NDArray[np.int64]
    thing: NDArray[np.int64]
    nominal: tuple[Ints, Ints]  # rough places of tracks, by which routes are compared


SLOT, STEP, MARGIN = (14, 10), (10, 10), (22, 8)  # rough distances: within a block, in channels, around a block


def grid(region: Region, plan: Plan, slots: int, channel: int) -> Grid:
    """The tracks of a whole pattern with the given numbers of tracks in blocks and channels."""
    axes = _Axes(plan, slots, channel)
    width, height = axes.lay(region, 1, 1)
    spans, walls, shape = axes.spans, axes.walls, (width + 2, height + 2)
    inside = np.zeros(shape, dtype=np.int64)
    thing = np.full(shape, FREE)
    number = {}
    for k, inner in enumerate(walk(region), start=1):
        number[inner.path] = k
        s = walls[inner.path]
        inside[s.x0 : s.x1 + 1, s.y0 : s.y1 + 1] = k
        thing[[s.x0, s.x1], s.y0 : s.y1 + 1] = k
        thing[s.x0 : s.x1 + 1, [s.y0, s.y1]] = k
        for corner in ((s.x0, s.y0), (s.x0, s.y1), (s.x1, s.y0), (s.x1, s.y1)):
            thing[corner] = CORNER
    for s in spans.values():
        thing[s.x0 : s.x1 + 1, s.y0 : s.y1 + 1] = BLOCK
    xs = _nominal(shape[0], ((s.x0, s.x1) for s in spans.values()), 0)
    ys = _nominal(shape[1], ((s.y0, s.y1) for s in spans.values()), 1)
    return Grid(slots, shape, spans, walls, number, inside, thing, (xs, ys))


@final
@dataclass(frozen=True)
class _Axes:
    """Finds how many tracks regions take, and where their nodes are."""

    plan: Plan
    slots: int
    channel: int
    spans: dict[Node, Span] = field(default_factory=dict)
    walls: dict[Path, Span] = field(default_factory=dict)

    def lay(self, region: Region, x: int, y: int) -> Tracks:
        """Find the spans of a region and all within, from its first tracks on; give the number of its tracks."""
        cells = self.plan.cells[region.path]
        starts, totals = [], []
        for axis, first in enumerate((x, y)):
            before, behind = self._rooms(region, axis)
            places, at = [], first + 1
            for one, two in zip(before, behind, strict=True):
                places.append(at + self.channel + one)
                at += self.channel + one + 1 + two
            starts.append(places)
            totals.append(at + self.channel + 1 - first)
        self.walls[region.path] = Span(x, y, x + totals[0] - 1, y + totals[1] - 1)
        half = self.slots // 2
        for node in region.nodes:
            column, row = cells[node]
            cx, cy = starts[0][column], starts[1][row]
            self.spans[node] = Span(cx - half, cy - half, cx + half, cy + half)
        for inner in region.opened:
            column, row = cells[inner.path]
            self.lay(inner, starts[0][column] - self._room(inner, 0)[0], starts[1][row] - self._room(inner, 1)[0])
        return totals[0], totals[1]

    def _rooms(self, region: Region, axis: int) -> tuple[list[int], list[int]]:
        """Tracks before and behind the central one, of all columns or rows."""
        cells = self.plan.cells[region.path]
        n = 1 + max((cell[axis] for cell in cells.values()), default=0)
        before, behind = [self.slots // 2] * n, [self.slots // 2] * n
        for inner in region.opened:
            k, room = cells[inner.path][axis], self._room(inner, axis)
            before[k], behind[k] = max(before[k], room[0]), max(behind[k], room[1])
        return before, behind

    def _room(self, region: Region, axis: int) -> Tracks:
        """Tracks of a region before and behind the one that it shares with its column or row outside."""
        before, behind = self._rooms(region, axis)
        total = 2 + self.channel * (len(before) + 1) + len(before) + sum(before) + sum(behind)
        shared = self.plan.shared[region.path][axis]
        if shared is None:
            return total // 2, total - 1 - total // 2
        ahead = 1 + (shared + 1) * self.channel + shared + sum(before[: shared + 1]) + sum(behind[:shared])
        return ahead, total - 1 - ahead


def _nominal(n: int, blocks: Iterable[Tracks], axis: int) -> Ints:
    steps = np.full(n, STEP[axis], dtype=np.int64)
    steps[0] = 0
    for first, last in set(blocks):
        steps[first + 1 : last + 1] = SLOT[axis]
        steps[[first, last + 1]] = MARGIN[axis]
    return np.cumsum(steps)
