"""Colours, strokes and lengths of drawn patterns, the same in every format. Lengths are in pixels.

The colours of the kinds are light tints from the palette of Okabe and Ito (2008), which the common kinds of colour
blindness tell apart; a dark name is read on each of them.
"""

from __future__ import annotations

COLOURS = {
    "storage": "#a9d3f0",
    "reversible": "#a5ddc4",
    "irreversible": "#f2b48c",
    "environment": "#d9d9d9",
    "source": "#e2b8d2",
    "composite": "#f5e28c",
}
INK, QUIET, GROUND, INNER_GROUND = "#1a1a1a", "#404040", "#ffffff", "#faf7ea"
LINE_WIDTH, ROUND = 1.3, 5.0  # and the radius at the corners of lines
DASHES = (4.5, 3.0)
HALF_HEIGHT, PAD, CORNER = 15.0, 11.0, 7.0  # of boxes: half, beside the name, from the last line at a side to its end
DOT, FAN = 3.6, 14.0  # of junctions: the radius, and where lines that come askew become level or upright
LIFT, ASIDE = 1.0, 4.0  # of names: above level lines, beside upright ones
STUB, INNER = 4.0, 5.0  # of frames: beyond the gap, of lines outside and of all that is inside
MARGIN = 8.0  # around the whole
