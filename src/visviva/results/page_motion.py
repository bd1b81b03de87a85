"""The moving picture of the run page, as numbers: points over time, and what is drawn between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.library.joints import Family
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Ground, Joint, Particle
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_joints import GUIDES, PLATES, SQUARE
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strobe import instants

if TYPE_CHECKING:
    from visviva.results.run import Run

FRAMES = 400  # enough for a smooth picture; more would only make the file larger
NUMBERS = 150_000  # points of all frames together
DIGITS = 5  # of a coordinate, as parts of the whole
DETAILED = 200  # joints; axes of more would hide each other


def moving_picture(run: Run) -> dict[str, Any]:
    """Points over time, lines of bodies between them, and marks.

    t:       times of the frames.   points: per frame, (n, 3).   marks: (point, kind).
    lines:   (point, point, body).
    strokes: (points, kind): axes, guides, plates, rods and springs.
    paths:   lines that stay where they are, (n, 3) each.
    """
    motion = run.motion
    if motion is None:
        return {"t": [], "points": [], "lines": [], "strokes": [], "marks": [], "paths": []}
    m, t = motion.definition, motion.record.t
    frames = min(FRAMES, max(2, NUMBERS // (len(m.bodies) + 2 * len(m.joints))))
    kept = instants(t, frames)
    picture = _Picture(Scene(m), Placement({part.name: motion.q(part)[kept] for part in m.bodies}))
    return {
        "t": np.round(t[kept], 6).tolist(),
        "points": rounded_points(np.stack(picture.points, axis=1)),
        "lines": picture.lines,
        "strokes": picture.strokes,
        "marks": picture.marks,
        "paths": [],
    }


def rounded_points(points: Array) -> Any:
    """Points (..., 3) as lists, with as many digits as are seen."""
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max()) or 1.0
    return np.round(points, DIGITS - int(np.floor(np.log10(size)))).tolist()


@final
class _Picture:
    """Collects points and what is drawn between them."""

    def __init__(self, scene: Scene, place: Placement) -> None:
        self.place = place
        self.points: list[Array] = []
        self.lines: list[tuple[int, int, str]] = []
        self.strokes: list[tuple[list[int], str]] = []
        self.marks: list[tuple[int, str]] = []
        m = scene.definition
        for part in m.bodies:
            self.mark(place.q[part.name][..., :3], "particle" if isinstance(part, Particle) else "com")
        for shape in scene.shapes:
            at = [self.add(r) for r in np.moveaxis(place.points(shape.body, shape.corners), -2, 0)]
            at += at[:1] if shape.closed else []
            self.lines += [(a, b, shape.body.name) for a, b in pairwise(at)]
        self.reach = 0.05 * (float(np.ptp(np.stack(self.points), axis=(0, 1)).max()) or 1.0)
        self.detailed = len(m.joints) <= DETAILED
        for joint in m.joints:
            self.joint(joint)
        for element in scene.elements:
            self.spring(element)
        for along in scene.joint_elements:
            for joint in dict.fromkeys(one.joint for one in along.coordinates):
                self.mark(place.frame(joint, joint.child)[1], "torsion")
        for frame in m.frames:
            self.mark(place.point(frame.carrier, frame.r_WF), "frame")

    def add(self, r: Array) -> int:
        """A point over time, (N, 3); its number."""
        self.points.append(r)
        return len(self.points) - 1

    def mark(self, r: Array, kind: str) -> None:
        """A point that is shown by a sign."""
        self.marks.append((self.add(r), kind))

    def stroke(self, points: list[Array], kind: str) -> None:
        """A line through points."""
        self.strokes.append(([self.add(r) for r in points], kind))

    def joint(self, joint: Joint) -> None:
        """Its mark, the ground it holds on to, and its axis, guide, plane or rod."""
        glyph = joint.joint.glyph
        if glyph == "nothing":
            return
        (R_P, r_P), (R_C, r_C) = (self.place.frame(joint, end) for end in (joint.parent, joint.child))
        if glyph == "rod":
            self.stroke([r_P, r_C], "rod")
        for end, r in ((joint.parent, r_P), (joint.child, r_C)):
            if isinstance(end, Ground):
                self.mark(r, "ground")
        if self.detailed:
            for axis, reach in self._axes(joint, R_P, R_C):
                self.stroke([r_C - reach * axis, r_C + reach * axis], "guide" if glyph in GUIDES else "axis")
            if glyph in PLATES:
                corners = 1.6 * self.reach * SQUARE
                self.stroke([r_C + x * R_P[..., 0] + y * R_P[..., 1] for x, y in corners], "plate")
        self.mark(r_C, glyph)

    def _axes(self, joint: Joint, R_P: Array, R_C: Array) -> list[tuple[Array, float]]:
        """Directions over time that belong to a joint, and how far they are drawn."""
        glyph = joint.joint.glyph
        if glyph == "cross":
            row = next(row for row in joint.joint.rows if row.family is Family.DOT)
            return [(R_P[..., row.parent], self.reach), (R_C[..., row.child], self.reach)]
        if glyph in (*GUIDES, "hinge"):
            return [(R_P[..., 2], (3.0 if glyph in GUIDES else 1.0) * self.reach)]
        return []

    def spring(self, element: Element) -> None:
        """From end to end, or a mark where the ends meet."""
        a, b = (self.place.frame(element, end)[1] for end in (element.parent, element.child))
        for end, r in ((element.parent, a), (element.child, b)):
            if isinstance(end, Ground):
                self.mark(r, "ground")
        if np.linalg.norm(a - b, axis=-1).max() < 0.5 * self.reach:
            self.mark(a, "bushing")
        elif element.energy is not None:
            self.stroke([a, b], "spring")
        else:
            self.stroke([a, b], "damper")
