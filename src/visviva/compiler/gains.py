"""Numbers of a law as parameters, so that laws that differ in their gains alone are one law, compiled once.

    -3 q - 0.5 v + 2   →   p0 q + p1 v + p2

What is lifted are factors of terms, numbers that are added, and limits. Zero, one and minus one are structure, and so
are exponents and all other numbers: `x**2` is no `x**p`. Which number is which parameter follows from what stands
beside it, never from its value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, final

from visviva.language.kinks import is_kink


def lifted(values: Sequence[Any]) -> tuple[list[Any], list[tuple[Any, float]]]:
    """Expressions with symbols for numbers, and these with what they stand for."""
    lift = _Lift()
    return [lift(value) for value in values], lift.found


@final
class _Lift:
    """Parts that occur several times are lifted once, so that they are shared as before."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, float]] = []
        self._made: dict[Any, Any] = {}
        self._shapes: dict[Any, str] = {}

    def __call__(self, expr: Any) -> Any:
        if expr not in self._made:
            self._made[expr] = self._lifted(expr)
        return self._made[expr]

    def _lifted(self, expr: Any) -> Any:
        if _is_gain(expr):
            return self._parameter(expr)
        if expr.is_Add:
            return expr.func(*(self(term) for term in sorted(expr.args, key=self._shape)))
        if expr.is_Mul:
            number, rest = expr.as_coeff_Mul()
            own = self._parameter(number) if _is_gain(number) else number
            factors = sorted(rest.args if rest.is_Mul else (rest,), key=self._shape)
            return expr.func(own, *(self._inside(factor) for factor in factors))
        return self._inside(expr)

    def _inside(self, expr: Any) -> Any:
        """What is no number: its arguments, but for numbers that say what it is."""
        if expr.is_Add or expr.is_Mul:
            return self(expr)
        if expr.is_Pow or expr.is_Function:
            return expr.func(*(self(part) if _may_change(expr, part) else part for part in expr.args))
        return expr

    def _parameter(self, number: Any) -> Any:
        import sympy

        symbol = sympy.Symbol(f"gain{len(self.found)}", real=True)
        self.found.append((symbol, float(number)))
        return symbol

    def _shape(self, expr: Any) -> str:
        """The same for expressions that differ in numbers that are lifted alone; a digest, since parts are shared."""
        if expr not in self._shapes:
            if _is_gain(expr):
                text = "#"
            elif not expr.args:
                text = str(expr)
            else:
                inner = [self._shape(part) if _may_change(expr, part) else str(part) for part in expr.args]
                text = f"{expr.func.__name__}{sorted(inner) if expr.is_Add or expr.is_Mul else inner}"
            self._shapes[expr] = hashlib.sha256(text.encode()).hexdigest()
        return self._shapes[expr]


def _may_change(whole: Any, part: Any) -> bool:
    """Whether a part of an expression, if it is a number, may be another one: no exponent, no number of a function."""
    return not part.is_Number or whole.is_Add or whole.is_Mul or is_kink(whole, "max_", "min_")


def _is_gain(expr: Any) -> bool:
    return bool(expr.is_Float or expr.is_Rational) and abs(expr) not in (0, 1)
