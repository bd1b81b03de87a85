"""The last step of a layout: boxes, dots, lines and names at the places of their tracks."""

from __future__ import annotations

from math import sqrt

from visviva.views.pattern_compaction import Places, hull
from visviva.views.pattern_drawing import Box, Dot, Drawing, Frame, Line, Point, Rect
from visviva.views.pattern_grid import Grid, Tracks
from visviva.views.pattern_items import corners
from visviva.views.pattern_names import Name
from visviva.views.pattern_region import JUNCTION, Node, Region, walk
from visviva.views.pattern_routing import Route
from visviva.views.pattern_sides import DOWN, RIGHT, Sides, box_extents
from visviva.views.pattern_style import FAN, HALF_HEIGHT


def drawing(
    region: Region,
    tracks: Grid,
    found: list[Route],
    used: dict[Node, Sides],
    written: list[Name],
    xs: Places,
    ys: Places,
    size: Point,
) -> Drawing:
    """The drawing of a given size for places of tracks."""
    rects = {node: _box_rect(tracks, node, used[node], xs, ys) for node in used if node.kind != JUNCTION}
    centres = {node: _at(tracks.spans[node].centre, xs, ys) for node in used}
    lines = tuple(_line(route, rects, centres, xs, ys) for route in found)
    labels = tuple(name.label(xs, ys) for name in written)
    frames = []
    for inner in walk(region):
        wall = tracks.walls[inner.path]
        name = ".".join(inner.path) or inner.name
        frames.append(Frame(name, Rect(xs[wall.x0], ys[wall.y0], xs[wall.x1], ys[wall.y1])))
    boxes = tuple(Box(node.name, node.kind, rect) for node, rect in rects.items())
    dots = tuple(Dot(node.name, centres[node]) for node in used if node.kind == JUNCTION)
    return Drawing(size, tuple(frames), boxes, dots, lines, labels)


def _at(tracks: Tracks, xs: Places, ys: Places) -> Point:
    return xs[tracks[0]], ys[tracks[1]]


def _box_rect(tracks: Grid, node: Node, used: Sides, xs: Places, ys: Places) -> Rect:
    level, upright = box_extents(tracks, node, used)
    x0, x1 = hull(level, xs)
    y0, y1 = hull(upright, ys)
    return Rect(x0, y0, x1, y1)


def outline(rect: Rect, side: int, at: float) -> Point:
    """The point of a round box where a line at a place of an axis meets its side."""
    radius = corner_radius(rect)
    low, high = (rect.x0, rect.x1) if side % 2 else (rect.y0, rect.y1)
    deep = max(low + radius - at, at - (high - radius), 0.0)
    inset = radius - sqrt(max(radius**2 - deep**2, 0.0))
    return ((rect.x1 - inset, at), (at, rect.y1 - inset), (rect.x0 + inset, at), (at, rect.y0 + inset))[side]


def corner_radius(rect: Rect) -> float:
    """Of a round box."""
    return min(rect.x1 - rect.x0, rect.y1 - rect.y0, 2 * HALF_HEIGHT) / 2


def _line(route: Route, rects: dict[Node, Rect], centres: dict[Node, Point], xs: Places, ys: Places) -> Line:
    points = corners(route)
    ends = []
    for (node, side, _), (x, y) in zip(route.terminals, (points[0], points[-1]), strict=False):
        at = xs[x] if side % 2 else ys[y]
        if node.kind != JUNCTION:
            ends.append([outline(rects[node], side, at)])
            continue
        centre, reach = centres[node], FAN if side in (RIGHT, DOWN) else -FAN
        begin = (at, centre[1] + reach) if side % 2 else (centre[0] + reach, at)
        ends.append([centre] if at == centre[1 - side % 2] else [centre, begin])
    if route.wire.end is None:
        ends.append([_at(points[-1], xs, ys)])
    turns = (_at(point, xs, ys) for point in points[1:-1])
    end = "" if route.wire.end is None else route.wire.end.name
    return Line(route.wire.start.name, end, (*ends[0], *turns, *ends[1][::-1]), route.wire.power)
