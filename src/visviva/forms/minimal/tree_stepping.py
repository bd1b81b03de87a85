"""Steps of mechanisms that are trees, many at a time in compiled code, with the accounts of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.errors import ConvergenceError, ModelError
from visviva.forms.flows.flow import FlowState
from visviva.forms.flows.flow_stepping import FlowStepping
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.tree_acting import tree_acting
from visviva.forms.minimal.tree_forces import TreeForces, beyond_joints, beyond_trees, tree_forces
from visviva.forms.minimal.tree_nodes import TreeNodes
from visviva.forms.minimal.tree_ticks import TreeTicks
from visviva.forms.trees.abreast import TreeAbreast
from visviva.forms.trees.acting import TreeActing
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import EXPLICIT, TreeLoop, TreeMotion
from visviva.forms.trees.time_inputs import TooManyPieces, TreeInputs, interpolated, sampled, unchanged
from visviva.integrate.chunk import HISTORY, Chunk, Pace
from visviva.integrate.engine import slower
from visviva.integrate.repeated import AbstractBatched, AbstractCoordinated, AbstractRepeated, Batched
from visviva.integrate.ticked_steps import AbstractTicking
from visviva.model import State

if TYPE_CHECKING:
    from visviva.integrate.integrator import Inputs


def tree_stepping(plain: FlowStepping, inputs: Inputs, loop: str | None, h: float) -> TreeStepping:
    """Compiled steps of a tree, or `NotCompilable` with what keeps a mechanism from them."""
    form = plain.flow.form
    if loop is None:
        raise NotCompilable("the scheme has no compiled form")
    if reason := beyond_trees(form):
        raise NotCompilable(f"the mechanism has {reason}")
    if not form.n:
        raise NotCompilable("nothing in it moves")
    return TreeStepping(plain, inputs, loop, h)


@final
class TreeStepping(AbstractRepeated, AbstractBatched, AbstractCoordinated, AbstractTicking):
    """Makes steps of a tree by compiled loops; what cannot be made there is tried by the plain scheme.

    Nodes are h apart. An adaptive scheme makes as many steps between them as its tolerance asks for.

    forces: what acts, if all of it acts in joints.   acting: else, all that acts.
    """

    compiled = True

    def __init__(self, plain: FlowStepping, inputs: Inputs, loop: str, h: float) -> None:
        self.plain = plain
        self.inputs = inputs
        self.forces: TreeForces | None = None if beyond_joints(self.form) else tree_forces(self.form)
        self.acting: TreeActing | None = None
        if self.forces is None:
            self.dynamics = TreeDynamics(self.form.tree)
            self.acting = tree_acting(plain.flow, self.dynamics)
        else:
            f = self.forces
            self.dynamics = TreeDynamics(self.form.tree, f.damping, f.stiffness, f.relaxed)
        sizes = plain.flow.sizes(self.form.initial.q)
        self.loop = TreeLoop(self.dynamics, loop, plain.scheme.tolerance, self.acting, sizes)
        self.width = self.form.size_q + self.form.n
        self.t_end = np.inf
        self.halvings = plain.halvings
        self._h = h
        self._loose = 0
        self._rough = ""

    @property
    def form(self) -> MinimalForm:
        """The mechanism in minimal velocities."""
        return self.plain.flow.form

    @cached_property
    def nodes(self) -> TreeNodes:
        """What makes states of the model from its coordinates and velocities."""
        acting = tree_acting(self.plain.flow, self.dynamics) if self.acting is None else self.acting
        return TreeNodes(self.form, acting)

    def notes(self) -> list[str]:
        """Steps whose balance could not be closed, and inputs that compiled code cannot follow."""
        return [slower("some of it", self._rough)] * bool(self._rough) + self.plain.notes(self._loose)

    def restart(self, state: State, h: float) -> bool:  # noqa: D102
        self.loop.restart()
        self.plain.restart(h)
        self.nodes.begins = True
        self._h, self._loose, self._rough = h, 0, ""
        return True

    def sizes(self) -> tuple[int, int]:  # noqa: D102
        return self.form.size_q, self.form.n

    def starts(self, q: Array, v: Array, built: State) -> list[State]:  # noqa: D102
        self.dynamics.check_quaternions(q)
        x, angles, rates = self.nodes.states(q, v), self.nodes.angles(q), np.concatenate([q, v], axis=1)
        return [
            dataclasses.replace(built, x=x[i], angles=angles[i], rate=(rates[i],), t0=0.0, steps=0)
            for i in range(len(q))
        ]

    def advance(self, state: State, n: int) -> Chunk:
        """Up to n steps."""
        start, h, count = self.start_of(state), state.h, n
        if n and not self.plain.scheme.fixed_step:
            h, count = self._apart(start.t, n)
        if not count:
            return self.chunk_of(state, start, None, h, self.inputs.constant)
        steps: Array = np.arange(count + 1, dtype=np.float64)
        times = start.t + h * steps
        if self.plain.scheme.fixed_step:
            times = state.t0 + (state.steps + steps) * h
            times[0] = start.t
        try:
            motion = self.loop(start.q, start.xi, h, count, tau=self._tau, inputs=self._over(times, h), t0=start.t)
            chunk = self.chunk_of(state, start, motion, h, self.inputs.constant)
        except TooManyPieces as reason:
            self._rough = str(reason)
            return self._one_by_one(state)
        except (ConvergenceError, ModelError):  # also an input that is no number, which is met again at its step
            return self._one_by_one(state)
        self._loose += motion.unrelaxed
        return chunk

    def held(self, state: State, u: Array) -> Chunk | None:  # noqa: D102
        if not self.plain.scheme.fixed_step:
            return None
        start = self.start_of(state)
        tau = None if self.forces is None or len(u) > 1 else self.forces.B @ u[0]
        inputs = None if tau is not None else self._constant(u)
        try:
            motion = self.loop(start.q, start.xi, state.h, len(u), tau=tau, inputs=inputs, t0=start.t)
        except (ConvergenceError, ModelError):
            return None
        return self.chunk_of(state, start, motion, state.h, u)

    def batch(self, starts: list[State], h: float, n: int, u: list[Array], every: int) -> Iterator[Batched] | None:  # noqa: D102
        fixed = self.plain.scheme.fixed_step
        if not self._batches or not (fixed or all(len(rows) == 1 for rows in u)):
            return None
        nodes = [self.start_of(state) for state in starts]
        if self._abreast is None:
            return self._in_sequence(starts, nodes, h, n, u, every)
        q, xi = np.array([node.q for node in nodes]), np.array([node.xi for node in nodes])
        found = self._abreast(q, xi, h, n, u)
        if found is None:
            return None
        return (
            self._batched(state, h, q, xi, rows, lost, None, every)
            for state, rows, q, xi, lost in zip(starts, u, *found, strict=True)
        )

    @cached_property
    def _batches(self) -> bool:
        """Whether runs need no other looks than those at their balance."""
        exact, bushings = "energy" in self.plain.scheme.preserves, self.form.definition.elements
        return self.nodes.counts and not exact and not any(part.half_turn for part in bushings)

    @cached_property
    def _abreast(self) -> TreeAbreast | None:
        """What makes four runs at once, where it can."""
        kinds, ports = {link.kind for link in self.form.tree.links}, self.ports
        if (
            self.forces is None
            or self.loop.scheme not in TreeAbreast.schemes
            or not kinds <= {"hinge", "slider", "fixed"}
        ):
            return None
        return TreeAbreast(self.dynamics, self.loop.scheme, ports) if len(set(ports.tolist())) == len(ports) else None

    def _in_sequence(
        self, starts: list[State], nodes: list[FlowState], h: float, n: int, u: list[Array], every: int
    ) -> Iterator[Batched] | None:
        """Runs one after the other."""
        found = list[TreeMotion]()
        for node, rows in zip(nodes, u, strict=True):
            self.loop.restart()
            tau = None if self.forces is None or len(rows) > 1 else self.forces.B @ rows[0]
            inputs = None if tau is not None else self._constant(rows)
            try:
                found.append(self.loop(node.q, node.xi, h, n, tau=tau, inputs=inputs, t0=node.t))
            except (ConvergenceError, ModelError):
                return None
        return (
            self._batched(state, h, motion.q, motion.xi, rows, motion.work[:, 1], motion, every)
            for state, rows, motion in zip(starts, u, found, strict=True)
        )

    def _constant(self, rows: Array) -> TreeInputs:
        """Inputs that are held over all steps, or over each."""
        if len(rows) == 1:
            return unchanged(self.ports, rows[0])
        U = np.repeat(rows[:, None], len(self.loop.c), axis=1)
        return TreeInputs(self.ports, U, np.zeros(1), np.zeros((0, 0, 0)))

    def _batched(
        self, before: State, h: float, q: Array, xi: Array, u: Array, lost: Array, motion: TreeMotion | None, every: int
    ) -> Batched:
        """Accounts of a run."""
        n, u = len(q) - 1, u if len(u) > 1 else u[0]
        self.nodes.begins = True
        nodes, x, tallies = self.nodes.thinned(q, xi, every)
        x[0] = before.x
        kept = np.unique(np.append(np.arange(0, n + 1, every), n))
        angles, last = self.nodes.angles(q[kept]), slice(n, max(0, n - HISTORY), -1)
        angles[0] = before.angles
        rates = np.concatenate([q[last], xi[last]], axis=1)
        fixed = self.plain.scheme.fixed_step
        t0, steps = (before.t0, before.steps + n) if fixed else (before.t + n * h, 0)
        final = dataclasses.replace(
            before, x=x[-1].copy(), w=np.zeros_like(before.w), angles=angles[-1].copy(), rate=tuple(rates), t0=t0,
            steps=steps, h=h,
        )  # fmt: skip
        t: Array = before.t + h * np.arange(n + 1, dtype=np.float64)
        heat = self._heats(motion, q, xi, t, np.diff(lost), u)
        return Batched(nodes, x, angles, heat, self._works(q, motion, u, held=True), tallies, final)

    def _apart(self, t: float, n: int) -> tuple[float, int]:
        """How far apart the next nodes are, and how many: up to n, and none behind a jump of an input but at it."""
        left = self.t_end - t
        nodes = max(1, round(left / self._h)) if left > 0 else 0
        h, count = (left / nodes if nodes else self._h), min(n, nodes)
        for k in range(count):
            jump = self.plain.jumps.first(t + k * h, t + (k + 1) * h)
            if jump is not None:
                return (h, k) if k else (jump - t, 1)
        return h, count

    def start_of(self, state: State) -> FlowState:
        """Coordinates and velocities of a state: those it was made from, or read from it."""
        if state.rate and len(state.rate[0]) == self.width:
            q, xi = np.split(state.rate[0], [self.form.size_q])
            if np.array_equal(self.nodes.states(q[None], xi[None])[0], state.x):
                return FlowState(state.t, q, xi, np.zeros(0), state.h)
        return self.plain.flow_state(state)

    def _over(self, times: Array, h: float) -> TreeInputs | None:
        """Inputs over steps between some times, if they change."""
        ports, u = self.ports, self.inputs.constant
        if u is not None:
            return None if self.acting is None else unchanged(ports, u)
        if self.plain.scheme.fixed_step:
            return sampled(ports, self.inputs, times[:-1], h, self.loop.c)
        return interpolated(ports, self.inputs, times)

    @property
    def ports(self) -> NDArray[np.int64]:
        """The velocity that each input acts on."""
        return np.full(len(self.form.inputs.base), -1) if self.forces is None else self.forces.ports

    @property
    def _tau(self) -> Array | None:
        """What constant inputs in joints give."""
        u = self.inputs.constant
        return None if u is None or self.forces is None else self.forces.B @ u

    @cached_property
    def ticked(self) -> TreeTicks | None:  # noqa: D102
        explicit = self.plain.scheme.fixed_step and self.loop.scheme in EXPLICIT
        return TreeTicks(self) if explicit and not self.form.model.feedback else None

    def alone(self, state: State) -> Chunk:
        """One step."""
        return self.advance(state, 1)

    def _one_by_one(self, state: State) -> Chunk:
        """One step of the plain scheme, divided where it must be."""
        self.plain.t_end, self.plain.halvings = self.t_end, self.halvings
        chunk = self.plain.advance(state, 1)
        return dataclasses.replace(chunk, rate=chunk.rate[:, : self.width])

    # -- accounts -----------------------------------------------------------------------------------------------

    def chunk_of(
        self, before: State, start: FlowState, motion: TreeMotion | None, h: float | Array, u: Array | None
    ) -> Chunk:
        """Steps of length h, or of lengths h.

        u: inputs that are held over all steps, (inputs,), or over each, (n, inputs); None: they change.
        """
        model = self.form.model
        q, xi = (start.q[None], start.xi[None]) if motion is None else (motion.q, motion.xi)
        n = len(q) - 1
        x, tallies = self.nodes.logged(q, xi) if n else (before.x[None], None)
        x[0] = before.x
        lost = np.zeros(n) if motion is None else np.diff(motion.work[:, 1])
        lengths = np.broadcast_to(h, (n,))
        t = start.t + (h * np.arange(n + 1, dtype=np.float64) if np.ndim(h) == 0 else np.append(0.0, np.cumsum(h)))
        if n and abs(t[-1] - self.t_end) < 1e-9 * lengths[-1]:
            t[-1] = self.t_end
        pace = Pace(t, np.array(lengths), np.full(n, self._h), np.zeros(n))
        return Chunk(
            x=x,
            w=np.zeros((n, len(model.kinds))),
            gam=np.zeros((n, 0)),
            rate=np.concatenate([q[1:], xi[1:]], axis=1),
            heat=self._heats(motion, q, xi, t, lost, u),
            work=self._works(q, motion, u),
            taken=np.zeros((n, 0)),
            u=self._mean_inputs(n, lengths, motion, u),
            active=np.tile(before.active, (n, 1)),
            iterations=np.full(n, 0.0 if motion is None else motion.iterations / n),
            residual=np.zeros(n),
            parts=np.ones(n, dtype=np.int64),
            tallies=tallies,
            pace=None if self.plain.scheme.fixed_step or not n else pace,
        )

    def _works(self, q: Array, motion: TreeMotion | None, u: Array | None, *, held: bool = False) -> Array:
        """What every port gives: inputs that are held act along angles and shifts, u Δq; others by sums of steps."""
        model, places = self.form.model, self.form.spanning.places
        if u is None or self.forces is None or (motion is None and not held):
            return np.zeros((len(q) - 1, len(model.ports))) if motion is None else np.diff(motion.given, axis=0)
        moved = np.zeros((len(q) - 1, self.form.n))
        for place in places:
            if place.xi.stop - place.xi.start == 1:
                moved[:, place.xi] = np.diff(q[:, place.q], axis=0)
        works = (moved @ self.forces.B) * u
        columns = [works[:, at].sum(-1) for at in model.port_columns.values()]
        return np.array(columns).T.reshape(len(moved), len(columns))

    def _mean_inputs(self, n: int, lengths: Array, motion: TreeMotion | None, u: Array | None) -> Array:
        if u is not None and not self.form.open.feedback:
            return np.array(np.broadcast_to(u, (n, u.shape[-1])))
        return np.zeros((n, len(self.ports))) if motion is None else np.diff(motion.impulse, axis=0) / lengths[:, None]

    @cached_property
    def _damping(self) -> Array:
        """Heat of each dissipation at unit velocities, (dissipations, n): it is a sum of squares."""
        form = self.form
        q = self.plain.flow.form.initial.q
        x = np.array([form.x(q, unit) for unit in np.eye(form.n)])
        return form.model.heats(x, form.model.z(x)).T

    def _heats(self, motion: TreeMotion | None, q: Array, xi: Array, t: Array, lost: Array, u: Array | None) -> Array:
        """What each dissipation took in each step.

        In joints the sum is the scheme's own, shared out by Simpson's rule; of what acts on bodies each one is.
        """
        if self.forces is None and motion is not None:
            return np.diff(motion.heat, axis=0)
        if self.forces is None or not self.form.model.dissipations or not len(lost):
            return np.zeros((len(lost), len(self.form.model.dissipations)))
        if len(self.form.model.dissipations) == 1:
            return lost[:, None]
        at = np.array([self.inputs(time) for time in t]) if u is None else np.broadcast_to(u, (len(lost), u.shape[-1]))
        ends = (at[:-1], at[1:]) if u is None else (at, at)
        a, b = (
            self.dynamics.accelerations(*node, u @ self.forces.B.T)
            for node, u in zip(((q[:-1], xi[:-1]), (q[1:], xi[1:])), ends, strict=True)
        )
        middle = 0.5 * (xi[:-1] + xi[1:]) + np.diff(t)[:, None] / 8.0 * (a - b)
        shares = (xi[:-1] ** 2 + 4.0 * middle**2 + xi[1:] ** 2) @ self._damping.T
        total = shares.sum(-1, keepdims=True)
        return np.asarray(shares / np.where(total > 0, total, 1.0) * lost[:, None])
