"""The making of a run: chunks of steps until a time, with progress, interruption, stop conditions and warnings."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.integrate.drive_jumps import drive_notes
from visviva.integrate.engine import engine_of, fallback_note
from visviva.integrate.failure import as_error
from visviva.integrate.grid import divided_notes, fitted_steps
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import AbstractIntegrator, Advancing
from visviva.integrate.interrupts import Interrupts
from visviva.integrate.joint_ranges import RangeWatch
from visviva.integrate.jumps import JumpWatch
from visviva.integrate.loop import Logged, Loop
from visviva.integrate.progress import Progress
from visviva.integrate.repeated import AbstractRepeated
from visviva.integrate.source_jumps import source_notes
from visviva.integrate.step_check import StepCheck
from visviva.integrate.stopping import Stop, StopCondition
from visviva.integrate.warn import warn
from visviva.model import Model, State
from visviva.model.control_law import AbstractControlLaw, Clock, asked_by_one, laws_in
from visviva.results import Run
from visviva.results.notes import Caution
from visviva.results.record import Record, Recorder, part
from visviva.results.selection import Selection, patterns_of

CHUNK_SECONDS = 0.1
CHUNK_NUMBERS = 4_000_000  # states and multipliers of a chunk: more would not be faster, and take memory
THIN_NUMBERS = 500_000  # the same where a run keeps few of them: chunks are then most of its memory
GROWTH = 8  # of a chunk, from one to the next: a short one takes longer than its share
FEWEST = 3  # steps of a run, from which on their length is looked at


@final
@dataclass(frozen=True)
class Wanted:
    """What a run is to keep and where it is to end, as `simulate` takes it."""

    t_end: float
    record: str | Sequence[str] | None = None
    every: int = 1
    stop: Stop | None = None
    progress: bool | None = None

    @classmethod
    def of(
        cls, t_end: float, *, record: str | Sequence[str] | None, every: int, stop: Stop | None, progress: bool | None
    ) -> Wanted:
        """What a user has asked for, checked."""
        listed = isinstance(record, Sequence | set | frozenset) and all(isinstance(name, str) for name in record)
        if record is not None and not listed:
            raise ModelError(f"record takes names or patterns of results, e.g. ('rod.r', 'energy*'), got {record!r}.")
        if stop is not None and not callable(stop):
            raise ModelError(
                f"stop must be a function of a Snapshot, e.g. lambda now: now['hinge.q'] > 1, got {stop!r}."
            )
        return cls(finite_number(t_end, "t_end [s]"), record, whole_number(every), stop, progress)


def march(
    loop: Loop, scheme: AbstractIntegrator, u: TimeInputs, n: int | None, notes: list[str], wanted: Wanted, chunk: int
) -> tuple[Run, int]:
    """Make n steps, or as many as lead to the end where the scheme chooses them; the Run, and the size of chunks.

    notes: on the start.   chunk: steps to begin with; in the end so many take a tenth of a second.
    """
    stepping = loop.stepping
    with asked_by_one(laws_in(loop.model)):
        if n is None or wanted.every > 1 or wanted.record is not None or not isinstance(stepping, AbstractRepeated):
            return _marched(loop, scheme, u, n, notes, wanted, chunk)
        stepping.reserve(n)
        try:
            return _marched(loop, scheme, u, n, notes, wanted, chunk)
        finally:
            stepping.reserve(0)


def _marched(
    loop: Loop, scheme: AbstractIntegrator, u: TimeInputs, n: int | None, notes: list[str], wanted: Wanted, chunk: int
) -> tuple[Run, int]:
    model, stepping, start = loop.model, loop.stepping, loop.state
    stepping.t_end = wanted.t_end
    engine, laws = engine_of(stepping), laws_in(model)
    notes = notes + fallback_note(model, scheme, engine)
    for law in laws:
        law.reset()
    condition = None if wanted.stop is None else StopCondition(wanted.stop, model, scheme)
    recorder, divided = recorder_of(loop, wanted, scheme), 0
    watch = Watch(model, scheme, u, loop.state, n, one_by_one=condition is not None and u.calls)
    done, chunk = 0, 1 if watch.one_by_one else chunk
    with Progress(model.name, (start.t, wanted.t_end), wanted.progress) as bar, Interrupts() as interrupts:
        while n is None or done < n:
            began = time.perf_counter()
            logged = loop.advance(chunk if n is None else min(chunk, n - done))
            fresh, failure = logged.record, logged.failure or interrupts.asked()
            if condition is not None:
                cut, wrong = condition.first(recorder.record, fresh, logged.state(fresh.steps))
                failure = wrong or failure
                if cut is not None:
                    fresh, failure, n = part(fresh, 0, cut), wrong, done + cut
            recorder.add(fresh)
            if failure is None:
                watch.look(logged, fresh, done)
            loop.state = logged.state(fresh.steps)
            done, divided = done + fresh.steps, divided + logged.divided(fresh.steps)
            if condition is not None and done == n and cut is not None and failure is None:
                notes.append(f"stopped by the stop condition at t = {loop.state.t:g} s")
            if failure is not None:
                told = (*notes, *divided_notes(divided), *stepping.notes(), *law_cautions(laws))
                run = recorded_run(model, recorder, loop.state, scheme, told, engine)
                raise as_error(failure, loop.state, run) from failure.__cause__
            if n is None and loop.state.t >= wanted.t_end:
                n = done
            bar.update(loop.state.t)
            if fresh.steps == chunk and not watch.one_by_one:  # a shorter one says little of the time that steps take
                chunk = _next_chunk(chunk, time.perf_counter() - began, model, wanted)
    notes = [*notes, *divided_notes(divided), *stepping.notes(), *watch.notes(stepping, loop.state.t)]
    notes += law_cautions(laws)
    run = recorded_run(model, recorder, loop.state, scheme, tuple(notes), engine)
    warn(run.warnings)
    return run, chunk


def check_span(state: State, t_end: float) -> float:
    """The time from a state to the end of a run [s]."""
    if t_end < state.t:
        raise ModelError(f"t_end = {t_end:g} s lies before the start of the run at t = {state.t:g} s.")
    return t_end - state.t


def grid(state: State, t_end: float, h: float, scheme: AbstractIntegrator) -> tuple[int | None, float, list[str]]:
    """Number of steps and their length, so that the last one ends at t_end; None where the scheme chooses them."""
    span = check_span(state, t_end)
    if not scheme.fixed_step:
        return (None if span else 0), h, []
    return fitted_steps(span, h) if span else (0, h, [])


def whole_number(every: int) -> int:
    """How many steps lie between nodes that are kept."""
    number = finite_number(every, "every")
    if number < 1 or not number.is_integer():
        raise ModelError(f"every must be a whole number of steps, at least 1, got {every!r}.")
    return int(number)


@final
class Watch:
    """What is looked at while a run is made: jumps of its inputs, ranges of joints, whether steps are short enough.

    Schemes that choose their steps look themselves. one_by_one: whether inputs may depend on what `stop` was shown, so
    that they are asked for nothing else than the steps need, and in the order of time.
    """

    def __init__(
        self, model: Model, scheme: AbstractIntegrator, u: TimeInputs, start: State, n: int | None, *, one_by_one: bool
    ) -> None:
        self.one_by_one = one_by_one
        self._jumps = JumpWatch(u, quiet=one_by_one) if scheme.fixed_step else None
        self._steps = StepCheck(model, u, start, n) if n is not None and n >= FEWEST else None
        self._ranges = RangeWatch(model)
        self._drives = partial(drive_notes, u, scheme, start.t, quiet=one_by_one)
        self._sources = partial(source_notes, model, u, scheme, start.t, quiet=one_by_one)

    def look(self, logged: Logged, fresh: Record, done: int) -> None:
        """Look at steps, of which `done` were made before."""
        if self._jumps is not None:
            self._jumps.look(fresh)
        if self._steps is not None:
            self._steps.look(logged, fresh.steps, done)
        self._ranges.look(fresh.t, fresh.x)

    def notes(self, stepping: Advancing, end: float) -> list[str]:
        """What a user should know of a run that ended at a time."""
        jumps = [] if self._jumps is None else self._jumps.notes()
        short = [] if self._steps is None else self._steps.notes(stepping)
        return jumps + self._drives(end) + self._sources(end) + short + self._ranges.notes()


def recorder_of(loop: Loop, wanted: Wanted, scheme: AbstractIntegrator) -> Recorder | Selection:
    """What collects the steps of a run from where a loop is."""
    start, state, patterns = loop.start(), loop.state, patterns_of(wanted.record)
    if patterns is None:
        return Recorder(start, wanted.every)
    return Selection(start, wanted.every, patterns, lambda record: Run(loop.model, record, state, scheme, ()))


def recorded_run(
    model: Model,
    recorder: Recorder | Selection,
    state: State,
    scheme: AbstractIntegrator,
    notes: tuple[str, ...],
    engine: str,
    sampled: tuple[tuple[AbstractControlLaw, Clock], ...] = (),
) -> Run:
    """The run of the steps that were collected; sampled: control laws that were asked at ticks."""
    recorded = recorder.values() if isinstance(recorder, Selection) else None
    return Run(model, recorder.record(), state, scheme, notes, recorded, engine, sampled)


def law_cautions(laws: Iterable[AbstractControlLaw]) -> list[str]:
    """What control laws warn of."""
    return [Caution(text) for law in laws for text in law.cautions()]


def _next_chunk(chunk: int, seconds: float, model: Model, wanted: Wanted) -> int:
    numbers = CHUNK_NUMBERS if wanted.every == 1 and wanted.record is None else THIN_NUMBERS
    most = numbers // (model.layout.size + len(model.kinds) + 1)
    return max(1, min(GROWTH * chunk, int(chunk * CHUNK_SECONDS / max(seconds, 1e-9)), most))
