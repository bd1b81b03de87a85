"""A mechanism in motion as a moving picture, which repeats itself."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from visviva._files import write_bytes, write_text
from visviva.errors import ModelError
from visviva.mechanism import Definition
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_canvas import paint
from visviva.views.mechanism_drawing import MARGIN, Drawing, drawing_of, extent, with_world
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import PAPER, Stroke, ring
from visviva.views.mechanism_view import look

DPI = 100
SHORTEST = 0.02  # [s] between frames: players show what is shorter more slowly


@final
@dataclass(frozen=True, eq=False)
class Film:
    """Drawings of one size, shown one after the other, again and again. Notebooks show it.

    drawings: one for each frame.   seconds: how long all of them take.
    """

    drawings: list[Drawing]
    seconds: float

    @cached_property
    def gif(self) -> bytes:
        """The contents of a .gif file."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from PIL import Image

        frames = []
        for drawing in self.drawings:
            figure = Figure(dpi=DPI)
            paint(drawing, figure)
            canvas: Any = FigureCanvasAgg(figure)
            canvas.draw()
            frames.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]).quantize(64))
        data, lasts = io.BytesIO(), round(1000 * self.seconds / len(frames))
        frames[0].save(data, "GIF", save_all=True, append_images=frames[1:], duration=lasts, loop=0, disposal=1)
        return data.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says what: .gif, or .html, which needs no other file."""
        path = Path(path)
        if path.suffix not in (".gif", ".html"):
            raise ModelError(f"a film cannot be saved as {path.name!r}: the name must end with .gif or .html.")
        if path.suffix == ".gif":
            write_bytes(path, self.gif, folders=True)
        else:
            name = self.drawings[0].name
            page = f'<!doctype html><meta charset="utf-8"><title>{name}</title>{self._repr_html_()}\n'
            write_text(path, page, folders=True)
        return path

    def _repr_html_(self) -> str:
        return f'<img alt="" src="data:image/gif;base64,{base64.b64encode(self.gif).decode()}">'

    def __repr__(self) -> str:
        return f"<Film of {self.drawings[0].name!r}: {len(self.drawings)} frames, {self.seconds:g} s>"


def film(m: Definition, place: Placement, seconds: float, view: tuple[float, float] | None = None) -> Film:
    """A mechanism at many instants of equal distance in time, all seen from one side and at one scale."""
    scene, count = Scene(m), len(next(iter(place.q.values())))
    if seconds < SHORTEST * count:
        raise ModelError(f"a film of {count} frames takes {SHORTEST * count:g} s at least, got {seconds:g} s.")
    points = extent(scene, place, solids=False).reshape(-1, 3)
    seen = look(m, place, points, view).fitted(extent(scene, place, scene.few).reshape(-1, 3))
    drawn = [drawing_of(scene, place.at(k), seen, names=False, solids=scene.few) for k in range(count)]
    bounds = [drawing.bounds for drawing in drawn]
    low, high = np.min([b[0] for b in bounds], axis=0) + MARGIN, np.max([b[1] for b in bounds], axis=0) - MARGIN
    page = Stroke(ring(np.array([low, [high[0], low[1]], high, [low[0], high[1]]])), PAPER, 0.0)
    return Film([with_world(Drawing(one.name, [page, *one.strokes], []), m, seen) for one in drawn], seconds)
