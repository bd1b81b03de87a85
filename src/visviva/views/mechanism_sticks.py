"""Bodies as they are drawn: lines between their joints, solids, centres of mass."""

from __future__ import annotations

import numpy as np

from visviva.mechanism.coordinates import POSES
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import INK, PAPER, SHADE, Stroke, disc, outline_of, ring
from visviva.views.mechanism_view import View

LINK = 36.0  # length of a body on the page at which marks have their full size [pt]
THIN = 1.0  # of the thinnest bodies [pt]
DETAIL = 0.5  # size of marks below which centres of mass are left out


def mark_size(scene: Scene, place: Placement, view: View) -> float:
    """1 where bodies have room for their joints, less where they are many and short."""
    ends = [place.points(shape.body, shape.corners) for shape in scene.shapes if len(shape.corners)]
    ends += [np.stack([place.frame(link, end)[1] for end in (link.parent, link.child)]) for link in scene.links]
    lengths = np.array([np.linalg.norm(np.ptp(view.page(points), axis=0)) for points in ends])
    lengths = lengths[lengths > 1e-3 * lengths.max(initial=0.0)]
    return float(np.clip(np.median(lengths) / LINK, 0.12, 1.0)) if len(lengths) else 1.0


def body_strokes(scene: Scene, place: Placement, view: View, size: float, alpha: str = "") -> list[Stroke]:
    """Bodies as lines and rings in their colours, particles as dots; the farthest first.

    alpha: two hexadecimal digits, for bodies that one can look through.
    """
    found: list[tuple[float, Stroke]] = []
    for shape in scene.shapes:
        if len(shape.corners):
            points = place.points(shape.body, shape.corners)
            colour, line = scene.colours[shape.body.name], view.page(points)
            width, fill = (2.4 * size, colour + "22") if shape.closed else (max(THIN, 4.4 * size), "none")
            stroke = Stroke(ring(line) if shape.closed else line, colour + alpha, width, "none" if alpha else fill)
            found.append((float(view.depth(points).mean()), stroke))
    for part in scene.particles:
        colour, r = scene.colours[part.name] + alpha, place.q[part.name]
        found.append((float(view.depth(r)), disc(view.page(r), 5.0 * size, colour, colour, 0.2)))
    return [stroke for _, stroke in sorted(found, key=lambda pair: pair[0])]


def solid_strokes(scene: Scene, place: Placement, view: View) -> list[Stroke]:
    """Solids of the bodies that have one, of their inertia or as they look, the farthest first."""
    solids = []
    for shape in scene.shapes:
        if shape.solid is not None:
            q = place.q[shape.body.name]
            solids.append((shape.solid, POSES.rotation(q), q[:3], scene.colours[shape.body.name]))
    for looks in scene.looks:
        R, r = place.turned(looks.carrier, looks.R_W), place.point(looks.carrier, looks.r_W)
        solids.append((looks.solid, R, r, scene.colours.get(looks.carrier.name, SHADE)))
    solids.sort(key=lambda each: float(view.depth(each[2])))
    return [stroke for each in solids for stroke in outline_of(view, *each)]


def centres(scene: Scene, place: Placement, view: View, size: float) -> list[Stroke]:
    """Centres of mass as quartered discs, where no joint is drawn."""
    if size < DETAIL:
        return []
    held = [place.frame(link, end)[1] for link in scene.links for end in (link.parent, link.child)]
    taken = view.page(np.array(held).reshape(-1, 3))
    strokes: list[Stroke] = []
    quarter, radius = np.linspace(0, np.pi / 2, 9), 2.8 * size
    for shape in scene.shapes:
        at = view.page(place.q[shape.body.name][:3])
        if (np.linalg.norm(taken - at, axis=-1) < 6.0 * size).any():
            continue
        strokes.append(disc(at, radius, PAPER, INK, 0.7))
        for start in (0.0, np.pi):
            arc = radius * np.stack([np.cos(quarter + start), np.sin(quarter + start)], axis=-1)
            strokes.append(Stroke(at + np.concatenate([[(0, 0)], arc, [(0, 0)]]), INK, 0.1, INK))
    return strokes
