"""Derivatives of many expressions along a direction: common subexpressions first, then the chain rule line by line.

Expressions that are built of each other, as vectors and their products are, would grow beyond measure if each was
differentiated by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.language.slopes import slope


@final
@dataclass(frozen=True, eq=False)
class Tangents:
    """lines: (symbol, expression) one after the other.   values, slopes: in these symbols."""

    lines: list[tuple[Any, Any]]
    values: list[Any]
    slopes: list[Any]


def tangents(values: Sequence[Any], along: Mapping[Any, Any]) -> Tangents:
    """Values and their derivatives, where each symbol changes at a rate that is a symbol itself."""
    import sympy

    lines, reduced = sympy.cse(list(values), symbols=sympy.numbered_symbols("w"), order="none")
    rates, every, named = dict(along), list[tuple[Any, Any]](), dict[Any, Any]()
    for name, line in lines:
        expression = line.xreplace(named)
        symbol = sympy.Symbol(str(name), real=True, nonnegative=expression.is_nonnegative or None)  # `slope` asks
        named[name] = symbol
        every.append((symbol, expression))
        rate = _rate(expression, rates)
        if rate != 0:
            rates[symbol] = sympy.Symbol(f"d{symbol}", real=True)
            every.append((rates[symbol], rate))
    results = [value.xreplace(named) for value in reduced]
    return Tangents(every, results, [_rate(value, rates) for value in results])


def _rate(expression: Any, rates: Mapping[Any, Any]) -> Any:
    moving = sorted((symbol for symbol in expression.free_symbols if symbol in rates), key=str)
    return sum((slope(expression, symbol) * rates[symbol] for symbol in moving), start=0 * expression)


def numeric_tangents(given: Tangents, arguments: Sequence[Any]) -> Callable[[Array], Array]:
    """The derivatives as a NumPy function of all arguments, as one array with any leading batch shape."""
    import sympy

    function = sympy.lambdify(arguments, given.slopes, modules="numpy", cse=lambda _: (given.lines, given.slopes))

    def evaluate(y: Array) -> Array:
        with np.errstate(all="ignore"):  # what is not finite is refused where it is used
            columns = function(*(y[..., k] for k in range(len(arguments))))
        return np.stack([np.broadcast_to(column, y.shape[:-1]) for column in columns], axis=-1)

    return evaluate
