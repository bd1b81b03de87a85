"""A drawn mechanism through Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.views.mechanism_drawing import Drawing
from visviva.views.mechanism_labels import ADVANCE, SIZE
from visviva.views.mechanism_strokes import PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INCH = 72.0  # [pt]


def paint(drawing: Drawing, figure: Figure, title: str = "") -> None:
    """Put a drawing on an empty figure, whose size becomes that of the drawing: one point is one point."""
    from matplotlib.collections import PolyCollection

    low, high = drawing.bounds
    room = 20.0 if title else 0.0
    high[0] = max(high[0], low[0] + ADVANCE * (SIZE + 2) * len(title) + 12.0)
    width, height = high - low
    figure.set_layout_engine("none")
    figure.set_size_inches(width / INCH, (height + room) / INCH)
    figure.set_facecolor(PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1] + room))
    axes.set_axis_off()
    strokes = drawing.strokes
    axes.add_collection(
        PolyCollection(
            [stroke.points for stroke in strokes],
            closed=False,
            edgecolors=[stroke.edge for stroke in strokes],
            facecolors=[stroke.fill for stroke in strokes],
            linewidths=[stroke.width for stroke in strokes],
            linestyles=[
                (0, stroke.dash and tuple(length / stroke.width for length in stroke.dash)) for stroke in strokes
            ],
            capstyle="round",
            joinstyle="round",
        )
    )
    for label in drawing.labels:
        weight = "bold" if label.bold else "normal"
        x, y = label.at.tolist()
        text = axes.text(x, y, label.text, color=label.colour, fontsize=SIZE, weight=weight, parse_math=False)
        text.set(ha="center", va="center_baseline")
    if title:
        axes.text(low[0] + 6, high[1] + 8, title, fontsize=SIZE + 2, va="center", parse_math=False)
