"""The Sankey picture: ribbons from where energy came from, through the system, to where it went."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, final

from visviva._files import write_figure
from visviva.errors import ModelError
from visviva.results.shares import WHAT, Share, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

    from visviva.results.run import Run

COLOURS = {"stored": "#4c78a8", "input": "#54a24b", "heat": "#d1495b", "environment": "#9c755f"}
PREFIXES = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
# lengths in inches: names must not overlap, whatever the amounts
TALL, BAR, SPAN, LINE, GAP, LETTER, MARGIN, HEAD = 2.4, 0.12, 1.3, 0.17, 0.09, 0.072, 0.15, 0.55
LONGEST = 34  # letters of a name


@final
@dataclass(frozen=True)
class Panel:
    """One side-by-side part of the picture: sources, system, sinks."""

    name: str
    what: str
    sources: list[Share]
    sinks: list[Share]
    narrow: bool  # names and amounts one above the other

    @property
    def total(self) -> float:
        """What flowed through the system [J]."""
        return max(sum(share.amount for share in side) for side in (self.sources, self.sinks))

    @property
    def unit(self) -> tuple[float, str]:
        """A power of ten, and its letter, in which the total is a number between 1 and 1000."""
        return next((pair for pair in PREFIXES if self.total >= pair[0]), PREFIXES[-1])

    @property
    def title(self) -> str:
        """What flowed, and how much of it."""
        size, prefix = self.unit
        return f"{self.name}: {self.what}, {self.total / size:.4g} {prefix}J in all"

    def label(self, share: Share) -> str:
        """Name, amount and part of the whole."""
        name = share.name if len(share.name) <= LONGEST else f"{share.name[: LONGEST - 1]}…"
        size, prefix = self.unit
        percent = 100 * share.amount / self.total
        part = f"{percent:.0f} %" if percent >= 1 else "< 1 %"
        between = "\n" if self.narrow else "  "
        return f"{name}{between}{share.amount / size:.3g} {prefix}J  ({part})"

    def room(self, side: list[Share]) -> float:
        """Width that the names of a side need."""
        return LETTER * max((len(line) for share in side for line in self.label(share).splitlines()), default=0)

    @property
    def width(self) -> float:
        """Of everything, in inches."""
        drawn = self.room(self.sources) + self.room(self.sinks) + 2 * SPAN + 3 * BAR + 4 * MARGIN
        return max(drawn, 1.4 * LETTER * len(self.title) + 2 * MARGIN)

    @property
    def height(self) -> float:
        """Of everything, in inches."""
        return HEAD + 2 * MARGIN + max(TALL, *(sum(self.slots(side)) for side in (self.sources, self.sinks)))

    def slots(self, side: list[Share]) -> list[float]:
        """Height of each share with the room that its name needs."""
        line = LINE * (2 if self.narrow else 1)
        return [max(TALL * share.amount / self.total, line) + GAP for share in side]


def sankey(run: Run, path: str | PathLike[str] | None = None, what: str | None = None) -> Figure:
    """Draw where energy and exergy came from and went; see `Run.sankey`."""
    return draw_panels(run.model.name, panels(run, what), path)


def draw_panels(name: str, parts: list[Panel], path: str | PathLike[str] | None = None) -> Figure:
    """Panels side by side; name: of what they are of."""
    import matplotlib.pyplot as plt

    if not parts:
        raise ModelError(f"in the run of {name!r} no energy flowed beyond rounding: there is nothing to draw.")
    width, height = sum(panel.width for panel in parts), max(panel.height for panel in parts)
    figure, left = plt.figure(figsize=(width, height), layout="none"), 0.0  # places are given, whatever the style says
    for panel in parts:
        axes = figure.add_axes((left / width, 0.0, panel.width / width, 1.0))
        axes.set(xlim=(0, panel.width), ylim=(0, height))
        axes.axis("off")
        _draw(axes, panel, height)
        left += panel.width
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure


def panels(run: Run, what: str | None = None) -> list[Panel]:
    """What the picture shows; empty if nothing flowed."""
    wanted = (what,) if what is not None else WHAT if run.model.is_thermal else WHAT[:1]
    found = [Panel(run.model.name, one, *shares(run, one), narrow=len(wanted) > 1) for one in wanted]
    return [panel for panel in found if panel.total > 0]


def _draw(axes: Axes, panel: Panel, height: float) -> None:
    """One panel in inches, centred vertically below its title."""
    from matplotlib.patches import Rectangle

    middle = 0.5 * (height - HEAD - MARGIN)
    x0 = MARGIN + panel.room(panel.sources) + MARGIN
    hub = x0 + BAR + SPAN
    axes.text(MARGIN, height - MARGIN, panel.title, va="top", weight="bold", parse_math=False)
    for x, text, align in ((x0, "from", "right"), (hub + 2 * BAR + SPAN, "to", "left")):
        axes.text(x, height - HEAD, text, ha=align, va="center", color="0.45", fontsize=9)
    axes.add_patch(Rectangle((hub, middle - 0.5 * TALL), BAR, TALL, color="0.25", lw=0))
    _side(axes, panel, panel.sources, middle, (x0 + BAR, hub), x0, "right")
    _side(axes, panel, panel.sinks, middle, (hub + BAR + SPAN, hub + BAR), hub + BAR + SPAN, "left")


def _side(
    axes: Axes, panel: Panel, side: list[Share], middle: float, span: tuple[float, float], bar: float, align: str
) -> None:
    """Bars with their names, and ribbons to the hub; `span` goes from the bars to the hub."""
    from matplotlib.patches import PathPatch, Rectangle

    slots = panel.slots(side)
    top, inner = middle + 0.5 * sum(slots), middle + 0.5 * TALL
    for share, slot in zip(side, slots, strict=True):
        tall, colour = TALL * share.amount / panel.total, COLOURS[share.kind]
        y = top - 0.5 * slot
        axes.add_patch(Rectangle((bar, y - 0.5 * tall), BAR, tall, color=colour, lw=0))
        axes.add_patch(PathPatch(_ribbon(span, y, inner - 0.5 * tall, tall), color=colour, alpha=0.45, lw=0))
        x = bar - 0.5 * MARGIN if align == "right" else bar + BAR + 0.5 * MARGIN
        axes.text(x, y, panel.label(share), ha=align, va="center", fontsize=9, parse_math=False)
        top, inner = top - slot, inner - tall


def _ribbon(span: tuple[float, float], y0: float, y1: float, tall: float) -> Path:
    """A band of constant height between two levels, along cubic Bézier curves that start and end level."""
    from matplotlib.path import Path

    (a, b), half = span, 0.5 * tall
    bend = 0.5 * (a + b)
    points = [
        (a, y0 + half), (bend, y0 + half), (bend, y1 + half), (b, y1 + half),
        (b, y1 - half), (bend, y1 - half), (bend, y0 - half), (a, y0 - half), (a, y0 + half),
    ]  # fmt: skip
    curve = [Path.CURVE4] * 3
    return Path(points, [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY])
