"""What a user gives as a function: a plain Python function, SymPy expressions, or numbers, as a smooth map."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.forms.calculus.jets import Jet
from visviva.forms.calculus.maps import AbstractMap, Arguments, Polynomial, Taylor, taylor
from visviva.language.coordinates import Coordinates
from visviva.language.trace import Traced, UntraceableError, call, expressions


def map_of(given: Any, arguments: Arguments, what: str, shape: tuple[int | None, ...]) -> AbstractMap:
    """The map of a function, of SymPy expressions in symbols of the names of the arguments, or of numbers; or a map.

    what:   how errors call it.
    shape:  that its values must have; None stands for any length.
    """
    if isinstance(given, AbstractMap):
        return given
    if callable(given) and not _is_symbolic(given):
        return FunctionMap(given, arguments, what, shape)
    if _is_symbolic(given):
        return ExpressionMap(_array_of(given), arguments, what, shape)
    values = _shaped(finite_array(given, what), what, shape)
    return Polynomial(arguments.size, values)


def reads_time(f: AbstractMap) -> bool:
    """Whether a function asks for t, or an expression has it."""
    if isinstance(f, FunctionMap):
        return "t" in f.asked
    return isinstance(f, ExpressionMap) and f.arguments.time and any(e.has(f.symbols[-1]) for e in f.values.ravel())


@final
class FunctionMap(AbstractMap):
    """A plain Python function, differentiated by jets."""

    def __init__(self, function: Callable[..., Any], arguments: Arguments, what: str, shape: Any) -> None:
        self.function, self.arguments, self.what, self.shape = function, arguments, what, shape
        known = arguments.arguments
        parameters = inspect.signature(function).parameters
        self.asked = [
            name for name, parameter in parameters.items() if parameter.default is parameter.empty or name in known
        ]
        for name in self.asked:
            if name not in known:
                raise ModelError(f"{what} asks for the argument {name!r}; it can have {', '.join(known)}.")

    def value(self, x: Array) -> Array:  # noqa: D102
        with np.errstate(all="ignore"):  # what is not finite is an error
            return _shaped(finite_array(self._call(x), self.what), self.what, self.shape)

    def slope(self, x: Array) -> Array:  # noqa: D102
        return self._jets(x, np.eye(len(x)), None)[1]

    def bend(self, x: Array) -> Array:  # noqa: D102
        return self._jets(x, np.eye(len(x)), np.zeros((len(x), len(x), len(x))))[2]

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        value, slope, bend = self._jets(x, x_dot[:, None], x_ddot[:, None, None])
        return value, slope[..., 0], bend[..., 0, 0]

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        available = self._arguments([Traced(symbol) for symbol in symbols], object)
        return _shaped(expressions(call(self.function, available, self.what), self.what), self.what, self.shape)

    def _jets(self, x: Array, slopes: Array, bends: Array | None) -> Taylor:
        k = slopes.shape[1]
        seeds = [
            Jet(float(x[a]), slopes[a], None if bends is None else bends[a]) for a in range(len(x))
        ]  # one number of seeds for all
        result = _shaped(np.asarray(self._call(seeds), dtype=object), self.what, self.shape)
        value, slope = np.zeros(result.shape), np.zeros((*result.shape, k))
        bend = np.zeros((*result.shape, k, k))
        for place, entry in np.ndenumerate(result):
            if isinstance(entry, Jet):
                value[place], slope[place] = entry.value, entry.slope
                if entry.bend is not None:
                    bend[place] = entry.bend
            else:
                value[place] = entry
        if not (np.isfinite(value).all() and np.isfinite(slope).all() and np.isfinite(bend).all()):
            raise ModelError(f"{self.what} or its derivatives are not finite at {self._point(x)}.")
        return value, slope, bend

    def _call(self, x: Any) -> Any:
        available = self._arguments(x, np.float64 if isinstance(x, np.ndarray) else object)
        try:
            return self.function(**{name: available[name] for name in self.asked})
        except (ModelError, UntraceableError) as reason:
            at = self._point([value.value if isinstance(value, Jet) else value for value in x])
            raise ModelError(
                f"{self.what} cannot be evaluated with its derivatives at {at}: {reason}.\n"
                "Write it with arithmetic and NumPy's functions, smooth at this place."
            ) from None
        except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError) as reason:
            raise ModelError(
                f"{self.what} cannot be evaluated: {reason}.\nWrite it with arithmetic and NumPy's functions."
            ) from reason

    def _arguments(self, x: Any, dtype: Any) -> dict[str, Any]:
        available: dict[str, Any] = {}
        start = 0
        for key, names in self.arguments.vectors:
            available[key] = Coordinates.of(x[start : start + len(names)], names, dtype)
            start += len(names)
        if self.arguments.time:
            available["t"] = x[start]
        return available

    def _point(self, x: Any) -> str:
        return ", ".join(f"{name} = {value:g}" for name, value in zip(self.arguments.names, x, strict=True))


@final
class ExpressionMap(AbstractMap):
    """SymPy expressions in symbols called like the arguments; each derivative is derived and compiled on first use."""

    def __init__(self, values: Any, arguments: Arguments, what: str, shape: Any) -> None:
        import sympy

        self.values = _shaped(values, what, shape)
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
        return _entrywise(lambda entry: entry.xreplace(pairs), self.values)

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
            at = ", ".join(f"{name} = {value:g}" for name, value in zip(self.arguments.names, x, strict=True))
            raise ModelError(f"{self.what} or its derivatives are not finite at {at}.")
        return values.reshape((*self.values.shape, *tail))


def _nowhere(x: Any) -> Any:
    """Zero where x is not."""
    import sympy

    return sympy.Piecewise((sympy.Integer(0), sympy.Ne(x, 0)), (sympy.nan, True))


def _is_symbolic(given: Any) -> bool:
    """Whether SymPy made it, without importing SymPy."""
    if type(given).__module__.partition(".")[0] == "sympy":
        return True
    if isinstance(given, list | tuple):
        return any(_is_symbolic(entry) for entry in given)
    return isinstance(given, np.ndarray) and given.dtype == object and any(map(_is_symbolic, given.ravel()))


def _array_of(given: Any) -> Any:
    import sympy

    return _entrywise(sympy.sympify, np.array(given.tolist() if isinstance(given, sympy.MatrixBase) else given, object))


def _entrywise(function: Callable[[Any], Any], values: Any) -> Any:
    changed = np.empty(values.shape, dtype=object)
    for place, entry in np.ndenumerate(values):
        changed[place] = function(entry)
    return changed


def _shaped(values: Any, what: str, shape: tuple[int | None, ...]) -> Any:
    fits = values.ndim == len(shape) and all(
        want is None or want == got for want, got in zip(shape, values.shape, strict=True)
    )
    if not fits:
        wanted = str(tuple("m" if k is None else k for k in shape)).replace("'", "")
        raise ModelError(f"{what} must have shape {wanted}, got {values.shape}.")
    return values
