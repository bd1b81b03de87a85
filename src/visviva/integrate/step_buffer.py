"""Single steps of a mechanism in compiled code, kept in a row until they are accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.chunk import Chunk
from visviva.integrate.loop import GROWTH
from visviva.integrate.machine import MachineStepper
from visviva.integrate.stepping import NO_SOLUTION
from visviva.model import Kinetic, Linear, State
from visviva.results.rounding import EPS

if TYPE_CHECKING:
    from visviva.kernels.packed import PackedCall

CAPACITY = 128  # steps that are kept; accounts of all of them take little longer than those of one
KNOWN, FIRST, COUNT = 13, 14, 15  # numbers among the arguments of `advance`


@final
class StepBuffer:
    """Steps with inputs that are held, one call of a kernel each, whose arguments are packed once.

    A step is taken where it closes the balance of energy to rounding, see `is_closed`. Any other needs a second look,
    and perhaps parts, see `Loop`.
    """

    def __init__(self, stepper: MachineStepper) -> None:
        self._stepper = stepper
        self.nodes = tuple(zip(stepper.nodes, stepper.weights, strict=True))
        self._past = 4 if stepper.parts.shape[1] == 1 else 3
        self._u = np.zeros((CAPACITY, len(self.nodes), stepper.inputs))
        self._tables: tuple[Any, ...] = (None,) * 4  # what the call was packed with
        model = stepper.model
        self._elastic = [
            (part, model.layout.x[part.variable]) for part in model.storages if not isinstance(part, Kinetic | Linear)
        ]
        self._call: PackedCall
        self.made = 0  # steps that are in it
        self.x = np.zeros(0)  # the state after the last step
        self.angles = np.zeros(0)

    def begin(self, state: State) -> None:
        """Go on from a state; the buffer has to be empty."""
        from visviva.kernels.multibody.advance import advance
        from visviva.kernels.packed import PackedCall

        stepper = self._stepper
        history, known = stepper.begin(state, state.h)
        tables = (stepper.c, stepper.s, stepper.sparse, stepper.level)
        if any(mine is not theirs for mine, theirs in zip(self._tables, tables, strict=True)):
            self._tables = tables
            self._log, self._history = stepper.log(CAPACITY), history
            arguments = stepper.arguments(self._u, state.h, history, known, 1, self._log)
            self._call = PackedCall(advance, arguments, 2)
            self._known, self._first, self._count = (self._call.number(k) for k in (KNOWN, FIRST, COUNT))
            self._h = self._call.real(11)
        self._history[:] = history
        self._known[0], self._h[0] = known, state.h
        self._terms, self._begun = 0.0, False
        self.made, self.x, self.angles = 0, state.x, state.angles

    def clear(self) -> None:
        """Forget the steps that are in it."""
        self.made = 0

    def drop(self, n: int) -> None:
        """Forget the last n steps that are in it; it has to begin again."""
        self.made -= n

    @property
    def room(self) -> int:
        """How many more steps it can keep."""
        return CAPACITY - self.made

    def step(self, u: Array, n: int) -> bool:
        """Make n steps with inputs that are held; False if not all were made, or one needs a second look."""
        first, log = self.made, self._log
        self._u[first : first + n] = u
        self._first[0], self._count[0] = first, n
        done, status = self._call()
        last = first + int(done)
        self.made = last
        self._known[0] = min(self._past, self._known[0] + len(self.nodes) * done)
        self.x = log.x[last]
        if last:
            self.angles = log.angles[last - 1]
        return not status and self._is_closed(first, last)

    def _is_closed(self, first: int, last: int) -> bool:
        """Whether steps close their balance of energy to rounding, by terms at most a thousand times those before.

        It is sufficient for the test of `Loop`, and fast: spurious solutions have huge reactions, and miss energy.
        """
        energy, x = self._log.energy, self._log.x
        for k in range(first, last):
            terms, before = float(energy[k + 1, 3]), max(self._terms, float(energy[k, 3])) if self._begun else 0.0
            dH = float(energy[k + 1, 0] - energy[k, 0]) + float(energy[k + 1, 1] - energy[k, 1])
            for part, at in self._elastic:
                H = part.H(x[k : k + 2, at])
                dH += float(H[1] - H[0])
            gap = dH + self._sum(self._log.heat[k]) - self._sum(self._log.work[k])
            if not abs(gap) <= NO_SOLUTION * EPS * min(terms, GROWTH * before if before else terms):
                return False
            self._terms, self._begun = max(before, terms), True
        return True

    @staticmethod
    def _sum(values: Array) -> float:
        return sum(values.tolist())

    def take(self) -> Chunk:
        """All steps that are in it: it is empty then, and goes on from the last of them."""
        chunk = self._stepper.chunk(_copied(self._log, self.made), self._u[: self.made].copy(), self.made, 0)
        self.made = 0
        self.x, self.angles = self.x.copy(), self.angles.copy()
        return chunk


def _copied(log: Any, n: int) -> Any:
    """The first n steps of a log, in arrays of their own."""
    ends = ("x", "energy")
    return type(log)(**{name: array[: n + (name in ends)].copy() for name, array in log._asdict().items()})
