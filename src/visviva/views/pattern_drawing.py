"""A drawn pattern as data: rectangles, dots, polylines and the space that texts take, in pixels, y downwards."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import NamedTuple, final

Point = tuple[float, float]

NAME_SIZE, PORT_SIZE = 13.0, 11.0  # font sizes of boxes and of ports
ADVANCE = 0.61  # width of a glyph of the usual monospaced fonts, in units of the font size
LINE_HEIGHT = 1.25


class Rect(NamedTuple):
    """An upright rectangle, x0 ≤ x1 and y0 ≤ y1."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def centre(self) -> Point:
        """Where the diagonals meet."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def overlaps(self, other: Rect) -> bool:
        """Whether the interiors meet."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1


@final
@dataclass(frozen=True)
class Frame:
    """The rectangular outer box of a pattern, with the name of the composite at its corner."""

    name: str
    rect: Rect


@final
@dataclass(frozen=True)
class Box:
    """A round inner box."""

    name: str
    kind: str
    rect: Rect


@final
@dataclass(frozen=True)
class Dot:
    """A junction."""

    name: str
    centre: Point


@final
@dataclass(frozen=True)
class Line:
    """A port: from a box, or a junction behind a frame, to a junction; or from a junction to the outside ("")."""

    start: str
    end: str
    points: tuple[Point, ...]
    power: bool


@final
@dataclass(frozen=True)
class Label:
    """A text in the middle of its rectangle; `of` is the box it belongs to, or ""."""

    text: str
    rect: Rect
    size: float
    of: str = ""


@final
@dataclass(frozen=True)
class Drawing:
    """All that is seen. Names of boxes and junctions are paths with dots; frames are listed from outside to inside."""

    size: Point
    frames: tuple[Frame, ...]
    boxes: tuple[Box, ...]
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]


def text_width(text: str, size: float) -> float:
    """Width of a text in a monospaced font; ideographs take two places."""
    places = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    return places * ADVANCE * size


def text_height(size: float) -> float:
    """Height of a line of text."""
    return LINE_HEIGHT * size
