"""A drawn pattern through Matplotlib: images for papers and slides."""

from __future__ import annotations

from typing import Any

from visviva._files import figure_bytes
from visviva.views.pattern_drawing import NAME_SIZE, Drawing
from visviva.views.pattern_pixels import corner_radius
from visviva.views.pattern_style import COLOURS, DASHES, DOT, GROUND, INK, INNER_GROUND, LINE_WIDTH, QUIET

POINT = 0.75  # a pixel is 1/96 inch, a point 1/72
DPI = 192  # of pixel images: two dots per pixel


def image(drawing: Drawing, kind: str) -> bytes:
    """The contents of a .png or .pdf file. Corners of lines are not rounded."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

    width, height = drawing.size
    figure = Figure(figsize=(width / 96, height / 96), dpi=DPI, facecolor=GROUND)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, width), ylim=(height, 0.0))
    axes.axis("off")
    stroke: dict[str, Any] = {"edgecolor": INK, "linewidth": LINE_WIDTH * POINT}
    for depth, frame in enumerate(drawing.frames):
        x0, y0, x1, y1 = frame.rect
        fill = INNER_GROUND if depth else GROUND
        axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, facecolor=fill, zorder=1, **stroke))
    for line in drawing.lines:
        style = "-" if line.power else (0, tuple(length / LINE_WIDTH for length in DASHES))
        xs, ys = zip(*line.points, strict=True)
        axes.plot(xs, ys, color=INK, linewidth=LINE_WIDTH * POINT, linestyle=style, zorder=2)
    for box in drawing.boxes:
        x0, y0, x1, y1 = box.rect
        shape = f"round,pad=0,rounding_size={corner_radius(box.rect)}"
        axes.add_patch(
            FancyBboxPatch((x0, y0), x1 - x0, y1 - y0, boxstyle=shape, facecolor=COLOURS[box.kind], zorder=3, **stroke)
        )
    for dot in drawing.dots:
        axes.add_patch(Circle(dot.centre, DOT, color=INK, linewidth=0, zorder=4))
    for label in drawing.labels:
        axes.text(
            *label.rect.centre,
            label.text,
            family="monospace",
            fontsize=label.size * POINT,
            color=INK if label.size == NAME_SIZE else QUIET,
            ha="center",
            va="center_baseline",
            parse_math=False,
            zorder=5,
        )
    return figure_bytes(figure, kind)
