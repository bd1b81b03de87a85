"""Pictures of bond graphs: SVG by itself, images through Matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final
from xml.sax.saxutils import escape, quoteattr

from visviva._files import figure_bytes
from visviva.bonds.drawing import Drawing, Text, drawn, text_width
from visviva.views.picture import AbstractPicture

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

FONT = "'Latin Modern Roman', 'STIX Two Text', 'Times New Roman', 'Liberation Serif', serif"
BASELINE = 0.32  # of the font size, below the middle of a line
GROUND = "#ffffff"


@final
@dataclass(frozen=True)
class BondPicture(AbstractPicture):
    """A drawn bond graph: `svg` is its text, `drawing` its lines and texts. Notebooks show it."""

    drawing: Drawing

    @cached_property
    def svg(self) -> str:
        """The text of an SVG file, which needs no other file."""
        return "\n".join(_elements(self.drawing)) + "\n"

    def _image(self, kind: str) -> bytes:
        from matplotlib.figure import Figure

        width, height = self.drawing.size
        figure = Figure(figsize=(width / 96, height / 96), dpi=192, facecolor=GROUND)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0.0, width), ylim=(height, 0.0))
        axes.axis("off")
        for line in self.drawing.lines:
            (x0, y0), (x1, y1) = line.start, line.end
            axes.plot([x0, x1], [y0, y1], color=line.colour, linewidth=0.75 * line.width, solid_capstyle="round")
        for text in self.drawing.texts:
            style: dict[str, Any] = {
                "family": ["STIXGeneral", "DejaVu Serif"],
                "fontsize": 0.75 * text.size,
                "color": text.colour,
                "va": "center_baseline",
            }
            x = text.at[0] + {"middle": -text.half, "start": 0.0, "end": -2 * text.half}[text.anchor]
            middle = x + text_width(text.upright, text.size)
            axes.text(x, text.at[1], text.upright, parse_math=False, **style)
            axes.text(middle, text.at[1], text.slanted, parse_math=False, style="italic", **style)
        return figure_bytes(figure, kind)

    def __repr__(self) -> str:
        width, height = self.drawing.size
        return f"<Picture of {self.drawing.name!r}, {width:.0f} x {height:.0f}>"


def draw(graph: BondGraph, path: str | Path | None, *, strokes: bool, numbers: bool) -> BondPicture:
    """A graph as in textbooks: half arrows, causal strokes, multibonds as double lines with their width.

    Storages in derivative causality are red, algebraic loops blue.
    """
    picture = BondPicture(drawn(graph, strokes, numbers))
    if path is not None:
        picture.save(path)
    return picture


def _elements(drawing: Drawing) -> Iterator[str]:
    width, height = (_number(length) for length in drawing.size)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" aria-label={quoteattr(f"bond graph of {drawing.name}")}>'
    )
    yield f"<title>{escape(drawing.name)}</title>"
    yield f'<rect width="{width}" height="{height}" rx="6" fill="{GROUND}"/>'
    yield '<g fill="none" stroke-linecap="round">'
    for line in drawing.lines:
        (x0, y0), (x1, y1) = line.start, line.end
        ends = f'x1="{_number(x0)}" y1="{_number(y0)}" x2="{_number(x1)}" y2="{_number(y1)}"'
        yield f'<line {ends} stroke="{line.colour}" stroke-width="{line.width:g}"/>'
    yield "</g>"
    yield f'<g font-family="{FONT}">'
    yield from map(_text, drawing.texts)
    yield "</g>"
    yield "</svg>"


def _text(text: Text) -> str:
    x, y = text.at
    at = f'x="{_number(x)}" y="{_number(y + BASELINE * text.size)}" text-anchor="{text.anchor}"'
    slanted = f'<tspan font-style="italic">{escape(text.slanted)}</tspan>' if text.slanted else ""
    return f'<text {at} font-size="{text.size:g}" fill="{text.colour}">{escape(text.upright)}{slanted}</text>'


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
