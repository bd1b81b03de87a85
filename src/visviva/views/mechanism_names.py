"""The names in a picture of a mechanism, before they have found their places."""

from __future__ import annotations

import numpy as np

from visviva.mechanism.elements import Element
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_boxes import block_at
from visviva.views.mechanism_labels import Label
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_springs import port_anchor
from visviva.views.mechanism_strokes import INK, PORT, SPRING
from visviva.views.mechanism_view import View

NAMED = 40  # parts; the names of more would hide what they name


def names_of(scene: Scene, place: Placement, view: View, size: float) -> list[Label]:
    """Of bodies, joints, springs and ports, each at the page point that it names; what has least room comes first."""
    m, colours = scene.definition, scene.colours
    labels = [
        Label(joint.name, view.page(place.frame(joint, joint.child)[1]), INK, clear=6.0 * size)
        for joint in m.joints
        if joint.joint.glyph not in ("nothing", "rod")
    ]
    for link in scene.links:
        if isinstance(link, Element) or link.joint.glyph == "rod":
            ends = np.stack([place.frame(link, end)[1] for end in (link.parent, link.child)])
            colour = SPRING if isinstance(link, Element) else INK
            labels.append(Label(link.name, view.page(ends.mean(0)), colour, clear=7.0 * size))
    for part in scene.joint_elements:
        joint = part.coordinates[0].joint
        at = view.page(place.frame(joint, joint.child)[1])
        labels.append(Label(part.name, at, SPRING, clear=13.0 * size))
    for frame in m.frames:
        labels.append(Label(frame.name, view.page(place.point(frame.carrier, frame.r_WF)), INK, clear=3.0 * size))
    for port in m.ports:
        at, clear = port_anchor(port, place, view, size)
        labels.append(Label(port.name, at, PORT, clear=clear))
    for box in m.boxes:
        block = block_at(box, place, view, size)
        if block is not None:
            labels.append(Label(box.name, block, INK, clear=8.0 * size))
    for shape in scene.shapes:
        points = place.points(shape.body, shape.corners)
        middle = place.q[shape.body.name][:3] if shape.closed or not len(points) else 0.5 * (points[0] + points[1])
        labels.append(Label(shape.body.name, view.page(middle), colours[shape.body.name], clear=4.0 * size, bold=True))
    labels += [
        Label(part.name, view.page(place.q[part.name]), colours[part.name], clear=5.0 * size, bold=True)
        for part in scene.particles
    ]
    return labels
