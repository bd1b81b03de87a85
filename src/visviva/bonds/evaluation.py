"""Evaluation of a causal graph at an instant, in symbols or in numbers: its tape, with the unknowns solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.computation import Variable
from visviva.bonds.operations import first_column, solved
from visviva.bonds.plan import Plan
from visviva.bonds.tape import NOW, Tape
from visviva.errors import ModelError


@final
@dataclass(slots=True, eq=False)
class Instant:
    """Time and states, numbers or symbols."""

    t: Any
    x: Any
    symbolic: bool


def solution(conditions: Array, undetermined: Callable[[], ModelError]) -> Array:
    """y of conditions[:, 0] + conditions[:, 1:] y = 0."""
    from scipy.linalg.lapack import dgesv

    _, _, y, info = dgesv(conditions[:, 1:], -conditions[:, 0])
    if info or not np.isfinite(y).all():
        raise undetermined()
    found: Array = y
    return found


@final
class Evaluation:
    """What a tape holds at one instant.

    everything: efforts and flows of all bonds, too; else rates of states alone.
    """

    def __init__(self, plan: Plan, x: Array | None, t: float, everything: bool = True) -> None:
        self.plan, self.laws = plan, plan.laws
        self.tape: Tape = plan.tape if everything else plan.rates_tape
        symbols = x is None
        states = np.array([self.laws.symbols[name] for name in self.laws.names], dtype=object) if symbols else x
        self.now = Instant(t, states, symbols)
        self._held: list[Any] = [None] * self.tape.size
        self._run()

    @cached_property
    def y(self) -> Any:
        """The unknowns: conditions are affine in them."""
        return self._unknowns()

    def _run(self) -> None:
        held, tape, now = self._held, self.tape, self.now
        held[NOW] = now
        if now.symbolic:
            for slot, formula in tape.formulas.items():
                held[slot] = formula.symbolic()
        else:
            for slot, values in zip(tape.formulas, tape.numbers(now.t, now.x), strict=True):
                held[slot] = values
        for slot, unit in zip(tape.units, self._units(), strict=True):
            held[slot] = unit
        try:
            for slot, operation, reads in tape.steps:
                held[slot] = operation(*[held[k] for k in reads])
        except np.linalg.LinAlgError:
            raise self.plan.undetermined() from None

    def _units(self) -> list[Any]:
        return self.plan.units if not self.now.symbolic else [u.astype(int).astype(object) for u in self.plan.units]

    def _unknowns(self) -> Any:
        if not self.tape.n:
            return np.zeros(0)
        conditions = self.affine(self.tape.residuals)
        if self.now.symbolic:
            return solved(conditions[:, 1:], -conditions[:, 0])
        return solution(conditions, self.plan.undetermined)

    def affine(self, slots: list[int]) -> Any:
        """What some slots hold, one after the other, as affine functions of the unknowns."""
        wide = 1 + self.tape.n
        return np.concatenate(
            [self._held[k] if self.tape.affine[k] else first_column(self._held[k], wide) for k in slots]
        )

    def _at(self, slot: int) -> Any:
        held = self._held[slot]
        return held[..., 0] + held[..., 1:].dot(self.y) if self.tape.affine[slot] else held

    def value(self, variable: Variable) -> Any:
        """An effort or flow."""
        return self._at(self.tape.values[variable])

    def law(self, label: str, role: str) -> Any:
        """A formula of an element."""
        formula = self.laws.of(label, role)
        return formula.symbolic() if self.now.symbolic else formula.numbers(self.now.t, self.now.x)

    @cached_property
    def x_dot(self) -> Any:
        """Rates of all states; those that follow from others are left out, and zero."""
        parts = [self._at(slot) for slot in self.tape.rates]
        return np.concatenate(parts) if parts else np.zeros(0)
