"""The run page: one self-contained HTML file with the motion, the energy pictures and the audit."""

from __future__ import annotations

import html
import io
import json
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.mechanism.coordinates import movers
from visviva.mechanism.parts import Body, Ground, Particle
from visviva.results.plot import plot
from visviva.results.sankey import panels, sankey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run

FRAMES = 400  # enough for a smooth picture; more would only make the file larger


def write_page(run: Run, path: str | PathLike[str]) -> None:
    """Write the page; nothing in it refers to another file or to the network."""
    template = Template(files("visviva.results").joinpath("page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=html.escape(run.model.name),
        summary=html.escape(repr(run).strip("<>")),
        audit=html.escape(str(run.audit())),
        energy=_svg(plot(run, "energy")),
        sankey=_svg(sankey(run)) if panels(run) else "",
        motion=json.dumps(_stick_figure(run), separators=(",", ":")).replace("<", "\\u003c"),
    )
    Path(path).write_text(text, encoding="utf-8")


def _svg(figure: Figure) -> str:
    """A figure as an element of the page; it is closed."""
    import matplotlib.pyplot as plt

    picture = io.StringIO()
    figure.savefig(picture, format="svg", transparent=True)
    plt.close(figure)
    svg = picture.getvalue()
    return svg[svg.index("<svg") :]


def _stick_figure(run: Run) -> dict[str, Any]:
    """Points over time and the lines between them: each body as a star from its centre of mass to its joints.

    A body held at one point only is drawn as far beyond its centre of mass, so that a pendulum has a free end.
    """
    motion = run.motion
    if motion is None:
        return {"t": [], "points": [], "lines": [], "marks": []}
    kept = np.unique(np.linspace(0, len(run.t) - 1, FRAMES).round().astype(int))
    points: list[np.ndarray[Any, Any]] = []
    lines: list[tuple[int, int, str]] = []
    marks: list[tuple[int, str]] = []

    def add(r: np.ndarray[Any, Any]) -> int:
        points.append(r[kept])
        return len(points) - 1

    centres: dict[str, int] = {}
    for part in motion.mechanism.bodies:
        centres[part.name] = add(motion.centre(part))
        marks.append((centres[part.name], "particle" if isinstance(part, Particle) else "com"))
    for joint in motion.mechanism.joints:
        end = next(end for end in movers(joint))
        at = add(motion.point(end, joint.r_W))
        marks.append((at, "ground" if Ground in (type(joint.parent), type(joint.child)) else "joint"))
        lines += [(centres[end.name], at, end.name) for end in movers(joint) if isinstance(end, Body)]
    for part in motion.mechanism.bodies:
        held = [joint.r_W for joint in motion.mechanism.joints if part in movers(joint)]
        shown = any(frame.carrier is part for frame in motion.mechanism.frames)
        if isinstance(part, Body) and len(held) == 1 and not shown:
            lines.append((centres[part.name], add(motion.point(part, 2 * part.r_WC - held[0])), part.name))
    for frame in motion.mechanism.frames:
        at = add(motion.pose(frame).r)
        marks.append((at, "frame"))
        if isinstance(frame.carrier, Body):
            lines.append((centres[frame.carrier.name], at, frame.carrier.name))
    return {
        "t": np.round(run.t[kept], 6).tolist(),
        "points": np.round(np.stack(points, axis=1), 6).tolist(),
        "lines": lines,
        "marks": marks,
    }
