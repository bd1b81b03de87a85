"""Where lines leave boxes, junctions and frames, how long that makes a box, and where it leaves room for a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from visviva.views.pattern_compaction import Extent
from visviva.views.pattern_drawing import NAME_SIZE, PORT_SIZE, text_height, text_width
from visviva.views.pattern_grid import Grid, Tracks
from visviva.views.pattern_region import Node
from visviva.views.pattern_routing import Route
from visviva.views.pattern_style import CORNER, HALF_HEIGHT, LIFT, PAD

Pair = tuple[float, float]
RIGHT, DOWN, LEFT, UP = range(4)


@final
@dataclass(frozen=True)
class Sides:
    """The slots of a node that are used, in order, as tracks; and the texts there."""

    tracks: tuple[tuple[int, ...], ...]  # by side
    texts: dict[tuple[int, int], str]  # by side and track

    def across(self, axis: int) -> tuple[int, ...]:
        """The tracks of one axis at which lines leave the node."""
        return tuple(sorted({*self.tracks[1 - axis], *self.tracks[3 - axis]}))


def sides(grid: Grid, found: list[Route]) -> dict[Node, Sides]:
    """Where lines leave the nodes."""
    tracks: dict[Node, list[list[int]]] = {node: [[], [], [], []] for node in grid.spans}
    texts: dict[Node, dict[tuple[int, int], str]] = defaultdict(dict)
    for route in found:
        for k, (node, side, _) in enumerate(route.terminals):
            track = route.points[-k][1 - side % 2]
            tracks[node][side].append(track)
            if k == 0 and route.wire.text and route.wire.through is None:
                texts[node][side, track] = route.wire.text
    return {node: Sides(tuple(tuple(sorted(side)) for side in used), texts[node]) for node, used in tracks.items()}


def box_extents(grid: Grid, node: Node, used: Sides) -> tuple[list[Extent], list[Extent]]:
    """A box is as long as its name and its lines need: at least as all these extents, level and upright.

    The names beside it stay within its height, so that they do not meet those above and below.
    """
    x, y = grid.spans[node].centre
    half = max(text_width(node.text, NAME_SIZE) / 2 + PAD, 1.3 * HALF_HEIGHT)
    beside = any(side in (RIGHT, LEFT) for side, _ in used.texts)
    xs = variants(x, (half, half), used.across(0), (CORNER, CORNER))
    ys = variants(
        y, (HALF_HEIGHT, HALF_HEIGHT), used.across(1), (text_height(PORT_SIZE) + LIFT if beside else CORNER, CORNER)
    )
    return list(xs), list(ys)


def variants(centre: int, half: Pair, tracks: tuple[int, ...], end: Pair) -> Iterator[Extent]:
    """Something around its centre, and as long as its lines need."""
    yield Extent(centre, centre, *half)
    if tracks and tracks[0] < centre:
        yield Extent(tracks[0], centre, end[0], half[1])
    if tracks and tracks[-1] > centre:
        yield Extent(centre, tracks[-1], half[0], end[1])


def passage(grid: Grid, route: Route) -> tuple[Tracks, int]:
    """Where a route passes the frame it goes through, and to which side."""
    wall = grid.walls[route.wire.through or ()]
    for x, y in reversed(route.points):
        if wall.x0 <= x <= wall.x1 and wall.y0 <= y <= wall.y1:
            break
    return (x, y), RIGHT if x == wall.x1 else LEFT if x == wall.x0 else DOWN if y == wall.y1 else UP


def label_place(used: Sides, centre: Tracks) -> tuple[int | None, int | None]:
    """Where the name at a junction goes: (level, upright) sides; None is in the middle.

    A name in the middle of a side needs one without lines, also of the fans beside it; a name between two sides is
    clear of all lines, and best where there are no fans.
    """

    def askew(side: int, towards: int) -> bool:
        sign = 1 if towards in (RIGHT, DOWN) else -1
        return any(sign * (track - centre[1 - side % 2]) > 0 for track in used.tracks[side])

    for side in (UP, DOWN):
        if not used.tracks[side] and not askew(LEFT, side) and not askew(RIGHT, side):
            return None, side
    for side in (RIGHT, LEFT):
        if not used.tracks[side] and not askew(UP, side) and not askew(DOWN, side):
            return side, None
    corners = [(level, upright) for upright in (UP, DOWN) for level in (RIGHT, LEFT)]
    return min(corners, key=lambda corner: askew(corner[0], corner[1]) + askew(corner[1], corner[0]))


def label_tracks(used: Sides, centre: Tracks, level: int | None, upright: int | None) -> Tracks:
    """The tracks next to which the name at a junction is written: of two sides, the last ones of their fans."""
    if level is None or upright is None:
        return centre
    columns, rows = (*used.tracks[upright], centre[0]), (*used.tracks[level], centre[1])
    return max(columns) if level == RIGHT else min(columns), max(rows) if upright == DOWN else min(rows)
