"""simulate: from a description and a time span to a Run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, final, overload

from visviva._arrays import finite_number
from visviva.compiler import compile
from visviva.errors import ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.engine import engine_of, fallback_note
from visviva.integrate.failure import StopFailed, as_error
from visviva.integrate.grid import divided_note, fitted_steps
from visviva.integrate.inputs import Input, TimeInputs, input_function
from visviva.integrate.integrator import AbstractIntegrator, Advancing
from visviva.integrate.interrupts import Interrupts
from visviva.integrate.jumps import JumpWatch
from visviva.integrate.loop import Logged, Loop
from visviva.integrate.newton import Newton
from visviva.integrate.phmp import PHMP
from visviva.integrate.progress import Progress
from visviva.integrate.start import Initial, start_state
from visviva.integrate.step_check import StepCheck
from visviva.integrate.system import AbstractSystem
from visviva.integrate.warn import warn
from visviva.language import Composite
from visviva.mechanism import Mechanism
from visviva.model import Model, State
from visviva.results import Run, Snapshot
from visviva.results.record import Record, Recorder, joined, part
from visviva.results.selection import Selection, patterns_of
from visviva.results.trajectory import Trajectory

CHUNK_SECONDS = 0.1
CHUNK_NUMBERS = 500_000  # states and multipliers of a chunk: more would not be faster, and take memory
SCHEMES_OF = {"lie": "vv.LieMidpoint() or vv.DOP853()", "directors": "vv.PHMP() or vv.PHMPGGL()"}
FEWEST = 3  # steps of a run, from which on their length is looked at
Stop = Callable[[Snapshot], bool]


@overload
def simulate(
    what: Mechanism | Composite | Model,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Initial = None,
    inputs: Mapping[str, Input] | None = None,
    record: str | Sequence[str] | None = None,
    every: int = 1,
    stop: Stop | None = None,
    progress: bool | None = None,
) -> Run: ...


@overload
def simulate(
    what: AbstractSystem,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Any,
    every: int = 1,
) -> Trajectory: ...


def simulate(
    what: Mechanism | Composite | Model | AbstractSystem,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Any = None,
    inputs: Mapping[str, Input] | None = None,
    record: str | Sequence[str] | None = None,
    every: int = 1,
    stop: Stop | None = None,
    progress: bool | None = None,
) -> Run | Trajectory:
    """Integrate until t_end [s] with steps of h [s], and return the Run. With `Adaptive`, h is the longest step.

    what:       a Mechanism, a composite system of the language, or a Model; or equations of motion by hand, a `Flow`:
                it starts from initial=(q, xi) and gives a `Trajectory`. Of the arguments below it takes integrator (by
                default DOP853) and every.
    integrator: PHMP() by default for mechanisms, DiscreteGradient() for composites and Lagrangian systems; for another
                Model give one.
    initial:    of a mechanism values by the names of a run, any subset of {"hinge.q": 0.3, "hinge.rate": 1.0,
                "tool.r": ..., "dc.current": ...}: they are kept, loops are closed, the rest stays as near as built.
                Or a run, or a `State` such as `run.final`, which continues exactly in the same scheme and in any other
                from there; a motion from `m.assemble()`, an equilibrium. For a Model or a composite the values of its
                variables by name. Default for a mechanism: as built.
    inputs:     by port name, a constant or a function of time: its value at the midpoint of a step acts over the step
                (schemes with several stages or substeps: one value each). It is evaluated at the nodes as well, the
                start included, for what is read there, such as reactions. Or a function of (t, x, z), with x the states
                and z the efforts by name, traced and solved inside the step. Functions of time may be asked at any
                time and in any order, but with `stop`: see there.
    record:     names or patterns of the quantities to keep, e.g. ("rod.r", "energy*"); the audit is complete all the
                same. Default: everything can be asked for. With it the memory of a long run is bounded.
    every:      keep each n-th node; energy, heat and work are still accounted for at every step.
    stop:       called with a `Snapshot` of each step's end; the run ends at the first step where it is true. Beside
                functions in `inputs` steps are made one by one, and the order of calls is: the inputs of a step in the
                order of its stages, those at its end, then `stop` there, then the inputs of the next step. So what an
                input remembers of the last snapshot is never older than one step.
    progress:   show a progress bar; default: where there is a terminal and the run takes more than a second.

    If a step cannot be solved, or on Ctrl-C, an error is raised whose `.run` holds the part that is valid. What may
    make a run another than it was meant to be is issued as a `RunWarning` each, and is in `run.warnings`.
    """
    every = _whole(every)
    if isinstance(what, AbstractSystem):
        _check_plain(inputs=inputs, record=record, stop=stop)
        return what.simulated(t_end, h, integrator=integrator, initial=initial, every=every)
    scheme = _scheme(what, integrator)
    model = compile(what, scheme.form)
    _check_form(model, scheme)
    if stop is not None and not callable(stop):
        raise ModelError(f"stop must be a function of a Snapshot, e.g. lambda now: now['hinge.q'] > 1, got {stop!r}.")
    u, model = input_function(model, inputs)
    _check_feedback(model, scheme)
    state, notes = start_state(model, initial, scheme, u)
    t_end, h = finite_number(t_end, "t_end [s]"), finite_number(h, "h [s]", positive=True)
    n, h, changed = _grid(state, t_end, h, scheme)
    notes += changed
    stepping = scheme.stepping(model, u, state, h)
    stepping.t_end = t_end
    if not scheme.fixed_step:
        h = min(h, state.h or h)
    engine = engine_of(stepping)
    notes += fallback_note(model, scheme, engine)
    loop = Loop(model, stepping, state, h, u, exact="energy" in scheme.preserves)
    recorder, divided = _recorder(loop, every, patterns_of(record), model, scheme), 0
    watch = _Watch(model, scheme, u, loop.state, n, one_by_one=stop is not None and u.calls)
    done, chunk = 0, 1
    with Progress(model.name, (state.t, t_end), progress) as bar, Interrupts() as interrupts:
        while n is None or done < n:
            began = time.perf_counter()
            logged = loop.advance(chunk if n is None else min(chunk, n - done))
            fresh, failure = logged.record, logged.failure or interrupts.asked()
            if stop is not None:
                cut, wrong = _first_stop(stop, model, scheme, recorder.record, fresh, logged.state(fresh.steps))
                failure = wrong or failure
                if cut is not None:
                    fresh, failure, n = part(fresh, 0, cut), wrong, done + cut
            recorder.add(fresh)
            if failure is None:
                watch.look(logged, fresh, done)
            loop.state = logged.state(fresh.steps)
            done, divided = done + fresh.steps, divided + logged.divided(fresh.steps)
            if stop is not None and done == n and cut is not None and failure is None:
                notes.append(f"stopped by the stop condition at t = {loop.state.t:g} s")
            if failure is not None:
                run = _run(model, recorder, loop.state, scheme, (*notes, *_divided(divided), *stepping.notes()), engine)
                raise as_error(failure, loop.state, run) from failure.__cause__
            if n is None and loop.state.t >= t_end:
                n = done
            bar.update(loop.state.t)
            chunk = 1 if watch.one_by_one else _next_chunk(chunk, time.perf_counter() - began, model)
    notes += [*_divided(divided), *stepping.notes(), *watch.notes(stepping)]
    run = _run(model, recorder, loop.state, scheme, tuple(notes), engine)
    warn(run.warnings)
    return run


@final
class _Watch:
    """What is looked at while a run is made: jumps of its inputs, and whether its steps are short enough.

    Schemes that choose their steps look themselves. one_by_one: whether inputs may depend on what `stop` was shown, so
    that they are asked for nothing else than the steps need, and in the order of time.
    """

    def __init__(
        self, model: Model, scheme: AbstractIntegrator, u: TimeInputs, start: State, n: int | None, *, one_by_one: bool
    ) -> None:
        self.one_by_one = one_by_one
        self._jumps = JumpWatch(u) if scheme.fixed_step and not one_by_one else None
        self._steps = StepCheck(model, u, start, n) if n is not None and n >= FEWEST else None

    def look(self, logged: Logged, fresh: Record, done: int) -> None:
        """Look at steps, of which `done` were made before."""
        if self._jumps is not None:
            self._jumps.look(fresh)
        if self._steps is not None:
            self._steps.look(logged, fresh.steps, done)

    def notes(self, stepping: Advancing) -> list[str]:
        """What a user should know."""
        jumps = [] if self._jumps is None else self._jumps.notes()
        return jumps + ([] if self._steps is None else self._steps.notes(stepping))


def _recorder(
    loop: Loop, every: int, patterns: tuple[str, ...] | None, model: Model, scheme: AbstractIntegrator
) -> Recorder | Selection:
    start, state = loop.start(), loop.state
    if patterns is None:
        return Recorder(start, every)
    return Selection(start, every, patterns, lambda record: Run(model, record, state, scheme, ()))


def _run(
    model: Model,
    recorder: Recorder | Selection,
    state: State,
    scheme: AbstractIntegrator,
    notes: tuple[str, ...],
    engine: str,
) -> Run:
    recorded = recorder.values() if isinstance(recorder, Selection) else None
    return Run(model, recorder.record(), state, scheme, notes, recorded, engine)


def _check_plain(**given: object) -> None:
    named = [f"{name}=" for name, value in given.items() if value is not None]
    if named:
        raise ModelError(
            f"{', '.join(named)} of simulate() are for mechanisms, composites and Models. Equations by hand take their "
            "inputs\nfrom their own functions of t, bond graphs from laws of sources or vv.bond_graph(m, inputs=...)."
        )


def _check_form(model: Model, scheme: AbstractIntegrator) -> None:
    """A scheme on the equations of another form would be another scheme, or none."""
    if model.mechanism is not None and model.form != scheme.form:
        name = type(scheme).__name__
        raise ModelError(
            f"the Model {model.name!r} is compiled in the form {model.form!r}, and {name} integrates mechanisms in the "
            f"form {scheme.form!r}.\n"
            f"Give simulate() the mechanism itself, or vv.compile(m, {scheme.form!r}); or use "
            f"{SCHEMES_OF[model.form]} with this Model."
        )


def _check_feedback(model: Model, scheme: AbstractIntegrator) -> None:
    if model.feedback and not scheme.feedback:
        raise ModelError(
            f"the input of port {model.feedback[0].port!r} depends on states or efforts, which "
            f"{type(scheme).__name__} does not solve inside a step.\nUse vv.DiscreteGradient() or "
            "vv.EnergyCollocation(), or a function of time."
        )


def _divided(steps: int) -> list[str]:
    return [divided_note(steps)] if steps else []


def _scheme(what: Mechanism | Composite | Model, integrator: AbstractIntegrator | None) -> AbstractIntegrator:
    if not isinstance(what, Mechanism | Composite | Model):
        raise ModelError(f"simulate() takes a Mechanism or a Model, got {type(what).__name__}; or a composite system.")
    if integrator is None and (isinstance(what, Composite) or (isinstance(what, Model) and what.coordinates)):
        return DiscreteGradient()
    if integrator is None:
        if isinstance(what, Model):
            raise ModelError(f"simulate() of model {what.name!r} needs integrator=, e.g. vv.DiscreteGradient().")
        return PHMP()
    if not isinstance(integrator, AbstractIntegrator):
        raise ModelError(f"integrator must be an integrator such as vv.PHMP(), got {integrator!r}.")
    if not isinstance(getattr(integrator, "newton", Newton()), Newton):
        raise ModelError(f"newton of {integrator!r} must be a vv.Newton(...).")
    if not isinstance(getattr(integrator, "compiled", True), bool):
        raise ModelError(f"compiled of {integrator!r} must be True or False.")
    return integrator


def _whole(every: int) -> int:
    number = finite_number(every, "every")
    if number < 1 or not number.is_integer():
        raise ModelError(f"every must be a whole number of steps, at least 1, got {every!r}.")
    return int(number)


def _grid(state: State, t_end: float, h: float, scheme: AbstractIntegrator) -> tuple[int | None, float, list[str]]:
    """Number of steps and their length, so that the last one ends at t_end; None where the scheme chooses them."""
    span = t_end - state.t
    if span < 0:
        raise ModelError(f"t_end = {t_end:g} s lies before the start of the run at t = {state.t:g} s.")
    if not scheme.fixed_step:
        return (None if span else 0), h, []
    return fitted_steps(span, h) if span else (0, h, [])


def _next_chunk(chunk: int, seconds: float, model: Model) -> int:
    most = CHUNK_NUMBERS // (model.layout.size + len(model.kinds) + 1)
    return max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / max(seconds, 1e-9)), most))


def _first_stop(
    stop: Stop, model: Model, scheme: AbstractIntegrator, before: Callable[[], Record], fresh: Record, final: State
) -> tuple[int | None, BaseException | None]:
    """The first of the fresh steps at which the condition holds, or at which it failed, and how."""
    recent = Run(model, fresh, final, scheme, ())
    whole = cache(lambda: Run(model, joined(before(), fresh), final, scheme, ()))
    for i in range(1, fresh.steps + 1):
        try:
            if bool(stop(Snapshot(recent, i, whole))):
                return i, None
        except KeyboardInterrupt as error:
            return i, error
        except Exception as error:
            failure = StopFailed(f"the stop condition raised {type(error).__name__}: {error}")
            failure.__cause__ = error
            return i, failure
    return None, None
