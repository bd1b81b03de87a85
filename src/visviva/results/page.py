"""The run page: one self-contained HTML file with the motion, the energy pictures and the audit."""

from __future__ import annotations

import html
import io
import json
from importlib.resources import files
from os import PathLike
from string import Template
from typing import TYPE_CHECKING

from visviva._files import write_text
from visviva.results.page_motion import moving_picture
from visviva.results.plot import plot
from visviva.results.sankey import panels, sankey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run


def write_page(run: Run, path: str | PathLike[str]) -> None:
    """Write the page; nothing in it refers to another file or to the network."""
    template = Template(files("visviva.results").joinpath("page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=html.escape(run.model.name),
        summary=html.escape(repr(run).strip("<>")),
        audit=html.escape(str(run.audit())),
        energy=_svg(plot(run, ("energy",))),
        sankey=_svg(sankey(run)) if panels(run) else "",
        motion=json.dumps(moving_picture(run), separators=(",", ":")).replace("<", "\\u003c"),
    )
    write_text(path, text)


def _svg(figure: Figure) -> str:
    """A figure as an element of the page; it is closed."""
    import matplotlib.pyplot as plt

    picture = io.StringIO()
    figure.savefig(picture, format="svg", transparent=True)
    plt.close(figure)
    svg = picture.getvalue()
    return svg[svg.index("<svg") :]
