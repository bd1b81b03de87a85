"""Steps of trees between the ticks of sampled laws, see `kernels.ticks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.flow import FlowState
from visviva.forms.trees.loops import TreeMotion
from visviva.integrate.chunk import Chunk
from visviva.integrate.ticked_steps import AbstractTicked, StepsCall
from visviva.model import State

if TYPE_CHECKING:
    from visviva.forms.minimal.tree_stepping import TreeStepping

ROOM, NUMBERS = 1024, 200_000  # steps, and numbers of them, that are made at a time
TIME, LENGTH, FIRST, COUNT = 5, 6, 7, 8  # numbers among the arguments of `held_steps`


@final
class TreeTicks(AbstractTicked):
    """Explicit steps of a tree with inputs that are held; rows of its memory are nodes."""

    def __init__(self, stepping: TreeStepping) -> None:
        self._stepping = stepping
        model, ports = stepping.form.model, stepping.ports
        room = max(16, min(ROOM, NUMBERS // (model.layout.size + stepping.width)))
        self._held = stepping.loop.held(ports, room)
        self._inputs = np.zeros((room, 1, len(ports)))
        self._nodes = stepping.nodes.one(np.zeros(stepping.form.size_q), np.zeros(stepping.form.n))
        self._start: FlowState | None = None

    def steps_from(self, state: State) -> StepsCall:  # noqa: D102
        held = self._held
        self._start = start = self._stepping.start_of(state)
        held.Q[0], held.XI[0], held.work[0] = start.q, start.xi, 0.0
        words = (None, FIRST, COUNT, LENGTH, TIME)
        return StepsCall(held.call, words, (0, 0, 0), self._inputs, held.Q, held.XI, held.u, self._nodes)

    def columns(self, name: str) -> list[tuple[int, int]] | None:
        """Coordinates of joints and their rates are those of the tree, and so are twists of bodies that fly."""
        form, (carrier, _, ending) = self._stepping.form, name.rpartition(".")
        if ending == "twist":
            return self._twist(carrier)
        joint = next((part for part in form.definition.joints if part.name == carrier), None)
        if joint is None or ending not in ("q", "rate"):
            return None
        own = {place.coordinate: place for place in form.spanning.places if place.joint is joint}
        found = [own.get(k) for k in range(len(joint.joint.coordinates))]
        if any(place is None or place.xi.stop != place.xi.start + 1 for place in found):
            return None
        return [(0, place.q.start) if ending == "q" else (1, place.xi.start) for place in found if place is not None]

    def _twist(self, name: str) -> list[tuple[int, int]] | None:
        """Of a body that flies above the ground, where its axes are those of its link."""
        form = self._stepping.form
        for link, place in zip(form.tree.links, form.spanning.places, strict=True):
            alone = link.kind == "free" and link.parent < 0 and place.last
            if alone and place.carrier.name == name and np.array_equal(link.X_LB, np.eye(4)):
                return [(1, k) for k in range(place.xi.start, place.xi.stop)]
        return None

    def chunk(self, before: State, n: int, lengths: Array) -> Chunk:  # noqa: D102
        held, start = self._held, self._start
        assert start is not None
        h: float | Array = before.h if (lengths == before.h).all() else lengths
        work, given, impulse, heat = np.split(held.work[: n + 1].copy(), held.parts, axis=1)
        q, xi = held.Q[: n + 1].copy(), held.XI[: n + 1].copy()
        motion = TreeMotion(np.zeros(0), q, xi, work, given, impulse, heat)
        return self._stepping.chunk_of(before, start, motion, h, self._inputs[:n, 0].copy())
