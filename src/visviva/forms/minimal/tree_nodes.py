"""Nodes of the motion of a tree as states of the model, with what compiled steps of a mechanism count there."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.trees.acting import TreeActing
from visviva.integrate.ticked_steps import Nodes
from visviva.mechanism.joint_coordinates import turn_names
from visviva.model import Kinetic, Linear
from visviva.results.rounding import effort_terms
from visviva.results.tallies import Tallies

if TYPE_CHECKING:
    from visviva.kernels.packed import PackedCall


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
            for joint in form.definition.joints
            for name, angle in turn_names(joint).items()
        }
        self._turns = np.array([found[turn.name] for turn in form.model.turns], dtype=np.intp)
        self.begins = True
        self._elastic = [part for part in form.model.storages if not isinstance(part, Kinetic | Linear)]

    def states(self, q: Array, xi: Array) -> Array:
        """x, (nodes, size)."""
        return self._logged(q, xi, np.zeros((0, 4)), np.zeros(0), np.zeros((0, 0, 3)))

    @property
    def counts(self) -> bool:
        """Whether energies and constraints are counted here; leads of screws leave that to the states."""
        return self._acting.plain and not self._model.is_thermal

    def logged(self, q: Array, xi: Array) -> tuple[Array, Tallies | None]:
        """x, and what is counted."""
        if not self.counts:
            return self.states(q, xi), None
        energy, g, g_v = _columns(len(q) - 1, len(self._model.constraints))
        x = self._logged(q, xi, energy, g, g_v)
        return x, self._tallies(x, q, energy, g, g_v)

    def thinned(self, q: Array, xi: Array, every: int) -> tuple[Array, Array, Tallies]:
        """x at all nodes as far as energies are read from it, x at each n-th node, and what is counted but g_v."""
        energy, g, g_v = _columns(len(q) - 1, 0)
        if every == 1 or self._elastic:
            x = self._logged(q, xi, energy, g, g_v[:0])
            kept = x if every == 1 else x[np.unique(np.append(np.arange(0, len(q), every), len(q) - 1))]
            return x, kept, self._tallies(x, q, energy, g, g_v)
        x = self._logged(q, xi, energy, g, g_v[:0], every)
        return q, x, self._tallies(x, q, energy, g, g_v)

    def angles(self, q: Array) -> Array:
        """Angles of all joints that turn, (nodes, turns)."""
        return q[:, self._turns]

    def one(self, q: Array, xi: Array) -> Nodes:
        """What makes the state of the model of one node, q and xi, in other compiled code."""
        none = np.zeros((0, 4)), np.zeros(0), np.zeros((0, 0, 3))

        def write(x: Array) -> PackedCall:
            from visviva.kernels.packed import PackedCall
            from visviva.kernels.trees.nodes import log_nodes

            tables, places = self._acting.tables, self._acting.places
            return PackedCall(log_nodes, (tables, places, q[None], xi[None], False, 1, x[None], *none), 1)

        return Nodes(write, q, xi, self._turns.astype(np.int64))

    def _tallies(self, x: Array, q: Array, energy: Array, g: Array, g_v: Array) -> Tallies:
        self.begins = False
        for part in self._elastic:
            energy[:, 3] += effort_terms(self._model, part, x)
        return Tallies(self.angles(q[1:]), energy, g, g_v)

    def _logged(self, q: Array, xi: Array, energy: Array, g: Array, g_v: Array, every: int = 1) -> Array:
        from visviva.kernels.trees.nodes import log_nodes

        x = np.empty((-(-(len(q) - 1) // every) + 1, self._model.layout.size))
        q, xi = np.ascontiguousarray(q), np.ascontiguousarray(xi)
        log_nodes(self._acting.tables, self._acting.places, q, xi, self.begins, every, x, energy, g, g_v)
        return x


def _columns(n: int, constraints: int) -> tuple[Array, Array, Array]:
    return np.empty((n + 1, 4)), np.empty(n), np.empty((n, constraints, 3))
