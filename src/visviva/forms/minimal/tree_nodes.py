"""Nodes of the motion of a tree as states of the model, with what compiled steps of a mechanism count there."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.trees.acting import TreeActing
from visviva.mechanism.joint_coordinates import turn_names
from visviva.model import Kinetic, Linear
from visviva.results.rounding import effort_terms
from visviva.results.tallies import Tallies


@final
class TreeNodes:
    """`TreeNodes(form, acting)`; acting: tables of the bodies of a tree, and of all that acts on them.

    begins: whether the next nodes begin a run, from whose start changes of energy count.
    """

    def __init__(self, form: MinimalForm, acting: TreeActing) -> None:
        self._acting = acting
        self._model = form.model
        at = {(place.joint.name, place.coordinate): place.q.start for place in form.spanning.places if place.joint}
        found = {
            name: at[joint.name, joint.joint.coordinates.index(angle)]
            for joint in form.mechanism.joints
            for name, angle in turn_names(joint).items()
        }
        self._turns = np.array([found[turn.name] for turn in form.model.turns], dtype=np.intp)
        self.begins = True
        self._elastic = [part for part in form.model.storages if not isinstance(part, Kinetic | Linear)]

    def states(self, q: Array, xi: Array) -> Array:
        """x, (nodes, size)."""
        return self._logged(q, xi, np.zeros((0, 4)), np.zeros(0), np.zeros((0, 0, 3)))

    def logged(self, q: Array, xi: Array) -> tuple[Array, Tallies | None]:
        """x, and what is counted; None where that is left to the states, as with leads of screws."""
        if not self._acting.plain or self._model.is_thermal:
            return self.states(q, xi), None
        n = len(q) - 1
        energy, g, g_v = np.empty((n + 1, 4)), np.empty(n), np.empty((n, len(self._model.constraints), 3))
        x = self._logged(q, xi, energy, g, g_v)
        self.begins = False
        for part in self._elastic:
            energy[:, 3] += effort_terms(self._model, part, x)
        return x, Tallies(self.angles(q[1:]), energy, g, g_v)

    def angles(self, q: Array) -> Array:
        """Angles of all joints that turn, (nodes, turns)."""
        return q[:, self._turns]

    def _logged(self, q: Array, xi: Array, energy: Array, g: Array, g_v: Array) -> Array:
        from visviva.kernels.trees.nodes import log_nodes

        x = np.empty((len(q), self._model.layout.size))
        q, xi = np.ascontiguousarray(q), np.ascontiguousarray(xi)
        log_nodes(self._acting.tables, self._acting.places, q, xi, self.begins, x, energy, g, g_v)
        return x
