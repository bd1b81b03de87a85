"""Joints as they are drawn, by the glyph of their kind: weld, hinge, slide, sleeve, thread, cross, ball, table, rod,
bead_on_wire, bead_on_plate, or nothing."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.library.joints import Family
from visviva.mechanism.parts import Joint
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import (
    CHAIN_DASHES,
    INK,
    METAL,
    PAPER,
    QUIET,
    Stroke,
    block,
    disc,
    drum,
)
from visviva.views.mechanism_view import View

TINY = 0.2  # size of marks below which joints would hide the bodies between them
SIDE_ON = 0.25  # a direction is seen end-on where less than this part of it is left on the page
GUIDES = ("slide", "sleeve", "thread", "bead_on_wire")
SQUARE = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)])
LARGEST = ("slide", "sleeve", "thread", "table", "hinge", "cross", "ball")
PLATES = ("table", "bead_on_plate")


def in_order(joints: list[Joint], place: Placement, view: View) -> list[Joint]:
    """Joints in the order of painting: the farthest first, of those at one place the largest first."""

    def key(joint: Joint) -> tuple[float, int]:
        depth = float(view.scale * view.depth(place.frame(joint, joint.child)[1]))
        return round(depth, 1), LARGEST.index(joint.joint.glyph) if joint.joint.glyph in LARGEST else len(LARGEST)

    return sorted(joints, key=key)


def joint_lines(joint: Joint, place: Placement, view: View, size: float) -> list[Stroke]:
    """What lies behind the bodies: the axis of a joint, its guide or its plane. `size` is 1 for a picture of few."""
    R, _ = place.frame(joint, joint.parent)
    at = view.page(place.frame(joint, joint.child)[1])
    z, glyph = view.flat(R[:, 2]), joint.joint.glyph
    if glyph == "hinge" and np.hypot(*z) > SIDE_ON:
        return [Stroke(at + 17 * size * np.outer((-1, 1), z), QUIET, 0.8, dash=CHAIN_DASHES)]
    if glyph in GUIDES:
        dash = None if glyph == "bead_on_wire" else CHAIN_DASHES
        return [Stroke(np.stack(guide(joint, place, view, size)), QUIET, 0.9, dash=dash)]
    if glyph in PLATES:
        return [Stroke(plate(joint, place, view, size), QUIET, 0.8, METAL + "b0")]
    return []


def plate(joint: Joint, place: Placement, view: View, size: float) -> Array:
    """Corners on the page of a piece of the plane in which a joint moves, around where it is."""
    R, _ = place.frame(joint, joint.parent)
    return view.page(place.frame(joint, joint.child)[1]) + view.flat(20 * size * SQUARE @ R[:, :2].T)


def guide(joint: Joint, place: Placement, view: View, size: float) -> tuple[Array, Array]:
    """Both ends on the page of the line along which a joint slides: past where it was built and where it is."""
    (R, r_P), (_, r_C) = (place.frame(joint, end) for end in (joint.parent, joint.child))
    start, at, z = view.page(r_P), view.page(r_C), view.flat(R[:, 2])
    slid = float((at - start) @ z) / max(float(z @ z), 1e-12)
    return start + (min(slid, 0.0) - 30 * size) * z, start + (max(slid, 0.0) + 30 * size) * z


def joint_marks(joint: Joint, place: Placement, view: View, size: float) -> list[Stroke]:
    """The joint itself, in front of the bodies."""
    if size < TINY and joint.joint.glyph != "rod":
        return []
    (R_P, r_P), (R_C, r_C) = (place.frame(joint, end) for end in (joint.parent, joint.child))
    at, width = view.page(r_C), max(0.5, size)
    match joint.joint.glyph:
        case "hinge" | "table":
            return [*drum(view, at, R_P, 4.6 * size, 5.0 * size, width=width), *_pin(view, at, R_P, size)]
        case "sleeve":
            return drum(view, at, R_P, 4.6 * size, 10.0 * size, width=width)
        case "thread":
            return [*drum(view, at, R_P, 4.6 * size, 10.0 * size, width=width), *_thread(view, at, R_P, size)]
        case "slide":
            return block(view, at, R_P, np.array([4.4, 4.4, 10.0]) * size, width=width)
        case "cross":
            return _cross(joint, view, at, R_P, R_C, size)
        case "ball":
            shine = at + size * np.array([-1.4, 1.5])
            return [disc(at, 4.8 * size, METAL, width=width), disc(shine, 1.3 * size, PAPER, PAPER, 0.1)]
        case "rod":
            rod = Stroke(view.page(np.stack([r_P, r_C])), INK, 1.6 * width)
            return [rod, *(disc(view.page(r), 2.6 * size, PAPER, width=width) for r in (r_P, r_C))]
        case "weld":
            return [Stroke(at + 3.4 * size * SQUARE, INK, width, INK)]
        case "bead_on_wire" | "bead_on_plate":
            return [disc(at, 3.2 * size, INK, width=width)]
        case "nothing":
            return []
        case _:
            return [disc(at, 4.0 * size, PAPER, width=width)]


def _pin(view: View, at: Array, R: Array, size: float) -> list[Stroke]:
    """The end of the pin of a hinge, where its axis points to the viewer."""
    near = 5.0 * size * view.flat(R[:, 2]) * np.sign(view.towards @ R[:, 2])
    if abs(view.towards @ R[:, 2]) < SIDE_ON:
        return []
    return [disc(at + near, 1.3 * size, INK, width=0.2)]


def _thread(view: View, at: Array, R: Array, size: float) -> list[Stroke]:
    """Threads on the drum of a screw, where it is not seen end-on."""
    z = view.flat(R[:, 2])
    if np.hypot(*z) < SIDE_ON:
        return []
    along = z / np.hypot(*z)
    across = 4.6 * np.array([-along[1], along[0]])
    starts = [6.0 * part * z for part in (-1, 0, 1)]
    return [Stroke(at + size * np.stack([s - across - along, s + across + along]), INK, 0.7) for s in starts]


def _cross(joint: Joint, view: View, at: Array, R_P: Array, R_C: Array, size: float) -> list[Stroke]:
    """The cross of a universal joint: a pin on the parent, thick, and one on the child, which stay normal."""
    row = next(row for row in joint.joint.rows if row.family is Family.DOT)
    pins = (R_P[:, row.parent], 2.6), (R_C[:, row.child], 2.6)
    strokes = []
    for axis, width in pins:
        ends = at + 9.5 * size * np.outer((-1, 1), view.flat(axis))
        strokes.append(Stroke(ends, INK, (width + 1.6) * size))
        strokes.append(Stroke(ends, METAL, width * size))
    return [*strokes, disc(at, 2.6 * size, METAL, width=max(0.5, size))]
