"""Named intermediates: expressions of any size as a list of short definitions, which is never expanded."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.views.equations_names import Label


@final
class Steps:
    """Definitions (symbol, expression) in the order in which they were made, each in terms of those before it.

    Equal expressions get one symbol. `spelling` is the LaTeX of every symbol that was handed out, `kept` are names that
    short expressions keep: those of matrices that turn by quaternions.
    """

    def __init__(self) -> None:
        self.table: dict[Any, Any] = {}
        self.spelling: dict[Any, str] = {}
        self.kept: set[Any] = set()
        self._known: dict[Any, Any] = {}
        self._taken: set[str] = set()

    def symbol(self, label: Label, dots: int = 0) -> Any:
        """A real symbol of its own, or the first or second rate of one, with a number where its name is taken.

        No two look alike, as text or in LaTeX.
        """
        import sympy

        for option in itertools.chain([label], (label.at(str(k)) for k in itertools.count(2))):
            text, latex = reduce(lambda one, _: one.rate, range(dots), option).text, option.with_dots(dots)
            if not {text, latex} & self._taken:
                break
        self._taken |= {text, latex}
        symbol = sympy.Symbol(text, real=True)
        self.spelling[symbol] = latex
        return symbol

    def name(self, value: Any, label: Label, keep: bool = False) -> Any:
        """The value itself where it is a number, a symbol or its negative; else the symbol that stands for it.

        Of a value and its negative one has a name; but what is kept has its own sign.
        """
        import sympy

        value = sympy.sympify(value)
        if value.is_Atom:
            return value
        sign, rest = (-1, -value) if value.could_extract_minus_sign() and not keep else (1, value)
        if rest.is_Atom:
            return value
        if rest not in self._known:
            self._known[rest] = self.symbol(label)
            self.table[self._known[rest]] = rest
        return sign * self._known[rest]

    def names(self, values: Any, label: Label, keep: bool = False) -> Any:
        """The same for all entries of an array, numbered from one; keep: also in short expressions."""
        array = np.asarray(values, dtype=object)
        named = np.empty(array.shape, dtype=object)
        for at in np.ndindex(array.shape):
            symbol = named[at] = self.name(array[at], label.at("".join(str(k + 1) for k in at)), keep)
            if keep:
                self.kept |= symbol.free_symbols & self.table.keys()
        return named

    def needed(self, values: Iterable[Any]) -> dict[Any, Any]:
        """The definitions that some expressions need, in order."""
        found: set[Any] = set()
        waiting = [s for value in values for s in value.free_symbols if s in self.table]
        while waiting:
            symbol = waiting.pop()
            if symbol not in found:
                found.add(symbol)
                waiting += [s for s in self.table[symbol].free_symbols if s in self.table]
        return {symbol: value for symbol, value in self.table.items() if symbol in found}

    def operations(self, values: Iterable[Any], most: int) -> int:
        """How many terms the expressions would have if all definitions were expanded; counted up to a limit."""
        sizes: dict[Any, int] = {}
        listed = list(values)
        for symbol, value in self.needed(listed).items():
            sizes[symbol] = 1 if symbol in self.kept else min(_terms(value, sizes), most)
        return min(sum(_terms(value, sizes) for value in listed), most)

    def expanded(self, values: Iterable[Any], keep: bool = False) -> list[Any]:
        """The expressions with all definitions put in; keep: but those that short expressions keep."""
        listed, done = list(values), dict[Any, Any]()
        for symbol, value in self.needed(listed).items():
            if not (keep and symbol in self.kept):
                done[symbol] = value.xreplace(done)
        return [value.xreplace(done) for value in listed]


def _terms(value: Any, sizes: Mapping[Any, int]) -> int:
    """Number of terms of an expanded expression, or a bound above it."""
    if value.is_Add:
        return sum(_terms(part, sizes) for part in value.args)
    if value.is_Mul:
        product = 1
        for part in value.args:
            product *= _terms(part, sizes)
        return product
    if value.is_Pow and value.exp.is_Integer and value.exp > 0:
        return int(_terms(value.base, sizes) ** int(value.exp))
    if value.is_Atom:
        return sizes.get(value, 1)
    return max((_terms(part, sizes) for part in value.args), default=1)


def zeros(*shape: int) -> Any:
    """An object array of SymPy zeros."""
    import sympy

    return np.full(shape, sympy.Integer(0), dtype=object)


def cross(a: Any, b: Any) -> Any:
    """a x b of vectors along the first axis; b may have columns."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def matrix_of(values: Any) -> Any:
    """A SymPy matrix of an array; a vector is a column."""
    import sympy

    array = np.asarray(values, dtype=object)
    shape = array.shape if array.ndim == 2 else (array.size, 1)
    return sympy.Matrix(*shape, [sympy.sympify(value) for value in array.ravel()])


def entries_of(value: Any) -> list[Any]:
    """Entries of a matrix of SymPy or of an array, or one expression, row by row."""
    import sympy

    try:
        return [sympy.sympify(entry, strict=True) for entry in np.ravel(value)]
    except sympy.SympifyError:
        raise ModelError(f"give expressions or matrices of the equations, such as e.M; got {value!r}.") from None
