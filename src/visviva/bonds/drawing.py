"""A drawn bond graph as data: lines and texts, in pixels, y downwards."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

from visviva.bonds.elements import STORES
from visviva.bonds.placement import placed
from visviva.views.pattern_drawing import Point

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph

INK, QUIET, DERIVATIVE, LOOP = "#1a1a1a", "#505050", "#c0392b", "#0072b2"
NAME, SMALL = 17.0, 12.0  # font sizes
WIDTHS = (
    (" .,", 0.25), ("ijlt:'", 0.28), ("Ifr()-", 0.33), ("Js", 0.39), ("acez", 0.44), ("FPS", 0.56), ("ELTZ", 0.61),
    ("BCR", 0.67), ("ADGHKNOQUVXYw", 0.72), ("m", 0.78), ("MW", 0.92),
)  # fmt: skip  # of letters, in font sizes
REACH, RISE = 66.0, 50.0  # least lengths of level and upright bonds
GAP, MARGIN = 5.0, 14.0  # around elements, around the whole
ARROW, ANGLE, STROKE = 12.0, math.radians(32), 7.5  # half arrow, half of the causal stroke
CROWDED, LEAST, MOST = 22.0, 12.0, 44.0  # radius of the room of a junction with many bonds: in the grid, and as drawn
DOUBLE = 2.0  # half of the distance of the lines of a multibond
PARALLEL = 13.0  # half of the distance of two bonds between the same elements


@final
@dataclass(frozen=True)
class Line:
    """A straight line."""

    start: Point
    end: Point
    colour: str = INK
    width: float = 1.3


@final
@dataclass(frozen=True)
class Text:
    """A text about its middle (or from its start or end), with a slanted part after an upright one."""

    at: Point
    upright: str
    slanted: str = ""
    size: float = NAME
    colour: str = INK
    anchor: str = "middle"

    @property
    def half(self) -> float:
        """Half of its width."""
        return text_width(self.upright + self.slanted, self.size) / 2


@final
@dataclass(frozen=True)
class Drawing:
    """All that is seen."""

    name: str
    size: Point
    lines: tuple[Line, ...]
    texts: tuple[Text, ...]


def drawn(graph: BondGraph, strokes: bool, numbers: bool) -> Drawing:
    """Lay a graph out and draw it."""
    return _Artist(graph, strokes, numbers).drawing()


class _Artist:
    def __init__(self, graph: BondGraph, strokes: bool, numbers: bool) -> None:
        self.graph, self.numbers = graph, numbers
        self.causality = graph.causality if strokes else None
        self.cells = placed(graph)
        self.words = {label: self._words(label) for label in graph.elements}
        self.centre = self._centres()

    # -- elements -----------------------------------------------------------------------------------------------
    def _words(self, label: str) -> tuple[str, str]:
        element = self.graph.elements[label]
        if element.kind in ("0", "1", "TF", "GY", "RS"):
            return element.shown, ""
        if element.kind == "T*":
            return "IC*", f":{element.label or label}"
        return element.shown, f":{element.label or label}"

    def _half(self, label: str) -> Point:
        upright, slanted = self.words[label]
        kind = self.graph.elements[label].kind
        if kind in ("0", "1") and len(self.graph.at(label)) > 4:
            return CROWDED, CROWDED
        height = PARALLEL + 8 if kind in STORES else 10.0
        return text_width(upright + slanted, NAME) / 2 + GAP, height

    def _oblique(self, label: str) -> bool:
        """Whether an element has a bond along no row or column."""
        x, y = self.cells[label]
        ends = [self.cells[bond.other(label)] for bond in self.graph.at(label)]
        return any(u != x and v != y for u, v in ends)

    def _room(self, label: str, towards: Point) -> float:
        """How far from a junction with oblique bonds one of them ends: strokes of neighbours do not meet."""
        x, y = self.centre[label]
        ends = [self.centre[bond.other(label)] for bond in self.graph.at(label)]
        angle = math.atan2(towards[1], towards[0])
        apart = [abs(math.remainder(math.atan2(v - y, u - x) - angle, math.tau)) for u, v in ends]
        nearest = min(math.hypot(u - x, v - y) for u, v in ends)
        gap = min((each for each in apart if each > 0.02), default=math.pi)  # bonds side by side have one direction
        return min(max(1.2 * STROKE / math.tan(gap / 2), LEAST), MOST, nearest / 2)

    def _centres(self) -> dict[str, Point]:
        """Columns as wide and rows as high as what is in them, and bonds in between."""
        places: list[dict[int, float]] = []
        for axis, reach in ((0, REACH), (1, RISE)):
            tracks = sorted({cell[axis] for cell in self.cells.values()})
            half = {
                k: max(self._half(label)[axis] for label, cell in self.cells.items() if cell[axis] == k) for k in tracks
            }
            at, position = {}, 0.0
            for k, track in enumerate(tracks):
                position += half[track] + (half[tracks[k - 1]] + reach * (track - tracks[k - 1]) if k else 0.0)
                at[track] = position
            places.append(at)
        return {label: (places[0][x], places[1][y]) for label, (x, y) in self.cells.items()}

    def _colour(self, label: str) -> str:
        if self.causality is None:
            return INK
        if label in self.causality.derivative:
            return DERIVATIVE
        return LOOP if any(label in loop for loop in self.causality.loops) else INK

    def _elements(self) -> Iterator[Text]:
        for label, element in self.graph.elements.items():
            upright, slanted = self.words[label]
            yield Text(self.centre[label], upright, slanted, colour=self._colour(label))
            if element.kind in ("0", "1", "TF", "GY", "RS"):
                yield self._beside(label, element.label or label)

    def _beside(self, label: str, text: str) -> Text:
        """A name in the corner that is farthest from all bonds."""
        x, y = self.centre[label]
        angles = []
        for bond in self.graph.at(label):
            u, v = self.centre[bond.other(label)]
            angles.append(math.atan2(v - y, u - x))
        half, _ = self._half(label)
        spots = {
            math.radians(degrees): spot
            for degrees, spot in (
                (-90, (0.0, -19.0, "middle")), (90, (0.0, 20.0, "middle")), (-40, (half, -17.0, "start")),
                (40, (half, 18.0, "start")), (-140, (-half, -17.0, "end")), (140, (-half, 18.0, "end")),
            )
        }  # fmt: skip

        def free(angle: float) -> float:
            return min((abs(math.remainder(angle - a, math.tau)) for a in angles), default=math.pi)

        best = max(spots, key=lambda angle: round(min(free(angle), 0.7), 3))
        dx, dy, anchor = spots[best]
        return Text((x + dx, y + dy), "", text, SMALL, QUIET, anchor)

    # -- bonds --------------------------------------------------------------------------------------------------
    def _ends(self, bond: Bond) -> tuple[Point, Point]:
        """Where a bond begins and ends: at the borders of its elements, beside others between the same ones."""
        a, b = self.centre[bond.tail], self.centre[bond.head]
        twins = [other for other in self.graph.bonds if {other.tail, other.head} == {bond.tail, bond.head}]
        shift = PARALLEL * (2 * twins.index(bond) / (len(twins) - 1) - 1) if len(twins) > 1 else 0.0
        first, second = sorted((bond.tail, bond.head))
        u = _unit(self.centre[first], self.centre[second])
        a, b = ((p[0] - shift * u[1], p[1] + shift * u[0]) for p in (a, b))
        return self._border(bond.tail, a, b), self._border(bond.head, b, a)

    def _border(self, label: str, start: Point, towards: Point) -> Point:
        """Where the way from inside an element to elsewhere leaves it."""
        cx, cy = self.centre[label]
        half = self._half(label)
        u = _unit(start, towards)
        if self.graph.elements[label].junction and self._oblique(label):
            return _moved(start, u, self._room(label, u))
        out = [math.inf]
        for position, direction, centre, extent in zip(start, u, (cx, cy), half, strict=True):
            if abs(direction) > 1e-9:
                out.append((centre + math.copysign(extent, direction) - position) / direction)
        reach = max(min(out), 0.0)
        return start[0] + reach * u[0], start[1] + reach * u[1]

    def _bond(self, bond: Bond) -> Iterator[Line | Text]:
        a, b = self._ends(bond)
        u = _unit(a, b)
        n = (-u[1], u[0]) if (u[0], -u[1]) >= (0, 0) or u[0] > 1e-9 else (u[1], -u[0])  # below, or to the right
        wide = self.graph.widths[bond.name]
        colour = self._bond_colour(bond)
        for offset in (DOUBLE, -DOUBLE) if wide > 1 else (0.0,):
            yield Line(_moved(a, n, offset), _moved(b, n, offset), colour)
        tip = _moved(b, n, DOUBLE if wide > 1 else 0.0)
        back = (tip[0] - ARROW * math.cos(ANGLE) * u[0], tip[1] - ARROW * math.cos(ANGLE) * u[1])
        yield Line(tip, _moved(back, n, ARROW * math.sin(ANGLE)), colour)
        if self.causality is not None:
            end = b if self.causality.strokes[bond.name] == bond.head else a
            yield Line(_moved(end, n, -STROKE), _moved(end, n, STROKE), colour, 2.2)
        middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        for text, side in ((str(wide) if wide > 1 else "", -10.0), (bond.name if self.numbers else "", 11.0)):
            if text:
                yield Text(_moved(middle, n, side), text, "", SMALL - 1, QUIET)
        yield from self._port_names(bond, a, b, n)

    def _port_names(self, bond: Bond, a: Point, b: Point, n: Point) -> Iterator[Text]:
        """I and C at the ports of fields."""
        for label, end, other in ((bond.tail, a, b), (bond.head, b, a)):
            port = bond.port(bond.end(label))
            if port and self.graph.elements[label].kind in STORES:
                u = _unit(end, other)
                centre = self.centre[label]
                outer = math.copysign(1.0, (end[0] - centre[0]) * n[0] + (end[1] - centre[1]) * n[1])
                yield Text(_moved((end[0] + 16 * u[0], end[1] + 16 * u[1]), n, 13 * outer), port, "", SMALL - 1, QUIET)

    def _bond_colour(self, bond: Bond) -> str:
        if self.causality is None:
            return INK
        if bond.tail in self.causality.derivative or bond.head in self.causality.derivative:
            return DERIVATIVE
        return LOOP if any(bond.name in part for part in self._looped) else INK

    @cached_property
    def _looped(self) -> list[set[str]]:
        from visviva.bonds.computation import strong_parts

        assert self.causality is not None
        parts = strong_parts(self.graph, self.causality.strokes)
        return [{name for _, name in part} for part in parts]

    # -- the whole ----------------------------------------------------------------------------------------------
    def drawing(self) -> Drawing:
        texts, lines = list(self._elements()), list[Line]()
        for bond in self.graph.bonds:
            for mark in self._bond(bond):
                (lines if isinstance(mark, Line) else texts).append(mark)  # type: ignore[arg-type]
        points = [p for line in lines for p in (line.start, line.end)] + [p for text in texts for p in _corners(text)]
        low = min(p[0] for p in points), min(p[1] for p in points)
        high = max(p[0] for p in points), max(p[1] for p in points)
        notes = self._notes(low[0], high[1])
        texts += notes
        wide = max([high[0], *(note.at[0] + 2 * note.half for note in notes)])
        size = wide - low[0] + 2 * MARGIN, high[1] - low[1] + 2 * MARGIN + 20 * len(notes)
        shift = MARGIN - low[0], MARGIN - low[1]
        return Drawing(
            self.graph.name,
            size,
            tuple(Line(_plus(line.start, shift), _plus(line.end, shift), line.colour, line.width) for line in lines),
            tuple(Text(_plus(t.at, shift), t.upright, t.slanted, t.size, t.colour, t.anchor) for t in texts),
        )

    def _notes(self, x: float, y: float) -> list[Text]:
        """What colours mean, where there are any."""
        if self.causality is None:
            return []
        lines = [
            (f"derivative causality: {', '.join(self.causality.derivative)}", DERIVATIVE, self.causality.derivative)
        ]
        for loop in self.causality.loops:
            lines.append((f"algebraic loop: {', '.join(loop)}", LOOP, loop))
        shown = [(text, colour) for text, colour, which in lines if which]
        return [Text((x, y + 22 + 20 * k), text, "", SMALL, colour, "start") for k, (text, colour) in enumerate(shown)]


def text_width(text: str, size: float) -> float:
    """Width of a text in the usual serif fonts; combining marks have none."""
    letters = (letter for letter in text if not unicodedata.combining(letter))
    return size * sum(next((width for group, width in WIDTHS if letter in group), 0.5) for letter in letters)


def _unit(a: Point, b: Point) -> Point:
    length = math.hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def _moved(p: Point, n: Point, distance: float) -> Point:
    return p[0] + distance * n[0], p[1] + distance * n[1]


def _plus(p: Point, d: Point) -> Point:
    return p[0] + d[0], p[1] + d[1]


def _corners(text: Text) -> tuple[Point, Point]:
    x, y = text.at
    left = {"middle": x - text.half, "start": x, "end": x - 2 * text.half}[text.anchor]
    return (left, y - 0.6 * text.size), (left + 2 * text.half, y + 0.6 * text.size)
