"""Pictures of interconnection patterns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

from visviva.errors import ModelError
from visviva.language import Composite
from visviva.views.pattern_drawing import Drawing
from visviva.views.pattern_layout import lay_out
from visviva.views.pattern_legend import with_legend
from visviva.views.pattern_png import image
from visviva.views.pattern_region import expanded_paths, pattern
from visviva.views.pattern_svg import svg
from visviva.views.picture import AbstractPicture


@final
@dataclass(frozen=True)
class Picture(AbstractPicture):
    """A drawn pattern: `svg` is its text, `drawing` its geometry. Notebooks show it."""

    drawing: Drawing

    @cached_property
    def svg(self) -> str:
        """The text of an SVG file, which needs no other file."""
        return svg(self.drawing)

    def _image(self, kind: str) -> bytes:
        return image(self.drawing, kind)

    def __repr__(self) -> str:
        width, height = self.drawing.size
        return f"<Picture of {self.drawing.frames[0].name!r}, {width:.0f} x {height:.0f}>"


def draw(
    system: Composite,
    path: str | Path | None = None,
    flat: bool = False,
    expand: Iterable[str] | bool = (),
    legend: bool = False,
) -> Picture:
    """The interconnection pattern of a composite, as in the figures of Lohmayer, Capobianco and Leyendecker.

    Round boxes are subsystems, coloured by kind; dots are junctions, that is shared energy domains; solid lines are
    power ports, dashed ones state ports; the rectangle is the composite, through which its outer ports leave. A port
    name that several ports at a junction have in common is written there once.

    path:    where to write it as well: .svg, .png or .pdf.
    flat:    draw the flattened system, system.flatten().
    expand:  names of composite boxes to draw with what is inside, "b" or, deeper, "b.inner"; True for all.
    legend:  explain the colours below.
    """
    if not isinstance(system, Composite):
        raise ModelError(
            f"only a composite has a pattern to draw, got {system!r}.\n"
            "Join systems with compose(...); a single one can be the only box. Mechanisms, bond graphs and modes have\n"
            "pictures of their own; of a multicopter draw its mechanism, vv.draw(vv.copter.mechanism(vehicle))."
        )
    if flat and expand:
        raise ModelError(f"a flat picture of {system.name!r} has no boxes to expand: give flat or expand, not both.")
    shown = system.flatten() if flat else system
    if isinstance(expand, bool):
        opened = None if expand else frozenset[tuple[str, ...]]()
    else:
        opened = expanded_paths(shown, (expand,) if isinstance(expand, str) else tuple(expand))
    drawing = lay_out(pattern(shown, opened))
    picture = Picture(with_legend(drawing) if legend else drawing)
    if path is not None:
        picture.save(path)
    return picture
