"""Clock: a time that notes what it is compared with, so that the branches of a function of time are known exactly.

A function that asks `0.5 < t < 0.5001` takes one way through its code between two such bounds. Called with a `Clock` it
is answered as by the number, and leaves behind the span around that time in which every answer is the same. Sums with
numbers and multiples of the clock are still clocks, a t + b; a remainder or a rounded value is one until it wraps. What
goes through other functions, such as t² or sin t, is a number from then on: comparisons with that are not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, final

import numpy as np

from visviva._arrays import Array


@final
class Span:
    """The times around t at which all comparisons come out the same."""

    def __init__(self, t: float) -> None:
        self.t = t
        self.first, self.last = -math.inf, math.inf

    def bound(self, times: Array) -> None:
        """At these times a comparison changes."""
        self.first = float(times[times < self.t].max(initial=self.first))
        self.last = float(times[times > self.t].min(initial=self.last))


class Clock(float):
    """The number a t + b of a time t."""

    __slots__ = ("_a", "_b", "_span")
    _a: float
    _b: float
    _span: Span

    def __new__(cls, value: float, a: float, b: float, span: Span) -> Clock:  # noqa: D102
        clock = super().__new__(cls, value)
        clock._a, clock._b, clock._span = a, b, span
        return clock

    def __reduce__(self) -> Any:
        return float, (float(self),)

    def __copy__(self) -> float:
        return float(self)

    def __deepcopy__(self, memo: object) -> float:
        return float(self)

    # -- bounds --

    def meets(self, other: Any) -> None:
        """Note when it is equal to another number, or to each of several."""
        if isinstance(other, Clock):
            a, b = self._a - other._a, np.asarray(other._b - self._b)
        else:
            a, b = self._a, np.asarray(other, dtype=np.float64) - self._b
        if a != 0:
            self._span.bound(np.ravel(b / a))

    def wraps(self, size: float) -> None:
        """Note when it passes the multiples of a size next to it."""
        below = math.floor(float(self) / size)
        self.meets(np.array([below - 1.0, below, below + 1.0]) * size)

    # -- comparisons --

    def _compared(self, other: Any, compare: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, int | float | np.ndarray | np.generic):
            self.meets(other)
        return compare(float(self), float(other) if isinstance(other, Clock) else other)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a >= b)

    __eq__ = float.__eq__  # of one instant alone: no branch that a step could see
    __ne__ = float.__ne__
    __hash__ = float.__hash__

    # -- what is linear --

    def _linear(self, value: float, a: float, b: float) -> Any:
        return Clock(value, a, b, self._span) if math.isfinite(b) and math.isfinite(value) else value

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Clock):
            return self._linear(float(self) + float(other), self._a + other._a, self._b + other._b)
        if isinstance(other, int | float):
            return self._linear(float(self) + other, self._a, self._b + other)
        return _left(float(self), "__add__", other)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._linear(-float(self), -self._a, -self._b)

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int | float) else _left(float(self), "__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, int | float) else _left(float(self), "__rsub__", other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int | float) and not isinstance(other, Clock):
            return self._linear(float(self) * other, self._a * other, self._b * other)
        return _left(float(self), "__mul__", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, int | float) and not isinstance(other, Clock) and other != 0:
            return self._linear(float(self) / other, self._a / other, self._b / other)
        return _left(float(self), "__truediv__", other)

    # -- what wraps, and what bends --

    def __mod__(self, other: Any) -> Any:
        if isinstance(other, int | float) and not isinstance(other, Clock) and other != 0:
            self.wraps(float(other))
            value = float(self) % other
            return self._linear(value, self._a, self._b + (value - float(self)))
        return _left(float(self), "__mod__", other)

    def __floordiv__(self, other: Any) -> Any:
        if isinstance(other, int | float) and not isinstance(other, Clock) and other != 0:
            self.wraps(float(other))
        return _left(float(self), "__floordiv__", other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        self.meets(0.0)
        return -self if self._a * self._span.t + self._b < 0 else self

    def __bool__(self) -> bool:
        return float(self) != 0.0

    def __int__(self) -> int:
        self.wraps(1.0)
        return int(float(self))

    __trunc__ = __int__

    def __floor__(self) -> int:
        self.wraps(1.0)
        return math.floor(float(self))

    def __ceil__(self) -> int:
        self.wraps(1.0)
        return math.ceil(float(self))

    def __round__(self, digits: Any = None) -> Any:
        (self + 0.5 * 10.0 ** -(digits or 0)).wraps(10.0 ** -(digits or 0))
        return round(float(self)) if digits is None else round(float(self), digits)

    # -- NumPy --

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        clocks = [part for part in inputs if isinstance(part, Clock)]
        if method == "__call__" and clocks and not options:
            if ufunc in _BINARY and len(inputs) == 2 and not any(isinstance(part, np.ndarray) for part in inputs):
                mine = [part if isinstance(part, Clock) else _number(part) for part in inputs]
                return _BINARY[ufunc](*mine)
            if ufunc in _MEETING and len(inputs) == 2:
                other = inputs[1] if isinstance(inputs[0], Clock) else inputs[0]
                clocks[0].meets(other)
            elif ufunc in _BENDING:
                clocks[0].meets(0.0)
            elif ufunc in _WRAPPING:
                (clocks[0] + (0.5 if ufunc is np.rint else 0.0)).wraps(1.0)
        plain = [float(part) if isinstance(part, Clock) else part for part in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        knots = {np.searchsorted: (1, 0), np.digitize: (0, 1), np.interp: (0, 1)}.get(function)
        if knots is not None and len(inputs) > 1 and isinstance(inputs[knots[0]], Clock):
            inputs[knots[0]].meets(inputs[knots[1]])
        if function is np.clip and isinstance(inputs[0], Clock):
            for bound in inputs[1:]:
                if bound is not None:
                    inputs[0].meets(bound)
        return function(*_plain(inputs), **_plain(options))


def _left(value: float, operator: str, other: Any) -> Any:
    """What the number itself gives."""
    if isinstance(other, Clock):
        other = float(other)
    result = getattr(value, operator)(other)
    if result is not NotImplemented or not hasattr(other, "__array_priority__"):
        return result
    return getattr(np.float64(value), operator)(other)


def _number(part: Any) -> Any:
    return part.item() if isinstance(part, np.generic) else part


def _plain(value: Any) -> Any:
    """Clocks as numbers, inside of lists and the like as well."""
    if isinstance(value, Clock):
        return float(value)
    if isinstance(value, list | tuple):
        return type(value)(_plain(part) for part in value)
    return {key: _plain(part) for key, part in value.items()} if isinstance(value, dict) else value


_BINARY: dict[Any, Callable[[Any, Any], Any]] = {
    np.less: lambda a, b: a < b,
    np.less_equal: lambda a, b: a <= b,
    np.greater: lambda a, b: a > b,
    np.greater_equal: lambda a, b: a >= b,
    np.add: lambda a, b: a + b,
    np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b,
    np.divide: lambda a, b: a / b,
    np.remainder: lambda a, b: a % b,
    np.floor_divide: lambda a, b: a // b,
}
_MEETING = (np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum, np.fmax, np.fmin)
_BENDING = (np.heaviside, np.sign, np.absolute, np.fabs)
_WRAPPING = (np.floor, np.ceil, np.trunc, np.rint)


def span_of(function: Callable[[float], Any], t: float) -> tuple[float, float]:
    """The times around t at which a function takes the same way as at t, as far as it compares t with numbers.

    Without bounds where it compares nothing, and where it does not take such a time.
    """
    span = Span(t)
    try:
        function(Clock(t, 1.0, 0.0, span))
    except Exception:  # what it says of a plain number counts, and is said where one is asked for
        return -math.inf, math.inf
    return span.first, span.last
