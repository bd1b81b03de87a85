"""Simulator: a model that is prepared once, and then stepped, read, reset and run by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, with_own_arrays
from visviva._suggestions import suggesting
from visviva.compiler import compile
from visviva.errors import ModelError, PartialRunError
from visviva.integrate.choice import check_feedback, check_form, chosen_scheme
from visviva.integrate.inputs import AllInputs, check_ports, input_function, port_name, refuse_held_sources
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.loop import Loop
from visviva.integrate.march import Wanted, grid, march
from visviva.integrate.parameters import SimulatorParameters, changed, continued_state, mechanism_of
from visviva.integrate.rollouts.inputs import MemberInputs
from visviva.integrate.rollouts.result import Rollouts
from visviva.integrate.rollouts.rollout import Prepared, rollout
from visviva.integrate.sampled import Sampled
from visviva.integrate.sampled_run import sampled_run
from visviva.integrate.shown import shown_run
from visviva.integrate.source_jumps import refuse_jumps
from visviva.integrate.start import Initial, start_state
from visviva.integrate.stepped import SteppedLoop
from visviva.integrate.stopping import Stop, StopCondition
from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parameters import with_parameters
from visviva.model import Model, State
from visviva.model.linked import linkage_in
from visviva.results import Run
from visviva.results.audit import Audit

Described = Mechanism | Definition | Composite | Model


@final
@suggesting
class Simulator:
    """A mechanism, composite or Model with a scheme and a step h [s], prepared once.

        sim = vv.Simulator(m, h=1e-3)
        sim.reset({"hinge.q": 0.3})
        sim.step({"motor": 0.1})
        sim["tool.r"], sim.t

    integrator, inputs, initial, parameters: as those of `simulate`. Inputs that a step is given are held over it, and
    go before those of the simulator. Schemes that choose the lengths of their steps make as many as they need for one
    of h.

    Each step is the one that `simulate` would make, with the same checks and the same accounts: `audit()` has those of
    all steps since `reset`. No input is evaluated ahead of the step that is asked for.
    """

    def __init__(
        self,
        what: Described,
        h: float,
        *,
        integrator: AbstractIntegrator | None = None,
        inputs: AllInputs | None = None,
        initial: Initial = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        what = definition_of(what)
        what = what if parameters is None else changed(what, parameters)
        self._scheme = chosen_scheme(what, integrator)
        self._h = finite_number(h, "h [s]", positive=True)
        self._compiled = _model_of(what, self._scheme)
        self._inputs = dict(inputs) if isinstance(inputs, Mapping) else inputs
        given, self.model = input_function(self._compiled, inputs)
        check_feedback(self.model, self._scheme)
        self._steps = SteppedLoop(self.model, self._scheme, given)
        self._built: tuple[State, list[str]] | None = None  # as built
        self._chunk = 1  # steps that a run makes at a time
        self._fixed = self._scheme.fixed_step
        self._clock = (0.0, 0)  # where steps of schemes that choose their own began, and how many were made since
        if initial is not None:
            self.reset(initial)

    @property
    def integrator(self) -> AbstractIntegrator:
        """The scheme; make another Simulator for another one."""
        return self._scheme

    @property
    def h(self) -> float:
        """Length of steps [s]; make another Simulator for another one."""
        return self._h

    # -- states -------------------------------------------------------------------------------------------------

    def reset(self, initial: Initial = None) -> None:
        """Start anew: as built, at values by name, at a `State` such as `run.final`, at a motion, or at (q, v).

        (q, v): coordinates and velocities of `vv.dynamics(m)`, in its order.
        """
        state, notes = self._start(initial)
        self._steps.begin(state, self.h, notes)

    def _start(self, initial: Initial) -> tuple[State, list[str]]:
        """The state for `initial`, and notes on it; as built it is found once, where no input moves it."""
        if initial is not None or self.model.prescribed:
            return start_state(self.model, initial, self.integrator, self._steps.inputs, self._tree)
        if self._built is None:
            self._built = start_state(self.model, None, self.integrator, self._steps.inputs)
        state, notes = self._built
        return state, list(notes)

    @cached_property
    def _tree(self) -> Linkage | None:
        """Its joints, where they hang all bodies up as a tree: what does not depend on states."""
        linkage = linkage_in(self.model)
        return linkage if linkage is not None and linkage.is_tree else None

    @property
    def _running(self) -> SteppedLoop:
        """Its steps; a mechanism that was not reset yet is as built."""
        if not self._steps.begun and (self.model.definition is not None or self.model.start):
            self.reset()
        return self._steps

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._running.t

    @property
    def state(self) -> State:
        """All that continues it bit for bit. To assign one, such as `run.final`, is a reset to it."""
        self._running.settle()
        return with_own_arrays(self._steps.loop.state, writeable=False)

    @state.setter
    def state(self, state: Initial) -> None:
        self.reset(state)

    def copy(self) -> Simulator:
        """Another simulator at the same state, which goes its own way; its accounts begin here."""
        other = object.__new__(Simulator)
        vars(other).update(vars(self))
        other._steps = self._steps.fork()
        if self._steps.begun:
            other._steps.begin(with_own_arrays(self.state, writeable=True), self.h, list(self._steps.notes))
            other._steps.inputs.hold(self._steps.inputs.values)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Simulator:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise ModelError(
            "a Simulator holds compiled code and cannot be put into a file: pickle its mechanism and sim.state, and\n"
            "make it anew: sim = vv.Simulator(m, h=...); sim.reset(state)."
        )

    # -- parameters ---------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> SimulatorParameters:
        """Numbers of its mechanism by name, sim.parameters["arm.mass"] = 2.0; prints as a table with units."""
        return SimulatorParameters(self)

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Go on with other numbers of the mechanism, at once: see `Mechanism.with_parameters` for their names.

        Bodies stay where they are and move as they do, currents and temperatures stay; where joints are elsewhere they
        are closed by the least motion. Accounts begin here: a change of a number is no work. `reset` starts as built
        with the numbers that there are then.
        """
        other = self.with_parameters(values)
        if self._steps.begun:
            state, notes = continued_state(self.state, self.model, other)
            other._steps.begin(state, self.h, notes)
        vars(self).clear()  # what was kept of the old numbers, too
        vars(self).update(vars(other))

    def with_parameters(self, values: Mapping[str, Any]) -> Simulator:
        """Another simulator of the mechanism with other numbers; it has the same scheme, step and inputs.

        It has not begun: `reset` starts it. All that does not depend on the numbers is shared, and nothing is compiled
        again, so that many of them can be made, one for each set of numbers.
        """
        other = with_parameters(mechanism_of(self._compiled), values)
        return Simulator(other, self.h, integrator=self.integrator, inputs=self._inputs)

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
                the inputs that the simulator was given, else zero. The rate of a drive may be held as well: its law
                goes on by its rates afterwards, from where it then is.

        If a step cannot be solved, an error is raised whose `.run` holds the accounts since `reset`; the simulator is
        then where the last good step ended.
        """
        if not (isinstance(n, int | np.integer) and n >= 1):
            raise ModelError(f"a Simulator makes a whole number of steps, at least 1, got n = {n!r}.")
        steps = self._steps if self._steps.begun else self._running
        t, before = steps.t, steps.inputs.values
        steps.inputs.hold(None if inputs is None else self._values(inputs))
        try:
            if self._fixed:
                steps.make(int(n))
            else:
                t0, made = self._clock if self._clock[0] + self._clock[1] * self.h == t else (t, 0)
                self._clock = t0, made + int(n)
                steps.until(t0 + (made + int(n)) * self.h)
        except BaseException:
            self._hold_again(t, before)
            raise

    def _hold_again(self, t: float, values: Array | None) -> None:
        """Hold inputs again that were held at a time, if no step was made since: rates of drives are read by them."""
        if self._steps.t == t:
            self._steps.inputs.hold(values)

    def _values(self, inputs: Mapping[str, ArrayLike] | ArrayLike | None) -> Array | None:
        """All inputs as `step` takes them, not a number where they are as given over time; None: all of them are."""
        if inputs is None:
            return None
        if self.model.feedback:
            self._check_not_solved(inputs)
        refuse_held_sources(
            self.model, map(port_name, inputs) if isinstance(inputs, Mapping) else self.model.port_columns
        )
        if not isinstance(inputs, Mapping):
            return self._array(inputs)
        base, columns = self._steps.inputs.base, self.model.port_columns
        values = np.full(len(base), np.nan) if self._steps.inputs.changing else base.copy()
        for port, value in inputs.items():
            name = port_name(port)
            if name not in columns:
                check_ports(self.model, map(port_name, inputs))
            self._put(values, name, columns[name], value)
        return values

    def _check_not_solved(self, inputs: object) -> None:
        solved = [part.port for part in self.model.feedback]
        given = map(port_name, inputs) if isinstance(inputs, Mapping) else solved
        if both := [port for port in given if port in solved]:
            raise ModelError(
                f"the input of port {both[0]!r} is a law of states or efforts, which is solved inside of steps: it "
                "cannot be held\nat another value. Name other ports only, or make the Simulator without that law."
            )

    def _array(self, inputs: object) -> Array:
        """Inputs that are given as an array."""
        width = len(self._steps.inputs.base)
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

    @staticmethod
    def _put(values: Array, name: str, at: slice, value: Any) -> None:
        """One input among all, checked."""
        width = at.stop - at.start
        try:
            if width == 1:
                number = float(value)
                values[at.start] = number
                if math.isfinite(number):
                    return
            else:
                given = np.asarray(value, dtype=float)
                if given.shape == (width,) and np.isfinite(given).all():
                    values[at] = given
                    return
        except (TypeError, ValueError):
            pass
        numbers = "one finite number" if width == 1 else f"{width} finite numbers"
        raise ModelError(f"the input of port {name!r} must be {numbers}, got {value!r}.")

    # -- results ------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Array:
        """The value of a quantity now, by the names of a Run: sim["tool.r"], sim["hinge.q"], sim["hinge.reaction"].

        Those of the motion are read from the state alone; others need the accounts of the last step, and take longer.
        """
        return self._running.read(name)

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
        steps = self._running
        steps.leave()
        t, before = steps.t, steps.inputs.values
        steps.inputs.hold(None)
        n, h, notes = grid(steps.loop.state, wanted.t_end, self.h, self.integrator)
        if wanted.stop is None:
            refuse_jumps(steps.inputs, self.integrator, t, wanted.t_end)
        loop = steps.loop_from(steps.loop.state, h)
        try:
            run = self._march(loop, n, [*steps.notes, *notes], wanted)
        except PartialRunError as error:
            if isinstance(error.run, Run):
                steps.follow(error.run, loop.state, self.h)
            self._hold_again(t, before)
            raise
        steps.follow(run, loop.state, self.h)
        self._hold_again(t, before)
        return run

    def _march(self, loop: Loop, n: int | None, notes: list[str], wanted: Wanted) -> Run:
        chunk = self._chunk if self.integrator.fixed_step else 1  # where chunks show in the last bits, they begin alike
        run, self._chunk = march(loop, self.integrator, self._steps.inputs, n, notes, wanted, chunk)
        return run

    def simulated(self, wanted: Wanted, laws: Sequence[Sampled], initial: Initial, h: float) -> Run:
        """A run from another start and with steps of another length, as `simulate` returns it."""
        self._h = finite_number(h, "h [s]", positive=True)
        state, notes = self._start(initial)
        n, h, changed = grid(state, wanted.t_end, self.h, self.integrator)
        if wanted.stop is None:
            refuse_jumps(self._steps.inputs, self.integrator, state.t, wanted.t_end)
        if laws:
            self._steps.begin(state, self.h, notes)
            return sampled_run(self._steps, self._values, self.h, wanted, laws)
        self._steps.begin(state, h if self.integrator.fixed_step else min(h, state.h or h), notes)
        if n is not None and wanted.stop is not None and self._steps.inputs.calls and self._steps.is_buffered:
            self._steps.notes = [*notes, *changed]
            condition = StopCondition(wanted.stop, self.model, self.integrator)
            return shown_run(self._steps, n, condition, wanted)
        return self._march(self._steps.loop, n, [*notes, *changed], wanted)

    def rollout(
        self,
        initial: Any = None,
        *,
        steps: int,
        inputs: MemberInputs = None,
        parameters: Mapping[str, Any] | None = None,
        record: str | Sequence[str] | None = None,
        every: int = 1,
        workers: int | Executor = 1,
    ) -> Rollouts:
        """Many runs of `steps` steps each, from many starts and under many inputs; the simulator stays where it is.

            many = sim.rollout({"hinge.q": np.linspace(-1, 1, 100)}, steps=1000, record=("tool.r",))
            many["tool.r"].shape == (100, 1001, 3)

        initial: a list of anything that `reset` takes; arrays by name, of which the first axis is the member; or arrays
                 (q, v) of shapes (B, nq) and (B, nv) in the coordinates of `vv.dynamics`.
        inputs:  by port name a number for all, (B,) for each member, (B, steps) held over each step, with a last axis
                 for ports with several; or a function of time. Or one array (B, steps, inputs) in the order of
                 `input_names`. Axes of length 1 are for all. What is not named has the inputs of the simulator.
        parameters: numbers of the mechanism by name, (B,) for each member, see `with_parameters`.
        record:  names or patterns of quantities to keep.   every: keep each n-th node.
        workers: a number of threads, or an Executor of `concurrent.futures`, to which members are sent as files are.

        Each member is the run that `reset` and `run` would make, with its audit, whoever makes it; its states are the
        same to the last bit in schemes with steps of one length, but for arrays (q, v) in explicit ones. One that fails
        spares the others: `many.status` says what happened.
        """
        return rollout(
            self._prepared(),
            lambda values: self.with_parameters(values)._prepared(),
            self.input_names,
            initial=initial,
            inputs=inputs,
            parameters=parameters,
            steps=steps,
            record=record,
            every=every,
            workers=workers,
        )

    def _prepared(self) -> Prepared:
        return Prepared(self.model, self.integrator, self._steps.inputs, self.h, lambda x: self._start(x)[0])

    def audit(self) -> Audit:
        """The audit of all steps since `reset`."""
        self._running.settle()
        return self._steps.since_begin().audit()

    def __repr__(self) -> str:
        at = f"t = {self.t:g} s" if self._steps.begun else "not begun"
        return f"<Simulator of {self.model.name!r}: {type(self.integrator).__name__}, h = {self.h:g} s, {at}>"

    def give(self, inputs: AllInputs | None) -> bool:
        """Take other inputs for runs to come; False where they need equations of their own."""
        given, model = input_function(self._compiled, inputs)
        if model is not self.model:
            return False
        self._inputs = dict(inputs) if isinstance(inputs, Mapping) else inputs
        self._steps.inputs.become(given)
        return True

    @property
    def is_plain(self) -> bool:
        """Whether its equations are those of the description alone, so that other inputs can be given to it."""
        return self.model is self._compiled


def _model_of(what: Described, scheme: AbstractIntegrator) -> Model:
    """The Model in the form of a scheme; that of a mechanism is kept with it."""
    if not isinstance(what, Definition):
        model = compile(what, scheme.form)
        check_form(model, scheme)
        return model
    made = what.made
    if scheme.form not in made:
        made[scheme.form] = compile(what, scheme.form)
    kept: Model = made[scheme.form]
    return kept
