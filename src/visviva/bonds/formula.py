"""Formulas: arrays of expressions of states and time that laws are made of, ready for symbols and for numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.kane.numbers import numbers_of
from visviva.language.slopes import slope

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

Function = Callable[[float, Array, Array], Array]  # of time, states, own input


@final
@dataclass(frozen=True, eq=False)
class Scope:
    """The symbols that laws of a graph may have: states, time, parameters with their numbers."""

    states: tuple[Any, ...]
    t: Any
    parameters: Mapping[Any, float]


@final
@dataclass(frozen=True, eq=False)
class Formula:
    """An array, by expressions (`values`) or as a function of numbers alone.

    inputs: symbols of what the element receives.   rates: the time derivative, where it is not that of the entries.
    drift:  of a matrix, its time derivative times the flow it is applied to, where that is all that is known.
    """

    what: str
    scope: Scope
    shape: tuple[int, ...]
    values: Any = None
    inputs: tuple[Any, ...] = ()
    function: Function | None = None
    rates: Formula | None = None
    drift: Formula | None = None

    def symbolic(self, given: Any = ()) -> Any:
        """The expressions, with what the element receives put in."""
        if self.values is None:
            raise ModelError(f"{self.what} is known by numbers only: the graph has no equations in symbols.")
        if not self.inputs:
            return self.values
        known = dict(zip(self.inputs, np.ravel(given), strict=True))
        return _each(self.values, lambda entry: entry.xreplace(known))

    def numbers(self, t: float, x: Array, given: Any = ()) -> Array:
        """The array in numbers."""
        if self.function is not None:
            return self.function(t, x, np.asarray(given))
        return self._numeric([*x, t, *np.ravel(given)])[0] if self._moving else self._constant

    @cached_property
    def _arguments(self) -> list[Any]:
        return [*self.scope.states, self.scope.t, *self.inputs]

    @cached_property
    def _moving(self) -> bool:
        named = set(self._arguments)
        return any(entry.free_symbols & named for entry in np.ravel(self.values))

    @cached_property
    def _constant(self) -> Array:
        return self._numeric([0.0] * len(self._arguments))[0]

    @cached_property
    def _numeric(self) -> Any:
        return numbers_of([self.values], self._arguments, self.scope.parameters, self.what)

    def slopes_of(self, states: Sequence[Any]) -> Formula:
        """Derivatives with respect to some states, then time, in a last axis."""
        arguments = [*states, self.scope.t]
        flat = [[slope(entry, symbol) for symbol in arguments] for entry in np.ravel(self.values)]
        slopes = np.array(flat, dtype=object).reshape(*self.shape, len(arguments))
        return Formula(f"rate of {self.what}", self.scope, slopes.shape, slopes)


def all_numbers(formulas: Sequence[Formula], name: str) -> Callable[[float, Array], list[Array]]:
    """One function of time and states for many formulas; expressions share what they have in common."""
    found: list[Any] = [None] * len(formulas)
    moving = [k for k, f in enumerate(formulas) if f.function is None and f._moving]
    functions = [(k, f.function) for k, f in enumerate(formulas) if f.function is not None]
    for k, formula in enumerate(formulas):
        if formula.function is None and not formula._moving:
            found[k] = formula._constant
    ends = np.cumsum([int(np.prod(formulas[k].shape)) for k in moving], dtype=int).tolist()
    parts = [(k, b - int(np.prod(formulas[k].shape)), b, formulas[k].shape) for k, b in zip(moving, ends, strict=True)]
    entries = [entry for k in moving for entry in np.ravel(formulas[k].values)]
    together = numbers_of([np.array(entries, dtype=object)], formulas[moving[0]]._arguments,
                          formulas[moving[0]].scope.parameters, repr(name)) if moving else None  # fmt: skip
    nothing = np.zeros(0)

    def numbers(t: float, x: Array) -> list[Array]:
        if together is not None:
            try:
                (values,) = together([*x, t])
            except ModelError:
                for k in moving:
                    formulas[k].numbers(t, x)  # says which one it is
                raise
            for k, a, b, shape in parts:
                found[k] = values[a:b].reshape(shape)
        for k, function in functions:
            found[k] = function(t, x, nothing)
        return found

    return numbers


def _each(values: Any, change: Callable[[Any], Any]) -> Any:
    flat = np.empty(values.size, dtype=object)
    flat[:] = [change(entry) for entry in values.ravel()]
    return flat.reshape(values.shape)


class AbstractLaw(ABC):
    """The law of an element that is made for the symbols of a graph.

    momentum: of a field with an I-port: whether its states are momenta, or velocities.
    """

    momentum: bool = True

    @abstractmethod
    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """By role, see `Laws`."""
