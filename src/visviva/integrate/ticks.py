"""Sampled laws and the steps between their ticks in compiled code, many at a time, see `kernels.ticks`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.sampled_laws import SampledLaw, control_law, is_jitted, jitted_law, sampled_law, seen_by
from visviva.errors import ModelError
from visviva.integrate.chunk import Chunk, Pace
from visviva.integrate.sampled import Sampled
from visviva.integrate.sampling import Sampling
from visviva.integrate.stepped import SteppedLoop
from visviva.integrate.ticked_steps import AbstractTicked, StepsCall
from visviva.model import Model, State
from visviva.model.control_law import AbstractControlLaw
from visviva.results.node_reading import Gathered, NodeReading

if TYPE_CHECKING:
    from visviva.kernels.packed import PackedCall
    from visviva.kernels.ticks import Stepped, Ticks

Columns = Mapping[str, Sequence[tuple[int, int]]]  # by quantity
MOST_LAWS = 8  # sets of laws that are kept compiled
MOST_OPERATIONS = (1000, 20_000)  # of a law, and of one that is asked to be compiled: that takes seconds, or minutes


def compiled_ticks(steps: SteppedLoop, laws: Sequence[Sampled], *, stops: bool) -> CompiledTicks | str:
    """Laws and the steps of a run between them in compiled code, or why they are not; kept for other runs.

    stops: whether something looks at each step.
    """
    ticked = steps.ticked()
    if any(law.compiled is False for law in laws):
        return "it is said so, compiled=False"
    if stops:
        return "beside stop= each step is looked at"
    if steps.inputs.changing or steps.model.feedback:
        return "other inputs are functions"
    if ticked is None:
        return "steps of this mechanism and scheme are made one by one"
    called = [law.law for law in laws if isinstance(law.law, AbstractControlLaw) and law.law.only_called]
    if called:
        why = f" ({called[0].why_not})" if called[0].why_not else ""
        return f"it is a control law that is asked in Python{why}"
    try:
        if any(law.reads is not None and not is_jitted(law.law) for law in laws):
            return "a law of arrays, with reads= and writes=, is compiled where it is a function of Numba"
        key = tuple((seen_by(law.law), law.reads, law.writes, law.compiled) for law in laws)
        kept: CompiledTicks | str | None = steps.kept.get(key)
        if isinstance(kept, str) or (kept is not None and kept.ticked is ticked):
            return kept
        found: CompiledTicks | str = _made(steps, ticked, laws)
    except ModelError as reason:
        return str(reason)
    if len(steps.kept) >= MOST_LAWS:
        steps.kept.clear()
    steps.kept[key] = found
    return found


def _made(steps: SteppedLoop, ticked: AbstractTicked, laws: Sequence[Sampled]) -> CompiledTicks | str:
    model = steps.model
    assert model.definition is not None
    try:
        traced = [_as_compiled(model, law) for law in laws]
    except ModelError as reason:
        return str(reason)
    names = list(dict.fromkeys(name for law in traced for name in law.names))
    columns = {name: own for name in names if (own := ticked.columns(name)) is not None}
    if len(columns) == len(names):
        return CompiledTicks(steps, ticked, traced, _as_they_are(columns), columns)
    read = NodeReading(model, model.definition).gathered(names, columns)
    if read is None:
        return "the velocities that it sees follow from conditions or from very many loops"
    return CompiledTicks(steps, ticked, traced, read, columns)


def _as_compiled(model: Model, law: Sampled) -> SampledLaw:
    if isinstance(law.law, AbstractControlLaw):
        return control_law(law.law)
    if law.reads is None or law.writes is None:
        return sampled_law(model, law.law, MOST_OPERATIONS[bool(law.compiled)])
    return jitted_law(model, law.law, law.reads, law.writes)


def _as_they_are(columns: Columns) -> Gathered:
    """Quantities that steps leave themselves, one after the other."""
    ends = np.cumsum([0, *map(len, columns.values())])
    where = {name: list(range(ends[k], ends[k + 1])) for k, name in enumerate(columns)}
    return Gathered(np.zeros(ends[-1]), where, None, None, np.zeros(0), np.zeros(0))


@final
class CompiledTicks:
    """Laws of a run with what they see and the steps between them; made once for runs of the same laws.

    columns: where steps leave what laws see, see `AbstractTicked`; the rest is read.   ports: of each law.
    """

    def __init__(
        self,
        steps: SteppedLoop,
        ticked: AbstractTicked,
        laws: Sequence[SampledLaw],
        read: Gathered,
        columns: Columns,
    ) -> None:
        from visviva.kernels.ticks import Laws

        self.ticked, self.ports = ticked, [law.ports for law in laws]
        self._steps, self._traced, self._read = steps, laws, read
        self._nodes: PackedCall | None = None  # what makes states of the model, where steps do not
        table, rows, numbers = list[tuple[int, int, int]](), list[int](), [np.zeros(0)]
        for law in laws:
            table.append((law.address, len(rows), law.size))
            rows += [sum(map(len, numbers)), 0, *(place for name in law.names for place in read.where[name])]
            numbers.append(law.numbers)
        needs = [read.places is not None, read.velocities is not None]
        self._laws = Laws(
            np.array(table, dtype=np.int64), np.array(rows, dtype=np.int64), np.concatenate(numbers), read.values,
            np.array(needs, dtype=np.int64),
        )  # fmt: skip
        direct = [
            (place, *column)
            for name, own in columns.items()
            for place, column in zip(read.where[name], own, strict=True)
        ]
        self._direct = np.array(direct, dtype=np.int64).reshape(-1, 3)
        inputs = np.arange(len(steps.inputs.base))
        self._columns = [
            [k for port in law.ports for k in inputs[steps.model.port_columns[port]].tolist()] for law in laws
        ]

    def start(self, sampling: Sampling, u: Array) -> None:
        """Begin a run. sampling: its clocks.   u: inputs that hold."""
        self._sampling, self._u = sampling, u.copy()
        self._ticks: Ticks | None = None

    def go_on(self, t_end: float) -> bool:
        """Make as many steps as there is room for, and account for them; False where laws are to be asked in Python.

        Clocks and values are then those of `sampling`. A step that is not clear is made with all checks.
        """
        from visviva.kernels.ticks import FAILED, UNCLEAR, run_ticks

        steps, sampling = self._steps, self._sampling
        steps.leave()
        state = steps.loop.state
        call = self.ticked.steps_from(state)
        if call is None:
            self._hand_over()
            return False
        ticks, s = self._clocks(len(call.inputs)), self._stepped(call, state)
        clock = np.array([state.t0, state.steps, state.h, sampling.h, sampling.near, t_end])
        changing, made = (ticks.times, ticks.counts, ticks.asked, s.u, clock), np.zeros(1, dtype=np.int64)
        kept = [array.copy() for array in changing]
        why, n = run_ticks(ticks, self._laws, s, clock, len(call.inputs), False, made), int(made[0])
        if n:  # with the inputs and the length of the first one: where it is no solution, it is made anew
            steps.inputs.hold(call.inputs[0, 0].copy())
            steps.pace(float(s.lengths[0]))
            state = steps.loop.state
            chunk = _paced(self.ticked.chunk(state, n, s.lengths[:n]), state, s.times[: n + 1], s.lengths[:n])
            good = steps.take_over(chunk, call.inputs[:n, 0])
            if good < n:  # clocks as they were then; the step that is none is made with all checks
                for array, before in zip(changing, kept, strict=True):
                    array[...] = before
                made[0] = 0
                run_ticks(ticks, self._laws, s, clock, good + 1, True, made)
                why = FAILED
        self._u[:] = s.u
        steps.inputs.hold(self._u.copy())
        if why == UNCLEAR:
            self._hand_over()
        elif why == FAILED:
            steps.pace(float(clock[2]))
            steps.alone()
        return why != UNCLEAR

    def _hand_over(self) -> None:
        """Let clocks and values go on in Python."""
        if self._ticks is not None:
            acting = [k for k, count in enumerate(self._ticks.counts[:, 1]) if count]
            held = {port: value for k in acting for port, value in self._by_port(k, self._u[self._columns[k]]).items()}
            self._sampling.resume(self._ticks, held, self._by_port)

    def _by_port(self, law: int, values: Array) -> dict[str, Any]:
        widths, first, found = self._steps.inputs.widths, 0, dict[str, Any]()
        for port in self._traced[law].ports:
            found[port] = values[first] if widths[port] == 1 else values[first : first + widths[port]].copy()
            first += widths[port]
        return found

    # -- tables -------------------------------------------------------------------------------------------------

    def _clocks(self, room: int) -> Ticks:
        """Clocks, and places for values; how late ticks are, for as many as there may be in a chunk of steps."""
        from visviva.kernels.ticks import Ticks

        sampling, n = self._sampling, len(self._traced)
        if self._ticks is None:
            laws, numbers = sampling.laws, np.zeros(n, dtype=np.int64)
            places = room + 4 + max(math.ceil(law.delay / law.period) for law in laws)
            columns = np.zeros((n, max(map(len, self._columns))), dtype=np.int64)
            for k, own in enumerate(self._columns):
                columns[k, : len(own)] = own
            times = [
                (law.period, law.delay, sampling.start + law.offset, tick)
                for law, tick in zip(laws, sampling.next, strict=True)
            ]
            self._ticks = Ticks(
                np.array(times), np.zeros((n, 2), dtype=np.int64),
                np.zeros((n, room + 3 if any(law.jitter for law in laws) else 0)), numbers, np.zeros((n, places)),
                np.zeros((n, places), dtype=np.int64), np.zeros((n, places, columns.shape[1])), columns,
                np.zeros(1, dtype=np.int64),
            )  # fmt: skip
        late = self._ticks.late
        if late.shape[1]:
            self._ticks.base[:] = self._ticks.counts[:, 0]
            for k, first in enumerate(self._ticks.base.tolist()):
                late[k] = sampling.late(k, first, late.shape[1])
        return self._ticks

    def _stepped(self, call: StepsCall, state: State) -> Stepped:
        """What makes steps and reads the motion at ticks, as compiled code takes it."""
        from visviva.kernels.ticks import Stepped

        read, nodes, room = self._read, call.nodes, len(call.inputs)
        u, nowhere = self._u.copy() if call.u is None else call.u, np.zeros(0, dtype=np.int64)
        u[:] = self._u
        if nodes is not None and self._nodes is None and self._laws.needs.any():
            self._nodes = nodes.write(read.x)
        calls = [call.call, self._nodes, read.places, read.velocities]
        addresses = [(0, 0, 0, 0) if each is None else each.address for each in calls]
        words = [-1 if argument is None else call.call.place(argument) for argument in call.words]
        return Stepped(
            np.array(addresses, dtype=np.int64), call.call.row, call.call.row.view(np.float64),
            np.array(words, dtype=np.int64), call.call.results,
            nowhere if read.velocities is None else read.velocities.results, np.array(call.history, dtype=np.int64),
            call.inputs, u, np.zeros(room), np.zeros(room + 1), call.A, call.B, state.angles.copy(),
            read.x if nodes is None else nodes.a, read.angles if nodes is None else nodes.b,
            nowhere if nodes is None else nodes.turns, read.angles, self._direct,
        )  # fmt: skip


def _paced(chunk: Chunk, state: State, times: Array, lengths: Array) -> Chunk:
    """Steps with a clock of their own, where they are not all of the length that the state before them says."""
    if (lengths == state.h).all():
        return chunk
    return dataclasses.replace(chunk, pace=Pace(times, lengths, lengths, np.zeros(len(lengths))))
