"""The laws of a drawing: what must not overlap does not. Each gives the pairs that break it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from visviva.views.pattern_drawing import Drawing, Line, Point, Rect

NEAR = 1e-6  # pixels; touching is no overlap


def segment_meets(a: Point, b: Point, rect: Rect) -> bool:
    """Whether a segment passes through the interior of a rectangle (Liang and Barsky's clipping)."""
    first, last = 0.0, 1.0
    for k, (low, high) in enumerate(((rect.x0 + NEAR, rect.x1 - NEAR), (rect.y0 + NEAR, rect.y1 - NEAR))):
        d = b[k] - a[k]
        if d == 0.0:
            if not low < a[k] < high:
                return False
            continue
        enter, leave = sorted(((low - a[k]) / d, (high - a[k]) / d))
        first, last = max(first, enter), min(last, leave)
    return first < last


def through(line: Line, rect: Rect) -> bool:
    return any(segment_meets(a, b, rect) for a, b in pairwise(line.points))


def boxes_apart(drawing: Drawing) -> Iterator[Any]:
    yield from (pair for pair in combinations(drawing.boxes, 2) if pair[0].rect.overlaps(pair[1].rect))


def labels_apart(drawing: Drawing) -> Iterator[Any]:
    yield from (pair for pair in combinations(drawing.labels, 2) if pair[0].rect.overlaps(pair[1].rect))


def labels_clear_of_boxes(drawing: Drawing) -> Iterator[Any]:
    for label in drawing.labels:
        yield from ((label, box) for box in drawing.boxes if label.of != box.name and label.rect.overlaps(box.rect))


def labels_clear_of_dots(drawing: Drawing) -> Iterator[Any]:
    for label in drawing.labels:
        for dot in drawing.dots:
            (x, y), r = dot.centre, 3.0
            if label.rect.overlaps(Rect(x - r, y - r, x + r, y + r)):
                yield label, dot


def lines_clear_of_boxes(drawing: Drawing) -> Iterator[Any]:
    for line in drawing.lines:
        others = (box for box in drawing.boxes if box.name not in (line.start, line.end))
        yield from ((line, box) for box in others if through(line, box.rect))


def lines_clear_of_labels(drawing: Drawing) -> Iterator[Any]:
    for line in drawing.lines:
        yield from ((line, label) for label in drawing.labels if through(line, label.rect))


def lines_not_upon_each_other(drawing: Drawing) -> Iterator[Any]:
    """No two lines share more than a point."""
    for one, two in combinations(drawing.lines, 2):
        for a, b in pairwise(one.points):
            for c, d in pairwise(two.points):
                for k in (0, 1):
                    level = max(a[k], b[k], c[k], d[k]) - min(a[k], b[k], c[k], d[k]) < NEAR
                    start = max(min(a[1 - k], b[1 - k]), min(c[1 - k], d[1 - k]))
                    end = min(max(a[1 - k], b[1 - k]), max(c[1 - k], d[1 - k]))
                    if level and end - start > NEAR:
                        yield one, two


def lines_clear_of_other_dots(drawing: Drawing) -> Iterator[Any]:
    for line in drawing.lines:
        for dot in drawing.dots:
            (x, y), r = dot.centre, 3.0
            if dot.name not in (line.start, line.end) and through(line, Rect(x - r, y - r, x + r, y + r)):
                yield line, dot


def things_within_their_frames(drawing: Drawing) -> Iterator[Any]:
    """A box or dot is inside the frame of its pattern, and outside the frames of others."""
    frames = {frame.name: frame.rect for frame in drawing.frames[1:]}
    for thing, rect in [
        *((b, b.rect) for b in drawing.boxes),
        *((d, Rect(*d.centre, *d.centre)) for d in drawing.dots),
    ]:
        for name, frame in frames.items():
            inside = frame.x0 < rect.x0 and rect.x1 < frame.x1 and frame.y0 < rect.y0 and rect.y1 < frame.y1
            outside = not rect.overlaps(frame)
            if not (inside if thing.name.startswith(name + ".") else outside):
                yield thing, name


def all_on_the_paper(drawing: Drawing) -> Iterator[Any]:
    width, height = drawing.size
    points = [point for line in drawing.lines for point in line.points]
    rects = [thing.rect for thing in (*drawing.frames, *drawing.boxes, *drawing.labels)]
    for x, y in [*points, *((r.x0, r.y0) for r in rects), *((r.x1, r.y1) for r in rects)]:
        if not (0 < x < width and 0 < y < height):
            yield x, y


LAWS = (
    boxes_apart,
    labels_apart,
    labels_clear_of_boxes,
    labels_clear_of_dots,
    lines_clear_of_boxes,
    lines_clear_of_labels,
    lines_not_upon_each_other,
    lines_clear_of_other_dots,
    things_within_their_frames,
    all_on_the_paper,
)
