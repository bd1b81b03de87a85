"""Jets: numbers that carry their first and second derivatives through arithmetic and NumPy's functions.

A jet in k seeds s is f + f_i s_i + ½ f_ij s_i s_j, exact to rounding: no differences, no step size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError

Rule = Callable[[float], tuple[float, float, float]]  # x -> f, f', f''
Number = (int, float, np.integer, np.floating)


@final
class Jet:
    """value: f.   slope: (k,) first derivatives.   bend: (k, k) second ones, None where they are not asked for."""

    __slots__ = ("bend", "slope", "value")

    def __init__(self, value: float, slope: Array, bend: Array | None) -> None:
        self.value = value
        self.slope = slope
        self.bend = bend

    # -- arithmetic --
    def __add__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            bend = None if self.bend is None or other.bend is None else self.bend + other.bend
            return Jet(self.value + other.value, self.slope + other.slope, bend)
        return Jet(self.value + float(other), self.slope, self.bend) if isinstance(other, Number) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope, None if self.bend is None else -self.bend)

    def __pos__(self) -> Jet:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if isinstance(other, (Jet, *Number)) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, Number) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            a, b = self.value, other.value
            bend = None
            if self.bend is not None and other.bend is not None:
                cross = np.outer(self.slope, other.slope)
                bend = a * other.bend + b * self.bend + cross + cross.T
            return Jet(a * b, a * other.slope + b * self.slope, bend)
        if not isinstance(other, Number):
            return NotImplemented
        c = float(other)
        return Jet(self.value * c, self.slope * c, None if self.bend is None else self.bend * c)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            return self * other.reciprocal()
        if not isinstance(other, Number):
            return NotImplemented
        if other == 0:
            raise ModelError("it divides by zero")
        return self * (1 / float(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self.reciprocal() * other if isinstance(other, Number) else NotImplemented

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            return (other * self.log()).exp()
        return self._chain(_power(float(other)), f"x**{other}") if isinstance(other, Number) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        if not isinstance(other, Number):
            return NotImplemented
        if not other > 0:
            raise ModelError(f"it takes a power of {other:g} with a variable exponent")
        return (self * math.log(other)).exp()

    def __abs__(self) -> Jet:
        if self.value == 0:
            raise ModelError("it takes abs of zero, which has no derivative")
        return self if self.value > 0 else -self

    # -- branches follow the value; equality would hide the derivative of a limit --
    def __lt__(self, other: Any) -> bool:
        return bool(self.value < _value(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= _value(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > _value(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= _value(other))

    def __eq__(self, other: object) -> bool:
        raise ModelError("it compares a variable for equality: derivatives there would be those of one branch only")

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        raise ModelError("it turns a variable into a float, as functions of the math module and foreign libraries do")

    __int__ = __index__ = __complex__ = __bool__ = __float__

    # -- functions; NumPy calls x.cos() and the like on the elements of an object array --
    def reciprocal(self) -> Jet:
        """1/x."""
        return self._chain(_power(-1.0), "1/x")

    def square(self) -> Jet:
        """x²."""
        return self * self

    def arctan2(self, x: Any) -> Any:
        """Angle of (x, self), by the quotient of the smaller with the larger."""
        value = math.atan2(self.value, _value(x))
        if abs(self.value) <= abs(_value(x)):
            near: Jet = (self / x).arctan()
        else:
            near = -((x / self) if isinstance(x, Jet) else self.reciprocal() * x).arctan()
        return Jet(value, near.slope, near.bend)

    def hypot(self, other: Any) -> Any:
        """√(x² + y²)."""
        return (self * self + other * other).sqrt()

    def __getattr__(self, name: str) -> Any:
        if name not in _RULES:
            raise AttributeError(name)
        return lambda: self._chain(_RULES[name], f"np.{name}")

    def _chain(self, rule: Rule, name: str) -> Jet:
        """f(x): slope f' x_i, bend f' x_ij + f'' x_i x_j."""
        try:
            f, df, ddf = rule(self.value)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise ModelError(f"{name} has no derivatives at {self.value:g}") from None
        bend = None if self.bend is None else df * self.bend + ddf * np.outer(self.slope, self.slope)
        return Jet(f, df * self.slope, bend)

    def __repr__(self) -> str:
        return f"Jet({self.value:g})"


def _value(x: Any) -> float:
    return x.value if isinstance(x, Jet) else float(x)


def _power(p: float) -> Rule:
    def rule(x: float) -> tuple[float, float, float]:
        if x < 0 and not p.is_integer():
            raise ValueError
        return x**p, p * x ** (p - 1) if p != 0 else 0.0, p * (p - 1) * x ** (p - 2) if p not in (0, 1) else 0.0

    return rule


def _tan(x: float) -> tuple[float, float, float]:
    t = math.tan(x)
    return t, 1 + t * t, 2 * t * (1 + t * t)


def _tanh(x: float) -> tuple[float, float, float]:
    t = math.tanh(x)
    return t, 1 - t * t, -2 * t * (1 - t * t)


def _arcsin(x: float) -> tuple[float, float, float]:
    d = 1 / math.sqrt(1 - x * x)
    return math.asin(x), d, x * d**3


def _arccos(x: float) -> tuple[float, float, float]:
    _, d, dd = _arcsin(x)
    return math.acos(x), -d, -dd


def _arctan(x: float) -> tuple[float, float, float]:
    d = 1 / (1 + x * x)
    return math.atan(x), d, -2 * x * d * d


_RULES: dict[str, Rule] = {
    "sin": lambda x: (math.sin(x), math.cos(x), -math.sin(x)),
    "cos": lambda x: (math.cos(x), -math.sin(x), -math.cos(x)),
    "tan": _tan,
    "arcsin": _arcsin,
    "arccos": _arccos,
    "arctan": _arctan,
    "sinh": lambda x: (math.sinh(x), math.cosh(x), math.sinh(x)),
    "cosh": lambda x: (math.cosh(x), math.sinh(x), math.cosh(x)),
    "tanh": _tanh,
    "exp": lambda x: (math.exp(x),) * 3,
    "expm1": lambda x: (math.expm1(x), math.exp(x), math.exp(x)),
    "log": lambda x: (math.log(x), 1 / x, -1 / (x * x)),
    "log1p": lambda x: (math.log1p(x), 1 / (1 + x), -1 / (1 + x) ** 2),
    "sqrt": _power(0.5),
}
