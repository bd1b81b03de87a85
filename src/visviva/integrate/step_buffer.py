"""Single steps of a mechanism in compiled code, kept in a row until they are accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.chunk import Chunk
from visviva.integrate.loop import GROWTH
from visviva.integrate.machine import MachineStepper
from visviva.integrate.room import Room
from visviva.integrate.stepping import NO_SOLUTION
from visviva.integrate.ticked_steps import AbstractTicked, StepsCall
from visviva.model import Kinetic, Linear, State
from visviva.results.rounding import EPS

if TYPE_CHECKING:
    from visviva.kernels.packed import PackedCall

MOST, NUMBERS = 1024, 200_000  # steps, and numbers of them, that are kept: accounts of many take little longer
LENGTH, KNOWN, FIRST, COUNT = 12, 14, 15, 16  # numbers among the arguments of `advance`


@final
class StepBuffer(AbstractTicked):
    """Steps with inputs that are held, one call of a kernel each, whose arguments are packed once.

    A step is taken where it closes the balance of energy to rounding, see `is_closed`. Any other needs a second look,
    and perhaps parts, see `Loop`.
    """

    def __init__(self, stepper: MachineStepper) -> None:
        self._stepper = stepper
        self.nodes = tuple(zip(stepper.nodes, stepper.lengths, strict=True))
        self._parts = stepper.parts.shape[1]
        self._past = 4 if self._parts == 1 else 3
        each = stepper.model.layout.size + 2 * stepper.unknowns
        self._capacity = max(16, min(MOST, NUMBERS // each))
        self._u = np.zeros((self._capacity, len(self.nodes), stepper.inputs))
        self._tables: tuple[Any, ...] = (None,) * 5  # what the call was packed with
        model = stepper.model
        self._elastic = [
            (part, model.layout.x[part.variable]) for part in model.storages if not isinstance(part, Kinetic | Linear)
        ]
        self._call: PackedCall
        self._room: Room | None = None
        self._start: State | None = None  # that its steps go on from
        self.made = 0  # steps that are in it

    def begin(self, state: State) -> None:
        """Go on from a state; the buffer has to be empty."""
        from visviva.kernels.multibody.advance import advance
        from visviva.kernels.packed import PackedCall

        stepper = self._stepper
        history, known = stepper.begin(state, state.h)
        self._start = state
        tables = (stepper.c, stepper.s, stepper.sparse, stepper.level, stepper.boxes)
        if any(mine is not theirs for mine, theirs in zip(self._tables, tables, strict=True)):
            self._tables = tables
            self._log, self._history = stepper.log(self._capacity), history
            arguments = stepper.arguments(self._u, state.h, history, known, 1, self._log)
            self._call = PackedCall(advance, arguments, 2)
            self._known, self._first, self._count = (self._call.number(k) for k in (KNOWN, FIRST, COUNT))
            self._h = self._call.real(LENGTH)
        self._history[:] = history
        self._solutions, self._h[0] = known, state.h
        self._terms, self.made = 0.0, 0
        self._sums = bool(self._log.heat.shape[1]), bool(self._log.work.shape[1])

    def steps_from(self, state: State) -> StepsCall:  # noqa: D102
        self.begin(state)
        self._log.x[0], self._known[0] = state.x, self._solutions
        history = (self._past, self._parts, 1 if self._parts == 1 else self._past)
        words = (KNOWN, FIRST, COUNT, LENGTH, None)
        return StepsCall(self._call, words, history, self._u, self._log.x, self._log.angles)

    def chunk(self, before: State, n: int, lengths: Array) -> Chunk:  # noqa: D102
        self.made = n
        return self.take()

    def clear(self) -> None:
        """Forget the steps that are in it."""
        self.made = 0

    def drop(self, n: int) -> None:
        """Forget the last n steps that are in it; it has to begin again."""
        self.made -= n

    @property
    def room(self) -> int:
        """How many more steps it can keep."""
        return self._capacity - self.made

    @property
    def x(self) -> Array:
        """The state after the last step that is in it."""
        return self._log.x[self.made]

    @property
    def angles(self) -> Array:
        """Its angles."""
        return self._log.angles[self.made - 1]

    def step(self, u: Array, n: int) -> bool:
        """Make n steps with inputs that are held; False if not all were made, or one needs a second look."""
        first = self.made
        if n == 1:
            self._u[first] = u
        else:
            self._u[first : first + n] = u
        self._known[0], self._first[0], self._count[0] = self._solutions, first, n
        done, status = self._call().tolist()
        self.made = last = first + done
        self._solutions = min(self._past, self._solutions + self._parts * done)
        return not status and self._is_closed(first, last)

    def _is_closed(self, first: int, last: int) -> bool:
        """Whether steps close their balance of energy to rounding, by terms at most a thousand times those before.

        It is sufficient for the test of `Loop`, and fast: spurious solutions have huge reactions, and miss energy.
        """
        energy = self._log.energy
        T0, V0, _, terms0 = energy[first].tolist()
        for k in range(first, last):
            T1, V1, _, terms = energy[k + 1].tolist()
            before = max(self._terms, terms0) if self._terms else 0.0
            gap = T1 - T0 + (V1 - V0)
            for part, at in self._elastic:
                H = part.H(self._log.x[k : k + 2, at])
                gap += float(H[1] - H[0])
            if self._sums[0]:
                gap += sum(self._log.heat[k].tolist())
            if self._sums[1]:
                gap -= sum(self._log.work[k].tolist())
            if not abs(gap) <= NO_SOLUTION * EPS * min(terms, GROWTH * before if before else terms):
                return False
            self._terms = max(before, terms)
            T0, V0, terms0 = T1, V1, terms
        return True

    def reserve(self, n: int) -> None:
        """Have memory for n steps that follow each other, of which all nodes are kept; 0: no longer."""
        width = self._stepper.model.layout.size
        self._room = Room(n, width, self._log.lam.shape[1]) if n and self._tables[0] is not None else None

    def take(self) -> Chunk:
        """All steps that are in it: it is empty then, and goes on from the last of them."""
        n, u = self.made, self._u[: self.made].copy()
        rows = None if self._room is None or self._start is None else self._room.take(self._start, n)
        log = _copied(self._log, n, () if rows is None else ("x", "lam"))
        if self._room is not None and rows is not None:
            x, w = rows
            x[1:], w[:] = self._log.x[1 : n + 1], self._log.lam[:n]
            if self._room.empty:
                x[0] = self._log.x[0]
            log = log._replace(x=x, lam=w)
            self._room.close(n)
        self.made = 0
        return self._stepper.chunk(log, u, n, 0)


def _copied(log: Any, n: int, others: tuple[str, ...]) -> Any:
    """The first n steps of a log, in arrays of their own but for some others; tables are those of all steps."""
    ends, kept = ("x", "energy"), ("rows", "signs", *others)
    return log._replace(
        **{name: array[: n + (name in ends)].copy() for name, array in log._asdict().items() if name not in kept}
    )
