"""A drawn pattern as SVG: one file that needs nothing else, with its own light ground, and texts that are texts."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from visviva.views.pattern_drawing import NAME_SIZE, Drawing, Label, Point, Rect
from visviva.views.pattern_pixels import corner_radius
from visviva.views.pattern_style import COLOURS, DASHES, DOT, GROUND, INK, INNER_GROUND, LINE_WIDTH, QUIET, ROUND

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
BASELINE = 0.34  # of the font size, below the middle of a line


def svg(drawing: Drawing) -> str:
    """The text of an SVG file."""
    return "\n".join(_elements(drawing)) + "\n"


def _elements(drawing: Drawing) -> Iterator[str]:
    width, height = (_number(length) for length in drawing.size)
    name = drawing.frames[0].name
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" aria-label={quoteattr(f"interconnection pattern of {name}")}>'
    )
    yield f"<title>{escape(name)}</title>"
    yield f'<rect width="{width}" height="{height}" rx="6" fill="{GROUND}"/>'
    for depth, frame in enumerate(drawing.frames):
        fill = INNER_GROUND if depth else GROUND
        yield f'<rect {_corners(frame.rect)} fill="{fill}" stroke="{INK}" stroke-width="{LINE_WIDTH}"/>'
    yield f'<g fill="none" stroke="{INK}" stroke-width="{LINE_WIDTH}" stroke-linejoin="round">'
    for line in drawing.lines:
        dashes = "" if line.power else f' stroke-dasharray="{DASHES[0]} {DASHES[1]}"'
        yield f'<path d="{_path(line.points)}"{dashes}/>'
    yield "</g>"
    yield f'<g stroke="{INK}" stroke-width="{LINE_WIDTH}">'
    for box in drawing.boxes:
        radius = _number(corner_radius(box.rect))
        yield f'<rect {_corners(box.rect)} rx="{radius}" fill="{COLOURS[box.kind]}"/>'
    yield "</g>"
    yield f'<g fill="{INK}">'
    for dot in drawing.dots:
        yield f'<circle cx="{_number(dot.centre[0])}" cy="{_number(dot.centre[1])}" r="{DOT}"/>'
    yield "</g>"
    yield f'<g font-family="{FONT}" text-anchor="middle">'
    yield from (_text(label) for label in drawing.labels)
    yield "</g>"
    yield "</svg>"


def _corners(rect: Rect) -> str:
    x, y, width, height = (_number(n) for n in (rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0))
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _text(label: Label) -> str:
    (x, y), size = label.rect.centre, label.size
    at = f'x="{_number(x)}" y="{_number(y + BASELINE * size)}"'
    colour = INK if size == NAME_SIZE else QUIET
    return f'<text {at} font-size="{size:g}" fill="{colour}">{escape(label.text)}</text>'


def _path(points: tuple[Point, ...]) -> str:
    """A polyline whose corners are rounded by quadratic curves."""
    parts = [f"M{_point(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        parts.append(f"L{_point(_towards(corner, before))} Q{_point(corner)} {_point(_towards(corner, after))}")
    return " ".join([*parts, f"L{_point(points[-1])}"])


def _towards(corner: Point, other: Point) -> Point:
    """The point on the way to another one where the rounding of a corner begins."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = (dx**2 + dy**2) ** 0.5
    part = min(ROUND, length / 2) / length if length else 0.0
    return corner[0] + part * dx, corner[1] + part * dy


def _point(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
