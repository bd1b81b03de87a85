"""Numbers of a component as named parameters, so that equations show letters and a run may change values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.language import Reversible, reversible
from visviva.language.expression import traced
from visviva.language.quantity import interface


def entries(letter: str, array: Array, constants: Iterable[float] = (0.0,)) -> tuple[Any, dict[str, float]]:
    """Parameters letter1, letter12, … for the entries of an array, and the array with their names in it.

    An entry that is one of `constants` stays a number: it is part of the structure, a zero most of all.
    """
    grid, values = np.empty(array.shape, dtype=object), {}
    for index, value in np.ndenumerate(array):
        if value in constants:
            grid[index] = float(value)
        else:
            name = letter + "".join(str(k + 1) for k in index)
            grid[index], values[name] = name, float(value)
    return grid, values


def filled(grid: Any, values: Mapping[str, Any]) -> Any:
    """The array of `entries` with values for its names."""
    result = np.empty(grid.shape, dtype=object)
    for index, entry in np.ndenumerate(grid):
        result[index] = values[entry] if isinstance(entry, str) else entry
    return result


@final
@dataclass(frozen=True)
class Grid:
    """An array of `entries` as a value: boxes with equal grids have one law, and differ in their numbers only."""

    shape: tuple[int, ...]
    entries: tuple[Any, ...]

    @classmethod
    def of(cls, grid: Any) -> Grid:
        """From the array."""
        return cls(grid.shape, tuple(grid.ravel()))

    @property
    def names(self) -> list[str]:
        """The parameters in it."""
        return [entry for entry in self.entries if isinstance(entry, str)]

    def filled(self, values: Mapping[str, Any]) -> Any:
        """The array with values for its names."""
        flat = [values[entry] if isinstance(entry, str) else entry for entry in self.entries]
        return np.array(flat, dtype=object).reshape(self.shape)


def constraint_box(ports: dict[str, Any], C: Callable[[dict[str, Any]], Any], names: Iterable[str]) -> Reversible:
    """A reversible box with rows C whose parameters have no numbers yet: see `numbered`."""
    names = list(names)
    some: dict[str, Any] = {name: 0.5 + 0.1 * k for k, name in enumerate(names)}
    return reversible(ports, C=taking(("x", *names), C), **some)


def singular_constraint_box(
    ports: dict[str, Any], C: Callable[[dict[str, Any]], Any], names: Iterable[str]
) -> Reversible:
    """A box as of `constraint_box` whose rows may have no slope somewhere, as those of a disc that lies flat."""
    names = list(names)
    box = interface(ports, "reversible component")
    some: dict[str, Any] = {name: 0.5 + 0.1 * k for k, name in enumerate(names)}
    n = sum(port.quantity.dim for port in box.values() if port.power)
    rows = traced(taking(("x", *names), C), box, some, "C of a reversible component")
    return Reversible(box, traced(np.zeros((n, n)), box, {}, "J of a reversible component"), rows)


def numbered(box: Reversible, values: Mapping[str, float]) -> Reversible:
    """A box of `constraint_box` with numbers for its parameters; nothing is traced again."""
    assert box.C is not None
    C = replace(box.C, parameters={name: (symbol, values[name]) for name, (symbol, _) in box.C.parameters.items()})
    return replace(box, C=C)


def taking(names: Iterable[str], function: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    """A function of keywords with these names, given to `function` as one dictionary.

    Tracing reads the signature of a function; here it is only known once the numbers are.
    """

    def keywords(**values: Any) -> Any:
        return function(values)

    keywords.__signature__ = Signature([Parameter(n, Parameter.KEYWORD_ONLY) for n in names])  # type: ignore[attr-defined]
    return keywords
