"""Compiled steps of mechanisms: PH-MP and the Lie midpoint rule with six unknowns per body, PH-MP-GGL with twelve."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.compiler.elimination import both_levels, eliminated, elimination_of, rates_of, sparse_of, sparse_pattern
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine_feedback import machine_feedback
from visviva.errors import ModelError
from visviva.integrate.chunk import Chunk
from visviva.integrate.integrator import Inputs, Step
from visviva.integrate.machine_boxes import begin_boxes, boxes_of
from visviva.integrate.many import WHOLE, AbstractMany, ManyStepping, pivots_at, warmed
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton, NotConverged
from visviva.integrate.room import Room
from visviva.integrate.step_laws import law_failure
from visviva.model import Model, State
from visviva.results.tallies import Tallies

if TYPE_CHECKING:
    from visviva.compiler.machine import MachineModel
    from visviva.kernels.multibody.advance import Log
    from visviva.kernels.multibody.boxes import Boxes
    from visviva.kernels.multibody.feedback import Feedback
    from visviva.kernels.multibody.ggl_tables import Rates
    from visviva.kernels.multibody.solver import Elimination, Sparse
    from visviva.kernels.multibody.tables import Conditions, Losses

SLOW = 0.01  # a residual that falls by less than this factor asks for a new matrix
FLOOR = 3e-16  # scaled residual of a step that is rounding: sizes are sums of the terms of a row


def machine_stepping(
    model: Model, newton: Newton, inputs: Inputs, state: State, h: float, parts: Array = WHOLE, rates: bool = False
) -> ManyStepping | None:
    """Compiled steps of a mechanism; None where something in it has no compiled form, or the model is none.

    rates: whether they keep the rates of the constraints, too.
    """
    from visviva.kernels.announce import announce

    if model.definition is None:
        return None
    try:
        with announce("the engine of mechanisms"):
            return warmed(model, MachineStepper(model, newton, state, h, parts, rates=rates), inputs, state, h)
    except NotCompilable:
        return None


@final
class MachineStepper(AbstractMany):
    """A mechanism with the memory of its steps.

    parts:      lengths of the steps that make up one step, as fractions of it.
    along_tree: how its matrix is eliminated, see `compiler.elimination`; default: the faster way that is possible.
    rates:      keep the rates of the constraints, too: PH-MP-GGL instead of PH-MP, with a second level of unknowns.
    """

    def __init__(
        self,
        model: Model,
        newton: Newton,
        state: State,
        h: float,
        parts: Array = WHOLE,
        along_tree: bool | None = None,
        rates: bool = False,
    ) -> None:
        self.model = model
        self.newton = newton
        self.inputs = sum(port.width for port in model.ports)
        self.settings = np.array([FLOOR, newton.rounded, newton.accept, SLOW, newton.max_iterations, 1.0])
        boxed = model.definition is not None and len(model.definition.boxes) > 0
        self.parts = np.concatenate([parts[None], _start_weights(parts, rates, boxed)])
        starts = np.cumsum([0.0, *parts[:-1]])
        self.nodes = tuple((starts + 0.5 * parts).tolist())
        self.weights = tuple(parts.tolist())
        if rates and model.prescribed:  # what drives a constraint sets its rate at the ends of parts as well
            self.nodes += tuple((starts + parts).tolist())
            self.weights += (0.0,) * len(parts)
        self._along_tree = along_tree
        self._h = h
        self._rates = rates
        self._active: Mask | None = None
        self.c: MachineModel
        self.s: Elimination
        self.sparse: Sparse | None = None
        self.level: Rates | None = None
        self.feedback: Feedback | None = None
        self.losses: Losses | None = None  # what a kernel is given: its code is left out where there are none
        self.conditions: Conditions | None = None
        self.boxes: Boxes | None = None
        self.pivots = np.zeros(0)
        self._room: Room | None = None
        self._start = state.x.copy()
        self._select(state, h)
        self._begin(state)

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the unknowns, three times where a step has parts."""
        return self.unknowns * (1 if self.parts.shape[1] == 1 else 3)

    @property
    def unknowns(self) -> int:
        """Those of all levels."""
        return self.c.unknowns * (2 if self._rates else 1)

    # -- elimination --

    def _select(self, state: State, h: float) -> None:
        """Tables and elimination for the rows that a state solves."""
        if self._active is not None and (state.active == self._active).all():
            return
        again = self._active is not None
        self._active = state.active.copy()
        self.c, tree = eliminated(self.model, state.active, self._along_tree)
        self.s = elimination_of(self.c, tree, state.active)
        self.sparse = sparse_of(self.c, self.s) if tree is None else None
        self.level = rates_of(self.c, self.s) if self._rates else None
        self.feedback = machine_feedback(self.model, self.unknowns, self.nodes)
        self.losses = self.c.losses if self.c.lossy or self.feedback is not None else None
        holds = self.c.conditioned or len(self.c.conditions.couplings.followed) > 0
        self.conditions = self.c.conditions if holds or self.sparse is not None else None
        bodies = np.ones(self.c.unknowns - len(self.c.w))
        self._signs = None if (self.c.sign == 1.0).all() else np.concatenate([bodies, self.c.sign])
        self.boxes = boxes_of(self.c, self.newton, state, h)
        self.c.machine.active[:] = state.active[self.c.w]
        if again:
            self._begin(dataclasses.replace(state, x=self._start))
        if tree is None:
            self._planned(state, h)

    def _planned(self, state: State, h: float) -> None:
        """The order of elimination that the run has had so far, so that a continued one rounds as it would have."""
        n, m = len(state.x), len(state.w)
        fits = len(state.pivots) == 2 + n + 2 * m and (state.pivots[2 + n + m :].astype(bool) == state.active).all()
        self.pivots = state.pivots if fits else pivots_at(state, h)
        t, past_h, x, w, _ = np.split(self.pivots, np.cumsum([1, 1, n, m]))
        self._analyse(dataclasses.replace(state, t0=t[0], steps=0, x=x, w=w), past_h[0])

    def _analyse(self, state: State, h: float) -> None:
        """Choose pivots by the matrix at a state; an error that names what nothing determines."""
        from visviva.kernels.multibody.advance import trial
        from visviva.kernels.multibody.solver import Sparse
        from visviva.kernels.ordering import analyse
        from visviva.kernels.singular import Singular

        assert self.sparse is not None
        self._read(state)
        rows, cols, chosen = pattern = sparse_pattern(self.c, self.s)
        if self.level is not None:
            rows, cols, chosen = both_levels(pattern, self.c, self.s)
        y = self._start_values(state)
        singular: Singular | None = None
        for spread in (0.0, 1.0):  # at some generic unknowns too: a friction may vanish at zero
            values = y + spread * np.maximum(np.abs(y), 1e-3) * np.random.default_rng(0).uniform(0.5, 1.5, len(y))
            trial(
                self.c.machine, self.c.elements, self.losses, self.conditions, self.boxes, self.s, self.sparse,
                self.level, np.zeros(self.inputs), h, values,
            )  # fmt: skip
            V = self.sparse.graph.V if self.level is None else self.level.V
            try:
                plan = analyse(self.unknowns, rows, cols, V[chosen])
            except Singular as found:
                singular = found
                continue
            plan = plan._replace(src=chosen[plan.src.astype(np.int64)].astype(plan.src.dtype))
            if self.level is None:
                self.sparse = Sparse(self.sparse.graph._replace(LU=np.zeros(plan.size)), plan)
            else:
                self.level = self.level._replace(plan=plan, LU=np.zeros(plan.size))
            return
        assert singular is not None
        names = list(dict.fromkeys(self._unknown_name(int(k)) for k in singular.unknowns))
        if (singular.unknowns % self.c.unknowns >= self.c.unknowns - len(self.c.w)).all():
            raise ModelError(
                f"mechanism {self.model.name!r} does not determine: {'; '.join(names)}.\n"
                "At the start these rows depend on each other, though not near by: the configuration is singular.\n"
                "Start a little beside it, or leave out a joint or condition that says the same twice."
            )
        raise ModelError(
            f"mechanism {self.model.name!r} does not determine: {'; '.join(names)}.\n"
            "Nothing gives it inertia, and no joint holds it there: add a joint, a mass or a moment of inertia."
        )

    def _unknown_name(self, k: int) -> str:
        assert self.model.definition is not None
        bodies, k = self.model.definition.bodies, k % self.c.unknowns
        if k < 6 * len(bodies):
            what = "velocity" if k % 6 < 3 else "angular velocity"
            return f"the {what} of {bodies[k // 6].name!r}"
        return f"the reaction of {row_name(self.model, int(self.c.w[k - 6 * len(bodies)]))}"

    # -- steps --

    def _read(self, state: State) -> None:
        from visviva.kernels.multibody.states import read_state

        M, at = self.c.machine, self.c.places
        elements, conditions = self.c.elements, self.conditions
        read_state(M.B, M.X, M.K, M.T, M.TK, elements.y, conditions, at.bodies, at.y, state.x, state.angles)
        if self.boxes is not None:
            self.boxes.work.x[self.boxes.states[:, 0]] = state.x[self.boxes.states[:, 1]]

    def _begin(self, state: State) -> None:
        """The energies at the start of the run: their scale counts the changes since."""
        from visviva.kernels.multibody.bodies import start_energies

        self._read(state)
        start_energies(self.c.machine.B, self.c.machine.sizes[0], self.c.machine.gravity)

    def step(self, state: State, h: float, u: Array) -> Step:
        """One step; where Newton's method overshoots, with parts of its increments."""
        from visviva.kernels.multibody.advance import SHORTEST

        try:
            return super().step(state, h, u)
        except NotConverged:
            self.settings[SHORTEST] = 1 / 64
            try:
                return super().step(state, h, u)
            finally:
                self.settings[SHORTEST] = 1.0

    def choose_pivots(self, state: State, h: float) -> bool:  # noqa: D102
        if self.sparse is None:
            return False
        self.pivots = pivots_at(state, h)
        self._analyse(state, h)
        return True

    def restart(self, state: State, h: float) -> bool:
        """Be ready for a run from another state, as if made anew: pivots and the scale of energy are those of it."""
        self._start = state.x.copy()
        planned = self._active is not None and (state.active == self._active).all()
        self._select(state, h)
        if planned and self.sparse is not None and not np.array_equal(self.pivots, pivots_at(state, h)):
            self._planned(state, h)
        self._begin(state)
        return True

    def log(self, n: int, room: tuple[Array, Array] | None = None) -> Log:
        """Memory for what n steps leave; room: that for states and multipliers, where it is there."""
        from visviva.kernels.multibody.advance import Log

        assert self._active is not None
        model, k, m = self.model, self.unknowns, len(self._active)
        composed = self.parts.shape[1] > 1
        x, w = (np.empty((n + 1, model.layout.size)), np.empty((n, m))) if room is None else room
        return Log(
            x=x, rate=np.empty((n, k)), before=np.empty((n if composed else 0, 2, k)), lam=w,
            gam=np.empty((n, m if self._rates else 0)), rows=np.ascontiguousarray(self.c.w, dtype=np.int64),
            signs=np.ascontiguousarray(self.c.sign, dtype=np.float64),
            heat=np.empty((n, len(model.dissipations))), work=np.empty((n, len(model.ports))),
            taken=np.empty((n, len(model.reservoirs))),
            angles=np.empty((n, len(model.turns))), energy=np.empty((n + 1, 4)), g=np.empty(n),
            g_v=np.empty((n, len(model.constraints), 3)), report=np.zeros((n, 4)),
        )  # fmt: skip

    def begin(self, state: State, h: float) -> tuple[Array, int]:
        """Take a state into the tables; the last solutions, newest first, and how many are known."""
        self._select(state, h)
        self._read(state)
        if self.feedback is not None:
            self.feedback.clock[:], self._h = (state.t0, state.steps), h
        history, known = self._history(state)
        if self.boxes is not None and known == 0:
            begin_boxes(self.boxes, state)
        return history, known

    def arguments(self, u: Array, h: float, history: Array, known: int, n: int, log: Log) -> tuple[Any, ...]:
        """Those of the kernel `advance` for n steps from the state in the tables."""
        c = self.c
        return (
            c.machine, c.elements, self.losses, self.conditions, self.boxes, self.s, self.sparse, self.level,
            c.places, self.settings, self.parts, u, h, history, known, 0, n, log, self.feedback,
        )  # fmt: skip

    def many(self, state: State, h: float, u: Array) -> Chunk:  # noqa: D102
        from visviva.kernels.multibody.advance import advance

        history, known = self.begin(state, h)
        room = None if self._room is None else self._room.take(state, len(u))
        log = self.log(len(u), room)
        done, status = advance(*self.arguments(u, h, history, known, len(u), log))
        if self._room is not None and room is not None:
            log.x[0] = state.x
            self._room.close(done)
        return self.chunk(log, u, done, status)

    def reserve(self, n: int) -> None:  # noqa: D102
        rows = 0 if self._active is None else len(self._active)
        self._room = Room(n, self.model.layout.size, rows) if n else None

    def chunk(self, log: Log, u: Array, done: int, status: int) -> Chunk:
        """The steps at the beginning of a log, and why there are no more; arrays of the log are not copied."""
        from visviva.kernels.newton import SOLVED_STEP

        assert self._active is not None
        rows, composed = len(self._active), self.parts.shape[1] > 1
        rate = np.concatenate([log.rate, *np.swapaxes(log.before, 0, 1)], 1) if composed else log.rate
        return Chunk(
            x=log.x[: done + 1],
            w=log.lam[:done],
            gam=log.gam[:done],
            rate=self._signed(rate)[:done],
            heat=log.heat[:done],
            work=log.work[:done],
            taken=log.taken[:done],
            u=np.tensordot(u[:done], np.array(self.weights), (1, 0)) if composed else u[:done, 0],
            active=np.broadcast_to(self._active, (done, rows)),
            iterations=log.report[:done, 0],
            residual=log.report[:done, 1],
            parts=np.ones(done, dtype=np.int64),
            failure=None if status == SOLVED_STEP else self._failure(status, log.report[done], u[done], done),
            pivots=self.pivots,
            tallies=Tallies(log.angles[:done], log.energy[: done + 1], log.g[:done], log.g_v[:done]),
        )

    def _signed(self, rates: Array) -> Array:
        """Velocities and multipliers with the signs of the model, or back."""
        sign = self._signs
        return rates if sign is None else rates * np.tile(sign, rates.shape[-1] // len(sign))

    def _history(self, state: State) -> tuple[Array, int]:
        """The last solutions, newest first, that start values follow from; and how many are known."""
        history, known = (
            np.zeros((4, self.unknowns)),
            [self._signed(rate) for rate in state.rate if rate.shape == (self.width,)],
        )
        if self.parts.shape[1] > 1 and known:
            known = np.split(known[0], 3)
        for i, rate in enumerate(known[:4]):
            history[i] = rate
        if not known:
            history[0] = self._start_values(state)
        return history, min(4, len(known))

    def _start_values(self, state: State) -> Array:
        """The unknowns as they are at a state: velocities, multipliers, and both once more for a second level."""
        from visviva.kernels.multibody.states import start_values

        y = np.zeros(self.c.unknowns)
        start_values(self.c.machine.B, self.c.machine.sizes[0], y)
        bodies = self.c.unknowns - len(self.c.w)
        y[bodies:] = self.c.sign * state.w[self.c.w]
        if not self._rates:
            return y
        gam = self.c.sign * state.gam[self.c.w] if len(state.gam) else np.zeros(len(self.c.w))
        return np.concatenate([y, y[:bodies], gam])

    def _failure(self, status: int, report: Array, u: Array, step: int) -> NotConverged:
        """Why a step was not made, with its inputs u in all parts."""
        from visviva.kernels import newton

        for part in self.model.feedback:
            wrong = np.flatnonzero(~np.isfinite(u[:, self.model.port_columns[part.port]]).all(-1))
            if len(wrong):
                assert self.feedback is not None
                t0, steps = self.feedback.clock
                t = t0 + (steps + step + self.nodes[wrong[0]]) * self._h
                return law_failure(part, t)
        reasons = {
            newton.NOT_CONVERGED: f"no convergence in {self.newton.max_iterations} iterations",
            newton.NOT_FINITE: "the residual is not finite",
            newton.SINGULAR: "the matrix of the step is singular",
            newton.BROKEN_ROW: "a redundant constraint is violated",
        }
        at = int(report[2])
        failure = NotConverged(reasons[status], at, float(report[1]))
        assert self.model.definition is not None
        bodies = self.model.definition.bodies
        if at >= 2 * len(bodies):
            failure.where = row_name(self.model, int(self.c.w[at - 2 * len(bodies)]))
        elif at >= 0:
            failure.where = f"balance of momentum of {bodies[at // 2].name!r}"
        return failure


def _start_weights(parts: Array, rates: bool, boxed: bool) -> Array:
    """Weights of the last four solutions in the start values of each part, (12, k): for velocities in the middle of
    parts, for multipliers, and for velocities at the ends of parts.

    Solutions belong to the middles of their parts; the steps before are made of the same parts. Velocities follow a
    cubic, and so do multipliers where the rates of constraints are kept. Elsewhere these alternate about a smooth
    motion from step to step, because the velocities at the nodes are not tangent:
    λ(n) = 2 λ(n - 1) - 2 λ(n - 3) + λ(n - 4) is exact for a parabola and for what alternates. So do velocities that
    boxes act on, and all inside of boxes: teeth are stiff, and what swings faster than steps follow alternates. Steps
    made of parts follow the last three of them: velocities a parabola, multipliers a line.
    """
    if len(parts) == 1:
        cubic, alternating = [4.0, -6.0, 4.0, -1.0], [2.0, 0.0, -2.0, 1.0]
        return np.array([*(alternating if boxed else cubic), *(cubic if rates else alternating), *cubic])[:, None]
    every = np.tile(parts, 4)
    ends = np.cumsum(every)
    weights = np.zeros((12, len(parts)))
    for k in range(len(parts)):
        at = 3 * len(parts) + k
        for first, n, nodes in ((0, 3, ends - 0.5 * every), (4, 2, ends - 0.5 * every), (8, 3, ends)):
            times = nodes[at - 1 - np.arange(n)] - nodes[at]
            weights[first : first + n, k] = np.linalg.solve(np.vander(times, n, increasing=True).T, np.eye(n)[0])
    return weights
