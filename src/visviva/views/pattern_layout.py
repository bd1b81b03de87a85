"""The layout of a pattern, step by step: cells, tracks, routes, pixels."""

from __future__ import annotations

from collections import Counter

import numpy as np

from visviva.views.pattern_compaction import Extent, Places, hull, level_places, upright_places
from visviva.views.pattern_cost import Floats, Graph
from visviva.views.pattern_drawing import Drawing
from visviva.views.pattern_grid import Grid, Plan, Tracks, grid
from visviva.views.pattern_items import items
from visviva.views.pattern_names import names
from visviva.views.pattern_pixels import drawing
from visviva.views.pattern_placement import place
from visviva.views.pattern_region import Node, Path, Region, walk
from visviva.views.pattern_routing import Route, routes
from visviva.views.pattern_sides import sides
from visviva.views.pattern_style import MARGIN


def lay_out(region: Region) -> Drawing:
    """Draw a pattern."""
    tracks, found = _routed(region, _plan(region, _facing(region)))
    used = sides(tracks, found)
    written = list(names(region, tracks, found, used))
    things, level, upright = items(region, tracks, found, used, written)
    ys = level_places(things, upright)
    xs = upright_places(things, ys, level)
    xs, width = _moved(xs, [thing.x for thing in things])
    ys, height = _moved(ys, [thing.y for thing in things])
    return drawing(region, tracks, found, used, written, xs, ys, (width, height))


def _moved(places: Places, extents: list[Extent]) -> tuple[Places, float]:
    """Places from a margin on, and the length of the whole with its margins."""
    first, last = hull(extents, places)
    return {track: place - first + MARGIN for track, place in places.items()}, last - first + 2 * MARGIN


def _routed(region: Region, plan: Plan) -> tuple[Grid, list[Route]]:
    """The tracks and the routes. There are more and more tracks in the channels, until all wires find a way."""
    degree = _degree(region)
    channel = max(2, degree // 6)
    while True:
        slots = max(3, 2 * (degree // 6) + 1) + 2 * (channel // 4)  # odd, and more than enough at the four sides
        tracks = grid(region, plan, slots, channel)
        found = routes(region, tracks)
        if found is not None:
            return tracks, found
        channel += 1


def _degree(region: Region) -> int:
    """The number of lines at the node that has most of them."""
    ends = Counter(node for inner in walk(region) for wire in inner.wires for node in (wire.start, wire.end))
    return max((count for node, count in ends.items() if node is not None), default=0)


def _plan(region: Region, pinned: dict[Node, Tracks]) -> Plan:
    """Columns and rows of all nodes; an opened box is placed first and then filled, its ports towards their ends.

    pinned: the side of the frame to which a junction is connected, where that is known.
    """
    things: list[Path | Node] = [box if isinstance(box, Node) else box.path for box in region.boxes]
    boxes = len(things)
    things += region.junctions
    number = {thing: k for k, thing in enumerate(things)}
    edges = [(number[wire.through or wire.start], number[wire.end]) for wire in region.wires if wire.end is not None]
    pins = {len(things) + k: junction for k, junction in enumerate(region.outer.values())}
    edges += [(number[junction], pin) for pin, junction in pins.items()]
    graph = Graph(
        len(things) + len(pins),
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        {pin: pinned.get(junction) for pin, junction in pins.items()},
        _reading(boxes, len(things) + len(pins)),
    )
    P = place(graph)[: len(things)]
    for axis in (0, 1):
        P[:, axis] = np.unique(P[:, axis], return_inverse=True)[1]
        if graph.rank[: len(things)] @ P[:, axis] < 0 and not any(side[axis] for side in pinned.values()):
            P[:, axis] = P[:, axis].max() - P[:, axis]  # mirrored, what comes first is read first
    at = {thing: (int(x), int(y)) for thing, (x, y) in zip(things, P, strict=True)}
    cells, shared = {region.path: at}, {region.path: _shared(at, pinned)}
    for inner in region.opened:
        towards = {
            wire.start: _direction(at[inner.path], at[wire.end])
            for wire in region.wires
            if wire.through == inner.path and wire.end is not None
        }
        plan = _plan(inner, towards)
        cells, shared = cells | plan.cells, shared | plan.shared
    return Plan(cells, shared)


def _reading(boxes: int, n: int) -> Floats:
    """Boxes are read in the order in which they were given."""
    rank = np.zeros(n)
    rank[:boxes] = np.arange(boxes) - (boxes - 1) / 2
    return 2 * rank / max(boxes - 1, 1)


def _facing(region: Region) -> dict[Node, Tracks]:
    """Sides for the outer ports of the whole: of several, the first ones to the left, the others to the right."""
    outer = list(region.outer.values())
    return {junction: (1 if 2 * k >= len(outer) else -1, 0) for k, junction in enumerate(outer) if len(outer) > 1}


def _shared(at: dict[Path | Node, Tracks], pinned: dict[Node, Tracks]) -> tuple[int | None, int | None]:
    """The column of a port that leaves a region up or down, and the row of one that leaves it sideways."""
    columns = [at[junction][0] for junction, side in pinned.items() if side[1]]
    rows = [at[junction][1] for junction, side in pinned.items() if side[0]]
    return columns[0] if columns else None, rows[0] if rows else None


def _direction(a: Tracks, b: Tracks) -> Tracks:
    dx, dy = b[0] - a[0], b[1] - a[1]
    return (1 if dx > 0 else -1, 0) if abs(dx) >= abs(dy) else (0, 1 if dy > 0 else -1)
