"""Boxes of a mechanism as they are drawn: a block beside the joints and lines of its ports, with a lead to each."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.box import Box
from visviva.views.mechanism_placement import Placement
from visviva.views.mechanism_strokes import INK, METAL, QUIET, SPRING, Stroke, disc
from visviva.views.mechanism_view import View

SQUARE = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)])
HALF = np.array([7.0, 5.0])  # of the block [pt]
BESIDE = np.array([16.0, 18.0])  # from the middle of the joints [pt]


def block_at(box: Box, place: Placement, view: View, size: float) -> Array | None:
    """The middle of the block on the page; None where a box sits on nothing that is drawn."""
    points = _points_of(box, place, view)
    return None if not len(points) else np.asarray(points.mean(0) + size * BESIDE)


def box_marks(box: Box, place: Placement, view: View, size: float) -> list[Stroke]:
    """Lines whose lengths it acts along, leads to these and to joints, and the block over them."""
    at = block_at(box, place, view, size)
    if at is None:
        return []
    strokes = [mark for ends in _lines_of(box, place, view) for mark in _line(ends, size)]
    leads = [Stroke(np.stack([at, point]), QUIET, 0.9) for point in _points_of(box, place, view)]
    return [*strokes, *leads, Stroke(at + size * HALF * SQUARE, INK, max(0.5, size), METAL)]


def _line(ends: Array, size: float) -> list[Stroke]:
    """From eye to eye."""
    return [Stroke(ends, SPRING, max(0.5, 1.3 * size)), *(disc(end, 1.8 * size, SPRING, SPRING, 0.2) for end in ends)]


def _points_of(box: Box, place: Placement, view: View) -> Array:
    """Page points of joints, of points that it pushes, and of the middles of lines, (n, 2)."""
    joints = list(dict.fromkeys(one.joint for one in box.joint_coordinates))
    points = [view.page(place.frame(joint, joint.child)[1]) for joint in joints]
    pushed = [one for one in box.pairs.values() if not one.is_length]
    points += [view.page(place.frame(one, one.child)[1]) for one in pushed]
    points += [ends.mean(0) for ends in _lines_of(box, place, view)]
    return np.array(points).reshape(-1, 2)


def _lines_of(box: Box, place: Placement, view: View) -> list[Array]:
    """Page points of both ends of lines, (2, 2) each, those between the same points once."""
    lines = [one for one in box.pairs.values() if one.is_length]
    ends = [np.stack([view.page(place.frame(one, end)[1]) for end in (one.parent, one.child)]) for one in lines]
    return [own for k, own in enumerate(ends) if not any(np.array_equal(own, other) for other in ends[:k])]
