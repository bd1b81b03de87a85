"""Laws of the elements of a mechanism's graph, as functions of where its bodies are, of time, or of what they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import AbstractLaw, Formula, Function
from visviva.bonds.placed import Bodies, Placed
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
class Placements:
    """Where the states of a graph say that the bodies are."""

    def __init__(self, form: MinimalForm) -> None:
        self.form, self.bodies = form, Bodies(form)
        self._of: dict[int, Callable[[Array], Placed]] = {}

    def of(self, laws: Laws) -> Callable[[Array], Placed]:
        """A function of the states of a graph, one for all elements."""
        if id(laws) not in self._of:
            self._of[id(laws)] = self._made(laws)
        return self._of[id(laws)]

    def _made(self, laws: Laws) -> Callable[[Array], Placed]:
        q_at, xi_at = (np.array([laws.names.index(name) for name in names], dtype=np.intp)
                       for names in (self.form.q_names, self.form.xi_names))  # fmt: skip
        last: list[Any] = [None, None]

        def placed(x: Array) -> Placed:
            if last[0] is not x:  # all elements ask with the same array
                last[:] = x, self.at(x[q_at], x[xi_at])
            found: Placed = last[1]
            return found

        return placed

    def at(self, q: Array, xi: Array) -> Placed:
        """At coordinates and velocities of the tree."""
        return Placed(Point(self.form, q, xi, self.form.initial.s), self.bodies)


Value = Callable[[Placed], Array]


@final
@dataclass(frozen=True, eq=False)
class PlacedLaw(AbstractLaw):
    """The law of one element as functions of where bodies are.

    role: "matrix" or "output" of the element; of a 0-junction that closes a loop "drift".   rate: of it.
    drift: of a matrix, its rate times the flow, where that is all that is known.
    energy: of a source, the potential energy that its effort comes from.
    """

    placements: Placements
    what: str
    role: str
    shape: tuple[int, ...]
    value: Value
    rate: Value | None = None
    drift: Value | None = None
    energy: Callable[[Placed], float] | None = None

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """The value, and its energy if it has one."""
        placed = self.placements.of(laws)

        def function(value: Callable[[Placed], Any]) -> Function:
            return lambda t, x, given: value(placed(x))

        def further(value: Value | None, shape: tuple[int, ...]) -> Formula | None:
            return (
                None if value is None else Formula(f"rate of {self.what}", laws.scope, shape, function=function(value))
            )

        rates, drift = further(self.rate, self.shape), further(self.drift, self.shape[:1])
        own = Formula(self.what, laws.scope, self.shape, function=function(self.value), rates=rates, drift=drift)
        if self.energy is None:
            return {self.role: own}
        return {
            self.role: own,
            "energy": Formula(f"energy of {self.what}", laws.scope, (), function=function(self.energy)),
        }


@final
@dataclass(frozen=True, eq=False)
class TimeLaw(AbstractLaw):
    """The output of a source as a function of time, with its rate where that is known."""

    what: str
    width: int
    value: Callable[[float], Array]
    rate: Callable[[float], Array] | None = None

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """One."""
        value, rate = self.value, self.rate
        rates = None
        if rate is not None:
            rates = Formula(f"rate of {self.what}", laws.scope, (self.width,), function=lambda t, x, given: rate(t))
        return {
            "output": Formula(self.what, laws.scope, (self.width,), function=lambda t, x, given: value(t), rates=rates)
        }


@final
@dataclass(frozen=True, eq=False)
class ReadingLaw(AbstractLaw):
    """The output of a resistor as a function of its own flow, and of states by name."""

    what: str
    width: int
    reads: tuple[str, ...]
    value: Callable[[Array, Array], Array]  # of the flow, and of the states that it reads

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """One."""
        at = np.array([laws.names.index(name) for name in self.reads], dtype=np.intp)
        value = self.value
        output = Formula(
            self.what,
            laws.scope,
            (self.width,),
            inputs=tuple(f"f_{k}" for k in range(self.width)),
            function=lambda t, x, given: value(given, x[at]),
        )
        return {"output": output, "factor": output}
