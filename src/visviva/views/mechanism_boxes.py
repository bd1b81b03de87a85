"""Boxes of a mechanism as they are drawn: a block beside the joints that its ports sit on, with a lead to each."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.box import Box
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import INK, METAL, QUIET, Stroke
from visviva.views.mechanism_view import View

SQUARE = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)])
HALF = np.array([7.0, 5.0])  # of the block [pt]
BESIDE = np.array([16.0, 18.0])  # from the middle of the joints [pt]


def block_at(box: Box, place: Placement, view: View, size: float) -> Array | None:
    """The middle of the block on the page; None where a box sits on no joint."""
    joints = _joints_of(box, place, view)
    return None if not len(joints) else np.asarray(joints.mean(0) + size * BESIDE)


def box_marks(box: Box, place: Placement, view: View, size: float) -> list[Stroke]:
    """Leads to the joints, and the block over them."""
    at = block_at(box, place, view, size)
    if at is None:
        return []
    leads = [Stroke(np.stack([at, joint]), QUIET, 0.9) for joint in _joints_of(box, place, view)]
    return [*leads, Stroke(at + size * HALF * SQUARE, INK, max(0.5, size), METAL)]


def _joints_of(box: Box, place: Placement, view: View) -> Array:
    """Page points of the joints, (n, 2)."""
    joints = list(dict.fromkeys(one.joint for one in box.coordinates))
    points = [view.page(place.frame(joint, joint.child)[1]) for joint in joints]
    return np.array(points).reshape(-1, 2)
