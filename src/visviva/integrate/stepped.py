"""Steps that are asked for one by one: in compiled code where possible, checked and accounted for as those of a run."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.integrate.chunk import Chunk
from visviva.integrate.engine import engine_of, fallback_note
from visviva.integrate.failure import as_error
from visviva.integrate.grid import divided_notes
from visviva.integrate.inputs import BadInput, TimeInputs
from visviva.integrate.integrator import AbstractIntegrator, Advancing
from visviva.integrate.loop import Logged, Loop
from visviva.integrate.machine import MachineStepper
from visviva.integrate.many import ManyStepping
from visviva.integrate.march import law_cautions, recorded_run
from visviva.integrate.newton import NotConverged
from visviva.integrate.repeated import AbstractRepeated
from visviva.integrate.step_buffer import StepBuffer
from visviva.integrate.ticked_steps import AbstractTicked, AbstractTicking
from visviva.model import Model, State
from visviva.model.control_law import AbstractControlLaw, Clock
from visviva.results import Run
from visviva.results.node_reading import NodeReading
from visviva.results.record import Record, Recorder, part
from visviva.results.selection import RELATIVE, Selection

ALL_STEPS = 2**62  # between nodes that are kept: the accounts of all steps, and no nodes
NEVER = -1  # no number of inputs


@final
class SteppedLoop:
    """A `Loop` whose steps are made when they are asked for, with inputs that are held.

    Compiled steps of a mechanism go to a `StepBuffer` and are accounted for many at a time, before anything but the
    motion is read. Any other step, and one that is not clear, is made by the loop with all checks.

    notes: on the start of it.   nodes: what collects the nodes of a run in work, if there is one.
    looks: what looks at steps of a run in work when they are accounted for, if something does.
    sampled: control laws of a run in work that are asked at ticks, with their clocks.
    """

    def __init__(self, model: Model, scheme: AbstractIntegrator, inputs: TimeInputs) -> None:
        self.model = model
        self.scheme = scheme
        self.inputs = inputs
        self.notes: list[str] = []
        self.nodes: Recorder | Selection | None = None
        self.looks: Callable[[Logged], None] | None = None
        self.sampled: tuple[tuple[AbstractControlLaw, Clock], ...] = ()
        self._stepping: Advancing | None = None
        self._buffer: StepBuffer | None = None
        self._loop: Loop | None = None
        self._read_at = NEVER  # number of the inputs that the motion was read with at the last node
        self._like: Run | None = None  # with tables that are the same at all nodes
        self.kept: dict[Any, Any] = {}  # what was made for runs of these equations, by whoever makes them

    def begin(self, state: State, h: float, notes: list[str]) -> None:
        """Be ready to make steps of length h from a state; accounts begin there."""
        self.inputs.hold(None)
        stepper = _compiled_stepper(self._stepping)
        if stepper is not None:
            stepper.restart(state, h)
        elif not self._begins_again(state, h):
            self._stepping = self.scheme.stepping(self.model, self.inputs, state, h)
            stepper = _compiled_stepper(self._stepping)
            self._buffer = None if stepper is None or not _is_buffered(self.model) else StepBuffer(stepper)
        self._loop = self.loop_from(state, h)
        self.notes, self.nodes, self.looks, self._divided, self.sampled = notes, None, None, 0, ()
        self._recorder: Recorder | None = None  # of all steps since here, when they are added up
        self._recent: Record | None = None  # of the last ones
        self._added = False  # whether these are among all
        self._now: Run | None = None  # of the last one
        self._read_at = NEVER
        self._going = False  # whether the tables of the buffer are where its last step ended
        self._ends: list[Array] = []  # inputs at the ends of the steps in the buffer
        if self._buffer is not None:
            self._buffer.clear()

    def _begins_again(self, state: State, h: float) -> bool:
        """Whether its steps are ready for another run; where inputs are functions, they are looked at anew."""
        made: object = self._stepping
        return isinstance(made, AbstractRepeated) and not self.inputs.changing and made.restart(state, h)

    def fork(self) -> SteppedLoop:
        """Another one with the same equations, which has not begun."""
        return SteppedLoop(self.model, self.scheme, copy.copy(self.inputs))

    def loop_from(self, state: State, h: float) -> Loop:
        """A loop of its own over the same steps."""
        assert self._stepping is not None
        exact = "energy" in self.scheme.preserves
        return Loop(self.model, self._stepping, state, h, self.inputs, exact=exact, like=self._loop)

    @property
    def is_buffered(self) -> bool:
        """Whether its steps are made in compiled code, and accounted for many at a time."""
        return self._buffer is not None

    @property
    def begun(self) -> bool:
        """Whether it has a state."""
        return self._loop is not None

    @property
    def loop(self) -> Loop:
        """Where it is, but for the steps in the buffer."""
        if self._loop is None:
            raise ModelError(f"the Simulator of {self.model.name!r} has no state yet: sim.reset(...) gives it one.")
        return self._loop

    @property
    def t(self) -> float:
        """Time [s]."""
        state, fresh = self.loop.state, 0 if self._buffer is None else self._buffer.made
        return state.t0 + (state.steps + fresh) * state.h

    # -- steps --------------------------------------------------------------------------------------------------

    def make(self, n: int) -> None:
        """Make n steps with the inputs that are held."""
        buffer = self._buffer
        self._now, self._read_at = None, NEVER
        while n > 0 and buffer is not None:
            if not self._going or not buffer.room:
                self.settle()
                buffer.begin(self.loop.state)
            count, u = min(n, buffer.room), self.inputs.constant
            if u is None:  # functions of time are asked for one step at a time
                count, u = 1, self._at_nodes(buffer.nodes)
            self._going, before = False, buffer.made  # an interruption may leave the tables anywhere
            closed = buffer.step(u, count)
            made = buffer.made - before
            self._ends += [u] * made if self.inputs.constant is not None else self._inputs_at_ends(made)
            self._going = closed
            n -= count if closed else self._second_look(before)
        for _ in range(n):
            self.alone()

    def _second_look(self, before: int) -> int:
        """Account for steps of which the last ones are not clear; how many of these are good.

        Where none is, the next one is made with all checks.
        """
        good = self.settle() - before
        if good < 0:
            failure = "a step before it turns out to miss energy"
            self.fail(NotConverged(failure, -1, np.nan))
        if good:
            return good
        self.alone()
        return 1

    def _inputs_at_ends(self, n: int) -> list[Array]:
        """Inputs over time at the end of the last step in the buffer, if it was made; if not defined, it is none."""
        try:
            return [self.inputs(self.t)] if n else []
        except BaseException as failure:
            assert self._buffer is not None
            self._buffer.drop(n)
            if isinstance(failure, BadInput):
                self.fail(failure)
            raise

    def until(self, t_end: float) -> None:
        """Make as many steps as a scheme that chooses their lengths needs until a time [s]."""
        self.loop.stepping.t_end = t_end
        while self.loop.state.t < t_end:
            self.alone()

    def pace(self, h: float) -> None:
        """Go on with steps of another length."""
        if self.loop.state.h != h:
            self.settle()
            state, self._going = self.loop.state, False
            self.loop.state = dataclasses.replace(state, t0=state.t, steps=0, h=h, rate=state.rate[:1])

    def _at_nodes(self, nodes: tuple[tuple[float, float], ...]) -> Array:
        """Inputs of the next step at its nodes, given as places in the step and the lengths of its parts."""
        state, fresh = self.loop.state, 0 if self._buffer is None else self._buffer.made
        t0, steps, h = state.t0, state.steps + fresh, state.h
        try:
            return np.array([self.inputs.over(t0, steps + node, length, h) for node, length in nodes])
        except BadInput as failure:
            self.fail(failure)

    def alone(self) -> None:
        """Make one step with all checks, divided where it has no solution."""
        self._going, self._now, self._read_at = False, None, NEVER
        logged = self.loop.advance(1)
        if not logged.record.steps:
            assert logged.failure is not None
            self.fail(logged.failure)
        self._take(logged)

    def settle(self) -> int:
        """Account for the steps in the buffer; how many of them are good. If not all are, what goes on begins anew."""
        if self._buffer is None or not self._buffer.made:
            return 0
        chunk, ends, self._ends = self._buffer.take(), self._ends, []
        logged = self.loop.account(chunk, ends)
        self._take(logged)
        self._going = self._going and logged.record.steps == chunk.steps
        return logged.record.steps

    def reserve(self, n: int) -> None:
        """Have memory for n steps of which all nodes are kept; 0: no longer."""
        if self._buffer is not None:
            self._buffer.reserve(n)

    def ticked(self) -> AbstractTicked | None:
        """What makes steps of one length between ticks in compiled code, where they can be."""
        if self._buffer is not None:
            return self._buffer
        return self._stepping.ticked if isinstance(self._stepping, AbstractTicking) else None

    def take_over(self, chunk: Chunk, ends: Array) -> int:
        """Account for steps that were made from where it is, with inputs at their ends; how many of them are good."""
        logged = self.loop.account(chunk, ends)
        self._take(logged)
        return logged.record.steps

    def leave(self) -> None:
        """Account for all steps: another loop uses the tables."""
        self.settle()
        self._going = False

    def _take(self, logged: Logged) -> None:
        """Take over steps that are good."""
        if logged.record.steps:
            self._keep(logged.record)
            if self.looks is not None:
                self.looks(logged)
            self._divided += logged.divided(logged.record.steps)
            self.loop.state = logged.state(logged.record.steps)

    def _keep(self, record: Record) -> None:
        self._add_up()
        if self.nodes is not None:
            self.nodes.add(record)
        self._recent, self._added, self._now, self._read_at = record, False, None, NEVER

    def _add_up(self) -> None:
        """Add the recent steps to the accounts; a run that nobody asks for more than its own spares that."""
        if self._recent is not None and not self._added:
            if self._recorder is None:
                self._recorder = Recorder(part(self._recent, 0, 0), ALL_STEPS)
            self._recorder.add(self._recent)
            self._added = True

    def follow(self, run: Run, state: State, h: float) -> None:
        """Go on with steps of length h from where a run has ended that another loop has made."""
        self._going = False
        if run.record.steps:
            self._keep(run.record)
            self.loop.follow(run.record, state, h)

    def fail(self, failure: BaseException) -> NoReturn:
        """Raise the error that a failure is to a user, with the part that is valid."""
        self.settle()
        run = self.since_begin() if self.nodes is None else self.run_of(self.nodes)
        self.nodes = self.looks = None
        raise as_error(failure, self.loop.state, run) from failure.__cause__

    # -- results ------------------------------------------------------------------------------------------------

    @cached_property
    def _reading(self) -> NodeReading | None:
        """What reads the motion of a mechanism."""
        return None if self.model.definition is None else NodeReading(self.model, self.model.definition)

    def read(self, name: str) -> Array:
        """The value of a quantity now, by the names of a Run; those of the motion are read from the state alone."""
        if not isinstance(name, str):
            raise ModelError(f"quantities are asked for by name, e.g. sim['hinge.q'], got {name!r}.")
        reading = self._reading
        if reading is not None and reading.knows(name):
            if self._read_at != self.inputs.changes:
                self._take_state(reading)
            return reading[name]
        loop = self.loop
        if self._now is None:
            self.settle()
            recent = self._recent
            record = loop.start() if recent is None else part(recent, recent.steps - 1, recent.steps)
            if self._like is None:
                self._like = Run(self.model, record, loop.state, self.scheme, ())
            self._now = self._like.over(record, loop.state)
        if name in RELATIVE or (name in self._now and self._now.adds_up(name)):  # sums from the start
            return self.since_begin()[name][-1]
        values = self._now[name]
        if not len(values):
            raise ModelError(f"{name!r} is a quantity of steps, and none was made yet.")
        return values[-1]

    def _take_state(self, reading: NodeReading) -> None:
        """Let the motion be read at the last node."""
        at: StepBuffer | State = self.loop.state if self._buffer is None or not self._buffer.made else self._buffer
        reading.take(at.x, at.angles, self._inputs_now)
        self._read_at = self.inputs.changes

    def _inputs_now(self) -> Array:
        return self.inputs(self.t)

    def since_begin(self) -> Run:
        """A run of all steps since the beginning, without the nodes between."""
        self._add_up()
        record = self.loop.start() if self._recorder is None else self._recorder.record()
        engine = engine_of(self.loop.stepping)
        return Run(self.model, record, self.loop.state, self.scheme, self._all_notes(engine), None, engine)

    def run_of(self, recorder: Recorder | Selection, notes: Sequence[str] = ()) -> Run:
        """The run that was collected; notes: on how it went."""
        engine = engine_of(self.loop.stepping)
        notes = (*self._all_notes(engine), *notes, *law_cautions(law for law, _ in self.sampled))
        return recorded_run(self.model, recorder, self.loop.state, self.scheme, notes, engine, self.sampled)

    def _all_notes(self, engine: str) -> tuple[str, ...]:
        fallback = fallback_note(self.model, self.scheme, engine)
        return (*self.notes, *divided_notes(self._divided), *fallback, *self.loop.stepping.notes())


def _is_buffered(model: Model) -> bool:
    """Whether its balance of energy tells a step that is none; temperatures and half turns of bushings have others."""
    mechanism = model.definition
    plain = not model.is_thermal and not model.feedback
    return plain and mechanism is not None and not any(part.half_turn for part in mechanism.elements)


def _compiled_stepper(stepping: Advancing | None) -> MachineStepper | None:
    """The stepper of compiled steps of a mechanism, which can be used again."""
    many = stepping.stepper if isinstance(stepping, ManyStepping) else None
    return many if isinstance(many, MachineStepper) else None
