"""Compiled steps of any model whose blocks have expressions."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.compiler.compiled_model import CompiledModel
from visviva.compiler.flows import NotCompilable
from visviva.compiler.program import build_program
from visviva.compiler.tableau import Tableau
from visviva.errors import ModelError
from visviva.integrate.chunk import Chunk
from visviva.integrate.integrator import Inputs
from visviva.integrate.many import WHOLE, AbstractMany, ManyStepping, pivots_at, warmed
from visviva.integrate.names import unknown_name
from visviva.integrate.newton import Newton, NotConverged
from visviva.model import Model, State

if TYPE_CHECKING:
    from visviva.kernels.lu import Plan
    from visviva.kernels.program import Idle, Work


def compiled_stepping(
    model: Model, tableau: Tableau, newton: Newton, inputs: Inputs, state: State, h: float, parts: Array = WHOLE
) -> ManyStepping | None:
    """Compiled steps of a model; None where a block has no expression, and the reference form is to be used."""
    from visviva.kernels.announce import announce

    try:
        with announce("this model and the engine"):
            stepper = CompiledStepper(build_program(model, tableau), newton, state, h, parts)
            return warmed(model, stepper, inputs, state, h)
    except NotCompilable:
        return None


@final
class CompiledStepper(AbstractMany):
    """A compiled model with the memory of its steps and the order of elimination of its matrix.

    parts: lengths of the steps that make up one step, as fractions of it.
    """

    def __init__(self, c: CompiledModel, newton: Newton, state: State, h: float, parts: Array = WHOLE) -> None:
        self.c = c
        self.inputs = c.inputs
        self.newton = newton
        self.settings = np.array([newton.floor, newton.rounded, newton.accept, newton.slow, newton.max_iterations])
        self.parts = np.stack([parts, extrapolations(parts)])
        starts = np.cumsum([0.0, *parts[:-1]])
        self.nodes = tuple((starts[:, None] + np.outer(parts, c.tableau.c)).ravel().tolist())
        self.weights = tuple(np.outer(parts, c.tableau.b).ravel().tolist())
        self._lengths = tuple(np.repeat(parts if c.tableau.stages == 1 else 0.0 * parts, c.tableau.stages).tolist())
        self.width = c.unknowns * (1 if len(parts) == 1 else 2)
        self.dissipations = np.array([c.model.structures.index(part) for part in c.model.dissipations], dtype=np.int64)
        self.ports = np.array([c.model.structures.index(part) for part in c.model.ports], dtype=np.int64)
        self._active: Mask | None = None
        self._idle: Idle
        self.plan, self.work = self._planned(state, h)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Those of the parts; several stages of one are instants."""
        return self._lengths

    # -- elimination --

    def _planned(self, state: State, h: float) -> tuple[Plan, Work]:
        """The plan that the run has had so far, so that a continued one rounds as an uninterrupted one does."""
        n, m = len(state.x), len(state.w)
        self.pivots = state.pivots if len(state.pivots) == 2 + n + 2 * m else pivots_at(state, h)
        t, past_h, x, w, active = np.split(self.pivots, np.cumsum([1, 1, n, m]))
        return self._analysed(
            dataclasses.replace(state, t0=t[0], steps=0, x=x, w=w, active=active.astype(bool)), past_h[0]
        )

    def _analysed(self, state: State, h: float) -> tuple[Plan, Work]:
        """The order of elimination for the matrix at a state; an error that names what nothing determines."""
        from visviva.kernels.ordering import analyse
        from visviva.kernels.singular import Singular

        work = memory(self.c, 0)
        self._select(state.active)
        u = np.zeros((self.c.tableau.stages, self.c.inputs))
        unknowns, finite = np.zeros(0, dtype=np.int64), True
        for spread in (0.0, 1.0):
            self._trial(work, state, h, u, spread)
            values = work.V[: len(self.c.rows)].copy()
            if not np.isfinite(values).all():
                unknowns = np.unique(self.c.rows[~np.isfinite(values)])
                finite = False
                continue
            try:
                plan = analyse(self.c.unknowns, self.c.rows, self.c.cols, values)
            except Singular as singular:
                unknowns = singular.unknowns
                continue
            return plan, work._replace(LU=np.zeros(plan.size))
        names = list(dict.fromkeys(unknown_name(self.c.model, int(k) // self.c.tableau.stages) for k in unknowns))
        if not finite:
            raise ModelError(
                f"the equations of {self.c.model.name!r} are not finite at t = {state.t:g} s: {'; '.join(names)}.\n"
                "Start inside the domain of its energies and laws."
            )
        raise ModelError(
            f"model {self.c.model.name!r} does not determine: {'; '.join(names)}.\n"
            "Nothing sets its effort or its flow there: add a storage, a dissipation or a constraint, or\n"
            "remove a coupling that says the same twice."
        )

    def _trial(self, work: Work, state: State, h: float, u: Array, spread: float) -> None:
        """The matrix at a state; with a spread at some generic unknowns, since a dissipation may vanish at zero."""
        from visviva.kernels.residual import MATRIX, evaluate

        work.x[:] = state.x
        work.y[:] = self._cold(work, state, h, u)
        if spread:
            generic = np.random.default_rng(0).uniform(0.5, 1.5, len(work.y))
            work.y[:] += spread * np.maximum(np.abs(work.y), 1e-3) * generic
        evaluate(self.c.program, self._idle, work, u, state.t, h, MATRIX)

    def _cold(self, work: Work, state: State, h: float, u: Array) -> Array:
        """Start values without history: rates of the state variables as they are, velocities unchanged."""
        from visviva.kernels.residual import RESIDUAL, evaluate

        S, dim = self.c.tableau.stages, self.c.model.layout.dim
        y = np.zeros((self.c.model.layout.solved, S))
        y[dim:] = state.w[:, None]
        work.y[:] = y.ravel()
        evaluate(self.c.program, self._idle, work, u, state.t, h, RESIDUAL)
        units = self.c.program.units
        rates = -work.r[: dim * S].reshape(dim, S)[units]
        y[units] = np.where(np.isfinite(rates), rates, 0.0)
        return y.ravel()

    def _select(self, active: Mask) -> None:
        if self._active is None or (active != self._active).any():
            self._active, self._idle = active, self.c.idle(active)

    # -- steps --

    def choose_pivots(self, state: State, h: float) -> bool:  # noqa: D102
        self.pivots = pivots_at(state, h)
        self.plan, self.work = self._analysed(state, h)
        return True

    def many(self, state: State, h: float, u: Array) -> Chunk:  # noqa: D102
        from visviva.kernels.advance import Log, advance
        from visviva.kernels.newton import SOLVED_STEP

        c, n, model = self.c, len(u), self.c.model
        self._select(state.active)
        self.work.x[:] = state.x
        log = Log(
            np.empty((n + 1, len(state.x))),
            np.empty((n, c.unknowns)),
            np.empty((n, c.unknowns)),
            np.empty((n, len(model.kinds))),
            np.empty((n, len(model.structures))),
            np.empty((n, model.layout.total - model.layout.solved)),
            np.zeros((n, 4)),
        )
        clock, history = np.array([state.t0, float(state.steps), h]), self._history(state, h, u)
        done, status = advance(
            c.program, self.plan, self._idle, self.work, self.settings, self.parts, u, clock, history, n, log
        )
        composed = self.parts.shape[1] > 1
        return Chunk(
            x=log.x[: done + 1],
            w=log.w[:done],
            gam=np.zeros((done, 0)),
            rate=np.concatenate([log.y[:done], log.before[:done]], axis=1) if composed else log.y[:done],
            heat=-h * log.out[:done, self.dissipations],
            work=h * log.out[:done, self.ports],
            taken=log.taken[:done],
            u=np.tensordot(u[:done], np.array(self.weights), (1, 0)),
            active=np.broadcast_to(state.active, (done, len(state.active))),
            iterations=log.report[:done, 0],
            residual=log.report[:done, 1],
            parts=np.ones(done, dtype=np.int64),
            failure=None if status == SOLVED_STEP else self._failure(status, log.report[done]),
            pivots=self.pivots,
        )

    def _history(self, state: State, h: float, u: Array) -> Array:
        """Solutions that the predictor starts from: how many, the last, the one before."""
        history, n = np.zeros((3, self.c.unknowns)), self.c.unknowns
        known = [rate for rate in state.rate if rate.shape == (self.width,)][:2]
        if self.parts.shape[1] > 1 and known:
            known = [known[0][:n], known[0][n:]]
        history[0, 0] = len(known)
        if not known and len(u):
            known = [self._cold(self.work, state, h, u[0, : self.c.tableau.stages])]
        for k, rate in enumerate(known):
            history[k + 1] = rate
        return history

    def _failure(self, status: int, report: Array) -> NotConverged:
        from visviva.kernels import newton

        row = int(report[2])
        if status == newton.FROZEN:
            name = unknown_name(self.c.model, row).split("'")[1]
            return NotConverged(f"the temperature at junction {name!r} would be {report[1]:.4g} K", -1, np.nan)
        reasons = {
            newton.NOT_CONVERGED: f"no convergence in {self.newton.max_iterations} iterations",
            newton.NOT_FINITE: "the residual is not finite",
            newton.SINGULAR: "the matrix of the step is singular",
            newton.BROKEN_ROW: "a redundant constraint is violated",
        }
        failure = NotConverged(reasons[status], row, float(report[1]))
        failure.where = unknown_name(self.c.model, row // self.c.tableau.stages) if row >= 0 else ""
        return failure


def extrapolations(parts: Array) -> Array:
    """How far ahead the middle of each part is of the last one, in units of the distance of the two before.

    Solutions belong to the middles of their parts; the steps before are made of the same parts.
    """
    twice = np.concatenate([parts, parts, parts])
    middles = np.cumsum(twice) - 0.5 * twice
    gaps = np.diff(middles)
    first = 2 * len(parts)
    return gaps[first - 1 : first - 1 + len(parts)] / gaps[first - 2 : first - 2 + len(parts)]


def memory(c: CompiledModel, factors: int) -> Work:
    """Memory for the steps of a program; factors: length of the factors of its matrix."""
    from visviva.kernels.program import COORDINATES, GAINS, OUTPUTS, SCRATCH, TURNS, Work, X, Z

    S, n, size = c.tableau.stages, c.unknowns, c.program.sizes
    nodes, segments = len(c.tableau.beta), len(c.tableau.segments)
    dim = c.model.layout.dim
    return Work(
        x=np.zeros(size[X]), end=np.zeros(size[X]), s=np.zeros((S, size[COORDINATES])),
        z=np.zeros((S, size[Z] + size[SCRATCH])), dE=np.zeros((S, size[GAINS])), dX=np.zeros(size[TURNS]),
        amp=np.zeros((S, size[Z])), r=np.zeros(size[Z] * S), rs=np.zeros(size[Z] * S), V=np.zeros(c.values),
        LU=np.zeros(factors), y=np.zeros(n), best=np.zeros(n), move=np.zeros(n), pad=np.zeros(n),
        size=np.ones(c.groups), out=np.zeros((S, size[OUTPUTS])), nodes=np.zeros((nodes, size[X])),
        D=np.zeros((segments, dim)), dDa=np.zeros((segments, size[GAINS])), dDb=np.zeros((segments, size[GAINS])),
        cx=np.zeros((S, 2 * S)), rest=np.zeros(n),
    )  # fmt: skip
