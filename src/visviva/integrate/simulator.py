"""Simulator: a model that is prepared once, and then stepped, read, reset and run by hand."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, with_own_arrays
from visviva.compiler import compile
from visviva.errors import ModelError, PartialRunError
from visviva.integrate.choice import check_feedback, check_form, chosen_scheme
from visviva.integrate.engine import engine_of, fallback_note
from visviva.integrate.failure import as_error
from visviva.integrate.grid import divided_notes
from visviva.integrate.inputs import BadInput, Input, input_function
from visviva.integrate.integrator import AbstractIntegrator, Advancing
from visviva.integrate.loop import Logged, Loop
from visviva.integrate.machine import MachineStepper
from visviva.integrate.many import ManyStepping
from visviva.integrate.march import Wanted, grid, march
from visviva.integrate.start import Initial, start_state
from visviva.integrate.step_buffer import StepBuffer
from visviva.integrate.stopping import Stop
from visviva.language import Composite
from visviva.mechanism import Mechanism
from visviva.mechanism.names import unknown_name
from visviva.model import Model, State
from visviva.results import Run
from visviva.results.audit import Audit
from visviva.results.motion import MechanismMotion
from visviva.results.quantities import motion_quantities
from visviva.results.record import Nodes, Record, Recorder, part

Described = Mechanism | Composite | Model
ALL_STEPS = 2**62  # between nodes that are kept: the accounts of all steps, and no nodes
MOST_SCHEMES = 4  # whose simulators are kept for the next run of a mechanism


@final
class Simulator:
    """A mechanism, composite or Model with a scheme and a step h [s], prepared once.

        sim = vv.Simulator(m, h=1e-3)
        sim.reset({"hinge.q": 0.3})
        sim.step({"motor": 0.1})
        sim["tool.r"], sim.t

    integrator, inputs, initial: as those of `simulate`. Inputs that a step is given are held over it, and go before
    those of the simulator. Schemes that choose the lengths of their steps make as many as they need for one of h.

    Each step is the one that `simulate` would make, to the last bit, with the same checks and the same accounts:
    `audit()` has those of all steps since `reset`. No input is evaluated ahead of the step that is asked for.
    """

    def __init__(
        self,
        what: Described,
        h: float,
        *,
        integrator: AbstractIntegrator | None = None,
        inputs: Mapping[str, Input] | None = None,
        initial: Initial = None,
    ) -> None:
        scheme = chosen_scheme(what, integrator)
        self._prepare(what, scheme, inputs)
        self.h = finite_number(h, "h [s]", positive=True)
        if self.model.mechanism is not None or initial is not None or self.model.start:
            self.reset(initial)

    def _prepare(self, what: Described, scheme: AbstractIntegrator, inputs: Mapping[str, Input] | None) -> None:
        """What does not depend on a state, nor on the length of steps."""
        self._compiled = _model_of(what, scheme)
        self.integrator = scheme
        self._inputs, self.model = input_function(self._compiled, inputs)
        check_feedback(self.model, scheme)
        self._stepping: Advancing | None = None
        self._buffer: StepBuffer | None = None
        self._loop: Loop | None = None
        self._built: tuple[State, list[str]] | None = None  # as built
        self._chunk = 1  # steps that a run makes at a time
        self._motion: MechanismMotion | None = None  # with what does not depend on a state
        self._reads: dict[str, Callable[[MechanismMotion], Array] | None] = {}

    # -- states -------------------------------------------------------------------------------------------------

    def reset(self, initial: Initial = None) -> None:
        """Start anew: as built, at values by name, at a `State` such as `run.final`, or at a motion."""
        state, notes = self._start(initial)
        self._enter(state, self.h, notes)

    def _start(self, initial: Initial) -> tuple[State, list[str]]:
        """The state for `initial`, and notes on it; as built it is found once, where no input moves it."""
        if initial is not None or self.model.prescribed:
            return start_state(self.model, initial, self.integrator, self._inputs)
        if self._built is None:
            self._built = start_state(self.model, None, self.integrator, self._inputs)
        state, notes = self._built
        return state, list(notes)

    def _enter(self, state: State, h: float, notes: list[str]) -> None:
        """Be ready to make steps of length h from a state; accounts begin there."""
        self._inputs.hold(None)
        stepper = _compiled_stepper(self._stepping)
        if stepper is not None:
            stepper.restart(state, h)
        else:
            self._stepping = self.integrator.stepping(self.model, self._inputs, state, h)
            stepper = _compiled_stepper(self._stepping)
            self._buffer = None if stepper is None else StepBuffer(stepper)
        assert self._stepping is not None
        self._loop = self._loop_from(state, h)
        self._notes, self._divided = notes, 0
        self._recorder: Recorder | None = None  # of all steps since here
        self._recent: Record | None = None  # of the last ones
        self._now: Run | None = None  # of the last one
        self._moving: MechanismMotion | None = None  # at the last node
        self._going = False  # whether the buffer goes on from where the loop is

    def _loop_from(self, state: State, h: float) -> Loop:
        assert self._stepping is not None
        exact = "energy" in self.integrator.preserves
        return Loop(self.model, self._stepping, state, h, self._inputs, exact=exact)

    @property
    def _running(self) -> Loop:
        if self._loop is None:
            raise ModelError(f"the Simulator of {self.model.name!r} has no state yet: sim.reset(...) gives it one.")
        return self._loop

    @property
    def t(self) -> float:
        """Time [s]."""
        state, fresh = self._running.state, 0 if self._buffer is None else self._buffer.made
        return state.t0 + (state.steps + fresh) * state.h

    @property
    def state(self) -> State:
        """All that continues it bit for bit. To assign one, such as `run.final`, is a reset to it."""
        self._settle()
        return with_own_arrays(self._running.state, writeable=False)

    @state.setter
    def state(self, state: Initial) -> None:
        self.reset(state)

    def copy(self) -> Simulator:
        """Another simulator at the same state, which goes its own way; its accounts begin here."""
        other = copy.copy(self)
        other._inputs = copy.copy(self._inputs)
        other._stepping = other._buffer = None
        if self._loop is not None:
            other._enter(with_own_arrays(self.state, writeable=True), self.h, list(self._notes))
        return other

    # -- steps --------------------------------------------------------------------------------------------------

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the numbers in an array of inputs: those of ports, with an index where a port has several."""
        return tuple(
            port.name if port.width == 1 else f"{port.name}[{k}]"
            for port in self.model.ports
            for k in range(port.width)
        )

    def step(self, inputs: Mapping[str, ArrayLike] | ArrayLike | None = None, n: int = 1) -> None:
        """Make n steps.

        inputs: held over them, by port name, or an array in the order of `input_names`; ports that are not named have
                the inputs that the simulator was given, else zero.

        If a step cannot be solved, an error is raised whose `.run` holds the accounts since `reset`; the simulator is
        then where the last good step ended.
        """
        loop, buffer = self._running, self._buffer
        if not n >= 1:
            raise ModelError(f"a Simulator makes a whole number of steps, at least 1, got n = {n!r}.")
        self._inputs.hold(self._values(inputs))
        self._now = self._moving = None
        if buffer is None:
            self._careful(n)
            return
        while n > 0:
            if not self._going:
                buffer.begin(loop.state)
                self._going = True
            if not buffer.room:
                self._settle()
            before, count, u = buffer.made, min(n, buffer.room), self._inputs.constant
            if u is None:  # functions of time are asked for one step at a time
                count, u = 1, self._at_nodes(buffer.nodes)
            if buffer.step(u, count):
                n -= count
                continue
            good = self._settle() - before
            n -= good
            if good < count:  # the next one has no solution, or none that is clear
                self._careful(1)
                n -= 1

    def _values(self, inputs: Mapping[str, ArrayLike] | ArrayLike | None) -> Array | None:
        """All inputs, not a number where they are as given over time; None: all of them."""
        if inputs is None:
            return None
        width, columns = len(self._inputs.base), self.model.port_columns
        if not isinstance(inputs, Mapping):
            try:
                values = np.array(inputs, dtype=np.float64)
            except (TypeError, ValueError):
                values = np.zeros(0)
            if values.shape != (width,) or not np.isfinite(values).all():
                raise ModelError(
                    f"inputs of {self.model.name!r} are {width} finite numbers ({', '.join(self.input_names)}), "
                    f"got {inputs!r}.\nGive them in this order, or by port name: sim.step({{'motor': 0.1}})."
                )
            return values
        values = np.full(width, np.nan)
        for port, value in inputs.items():
            name = str(getattr(port, "name", port))
            if name not in columns:
                raise unknown_name(name, list(columns), f"the ports of {self.model.name!r}")
            at = columns[name]
            try:
                values[at] = value
            except (TypeError, ValueError):
                values[at] = np.nan
            if not np.isfinite(values[at]).all():
                numbers = "one finite number" if at.stop - at.start == 1 else f"{at.stop - at.start} finite numbers"
                raise ModelError(f"the input of port {name!r} must be {numbers}, got {value!r}.")
        return values

    def _at_nodes(self, nodes: tuple[tuple[float, float], ...]) -> Array:
        """Inputs of the next step at its nodes, given as places in the step and the lengths of its parts."""
        t, h = self.t, self._running.state.h
        try:
            return np.array([self._inputs.over(t + node * h, length * h) for node, length in nodes])
        except BadInput as failure:
            self._fail(failure)

    def _careful(self, n: int) -> None:
        """Make n steps one by one with all checks, divided where they have no solution.

        Schemes that choose their steps make as many as they need.
        """
        loop, self._going = self._running, False
        t_end = loop.stepping.t_end = self.t + n * self.h
        while n > 0:
            logged = loop.advance(1)
            if not logged.record.steps:
                assert logged.failure is not None
                self._fail(logged.failure)
            self._take(logged)
            n = n - 1 if self.integrator.fixed_step else int(loop.state.t < t_end)

    def _settle(self) -> int:
        """Account for the steps in the buffer; how many of them are good. If not all are, what goes on begins anew."""
        if self._buffer is None or not self._buffer.made:
            return 0
        chunk = self._buffer.take()
        logged = self._running.account(chunk)
        self._take(logged)
        self._going = self._going and logged.record.steps == chunk.steps
        return logged.record.steps

    def _take(self, logged: Logged) -> None:
        """Take over steps that are good."""
        if not logged.record.steps:
            return
        self._keep(logged.record)
        self._divided += logged.divided(logged.record.steps)
        self._running.state = logged.state(logged.record.steps)

    def _keep(self, record: Record) -> None:
        if self._recorder is None:
            self._recorder = Recorder(part(record, 0, 0), ALL_STEPS)
        self._recorder.add(record)
        self._recent, self._now, self._moving = record, None, None

    def _fail(self, failure: BaseException) -> NoReturn:
        self._settle()
        raise as_error(failure, self._running.state, self._since_reset()) from failure.__cause__

    # -- results ------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Array:
        """The value of a quantity now, by the names of a Run: sim["tool.r"], sim["hinge.q"], sim["hinge.reaction"].

        Those of the motion are read from the state alone; others need the accounts of the last step, and take longer.
        """
        if name not in self._reads:
            self._reads[name] = self._read_of_motion(name)
        read = self._reads[name]
        if read is not None:
            return read(self._moved())[-1]
        if self._now is None:
            self._settle()
            recent, state = self._recent, self._running.state
            record = self._running.start() if recent is None else part(recent, recent.steps - 1, recent.steps)
            self._now = Run(self.model, record, state, self.integrator, ())
        return self._now[name][-1]

    def _read_of_motion(self, name: str) -> Callable[[MechanismMotion], Array] | None:
        """How a quantity of the motion is read, if it is one."""
        carrier, _, suffix = name.rpartition(".")
        part = None if self.model.mechanism is None else self.model.mechanism.parts.get(carrier)
        found = motion_quantities(part).get(suffix)
        return None if found is None else lambda motion: found[0](motion, part)

    def _moved(self) -> MechanismMotion:
        """The motion at the last node."""
        if self._moving is None:
            mechanism, buffer, state = self.model.mechanism, self._buffer, self._running.state
            assert mechanism is not None
            fresh = buffer is not None and buffer.made > 0
            x, angles = (buffer.x, buffer.angles) if fresh and buffer is not None else (state.x, state.angles)
            node = Nodes(np.array([self.t]), x[None], angles[None], self._inputs(self.t)[None])
            if self._motion is None:
                self._motion = MechanismMotion(self.model, mechanism, node)
            self._moving = self._motion.over(node)
        return self._moving

    def run(
        self,
        t_end: float,
        *,
        record: str | Sequence[str] | None = None,
        every: int = 1,
        stop: Stop | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Go on until t_end [s], absolute time, with the inputs that the simulator was given; the Run of these steps.

        record, every, stop, progress: as those of `simulate`.
        """
        wanted = Wanted.of(t_end, record=record, every=every, stop=stop, progress=progress)
        self._settle()
        self._inputs.hold(None)
        n, h, notes = grid(self._running.state, wanted.t_end, self.h, self.integrator)
        loop = self._loop_from(self._running.state, h)
        try:
            return self._march(loop, n, [*self._notes, *notes], wanted)
        except PartialRunError as error:
            if isinstance(error.run, Run):
                self._follow(error.run, loop.state)
            raise

    def _march(self, loop: Loop, n: int | None, notes: list[str], wanted: Wanted) -> Run:
        run, self._chunk = march(loop, self.integrator, self._inputs, n, notes, wanted, self._chunk)
        self._follow(run, loop.state)
        return run

    def _follow(self, run: Run, state: State) -> None:
        """Go on from where a run has ended."""
        self._going = False
        if run.record.steps:
            self._keep(run.record)
            self._running.follow(run.record, state, self.h)

    def simulated(self, wanted: Wanted, initial: Initial, h: float) -> Run:
        """A run from another start, with steps of another length; nothing of it is left here."""
        h = finite_number(h, "h [s]", positive=True)
        state, notes = self._start(initial)
        n, h, changed = grid(state, wanted.t_end, h, self.integrator)
        self._enter(state, h if self.integrator.fixed_step else min(h, state.h or h), notes)
        run, self._chunk = march(
            self._running, self.integrator, self._inputs, n, [*notes, *changed], wanted, self._chunk
        )
        return run

    def audit(self) -> Audit:
        """The audit of all steps since `reset`."""
        self._settle()
        return self._since_reset().audit()

    def _since_reset(self) -> Run:
        loop, steps = self._running, self._stepping
        assert steps is not None
        engine = engine_of(steps)
        record = loop.start() if self._recorder is None else self._recorder.record()
        notes = (*self._notes, *divided_notes(self._divided), *fallback_note(self.model, self.integrator, engine))
        return Run(self.model, record, loop.state, self.integrator, notes, None, engine)

    def __repr__(self) -> str:
        at = "no state yet" if self._loop is None else f"t = {self.t:g} s"
        return f"<Simulator of {self.model.name!r}: {type(self.integrator).__name__}, h = {self.h:g} s, {at}>"

    def give(self, inputs: Mapping[str, Input] | None) -> bool:
        """Take other inputs for runs to come; False where they need equations of their own."""
        given, model = input_function(self._compiled, inputs)
        if model is not self.model:
            return False
        self._inputs.become(given)
        return True


def _compiled_stepper(stepping: Advancing | None) -> MachineStepper | None:
    """The stepper of compiled steps of a mechanism, which can be used again."""
    many = stepping.stepper if isinstance(stepping, ManyStepping) else None
    return many if isinstance(many, MachineStepper) else None


def _model_of(what: Described, scheme: AbstractIntegrator) -> Model:
    """The Model in the form of a scheme; that of a mechanism is kept with it."""
    if not isinstance(what, Mechanism):
        model = compile(what, scheme.form)
        check_form(model, scheme)
        return model
    made = what.made
    if scheme.form not in made:
        made[scheme.form] = compile(what, scheme.form)
    return made[scheme.form]


@contextmanager
def prepared(
    what: Described, integrator: AbstractIntegrator | None, inputs: Mapping[str, Input] | None
) -> Iterator[Simulator]:
    """A simulator for one run. Those of a mechanism are kept with it and used again, each by one run at a time."""
    scheme = chosen_scheme(what, integrator)
    idle = _idle(what, scheme)
    simulator = idle.pop() if idle else None
    if simulator is None or not simulator.give(inputs):
        simulator = Simulator.__new__(Simulator)
        simulator._prepare(what, scheme, inputs)
    yield simulator
    if idle is not None and simulator.model is simulator._compiled:
        idle.append(simulator)


def _idle(what: Described, scheme: AbstractIntegrator) -> list[Simulator] | None:
    """Simulators of a mechanism and a scheme that no run uses; None where none are kept."""
    if not isinstance(what, Mechanism) or type(scheme).__eq__ is object.__eq__:
        return None
    kept: dict[Any, list[Simulator]] = what.made.setdefault(Simulator, {})
    if scheme not in kept and len(kept) >= MOST_SCHEMES:
        kept.clear()
    return kept.setdefault(scheme, [])
