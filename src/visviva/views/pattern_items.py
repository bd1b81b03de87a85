"""What takes space in a drawing: boxes, dots, lines, frames and names, in terms of the tracks they lie on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, product

from visviva.views.pattern_compaction import Extent, Item, Weights
from visviva.views.pattern_drawing import NAME_SIZE, text_height
from visviva.views.pattern_grid import Grid, Tracks
from visviva.views.pattern_names import Name
from visviva.views.pattern_region import JUNCTION, Node, Region, walk
from visviva.views.pattern_routing import Route
from visviva.views.pattern_sides import DOWN, LEFT, RIGHT, UP, Sides, box_extents, variants
from visviva.views.pattern_style import DOT, FAN, INNER

SLOT_WEIGHT, FRAME_WEIGHT = 2.0, 0.5  # of lines beside the middle of a box, and of the sides of frames; lines have 1


def corners(route: Route) -> list[Tracks]:
    """The ends of a route and the points where it turns."""
    points = route.points
    inner = [b for a, b, c in zip(points, points[1:], points[2:], strict=False) if (a[0] == b[0]) != (b[0] == c[0])]
    return [points[0], *inner, points[-1]]


def items(
    region: Region, grid: Grid, found: list[Route], used: dict[Node, Sides], written: list[Name]
) -> tuple[list[Item], Weights, Weights]:
    """All items, and the weights of lengths, level and upright."""
    result = [item for name in written for item in name.items]
    weights: tuple[Weights, Weights] = (defaultdict(float), defaultdict(float))
    for node, where in used.items():
        result += _junction(grid, node, where) if node.kind == JUNCTION else _box(grid, node, where)
        for axis in (0, 1):
            centre = grid.spans[node].centre[axis]
            for track in (*where.tracks[1 - axis], *where.tracks[3 - axis]):
                weights[axis][min(track, centre), max(track, centre)] += SLOT_WEIGHT
    for route in found:
        result += _line(grid, route, weights)
    for inner in walk(region):
        result += _frame(grid, inner)
        wall = grid.walls[inner.path]
        weights[0][wall.x0, wall.x1] += FRAME_WEIGHT
        weights[1][wall.y0, wall.y1] += FRAME_WEIGHT
    return result, weights[0], weights[1]


def _box(grid: Grid, node: Node, used: Sides) -> Iterator[Item]:
    span = grid.spans[node]
    for x, y in product(*box_extents(grid, node, used)):
        yield Item(x, y, (span.x0, span.y0, span.x1, span.y1), node=True)


def _junction(grid: Grid, node: Node, used: Sides) -> Iterator[Item]:
    span, (x, y) = grid.spans[node], grid.spans[node].centre
    order = (span.x0, span.y0, span.x1, span.y1)
    left, right = (FAN if any(track != y for track in used.tracks[side]) else DOT for side in (LEFT, RIGHT))
    up, down = (FAN if any(track != x for track in used.tracks[side]) else DOT for side in (UP, DOWN))
    xs = variants(x, (left, right), used.across(0), (0.0, 0.0))
    ys = variants(y, (up, down), used.across(1), (0.0, 0.0))
    for level, upright in product(xs, ys):
        yield Item(level, upright, order, node=True)


def _line(grid: Grid, route: Route, weights: tuple[Weights, Weights]) -> Iterator[Item]:
    """The straight pieces of a line. A piece that ends at a node has the node's tracks, and reaches to its centre."""
    points = corners(route)
    blocks = {k: grid.spans[node] for k, (node, *_) in zip((0, len(points) - 1), route.terminals, strict=False)}
    for k, (a, b) in enumerate(pairwise(points)):
        axis = 0 if a[1] == b[1] else 1
        tracks = {a[axis], b[axis]}
        ends = []
        for point, block in ((a, blocks.get(k)), (b, blocks.get(k + 1))):
            ends.append(point[axis] if block is None else block.centre[axis])
            tracks |= set() if block is None else {block.along(axis)[0], block.along(axis)[1]}
        along, at = Extent(min(ends), max(ends)), a[1 - axis]
        weights[axis][along.first, along.last] += 1.0
        if axis == 0:
            yield Item(along, Extent(at, at), (min(tracks), at, max(tracks), at))
        else:
            yield Item(Extent(at, at), along, (at, min(tracks), at, max(tracks)))


def _frame(grid: Grid, region: Region) -> Iterator[Item]:
    wall = grid.walls[region.path]
    level, upright = Extent(wall.x0, wall.x1), Extent(wall.y0, wall.y1)
    yield Item(Extent(wall.x0, wall.x0, 0.0, INNER), upright, (wall.x0, wall.y0, wall.x0, wall.y1))
    yield Item(Extent(wall.x1, wall.x1, INNER, 0.0), upright, (wall.x1, wall.y0, wall.x1, wall.y1))
    yield Item(
        level, Extent(wall.y0, wall.y0, 0.0, text_height(NAME_SIZE) + INNER), (wall.x0, wall.y0, wall.x1, wall.y0)
    )
    yield Item(level, Extent(wall.y1, wall.y1, INNER, 0.0), (wall.x0, wall.y1, wall.x1, wall.y1))
