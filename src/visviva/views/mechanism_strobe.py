"""A mechanism in motion on one page: where it was at several instants, and the paths of its points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.mechanism import Definition
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Joint
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_drawing import Drawing, drawing_of, skeleton, with_world
from visviva.views.mechanism_labels import Label, placed
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_sticks import body_strokes, mark_size
from visviva.views.mechanism_strokes import INK, SPRING, Stroke
from visviva.views.mechanism_view import look

INSTANTS = 12  # of equal distance in time; the last is drawn in full
FAINT, STRONG = 0x14, 0x60  # how opaque the first and the last of the others are, of 255


def instants(t: Array, n: int) -> NDArray[np.intp]:
    """Up to n of some times, in order, about equally distant: those nearest to such ones, with both ends."""
    wanted = np.linspace(t[0], t[-1], n)
    after = np.clip(np.searchsorted(t, wanted), 1, max(1, len(t) - 1))
    nearest = np.where(wanted - t[after - 1] <= t[np.minimum(after, len(t) - 1)] - wanted, after - 1, after)
    return np.unique(np.minimum(nearest, len(t) - 1))


def strobe(
    m: Definition, place: Placement, t: Array, view: tuple[float, float] | None = None, n: int = INSTANTS
) -> Drawing:
    """The last instant in full, earlier ones the fainter the longer ago, and the paths of named points.

    place: many instants, at the times t.   n: how many are drawn at most. Paths are those of named frames and
           particles, else of centres of mass; where there are many bodies they would hide each other.
    """
    scene = Scene(m)
    kept = instants(t, n)
    shown = Placement({name: q[kept] for name, q in place.q.items()})
    paths = _paths(scene, place)
    points = skeleton(scene, shown)
    seen = look(m, shown, points, view).fitted(np.concatenate([points, *(r for r, _ in paths.values())]))
    last = place.at(len(t) - 1)
    size = mark_size(scene, last, seen)
    strokes: list[Stroke] = []
    for i, alpha in enumerate(np.linspace(FAINT, STRONG, len(kept) - 1).round().astype(int).tolist()):
        ghost = shown.at(i)
        strokes += body_strokes(scene, ghost, seen, 0.6 * size, f"{alpha:02x}")
        strokes += [
            Stroke(seen.page(np.stack([ghost.frame(link, end)[1] for end in (link.parent, link.child)])), colour, 0.8)
            for link, colour in _thin(scene, f"{alpha:02x}")
        ]
    strokes += [Stroke(seen.page(r), colour, 0.9) for r, colour in paths.values()]
    final = drawing_of(scene, last, seen, names=False, solids=scene.few)
    labels = [Label(name, seen.page(r[-1]), colour, clear=5.0 * size) for name, (r, colour) in paths.items() if name]
    whole = Drawing(m.name, strokes + final.strokes, placed(labels, strokes + final.strokes))
    return with_world(whole, m, seen)


def _thin(scene: Scene, alpha: str) -> list[tuple[Joint | Element, str]]:
    """Rods and springs, with the colours of their lines."""
    rods = [(joint, INK + alpha) for joint in scene.definition.joints if joint.joint.glyph == "rod"]
    return [*rods, *((element, SPRING + alpha) for element in scene.elements)]


def _paths(scene: Scene, place: Placement) -> dict[str, tuple[Array, str]]:
    """Paths of points, (N, 3), with their colours, by name."""
    m, colours = scene.definition, scene.colours
    if not scene.few and not m.frames:
        return {}
    paths = {
        frame.name: (place.point(frame.carrier, frame.r_WF), colours[frame.carrier.name])
        for frame in m.frames
        if frame.carrier.name in colours
    }
    paths |= {part.name: (place.q[part.name], colours[part.name]) for part in scene.particles}
    return paths or {part.name: (place.q[part.name][:, :3], colours[part.name]) for part in m.bodies}
