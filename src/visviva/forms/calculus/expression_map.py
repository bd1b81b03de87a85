"""SymPy expressions as a smooth map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.maps import AbstractMap, Arguments, Taylor, shaped, taylor


@final
class ExpressionMap(AbstractMap):
    """SymPy expressions in symbols called like the arguments; each derivative is derived and compiled on first use."""

    def __init__(self, values: Any, arguments: Arguments, what: str, shape: Any) -> None:
        import sympy

        self.values = shaped(values, what, shape)
        self.arguments, self.what = arguments, what
        used = {symbol.name: symbol for entry in self.values.ravel() for symbol in entry.free_symbols}
        for name in used:
            if name not in arguments.names:
                raise ModelError(f"{what} has the symbol {name!r}; it can have {', '.join(arguments.names)}.")
        self.symbols = [used.get(name, sympy.Symbol(name, real=True)) for name in arguments.names]

    def value(self, x: Array) -> Array:  # noqa: D102
        return self._evaluate(self._value, x, ())

    def slope(self, x: Array) -> Array:  # noqa: D102
        return self._evaluate(self._slope, x, (len(x),))

    def bend(self, x: Array) -> Array:  # noqa: D102
        return self._evaluate(self._bend, x, (len(x), len(x)))

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        return taylor(self, x, x_dot, x_ddot)

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        pairs = dict(zip(self.symbols, symbols, strict=True))
        return entrywise(lambda entry: entry.xreplace(pairs), self.values)

    @cached_property
    def _value(self) -> Callable[..., Any]:
        return self._compiled(list(self.values.ravel()))

    @cached_property
    def _slope(self) -> Callable[..., Any]:
        return self._compiled([entry.diff(s) for entry in self.values.ravel() for s in self.symbols])

    @cached_property
    def _bend(self) -> Callable[..., Any]:
        s, n = self.symbols, len(self.symbols)
        lower = [
            [[slope.diff(s[b]) for b in range(a + 1)] for a, slope in enumerate(entry.diff(x) for x in s)]
            for entry in self.values.ravel()
        ]
        return self._compiled([rows[max(a, b)][min(a, b)] for rows in lower for a in range(n) for b in range(n)])

    def _compiled(self, entries: list[Any]) -> Callable[..., Any]:
        import sympy

        # a kink has no derivatives: what SymPy writes for those of |x| is not finite there
        kinks = sympy.sign, sympy.DiracDelta
        entries = [
            entry.replace(kinks[0], lambda x: x / sympy.Abs(x)).replace(kinks[1], _nowhere)
            if entry.has(*kinks)
            else entry
            for entry in entries
        ]
        function: Callable[..., Any] = sympy.lambdify(self.symbols, entries, modules="numpy", cse=True)
        return function

    def _evaluate(self, function: Callable[..., Any], x: Array, tail: tuple[int, ...]) -> Array:
        with np.errstate(all="ignore"):  # what is not finite is an error below
            values = np.array(function(*x), dtype=np.float64)
        if not np.isfinite(values).all():
            raise ModelError(f"{self.what} or its derivatives are not finite at {self.arguments.shown(x)}.")
        return values.reshape((*self.values.shape, *tail))


def _nowhere(x: Any) -> Any:
    """Zero where x is not."""
    import sympy

    return sympy.Piecewise((sympy.Integer(0), sympy.Ne(x, 0)), (sympy.nan, True))


def entrywise(function: Callable[[Any], Any], values: Any) -> Any:
    """An object array of f of every entry."""
    changed = np.empty(values.shape, dtype=object)
    for place, entry in np.ndenumerate(values):
        changed[place] = function(entry)
    return changed
