"""Angles of joints over many turns in minimal coordinates: those of the tree, and of joints that close loops."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.joint_coordinates import built_turns, turn_names

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm
    from visviva.forms.minimal.point import Point


@final
class FollowedTurns:
    """Angles of all turns of a model: coordinates of the tree; those of cut joints are the nearest to `near`.

    near: angles where they were known last, less than half a turn ago; at first as built.
    """

    def __init__(self, form: MinimalForm) -> None:
        self._form = form
        built = {name: angle for joint in form.definition.joints for name, angle in built_turns(joint).items()}
        self.near = np.array([built[turn.name] for turn in form.model.turns])

    @cached_property
    def places(self) -> dict[int, int]:
        """Where the angle of a turn is in q, by its number, for those in the tree."""
        form = self._form
        at = {(place.joint.name, place.coordinate): place.q.start for place in form.spanning.places if place.joint}
        found = {
            name: at.get((joint.name, joint.joint.coordinates.index(angle)))
            for joint in form.definition.joints
            for name, angle in turn_names(joint).items()
        }
        every = {k: found[turn.name] for k, turn in enumerate(form.model.turns)}
        return {k: place for k, place in every.items() if place is not None}

    def angles(self, point: Point) -> Array:
        """At a state, (..., turns)."""
        angles = self._form.model.followed_angles(point.x, self.near)
        for k, at in self.places.items():
            angles[..., k] = point.q[..., at]
        return angles

    def follow(self, point: Point) -> None:
        """Go on from a state."""
        self.near = self.angles(point)
