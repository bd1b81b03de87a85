"""Laws of several functions of one state, in canonical symbols: see `compiler.laws`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.laws import canonical, numeric_law, symbols
from visviva.language.discrete import NoRule, discrete_gradient
from visviva.language.slopes import slope
from visviva.model.maps import AbstractMapLaw, LawMap
from visviva.model.storage import secant_of_gonzalez


@final
class MapLaw(AbstractMapLaw):
    """f(x0, …; p0, …), with the gradients and the slopes that follow from it. Made by `map_law`."""

    def __init__(self, values: tuple[Any, ...], size: int, width: int) -> None:
        self.values = values
        self.size = size
        self.width = width
        self.rows = len(values)

    def __reduce__(self) -> Any:
        return map_law, (self.values, self.size, self.width)

    @cached_property
    def differences(self) -> list[list[Any] | None]:
        """Slopes between a0, … and b0, …, function by function; None where there is no rule for one."""
        return [self._difference(value) for value in self.values]

    def _difference(self, value: Any) -> list[Any] | None:
        ends = symbols("a", self.size), symbols("b", self.size)
        try:
            return discrete_gradient(value, symbols("x", self.size), ends)
        except NoRule:
            return None

    @cached_property
    def _value(self) -> Callable[..., Array]:
        return numeric_law(self.values, "x", (self.size,), self.width)

    @cached_property
    def _gradient(self) -> Callable[..., Array]:
        slopes = [slope(value, x) for value in self.values for x in symbols("x", self.size)]
        return numeric_law(slopes, "x", (self.size,), self.width)

    @cached_property
    def _secant(self) -> Callable[..., Array]:
        zero = [0] * self.size
        slopes = [slope for row in self.differences for slope in row or zero]
        return numeric_law(slopes, "ab", (self.size, self.size), self.width)

    @cached_property
    def _magnitude(self) -> Callable[..., Array]:
        import sympy

        sizes = [sum(sympy.Abs(term) for term in sympy.Add.make_args(value)) for value in self.values]
        return numeric_law(sizes, "x", (self.size,), self.width)

    def value(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._value(q, p)

    def gradient(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._matrix(self._gradient(q, p))

    def secant(self, q0: Array, q1: Array, p: Array) -> Array:  # noqa: D102
        D = self._matrix(self._secant(q0, q1, p))
        for k, row in enumerate(self.differences):
            if row is None:
                f, df = self._function(k, p)
                D[..., k, :] = secant_of_gonzalez(f, df, *np.broadcast_arrays(q0, q1))
        return D

    def magnitude(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._magnitude(q, p)

    def _matrix(self, flat: Array) -> Array:
        return flat.reshape(*flat.shape[:-1], self.rows, self.size)

    def _function(self, k: int, p: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
        return (lambda q: self.value(q, p)[..., k]), (lambda q: self.gradient(q, p)[..., k, :])


@cache
def map_law(values: tuple[Any, ...], size: int, width: int) -> MapLaw:
    """The law of some functions in canonical symbols; one object for equal ones."""
    return MapLaw(values, size, width)


def map_of(values: Sequence[Any], states: Sequence[Any], parameters: Mapping[Any, float]) -> LawMap:
    """Expressions of some state symbols as a map; parameters: their numbers by symbol."""
    given, numbers = canonical(list(values), {"x": states}, list(parameters.items()))
    return LawMap(map_law(given, len(states), len(numbers)), np.array(numbers))
