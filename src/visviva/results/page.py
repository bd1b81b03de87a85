"""Self-contained pages: a motion that plays, pictures and texts below it; of runs energy and audit."""

from __future__ import annotations

import html
import io
import json
from importlib.resources import files
from os import PathLike
from string import Template
from typing import TYPE_CHECKING, Any

from visviva._files import write_text
from visviva.results.page_motion import moving_picture
from visviva.results.plot import plot
from visviva.results.sankey import panels, sankey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run


def write_page(run: Run, path: str | PathLike[str]) -> None:
    """Write the page of a run."""
    sections = [picture_section(plot(run, ("energy",)))]
    if panels(run):
        sections.append(picture_section(sankey(run)))
    sections.append(text_section("Audit", str(run.audit())))
    write_text(path, page_text(run.model.name, "run", repr(run).strip("<>"), moving_picture(run), sections))


def page_text(title: str, kind: str, summary: str, motion: dict[str, Any], sections: list[str]) -> str:
    """A page; nothing in it refers to another file or to the network.

    kind: of what it is.   motion: see `moving_picture`.   sections: HTML below the motion.
    """
    template = Template(files("visviva.results").joinpath("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=html.escape(title),
        kind=kind,
        summary=html.escape(summary),
        motion=json.dumps(motion, separators=(",", ":")).replace("<", "\\u003c"),
        sections="\n".join(sections),
    )


def text_section(heading: str, text: str) -> str:
    """Lines as they are printed."""
    return f"<h2>{html.escape(heading)}</h2>\n<pre>{html.escape(text)}</pre>"


def picture_section(figure: Figure) -> str:
    """A figure as an element of a page; it is closed."""
    import matplotlib.pyplot as plt

    picture = io.StringIO()
    figure.savefig(picture, format="svg", transparent=True)
    plt.close(figure)
    svg = picture.getvalue()
    return f'<section class="picture">{svg[svg.index("<svg") :]}</section>'
