"""Pictures of mechanisms."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

from visviva._files import figure_bytes
from visviva._suggestions import helpful
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.mechanism.assembly import StateLike
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_canvas import paint
from visviva.views.mechanism_drawing import Drawing, drawing_of, extent, with_world
from visviva.views.mechanism_names import NAMED
from visviva.views.mechanism_placement import placement
from visviva.views.mechanism_screws import Shown, screws_of
from visviva.views.mechanism_view import look
from visviva.views.picture import AbstractPicture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 200


@final
@dataclass(frozen=True, eq=False)
class MechanismPicture(AbstractPicture):
    """A drawn mechanism: `svg` is its text, `drawing` its lines and names. Notebooks show it."""

    drawing: Drawing

    @property
    def figure(self) -> Figure:
        """A figure of its own, to which more can be added; its unit of length is the point."""
        from matplotlib.figure import Figure

        figure = Figure(dpi=DPI)
        paint(self.drawing, figure)
        return figure

    @cached_property
    def svg(self) -> str:
        """The text of an SVG file, which needs no other file."""
        text = io.StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Title": self.drawing.name})
        svg = text.getvalue()
        return svg[svg.index("<svg") :]

    def _image(self, kind: str) -> bytes:
        return figure_bytes(self.figure, kind)

    def __repr__(self) -> str:
        low, high = self.drawing.bounds
        return f"<Picture of {self.drawing.name!r}, {high[0] - low[0]:.0f} x {high[1] - low[1]:.0f}>"


@helpful
def draw_mechanism(
    m: Mechanism | Definition,
    path: str | Path | None = None,
    *,
    at: StateLike | None = None,
    state: StateLike | None = None,
    view: tuple[float, float] | None = None,
    names: bool | None = None,
    solids: bool | None = None,
    screws: Shown | Sequence[Shown] = (),
) -> MechanismPicture:
    """A mechanism as built, or at a state, in an orthographic projection.

    Bodies are lines between their joints, over the solid of uniform density that has their inertia; joints are drawn
    by kind, springs as zig-zags, the ground hatched. What moves in one plane is seen along its normal.

    path:   where to write it as well: .svg, .png or .pdf.
    at:     values by name, e.g. {"hinge.q": 0.3}, the first result of `m.assemble()`, a run or `run.final`; left out,
            the mechanism is shown as built. `state` is its older name.
    view:   azimuth and elevation of the viewer [degrees].
    names:  whether parts are named; by default those of a mechanism of few are.
    solids: whether solids are shown; by default those of few bodies are.
    screws: whose screws are shown: a body by name (its motion against the ground), a pair of names, a
            `m.kinestatics().freedom(...)` (its motions and what holds it), a `vv.screws.System`, or a list of these.
    """
    m = definition_of(m)
    scene, place = Scene(m), placement(m, state if at is None else at)
    filled = scene.few if solids is None else solids
    seen = look(m, place, extent(scene, place, solids=False), view).fitted(extent(scene, place, filled))
    named = len(m.parts) <= NAMED if names is None else names
    drawn = screws_of(m, place, screws)
    drawing = drawing_of(scene, place, seen, named, filled, drawn)
    picture = MechanismPicture(with_world(drawing, m, seen))
    if path is not None:
        picture.save(path)
    return picture
