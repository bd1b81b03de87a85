"""Names in a drawing: what is written where, in terms of tracks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import final

from visviva.views.pattern_compaction import Extent, Item, Order, Places, hull
from visviva.views.pattern_drawing import NAME_SIZE, PORT_SIZE, Label, Rect, text_height, text_width
from visviva.views.pattern_grid import Grid
from visviva.views.pattern_region import JUNCTION, Node, Region, walk
from visviva.views.pattern_routing import Route
from visviva.views.pattern_sides import DOWN, LEFT, RIGHT, UP, Sides, box_extents, label_place, label_tracks, passage
from visviva.views.pattern_style import ASIDE, DOT, INNER, LIFT, STUB


@final
@dataclass(frozen=True)
class Name:
    """A text at the outer end of its extents to a side of each axis, or, for None, in their middle.

    of: the box it belongs to, or "".   order: as that of an item.
    """

    text: str
    size: float
    x: tuple[Extent, ...]
    y: tuple[Extent, ...]
    level: int | None
    upright: int | None
    order: Order
    of: str = ""

    @property
    def items(self) -> Iterator[Item]:
        """The space it takes, with the way to it."""
        return (Item(x, y, self.order) for x, y in product(self.x, self.y))

    def label(self, xs: Places, ys: Places) -> Label:
        """The text at its place."""
        x0, x1 = _end(hull(self.x, xs), text_width(self.text, self.size), self.level)
        y0, y1 = _end(hull(self.y, ys), text_height(self.size), self.upright)
        return Label(self.text, Rect(x0, y0, x1, y1), self.size, self.of)


def names(region: Region, grid: Grid, found: list[Route], used: dict[Node, Sides]) -> Iterator[Name]:
    """All names: of composites, boxes, ports at boxes, junctions and frames."""
    for inner in walk(region):
        yield _title(grid, inner)
    for node, where in used.items():
        if node.kind != JUNCTION:
            yield from _box_names(grid, node, where)
        elif node.text:
            yield _junction_name(grid, node, where)
    for route in found:
        if route.wire.through is not None and route.wire.text:
            yield _end_name(grid, route) if route.wire.end is None else _passage_name(grid, route)


def _end(ends: tuple[float, float], length: float, side: int | None) -> tuple[float, float]:
    """The part of an extent that a text takes."""
    if side is None:
        middle = (ends[0] + ends[1]) / 2
        return middle - length / 2, middle + length / 2
    return (ends[1] - length, ends[1]) if side in (RIGHT, DOWN) else (ends[0], ends[0] + length)


def _beyond(extents: list[Extent], side: int, length: float) -> tuple[Extent, ...]:
    """Extents that are longer to a side."""
    before, after = (0.0, length) if side in (RIGHT, DOWN) else (length, 0.0)
    return tuple(Extent(e.first, e.last, e.before + before, e.after + after) for e in extents)


def _from(track: int, side: int, length: float) -> tuple[Extent, ...]:
    return _beyond([Extent(track, track)], side, length)


def _around(track: int, length: float) -> tuple[Extent, ...]:
    return (Extent(track, track, length / 2, length / 2),)


def _title(grid: Grid, region: Region) -> Name:
    """The name of a composite, at the first corner of its frame."""
    x, y = grid.walls[region.path].x0, grid.walls[region.path].y0
    wide = _from(x, RIGHT, INNER + text_width(region.name, NAME_SIZE))
    high = _from(y, DOWN, INNER / 2 + text_height(NAME_SIZE))
    return Name(region.name, NAME_SIZE, wide, high, RIGHT, DOWN, (x, y, x, y))


def _box_names(grid: Grid, node: Node, used: Sides) -> Iterator[Name]:
    """That of a box, and those of its ports: above level lines, to the right of upright ones."""
    span, (xs, ys) = grid.spans[node], box_extents(grid, node, used)
    order = (span.x0, span.y0, span.x1, span.y1)
    yield Name(node.text, NAME_SIZE, tuple(xs), tuple(ys), None, None, order, node.name)
    for (side, track), text in used.texts.items():
        width, height = text_width(text, PORT_SIZE) + ASIDE, text_height(PORT_SIZE) + LIFT
        if side in (RIGHT, LEFT):
            order = (span.x0, track, span.x1, track)
            x, y = _beyond(xs, side, width), _from(track, UP, height)
            yield Name(text, PORT_SIZE, x, y, side, UP, order, node.name)
        else:
            order = (track, span.y0, track, span.y1)
            x, y = _from(track, RIGHT, width), _beyond(ys, side, height)
            yield Name(text, PORT_SIZE, x, y, RIGHT, side, order, node.name)


def _junction_name(grid: Grid, node: Node, used: Sides) -> Name:
    """The port name that is written once for several ports."""
    span, centre = grid.spans[node], grid.spans[node].centre
    level, upright = label_place(used, centre)
    tracks = label_tracks(used, centre, level, upright)
    corner = level is not None and upright is not None
    width, height = text_width(node.text, PORT_SIZE), text_height(PORT_SIZE)
    away = 0.0 if corner else DOT
    x = _around(centre[0], width) if level is None else _from(tracks[0], level, width + ASIDE + away)
    y = _around(centre[1], height) if upright is None else _from(tracks[1], upright, height + LIFT + away)
    return Name(node.text, PORT_SIZE, x, y, level, upright, (span.x0, span.y0, span.x1, span.y1))


def _passage_name(grid: Grid, route: Route) -> Name:
    """The name of a port where its line passes the frame of an opened box, outside and beside the line."""
    (x, y), side = passage(grid, route)
    text = route.wire.text
    level, upright = (side, UP) if side in (RIGHT, LEFT) else (RIGHT, side)
    wide = _from(x, level, text_width(text, PORT_SIZE) + ASIDE)
    high = _from(y, upright, text_height(PORT_SIZE) + LIFT)
    return Name(text, PORT_SIZE, wide, high, level, upright, (x, y, x, y))


def _end_name(grid: Grid, route: Route) -> Name:
    """The name of an outer port of the whole, at the end of its line."""
    (x, y), (_, side), text = route.points[-1], passage(grid, route), route.wire.text
    width, height = text_width(text, PORT_SIZE), text_height(PORT_SIZE)
    back = (side + 2) % 4
    if side in (RIGHT, LEFT):
        wide = _beyond(list(_from(x, side, width + ASIDE)), back, STUB)
        return Name(text, PORT_SIZE, wide, _around(y, height), side, None, (x, y, x, y))
    high = _beyond(list(_from(y, side, height + LIFT)), back, STUB)
    return Name(text, PORT_SIZE, _around(x, width), high, None, side, (x, y, x, y))
