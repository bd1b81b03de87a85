"""Numbers of a component as named parameters, so that equations show letters and a run may change values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from visviva._arrays import Array


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


def taking(names: Iterable[str], function: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    """A function of keywords with these names, given to `function` as one dictionary.

    Tracing reads the signature of a function; here it is only known once the numbers are.
    """

    def keywords(**values: Any) -> Any:
        return function(values)

    keywords.__signature__ = Signature([Parameter(n, Parameter.KEYWORD_ONLY) for n in names])  # type: ignore[attr-defined]
    return keywords
