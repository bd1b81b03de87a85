"""Blades and the planes on which discs roll, as they are drawn."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.parts import Ground
from visviva.mechanism.velocity_conditions import VelocityCondition
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_ground import edge_of_ground
from visviva.views.mechanism_joints import SIDE_ON, SQUARE
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import INK, METAL, QUIET, Stroke
from visviva.views.mechanism_view import View


def contact_planes(scene: Scene, place: Placement, view: View, size: float) -> list[Stroke]:
    """A piece of the plane around each point where a disc touches it, hatched where it is the ground's."""
    strokes: list[Stroke] = []
    for condition in scene.definition.conditions:
        if isinstance(condition, ContactHeight):
            R_P, _ = place.frame(condition, condition.parent)
            corners = view.page(touching(condition, place)) + view.flat(26 * size * SQUARE @ R_P[:, :2].T)
            strokes.append(Stroke(corners, QUIET, 0.8, METAL + "b0"))
            strokes += edge_of_ground(corners, size) if isinstance(condition.parent, Ground) else []
    return strokes


def touching(condition: ContactHeight, place: Placement) -> Array:
    """The world point where a disc touches its plane."""
    (R_P, _), (R_C, r_C) = (place.frame(condition, end) for end in (condition.parent, condition.child))
    a = R_C[:, 2]
    e1 = np.cross(R_P[:, 2], a)
    return np.asarray(r_C + condition.radius * np.cross(e1 / np.linalg.norm(e1), a))


def blades(scene: Scene, place: Placement, view: View, size: float) -> list[Stroke]:
    """Every blade as a short thick line, normal to the direction in which it does not move."""
    strokes = []
    for condition in scene.definition.conditions:
        if isinstance(condition, VelocityCondition) and condition.blade is not None:
            q = place.q[condition.movers[-1].name]
            normal, arm = apply(POSES.rotation(q), condition.blade)
            across = view.flat(normal)
            if np.hypot(*across) > SIDE_ON:
                along = np.array([-across[1], across[0]]) / np.hypot(*across)
                strokes.append(Stroke(view.page(q[:3] + arm) + 10 * size * np.outer((-1, 1), along), INK, 3.0 * size))
    return strokes
