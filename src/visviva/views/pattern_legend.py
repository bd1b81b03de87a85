"""A legend below a drawn pattern: the colours of the kinds of boxes that are in it."""

from __future__ import annotations

from dataclasses import replace

from visviva.views.pattern_drawing import PORT_SIZE, Box, Drawing, Label, Rect, text_height, text_width
from visviva.views.pattern_style import COLOURS

MARGIN, SAMPLE, SPACE = 8.0, (18.0, 11.0), 14.0  # around it; the size of a sample; between entries


def with_legend(drawing: Drawing) -> Drawing:
    """The drawing with a row of samples and names of kinds, broken where it would be wider than the drawing."""
    kinds = [kind for kind in COLOURS if any(box.kind == kind for box in drawing.boxes)]
    left = drawing.frames[0].rect.x0
    widths = [SAMPLE[0] + 4.0 + text_width(kind, PORT_SIZE) for kind in kinds]
    width = max([drawing.size[0], *(left + entry + MARGIN for entry in widths)])
    x, y, height = left, drawing.size[1], text_height(PORT_SIZE)
    boxes, labels = list(drawing.boxes), list(drawing.labels)
    for kind, entry in zip(kinds, widths, strict=True):
        if x > left and x + entry > width - MARGIN:
            x, y = left, y + height + 3.0
        middle, name = y + height / 2, f"legend: {kind}"
        boxes.append(Box(name, kind, Rect(x, middle - SAMPLE[1] / 2, x + SAMPLE[0], middle + SAMPLE[1] / 2)))
        labels.append(Label(kind, Rect(x + SAMPLE[0] + 4.0, y, x + entry, y + height), PORT_SIZE, name))
        x += entry + SPACE
    return replace(drawing, size=(width, y + height + MARGIN), boxes=tuple(boxes), labels=tuple(labels))
