"""Steps of a mechanism in minimal velocities, with the accounts of a run."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.errors import ConvergenceError
from visviva.forms.flows.flow import FlowState
from visviva.forms.flows.local import FlowStep, Local, stage_times
from visviva.forms.flows.pacing import Pacer
from visviva.forms.flows.trajectories import step_notes
from visviva.forms.minimal.model_flow import ModelFlow, model_flow
from visviva.forms.minimal.point import Point
from visviva.integrate.chunk import Chunk, Pace
from visviva.integrate.engine import slower
from visviva.integrate.inputs import BadInput
from visviva.integrate.integrator import Advancing, Inputs
from visviva.integrate.jumps import JumpFinder
from visviva.integrate.newton import NotConverged
from visviva.model import Model, State

if TYPE_CHECKING:
    from visviva.forms.flows.schemes import AbstractFlowScheme


def flow_stepping(scheme: AbstractFlowScheme, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:
    """What makes the steps of a scheme over a mechanism; an error at once if there is no minimal form."""
    flow = model_flow(model, inputs, type(scheme).__name__)
    stepping = FlowStepping(scheme, flow, model, h, JumpFinder(inputs))
    start = stepping.flow_state(state)
    try:
        flow.rates(start.t, start.q, start.xi, start.s)  # an inertia that is singular is said here
    except NotConverged as failure:
        raise ConvergenceError(
            f"{model.name!r} cannot start: {failure.reason}. {failure.way_out}".rstrip()
        ) from failure
    if not scheme.compiled:
        return stepping
    from visviva.forms.minimal.tree_stepping import tree_stepping

    try:
        return tree_stepping(stepping, inputs, scheme.loop, h)
    except NotCompilable as reason:
        stepping.reason = str(reason)
    return stepping


@final
class FlowStepping:
    """Makes steps in minimal velocities.

    A state of its runs has x and, in `rate`, coordinates and velocities themselves, so that a run continues exactly.
    Steps of various lengths end where an input jumps.

    reason: why they are not made in compiled code, if they could not be.
    """

    compiled = False

    def __init__(self, scheme: AbstractFlowScheme, flow: ModelFlow, model: Model, h: float, jumps: JumpFinder) -> None:
        self.scheme = scheme
        self.flow = flow
        self.model = model
        self.jumps = jumps
        self.pacer = Pacer(scheme, flow, h)
        self.t_end = np.inf
        self.reason = ""
        self._h = h
        self.width = flow.size_q + flow.n + flow.extra + scheme.memory(flow)
        self._loose: set[float] = set()

    def restart(self, h: float) -> None:
        """Be ready for another run."""
        self._h, self.t_end = h, np.inf
        self._loose.clear()

    @property
    def halvings(self) -> int:
        """How often a step that has no solution may be divided in two."""
        return self.pacer.halvings

    @halvings.setter
    def halvings(self, number: int) -> None:
        self.pacer.halvings = number

    def notes(self, loose: int = 0) -> list[str]:
        """Why it ran in NumPy, and steps whose balance could not be closed, with others that are known."""
        return [slower("it", self.reason)] * bool(self.reason) + step_notes(0, loose + len(self._loose), self.scheme)

    def flow_state(self, state: State) -> FlowState:
        """Coordinates and velocities of a state: those it was made from, or read from it."""
        flow, ends = self.flow, np.cumsum([self.flow.size_q, self.flow.n, self.flow.extra])
        flow.form.turns.near = state.angles
        if state.rate and len(state.rate[0]) >= ends[-1]:
            q, xi, s, memory = np.split(state.rate[0], ends)
            if np.array_equal(flow.form.x(q, xi, s), state.x):
                return FlowState(state.t, q, xi, s, state.h, memory)
        q, xi, s = flow.form.coordinates(state)
        return FlowState(state.t, q, xi, s, state.h)

    def advance(self, state: State, n: int) -> Chunk:
        """Up to n steps."""
        now, made = self.flow_state(state), list[list[FlowStep]]()
        failure: BaseException | None = None
        starts, fixed = [now], self.scheme.fixed_step
        self.pacer.h, self.pacer.t_end = state.h if fixed else self._h, self.t_end
        while len(made) < n and (fixed or now.t < self.t_end):
            if not fixed:
                jump = self.jumps.first(now.t, min(now.t + min(now.h or self._h, self._h), self.t_end))
                self.pacer.t_end = self.t_end if jump is None else jump
            try:
                steps = self.pacer.steps(now)
            except (NotConverged, BadInput, KeyboardInterrupt) as error:
                failure = error
                break
            if not all(step.balanced for step in steps):
                self._loose.add(now.t)
            made.append(steps)
            now = steps[-1].end
            if self.model.feedback:
                self.flow.form.turns.follow(Point(self.flow.form, now.q, now.xi, now.s))
            if fixed:
                now = dataclasses.replace(now, t=state.t0 + (state.steps + len(made)) * state.h)
            starts.append(now)
        return self._chunk(state, starts, made, failure)

    def alone(self, state: State) -> Chunk:
        """One step, which is what it makes anyway."""
        return self.advance(state, 1)

    def _pace(self, starts: list[FlowState], made: list[list[FlowStep]]) -> Pace | None:
        """The clock, where steps are of various lengths."""
        if self.scheme.fixed_step or not made:
            return None
        h, error = (np.array([getattr(step, name) for step, *_ in made]) for name in ("h", "error"))
        proposed = np.array([node.h or self.pacer.h for node in starts[1:]])
        return Pace(np.array([node.t for node in starts]), h, proposed, error)

    # -- accounts -----------------------------------------------------------------------------------------------

    def _chunk(
        self, before: State, starts: list[FlowState], made: list[list[FlowStep]], failure: BaseException | None
    ) -> Chunk:
        model, N = self.model, len(made)
        accounts = [self._accounts(start, steps) for start, steps in zip(starts, made, strict=False)]
        x = [before.x, *(self.flow.form.x(node.q, node.xi, node.s) for node in starts[1:])]
        rates = [np.concatenate([node.q, node.xi, node.s, node.memory]) for node in starts[1:]]

        def column(name: str, width: int) -> Array:
            return np.array([account[name] for account in accounts]).reshape(N, width)

        return Chunk(
            x=np.array(x),
            w=np.zeros((N, len(model.kinds))),
            gam=np.zeros((N, 0)),
            rate=np.array(rates).reshape(N, self.width),
            heat=column("heat", len(model.dissipations)),
            work=column("work", len(model.ports)),
            taken=column("taken", model.layout.total - model.layout.solved),
            u=column("u", sum(port.width for port in model.ports)),
            active=np.tile(before.active, (N, 1)),
            iterations=np.array([sum(step.iterations for step in steps) for steps in made]),
            residual=np.array([max(step.residual for step in steps) for steps in made]),
            parts=np.array([len(steps) for steps in made]),
            failure=failure,
            pace=self._pace(starts, made),
        )

    def _accounts(self, start: FlowState, steps: list[FlowStep]) -> dict[str, Any]:
        """Heat, work and flow to reservoirs over a step, and its mean inputs, by the quadrature of the scheme."""
        total: dict[str, Any] = dict.fromkeys(("heat", "work", "taken", "u"), 0.0)
        whole = sum(step.h for step in steps)
        for step in steps:
            local, used = Local(self.flow, start), np.flatnonzero(step.b)
            times = stage_times(start.t, step.h, step.c)
            found = self.flow.supplied([self.flow.evaluated(times[i], *local.parts(step.Y[i])) for i in used])
            for name in total:
                mean = step.b[used] @ getattr(found, name)
                total[name] = total[name] + (step.h / whole if name == "u" else step.h) * mean
            start = step.end
        return total
