"""The ground, the axes of the world and gravity as they are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.mechanism import Definition
from visviva.mechanism.parts import Ground, Joint
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_joints import GUIDES, PLATES, SIDE_ON, guide, plate
from visviva.views.mechanism_labels import Label
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import INK, PAPER, QUIET, Stroke, arrow, disc, ring
from visviva.views.mechanism_view import View

SIDES = np.array([(0, -1), (0, 1), (-1, 0), (1, 0)], dtype=np.float64)  # below, where nothing speaks against it
ARM = 20.0  # of the axes of the world [pt]
END_ON = 0.12
ASKEW = 0.5  # cosine from which on a body leads downwards


def grounds(scene: Scene, place: Placement, view: View, size: float) -> list[Stroke]:
    """Hatched ground where a joint or spring holds on to it."""
    leading = _leading(scene, place, view)
    strokes: list[Stroke] = []
    for link in scene.links:
        for end in (link.parent, link.child):
            if not isinstance(end, Ground):
                continue
            R, r = place.frame(link, end)
            if isinstance(link, Joint) and link.joint.glyph in PLATES:
                strokes += edge_of_ground(plate(link, place, view, size), size)
            elif isinstance(link, Joint) and link.joint.glyph in GUIDES and np.hypot(*view.flat(R[:, 2])) > SIDE_ON:
                strokes += rail(*guide(link, place, view, size), size)
            else:
                strokes += support(view.page(r), leading(r), size)
    return strokes


def _leading(scene: Scene, place: Placement, view: View) -> Callable[[Array], Array]:
    """For a world point the directions on the page in which bodies and springs lead away from it."""
    lines = [place.points(shape.body, shape.corners) for shape in scene.shapes if len(shape.corners)]
    lines += [np.stack([place.frame(link, end)[1] for end in (link.parent, link.child)]) for link in scene.links]
    steps = np.concatenate([np.zeros((0, 2, 3)), *(np.stack([line[:-1], line[1:]], axis=1) for line in lines)])
    both = view.page(np.concatenate([steps, steps[:, ::-1]]))

    def directions(r_W: Array) -> Array:
        at = view.page(r_W)
        here = both[np.linalg.norm(both[:, 0] - at, axis=-1) < 1.0]
        away = np.asarray(here[:, 1] - here[:, 0])
        return away[np.linalg.norm(away, axis=-1) > 1.0]

    return directions


def support(at: Array, busy: Array, size: float) -> list[Stroke]:
    """A triangle on hatched ground: below a page point, or where fewer of the directions `busy` lead."""
    crowded = (busy / np.linalg.norm(busy, axis=-1, keepdims=True) @ SIDES.T).max(axis=0, initial=-1.0)
    out = SIDES[0 if crowded[0] < ASKEW else int(np.argmin(crowded))]
    side = np.array([-out[1], out[0]])
    foot = at + 11 * size * out
    triangle = np.array([at, foot + 6.5 * size * side, foot - 6.5 * size * side])
    width = max(0.5, size)
    return [Stroke(ring(triangle), INK, width, PAPER), *hatched(foot, side, out, 10.5 * size, size)]


def hatched(middle: Array, along: Array, out: Array, half: float, size: float) -> list[Stroke]:
    """A line of ground with hatches on one side."""
    width = max(0.5, size)
    line = Stroke(middle + np.outer((-half, half), along), INK, width)
    starts = np.arange(-half + 3.0 * size, half + 0.01, 4.0 * size)
    slant = 4.0 * size * (out - along)
    return [
        line,
        *(Stroke(np.array([middle + s * along, middle + s * along + slant]), INK, 0.7 * width) for s in starts),
    ]


def rail(start: Array, end: Array, size: float) -> list[Stroke]:
    """Hatched ground along a guide on the page, below it or to its right."""
    along = (end - start) / np.linalg.norm(end - start)
    out = np.array([along[1], -along[0]])
    out = -out if out[1] > 0 or (out[1] == 0 and out[0] < 0) else out
    return hatched(0.5 * (start + end) + 7 * size * out, along, out, 0.5 * float(np.linalg.norm(end - start)), size)


def edge_of_ground(corners: Array, size: float) -> list[Stroke]:
    """Hatches along the lowest edge of a closed outline."""
    edges = np.stack([corners[:-1], corners[1:]], axis=1)
    start, end = edges[int(np.argmin(edges[:, :, 1].sum(-1)))]
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length * (1.0 if end[0] >= start[0] else -1.0)
    return hatched(0.5 * (start + end), along, np.array([along[1], -along[0]]), 0.5 * length, size)


def world(m: Definition, view: View, at: Array) -> tuple[list[Stroke], list[Label]]:
    """The axes of the world around a page point, and beside them the direction of gravity."""
    strokes: list[Stroke] = []
    labels: list[Label] = []
    for axis, name in zip(np.eye(3), "xyz", strict=True):
        d = view.flat(axis)
        if np.hypot(*d) > END_ON:
            strokes += arrow(at, at + ARM * d, QUIET, 1.0, 5.0)
            labels.append(Label(name, at + ARM * d + 6 * d / np.hypot(*d), QUIET))
        else:
            dot = disc(at, 0.9, QUIET, QUIET, 0.2)
            cross = [Stroke(at + 2.2 * np.array([(-s, -1), (s, 1)]), QUIET, 0.8) for s in (-1, 1)]
            strokes += [disc(at, 3.2, PAPER, QUIET, 1.0), *([dot] if view.towards @ axis > 0 else cross)]
            labels.append(Label(name, at + np.array([-7.0, -6.0]), QUIET))
    g = view.flat(m.gravity)
    if np.linalg.norm(m.gravity) > 0 and np.hypot(*g) > END_ON * np.linalg.norm(m.gravity):
        u = g / np.hypot(*g)
        start = at + np.array([ARM + 24.0, 0.5 * ARM]) - 0.5 * ARM * u
        strokes += arrow(start, start + (ARM + 2) * u, INK, 1.3, 6.0)
        labels.append(Label("g", start + 0.5 * ARM * u + np.array([7.0, 0.0]), INK))
    return strokes, labels
