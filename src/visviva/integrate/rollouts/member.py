"""One member of a rollout: a run, of which the quantities that were asked for and the figures of its audit are left."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array, with_own_arrays
from visviva.errors import VisvivaError
from visviva.integrate.engine import engine_of, fallback_note
from visviva.integrate.failure import as_error
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import AbstractIntegrator, Advancing
from visviva.integrate.loop import Logged, Loop
from visviva.integrate.repeated import AbstractBatched, AbstractRepeated, Batched
from visviva.model import Model, State
from visviva.results import Run
from visviva.results.accounts import Accounts, energy_scale
from visviva.results.audit import figures, roundings, unmeasured_figures
from visviva.results.motion import MechanismMotion
from visviva.results.quantities import motion_quantities
from visviva.results.record import Record, joined, nodes_with, part, thin
from visviva.results.rounding import EPS, ROUNDINGS, state_terms
from visviva.results.run import energy_unit

FIGURES = ("first_law", "drift", "second_law", "g")
NEAR = 1e-6  # of a step: how near nodes are to the clock of a rollout
MOST = 2000  # steps at a time: memory of a member is bounded


@final
@dataclass(frozen=True, eq=False)
class Member:
    """What a run leaves.

    values: by name, at the nodes that are kept and were reached.   done: steps that were made.   error: why no more.
    """

    values: dict[str, Array]
    final: State
    done: int
    error: str
    figures: dict[str, float | None]
    closed: bool
    unmeasured: dict[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False)
class Rolling:
    """What all members have in common; it can be pickled.

    inputs: over time.   names: of the quantities to keep, plain.   every: nodes between those that are kept.
    """

    model: Model
    scheme: AbstractIntegrator
    inputs: TimeInputs
    h: float
    steps: int
    names: tuple[str, ...]
    every: int


@final
class MemberRuns:
    """`MemberRuns(rolling)(start, rows)` makes one run after the other; each thread has its own."""

    def __init__(self, rolling: Rolling) -> None:
        self.rolling = rolling
        self._inputs = copy.copy(rolling.inputs)
        self._stepping: Advancing | None = None
        self._motion: MechanismMotion | None = None
        self._reads = {name: _motion_reader(rolling.model, name) for name in rolling.names}

    @np.errstate(all="ignore")
    def __call__(self, start: State, rows: Array | None) -> Member:
        """One run. rows: inputs that are held, (steps or 1, inputs), not a number where they are as given over time.

        Numbers that overflow are no warning here: they end the run, and are told as its failure.
        """
        rolling, state, error, records = self.rolling, start, "", list[Record]()
        try:
            for made in self._march(start, rows):
                records += [made.record] if made.record.steps else []
                state = made.state
                if made.failure is not None:
                    error = self._said(made.failure, state, records)
        except VisvivaError as failure:
            error = str(failure)
        if not records:
            return Member({}, state, 0, error, dict.fromkeys(FIGURES), closed=False)
        record = _one(records)
        run = Run(rolling.model, thin(record, rolling.every), state, rolling.scheme, ())
        closed = roundings(run) <= ROUNDINGS
        found, values = figures(run, FIGURES), self._values(run)
        return Member(values, run.final, record.steps, error, found, closed, unmeasured_figures(run))

    def group(self, starts: list[State], rows: list[Array | None]) -> list[Member]:
        """Several members, at once where that is possible. It does not show in them."""
        rolling, found = self.rolling, None
        self._inputs.hold(None)
        constants = [self._constants(each) for each in rows]
        held = [each for each in constants if each is not None]
        if len(held) == len(rows) and all(read is not None for read in self._reads.values()):
            stepping = self._prepared(starts[0])
            starts = [self._on_clock(start) for start in starts]
            if isinstance(stepping, AbstractBatched):
                found = stepping.batch(starts, rolling.h, rolling.steps, held, rolling.every)
        if found is None:
            return [self(start, each) for start, each in zip(starts, rows, strict=True)]
        x = np.array([start.x for start in starts])
        H = rolling.model.exergies(x)
        sizes = rolling.model.exergy_changes(x, x)[1]
        scale = energy_scale(rolling.model, np.zeros_like(H), H)
        rounding = EPS * state_terms(rolling.model, x, sizes)
        return [
            self._accounted(*each)
            for each in zip(starts, held, found, H, scale.tolist(), rounding.tolist(), strict=True)
        ]

    def _constants(self, rows: Array | None) -> Array | None:
        """Inputs that are held over steps, all of them, (steps or 1, inputs); None where some change within steps."""
        self._inputs.hold(None if rows is None else rows[0])
        constant = self._inputs.constant
        self._inputs.hold(None)
        if constant is None:
            return None
        return constant[None] if rows is None else np.where(np.isnan(rows), constant, rows)

    def _on_clock(self, start: State) -> State:
        """With the clock of a run of steps of length h, see `Loop`."""
        same = start.steps > 0 and start.h == self.rolling.h
        return start if same else dataclasses.replace(start, t0=start.t, steps=0, h=self.rolling.h)

    def _accounted(self, start: State, u: Array, run: Batched, H: Array, scale: float, rounding: float) -> Member:
        """A member of a batch; H, scale, rounding: energies at its start, and what they count for in its figures."""
        rolling, n = self.rolling, self.rolling.steps
        model, nodes = rolling.model, np.broadcast_to(u[-1], (n + 1, u.shape[1]))
        nothing = np.zeros((n, 0))
        columns = Accounts(model, start.x, H).of(
            run.nodes,
            nodes,
            np.zeros((n + 1, 0)),
            run.heat,
            run.work,
            nothing,
            nothing,
            np.full(n, rolling.h),
            run.tallies,
        )
        t = start.t + rolling.h * np.minimum(rolling.every * np.arange(len(run.x)), n)
        record = nodes_with(t, run.x, run.angles, nodes[: len(t)], columns)
        rounding = max(rounding, float(columns["rounding"].max()))
        unit = energy_unit(max(scale, float(columns["scale"].max())), rounding)
        left = Left(model, record, n, unit, rounding)
        closed = roundings(left) <= ROUNDINGS
        values = self._motion_values(record)
        return Member(values, run.final, n, "", figures(left, FIGURES), closed, unmeasured_figures(left))

    def run(self, start: State, rows: Array | None) -> Run:
        """The same as a Run with all that it has, as far as it comes."""
        rolling, state, records = self.rolling, start, list[Record]()
        for made in self._march(start, rows):
            records.append(made.record)
            state = made.state
        assert self._stepping is not None
        engine, record = engine_of(self._stepping), thin(_one(records), rolling.every)
        notes = (*fallback_note(rolling.model, rolling.scheme, engine), *self._stepping.notes())
        return Run(rolling.model, record, state, rolling.scheme, notes, None, engine)

    # -- steps --------------------------------------------------------------------------------------------------

    def _prepared(self, start: State) -> Advancing:
        rolling, known = self.rolling, self._stepping
        if known is not None and isinstance(known, AbstractRepeated) and known.restart(start, rolling.h):
            return known
        self._stepping = rolling.scheme.stepping(rolling.model, self._inputs, start, rolling.h)
        return self._stepping

    def _march(self, start: State, rows: Array | None) -> Iterator[Made]:
        """All steps, some at a time, until one fails."""
        rolling, changing = self.rolling, rows if rows is not None and len(rows) > 1 else None
        start = with_own_arrays(start, writeable=True)
        self._inputs.hold(None if rows is None else rows[0])
        stepping = self._prepared(start)
        exact = "energy" in rolling.scheme.preserves
        loop, done = Loop(rolling.model, stepping, start, rolling.h, self._inputs, exact=exact), 0
        clock: Array = loop.state.t + rolling.h * np.arange(rolling.steps + 1, dtype=np.float64)
        while done < rolling.steps:
            held = None if changing is None else changing[done : done + MOST]
            if rolling.scheme.fixed_step:
                made = self._fixed(loop, min(MOST, rolling.steps - done), held)
            else:
                made = self._paced(loop, clock[done:], held)
            done += made.record.steps
            loop.state = made.state
            yield made
            if made.failure is not None:
                return

    def _fixed(self, loop: Loop, n: int, rows: Array | None) -> Made:
        """Up to n steps of one length. rows: inputs of each."""
        if rows is None:
            return _made(loop.advance(n))
        self._inputs.hold(rows[0])
        constant, stepping = self._inputs.constant, loop.stepping
        if constant is not None and isinstance(stepping, AbstractRepeated):
            u = np.where(np.isnan(rows), constant, rows)
            chunk = stepping.held(loop.state, u)
            if chunk is not None and chunk.steps:
                return _made(loop.account(dataclasses.replace(chunk, failure=None), u))
        return _made(loop.advance(_alike(rows)))

    def _paced(self, loop: Loop, clock: Array, rows: Array | None) -> Made:
        """One interval of the clock, or all that is left, by as many steps as a scheme needs that chooses them."""
        stepping = loop.stepping
        if rows is not None:
            self._inputs.hold(rows[0])
        elif isinstance(stepping, AbstractRepeated) and self._inputs.constant is not None:
            stepping.t_end = float(clock[-1])
            made = _made(loop.advance(len(clock) - 1))
            if made.failure is not None or abs(made.state.t - clock[made.record.steps]) < NEAR * self.rolling.h:
                return made
            loop.state = made.state  # a step that was made by itself ends anywhere
            return self._until(loop, float(clock[1]), [made.record])
        return self._until(loop, float(clock[1]), [])

    def _until(self, loop: Loop, t_end: float, records: list[Record]) -> Made:
        """Steps until a time, as one interval with others before."""
        loop.stepping.t_end, failure = t_end, None
        while failure is None and loop.state.t < t_end:
            logged = loop.advance(1)
            records, failure = [*records, logged.record], logged.failure
            loop.state = logged.state(logged.record.steps)
        record = _one(records)
        if failure is not None:  # the interval was not reached
            return Made(part(record, 0, 0), loop.state, failure)
        return Made(thin(record, max(1, record.steps)), loop.state, None)

    def _said(self, failure: BaseException, state: State, records: list[Record]) -> str:
        """A failure as a user is told it; interruptions go on."""
        if isinstance(failure, KeyboardInterrupt):
            raise failure
        rolling = self.rolling
        return str(as_error(failure, state, Run(rolling.model, _one(records), state, rolling.scheme, ())))

    # -- results ------------------------------------------------------------------------------------------------

    def _values(self, run: Run) -> dict[str, Array]:
        """Quantities at the nodes; those of the motion are read by tables that all members share."""
        if any(read is None for read in self._reads.values()) or run.model.definition is None:
            return {name: run[name] for name in self._reads}
        return self._motion_values(run.record)

    def _motion_values(self, record: Record) -> dict[str, Array]:
        model = self.rolling.model
        if self._motion is None and model.definition is not None:
            self._motion = MechanismMotion(model, model.definition, record)
        if self._motion is None:
            return {}
        motion = self._motion.over(record)
        return {name: read(motion) for name, read in self._reads.items() if read is not None}


@final
@dataclass(frozen=True, eq=False)
class Left:
    """What is left of a run of a batch for the figures of its audit."""

    model: Model
    record: Record
    steps: int
    energy_unit: float
    rounding: float


@final
@dataclass(frozen=True, eq=False)
class Made:
    """Steps that were made, the state at their end, and why there are no more, if there should be."""

    record: Record
    state: State
    failure: BaseException | None


def _made(logged: Logged) -> Made:
    return Made(logged.record, logged.state(logged.record.steps), logged.failure)


def _one(records: list[Record]) -> Record:
    return joined(*records) if len(records) > 1 else records[0]


def _alike(rows: Array) -> int:
    """How many rows at the beginning are the same."""
    other = ~((rows == rows[0]) | np.isnan(rows)).all(-1)
    return int(other.argmax()) if other.any() else len(rows)


def _motion_reader(model: Model, name: str) -> Callable[[MechanismMotion], Array] | None:
    """How a quantity of the motion is read, if it is one."""
    carrier, _, suffix = name.rpartition(".")
    owner = None if model.definition is None else model.definition.parts.get(carrier)
    found = motion_quantities(owner).get(suffix)
    return None if found is None else lambda motion: found[0](motion, owner)
