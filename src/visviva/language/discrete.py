"""The discrete gradient of an expression, by walking it: exact, free of cancellation, no guard and no metric.

For a function f of several variables it returns D with D·(x1 - x0) = f(x1) - f(x0) identically and D -> ∇f:

    D[f + g] = D[f] + D[g],   D[f g] = f̄ D[g] + ḡ D[f],   D[φ(g)] = φ[g0, g1] D[g],   f̄ = (f0 + f1)/2

with the divided difference φ[a, b] = (φ(b) - φ(a))/(b - a) of each elementary function written so that nothing
cancels when a -> b. For quadratic f it is the gradient at the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.language.arcs import ARCS
from visviva.language.functions import symbolic


class NoRule(Exception):
    """A function without a rule for its divided difference."""


def discrete_gradient(expr: Any, symbols: list[Any], ends: tuple[list[Any], list[Any]]) -> list[Any]:
    """D as expressions in the symbols of both ends; `ends` = (symbols at x0, symbols at x1), in order."""
    import sympy

    slope = _Walk(symbols, ends).D(sympy.sympify(expr))
    return [sympy.sympify(slope.get(symbol, 0)) for symbol in symbols]


class _Walk:
    def __init__(self, symbols: list[Any], ends: tuple[list[Any], list[Any]]) -> None:
        self.symbols = set(symbols)
        self.start = dict(zip(symbols, ends[0], strict=True))
        self.end = dict(zip(symbols, ends[1], strict=True))
        self.known: dict[Any, dict[Any, Any]] = {}  # what was walked: energies repeat their parts

    def at(self, expr: Any) -> tuple[Any, Any]:
        """The values at both ends."""
        return expr.xreplace(self.start), expr.xreplace(self.end)

    def mean(self, expr: Any) -> Any:
        a, b = self.at(expr)
        return (a + b) / 2

    def D(self, expr: Any) -> dict[Any, Any]:
        if expr not in self.known:
            self.known[expr] = self._walk(expr)
        return self.known[expr]

    def _walk(self, expr: Any) -> dict[Any, Any]:
        import sympy

        if not expr.free_symbols & self.symbols:
            return {}
        if expr in self.symbols:
            return {expr: sympy.Integer(1)}
        if expr.is_Add:
            return _sum(*(self.D(part) for part in expr.args))
        if expr.is_Mul:
            return self._product(expr)
        if expr.is_Pow:
            return self._power(*expr.as_base_exp())
        rule = _rules().get(expr.func.__name__)
        if rule is not None and len(expr.args) == 1:
            return _scaled(rule(*self.at(expr.args[0])), self.D(expr.args[0]))
        raise NoRule(str(expr.func))

    def _product(self, expr: Any) -> dict[Any, Any]:
        import sympy

        constants = [part for part in expr.args if not part.free_symbols & self.symbols]
        first, *rest = [part for part in expr.args if part.free_symbols & self.symbols]
        factor = sympy.Mul(*constants)
        if not rest:
            return _scaled(factor, self.D(first))
        others = sympy.Mul(*rest)
        return _scaled(
            factor, _sum(_scaled(self.mean(others), self.D(first)), _scaled(self.mean(first), self.D(others)))
        )

    def _power(self, base: Any, exponent: Any) -> dict[Any, Any]:
        import sympy

        a, b = self.at(base)
        if exponent.free_symbols & self.symbols or not (exponent.is_Integer or exponent == sympy.Rational(1, 2)):
            return self.D(sympy.exp(exponent * sympy.log(base), evaluate=False))
        if exponent == sympy.Rational(1, 2):
            return _scaled(1 / (sympy.sqrt(a) + sympy.sqrt(b)), self.D(base))
        n = abs(int(exponent))
        if exponent < 0:  # through 1/base: (1/b - 1/a) = -(b - a)/(a b)
            quotient = -sum((1 / a) ** k * (1 / b) ** (n - 1 - k) for k in range(n)) / (a * b)
            quotient *= symbolic("connected_")(a, b)
        else:
            quotient = sum(a**k * b ** (n - 1 - k) for k in range(n))
        return _scaled(quotient, self.D(base))


def _sum(*slopes: dict[Any, Any]) -> dict[Any, Any]:
    total: dict[Any, Any] = {}
    for slope in slopes:
        for symbol, value in slope.items():
            total[symbol] = total.get(symbol, 0) + value
    return total


def _scaled(factor: Any, slope: dict[Any, Any]) -> dict[Any, Any]:
    return {symbol: factor * value for symbol, value in slope.items()}


@cache
def _rules() -> dict[str, Callable[[Any, Any], Any]]:
    """Divided differences of elementary functions, with m the mean and d half the difference of the arguments."""
    import sympy

    names = ("sinc_", "sinhc_", "atanhc_", "atanc_", "connected_", "arcq_", "bowq_")
    sinc, sinhc, atanhc, atanc, connected, arcq, bowq = (symbolic(name) for name in names)

    def m(a: Any, b: Any) -> Any:
        return (a + b) / 2

    def d(a: Any, b: Any) -> Any:
        return (b - a) / 2

    return {
        "exp": lambda a, b: sympy.exp(m(a, b)) * sinhc(d(a, b)),
        "log": lambda a, b: atanhc(d(a, b) / m(a, b)) / m(a, b),
        "sin": lambda a, b: sympy.cos(m(a, b)) * sinc(d(a, b)),
        "cos": lambda a, b: -sympy.sin(m(a, b)) * sinc(d(a, b)),
        "tan": lambda a, b: sinc(2 * d(a, b)) / (sympy.cos(a) * sympy.cos(b)) * connected(sympy.cos(a), sympy.cos(b)),
        "sinh": lambda a, b: sympy.cosh(m(a, b)) * sinhc(d(a, b)),
        "cosh": lambda a, b: sympy.sinh(m(a, b)) * sinhc(d(a, b)),
        "tanh": lambda a, b: sinhc(2 * d(a, b)) / (sympy.cosh(a) * sympy.cosh(b)),
        "atan": lambda a, b: atanc(a, b),
        "arc_": lambda a, b: arcq(a, b),
        "bow_": lambda a, b: bowq(a, b),
    }


def _series(z: Array, exact: Callable[[Array], Array], series: Callable[[Array], Array]) -> Array:
    small = np.abs(z) < 0.05
    safe = np.where(small, 1.0, z)
    return np.where(small, series(np.where(small, z, 0.0) ** 2), exact(safe))


def sinc_(z: Array) -> Array:
    """sin z / z."""
    return np.sinc(np.asarray(z) / np.pi)


def sinhc_(z: Array) -> Array:
    """sinh z / z."""
    return _series(
        np.asarray(z), lambda y: np.sinh(y) / y, lambda s: 1 + s / 6 * (1 + s / 20 * (1 + s / 42 * (1 + s / 72)))
    )


def atanhc_(z: Array) -> Array:
    """artanh z / z."""
    terms = range(9, 0, -1)

    def series(s: Array) -> Array:
        total = np.ones_like(s) / 19
        for k in terms:
            total = total * s + 1 / (2 * k - 1)
        return total

    return _series(np.asarray(z), lambda y: np.arctanh(np.where(np.abs(y) < 1, y, np.nan)) / y, series)


def connected_(a: Array, b: Array) -> Array:
    """1 where a and b have one sign; not a number where a pole lies between them, so that no step can cross it."""
    return np.where(np.asarray(a) * np.asarray(b) > 0, 1.0, np.nan)


def atanc_(a: Array, b: Array) -> Array:
    """(arctan b - arctan a)/(b - a)."""
    a, b = np.asarray(a), np.asarray(b)
    product = 1 + a * b
    near = product > 0.1
    z = np.where(near, (b - a) / np.where(near, product, 1.0), 0.0)
    alternating = _series(
        z, lambda y: np.arctan(y) / y, lambda s: 1 - s / 3 * (1 - 3 * s / 5 * (1 - 5 * s / 7 * (1 - 7 * s / 9)))
    )
    far = np.where(near, 1.0, b - a)
    return np.where(near, alternating / np.where(near, product, 1.0), (np.arctan(b) - np.arctan(a)) / far)


FUNCTIONS = {"connected_": connected_, "sinc_": sinc_, "sinhc_": sinhc_, "atanhc_": atanhc_, "atanc_": atanc_} | ARCS
