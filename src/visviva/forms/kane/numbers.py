"""Arrays of expressions as functions of numbers: entries that do not vary are evaluated once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.discrete import FUNCTIONS


def numbers_of(
    parts: Sequence[Any], arguments: Sequence[Any], parameters: Mapping[Any, float], what: str
) -> Callable[[Sequence[float] | Array], list[Array]]:
    """A function from values of the arguments to arrays of floats, one for each object array of `parts`.

    what: how an error calls the thing that has no value somewhere.
    """
    import sympy

    shapes = [np.shape(part) for part in parts]
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)]).tolist()
    places = [(slice(a, b), shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]
    flat = [sympy.sympify(entry) for part in parts for entry in np.ravel(part)]
    given = set(arguments)
    moving = [k for k, entry in enumerate(flat) if entry.free_symbols & given]
    template = np.array([0.0 if entry.free_symbols & given else float(entry.subs(parameters)) for entry in flat])
    modules = [_functions(), "math"]
    function = sympy.lambdify([*arguments, *parameters], [flat[k] for k in moving], modules=modules, cse=True)
    constants = list(parameters.values())

    def evaluate(point: Sequence[float] | Array) -> list[Array]:
        values = template.copy()
        try:
            values[moving] = function(*map(float, point), *constants)  # floats of Python, which raise where NumPy warns
        except (ArithmeticError, ValueError, TypeError):  # math has no value there; a root of it may be complex
            values[moving] = np.nan
        if not (math.isfinite(values.sum()) or np.isfinite(values).all()):
            state = ", ".join(f"{symbol} = {value:.6g}" for symbol, value in zip(arguments, point, strict=True))
            raise ModelError(f"the expressions of {what} have no finite value at {state}.")
        return [values[place].reshape(shape) for place, shape in places]

    return evaluate


def _functions() -> dict[str, Callable[..., float]]:
    """Those that expressions of the language have besides SymPy's."""

    def of_floats(function: Any) -> Callable[..., float]:
        return lambda *given: float(function(*map(np.asarray, given)))

    return {name: of_floats(function) for name, function in FUNCTIONS.items()}
