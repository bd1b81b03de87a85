"""A mechanism as lines and names on a page, in the order of painting: ground, bodies, springs, joints, names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism import Definition
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_boxes import box_marks
from visviva.views.mechanism_contacts import blades, contact_planes
from visviva.views.mechanism_ground import grounds, world
from visviva.views.mechanism_joints import in_order, joint_lines, joint_marks
from visviva.views.mechanism_labels import Label, placed
from visviva.views.mechanism_names import names_of
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_screws import DrawnScrews, screw_strokes
from visviva.views.mechanism_springs import element_marks, joint_element_marks, port_marks
from visviva.views.mechanism_sticks import body_strokes, centres, mark_size, solid_strokes
from visviva.views.mechanism_strokes import Stroke
from visviva.views.mechanism_view import View

MARGIN = 6.0  # [pt]
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))  # of a cube


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """Lines and names on a page, in points."""

    name: str
    strokes: list[Stroke]
    labels: list[Label]

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower left and upper right corner, with a margin."""
        corners = [stroke.points for stroke in self.strokes]
        corners += [label.at + np.array([-label.half, label.half]) for label in self.labels]
        points = np.concatenate(corners)
        return points.min(0) - MARGIN, points.max(0) + MARGIN


def extent(scene: Scene, place: Placement, solids: bool) -> Array:
    """World points that the picture has to show, (..., n, 3)."""
    points = [place.q[part.name][..., None, :3] for part in scene.definition.bodies]
    points += [place.frame(link, end)[1][..., None, :] for link in scene.links for end in (link.parent, link.child)]
    for shape in scene.shapes:
        points.append(place.points(shape.body, shape.corners))
        if solids and shape.solid is not None:
            corners = shape.body.r_WC + CORNERS * shape.solid.half @ shape.body.R_WC.T
            points.append(place.points(shape.body, corners))
    for looks in scene.looks if solids else ():
        R, r = place.turned(looks.carrier, looks.R_W), place.point(looks.carrier, looks.r_W)
        points.append(r[..., None, :] + CORNERS * looks.solid.half @ np.swapaxes(R, -1, -2))
    return np.concatenate(points, axis=-2)


def skeleton(scene: Scene, place: Placement) -> Array:
    """World points of centres of mass and joints, (n, 3); with solids where these are much larger: a lone disc."""
    points, whole = (extent(scene, place, solids).reshape(-1, 3) for solids in (False, True))
    small, large = (float(np.linalg.norm(np.ptp(part, axis=0))) for part in (points, whole))
    return whole if 3 * small < large else points


def drawing_of(
    scene: Scene, place: Placement, view: View, names: bool, solids: bool, screws: Sequence[DrawnScrews] = ()
) -> Drawing:
    """All of the mechanism at one instant, and screws over it."""
    m, size = scene.definition, mark_size(scene, place, view)
    layers = [
        *(joint_lines(joint, place, view, size) for joint in m.joints),
        grounds(scene, place, view, size),
        contact_planes(scene, place, view, size),
        solid_strokes(scene, place, view) if solids else [],
        body_strokes(scene, place, view, size),
        *(element_marks(element, place, view, size) for element in scene.elements),
        blades(scene, place, view, size),
        *(joint_marks(joint, place, view, size) for joint in in_order(m.joints, place, view)),
        *(joint_element_marks(part, place, view, size) for part in scene.joint_elements),
        *(port_marks(port, place, view, size) for port in m.ports),
        *(box_marks(box, place, view, size) for box in m.boxes),
        centres(scene, place, view, size),
    ]
    axes, pitches = screw_strokes(screws, view, extent(scene, place, solids), size)
    strokes = [*chain.from_iterable(layers), *axes]
    labels = (names_of(scene, place, view, size) if names else []) + pitches
    return Drawing(m.name, strokes, placed(labels, strokes))


def with_world(drawing: Drawing, m: Definition, view: View) -> Drawing:
    """The same with the axes of the world and the direction of gravity below it on the left."""
    own = Drawing("", *world(m, view, np.zeros(2)))
    (low, _), (left, top) = drawing.bounds, (own.bounds[0][0], own.bounds[1][1])
    strokes, labels = world(m, view, np.array([low[0] - left, low[1] - top]) + MARGIN)
    return Drawing(drawing.name, drawing.strokes + strokes, drawing.labels + labels)
