"""The discrete gradient of an expression, by walking it: exact, free of cancellation, no guard and no metric.

For a function f of several variables it returns D with D·(x1 - x0) = f(x1) - f(x0) identically and D -> ∇f:

    D[f + g] = D[f] + D[g],   D[f g] = f̄ D[g] + ḡ D[f],   D[φ(g)] = φ[g0, g1] D[g],   f̄ = (f0 + f1)/2

with the divided difference φ[a, b] = (φ(b) - φ(a))/(b - a) of each elementary function written so that nothing
cancels when a -> b. For quadratic f it is the gradient at the mean.

Over a kink it is as exact. With u = f - g and the share w = (1 + |·|[u0, u1])/2 of the way on which u > 0,

    D[|g|] = (g0 + g1)/(|g0| + |g1|) D[g],   D[max(f, g)] = w D[f] + (1 - w) D[g]

and cases by the sign of c are split where c = 0: each branch has its own difference, on its own part of the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.language.arcs import ARCS
from visviva.language.functions import symbolic
from visviva.language.kinks import is_kink, kink, kinks_of


class NoRule(Exception):
    """A function without a rule for its divided difference."""


def discrete_gradient(expr: Any, symbols: list[Any], ends: tuple[list[Any], list[Any]]) -> list[Any]:
    """D as expressions in the symbols of both ends; `ends` = (symbols at x0, symbols at x1), in order."""
    import sympy

    slope = _Walk(symbols, ends).D(_gathered(sympy.sympify(expr), symbols))
    return [sympy.sympify(slope.get(symbol, 0)) for symbol in symbols]


class _Walk:
    def __init__(self, symbols: Sequence[Any], ends: tuple[Sequence[Any], Sequence[Any]]) -> None:
        self.order = list(symbols)
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
        if is_kink(expr, "max_", "min_"):
            return self._extreme(expr)
        if is_kink(expr, "case_"):
            return self._case(*expr.args)
        rule = _rules().get(expr.func.__name__)
        if rule is not None and len(expr.args) == 1:
            barrier = self._unpassed(expr.args[0]) if isinstance(expr, sympy.log) else 1
            return _scaled(rule(*self.at(expr.args[0])) * barrier, self.D(expr.args[0]))
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
        if exponent.free_symbols & self.symbols:
            return self.D(sympy.exp(exponent * sympy.log(base), evaluate=False))
        if not exponent.is_Integer:
            root = exponent == sympy.Rational(1, 2)
            quotient = 1 / (sympy.sqrt(a) + sympy.sqrt(b)) if root else symbolic("powq_")(a, b, exponent)
            if exponent.is_negative or base.is_positive:
                return _scaled(quotient * self._unpassed(base), self.D(base))
            if base.is_nonnegative:  # where it rests at zero an infinite slope meets a zero: see `slopes`
                return _scaled(kink("case_")(a + b, quotient, 0, quotient), self.D(base))
            there = kink("abs_")(a) + kink("abs_")(b)
            return {symbol: _product(quotient, value, there) for symbol, value in self.D(base).items()}
        n = abs(int(exponent))
        if exponent < 0:  # through 1/base: (1/b - 1/a) = -(b - a)/(a b)
            quotient = -sum((1 / a) ** k * (1 / b) ** (n - 1 - k) for k in range(n)) / (a * b)
            quotient *= symbolic("connected_")(a, b) * self._unpassed(base)
        else:
            quotient = sum(a**k * b ** (n - 1 - k) for k in range(n))
        return _scaled(quotient, self.D(base))

    def _unpassed(self, base: Any) -> Any:
        """1, but not a number where a factor |u| or u² of a base has a zero, a pole of the function, on the way."""
        import sympy

        factors = [part for part in sympy.Mul.make_args(base) if part.free_symbols & self.symbols]
        inner = [u.args[0] for u in factors if is_kink(u, "abs_") or (u.is_Pow and u.exp.is_even)]
        return sympy.Mul(*(symbolic("connected_")(*self.at(u)) for u in inner))

    def _extreme(self, expr: Any) -> dict[Any, Any]:
        f, g = expr.args
        share = (1 + expr.sense * symbolic("absq_")(*self.at(f - g))) / 2
        return _sum(_weighted(share, self.D(f)), _weighted(1 - share, self.D(g)))

    def _case(self, c: Any, f: Any, m: Any, g: Any) -> dict[Any, Any]:
        """f where c > 0, g where c < 0: each on its part of the way from x0 to x1, which end where c = 0.

        Where all is a function of one u, with c = α u + β, that is at u = -β/α exactly; else where c would vanish if it
        was straight. Between two places with c = 0 it is the difference of m, which may be all that has a value there.
        """
        import sympy

        if c.is_nonnegative or f == g:  # f but where c = 0, where it may have no value, see `slopes`
            there = sum(map(kink("abs_"), self.at(c)))
            return {symbol: kink("case_")(there, value, 0, 0) for symbol, value in self.D(f).items()}
        alpha, u, beta = _affine(c, self.symbols)
        inner = sympy.Symbol("u", real=True, nonnegative=u.is_nonnegative or None)
        one = [_in_terms(part, u, inner) for part in (f, g)]
        if not any(part.free_symbols & self.symbols for part in one):
            u0, u1 = self.at(u)
            slope = _split([inner], ([u0], [u1]), alpha * inner + beta, one[0], one[1], [-beta / alpha])
            return self._unless_tied(c, m, _scaled(slope.get(inner, 0), self.D(u)))
        start, end = ([ends[symbol] for symbol in self.order] for ends in (self.start, self.end))
        c0, c1 = map(kink("abs_"), self.at(c))
        way = kink("case_")(c0 + c1, c0 / (c0 + c1), sympy.Rational(1, 2), 0)
        cut = [x0 + way * (x1 - x0) for x0, x1 in zip(start, end, strict=True)]
        return self._unless_tied(c, m, _split(self.order, (start, end), c, f, g, cut))

    def _unless_tied(self, c: Any, m: Any, slope: dict[Any, Any]) -> dict[Any, Any]:
        """Slopes of cases, those of m where c = 0 at both ends."""
        there, middle = sum(map(kink("abs_"), self.at(c))), self.D(m)
        symbols = [symbol for symbol in self.order if symbol in slope or symbol in middle]
        return {s: kink("case_")(there, slope.get(s, 0), middle.get(s, 0), 0) for s in symbols}


def _split(symbols: list[Any], ends: tuple[list[Any], list[Any]], c: Any, f: Any, g: Any, cut: list[Any]) -> Any:
    """The discrete gradient of cases whose way is cut; what the branches miss there is given to D[c]."""
    import sympy

    case, whole = kink("case_"), _Walk(symbols, ends)
    c0, c1 = whole.at(c)
    share = (1 + symbolic("absq_")(c0, c1)) / 2

    def part(branch: Any, sense: int, weight: Any) -> dict[Any, Any]:
        own = [
            [case(sense * sign, x, x, middle) for x, middle in zip(end, cut, strict=True)]
            for sign, end in zip((c0, c1), ends, strict=True)
        ]
        return _weighted(weight, _Walk(symbols, (own[0], own[1])).D(branch))

    slopes = [part(f, 1, share), part(g, -1, 1 - share)]
    gap = sympy.expand((f - g).xreplace(dict(zip(symbols, cut, strict=True))))
    if gap != 0:
        size = kink("abs_")(c0) + kink("abs_")(c1)
        slopes.append(_scaled(case(-c0 * c1, gap / size, 0, 0), whole.D(c)))
    return _sum(*slopes)


def _affine(c: Any, symbols: set[Any]) -> tuple[Any, Any, Any]:
    """(α, u, β) with c = α u + β, where α and β hold no symbol."""
    beta, rest = c.as_independent(*symbols, as_Add=True)
    alpha, u = rest.as_independent(*symbols, as_Add=False)
    return alpha, u, beta


def _in_terms(expr: Any, u: Any, inner: Any) -> Any:
    """An expression with u called `inner`; where u is a root, its square too."""
    import sympy

    known = {u: inner}
    if u.is_Pow and u.exp == sympy.Rational(1, 2):
        known[u.base] = inner**2
    return expr.xreplace(known)


def _gathered(expr: Any, symbols: Sequence[Any]) -> Any:
    """An expression as cases of the whole, where parts of it jump: x² sign x is x² or -x², which meet."""
    given = set(symbols)
    for node in sorted(kinks_of(expr, "sign_", "case_"), key=str):
        c, f, _, g = (node.args[0], 1, 0, -1) if is_kink(node, "sign_") else node.args
        if c.free_symbols & given and not c.is_nonnegative and not _meet(c, f, g, given):
            branches = [_gathered(_on_side(expr, c, side), symbols) for side in (1, 2, 3)]
            return kink("case_")(c, *branches)
    return expr


def _meet(c: Any, f: Any, g: Any, symbols: set[Any]) -> bool:
    """Whether it is seen that branches are equal where c = 0."""
    import sympy

    alpha, u, beta = _affine(c, symbols)
    return bool(sympy.expand(_in_terms(sympy.sympify(f - g), u, -beta / alpha)) == 0)


def _on_side(expr: Any, c: Any, side: int) -> Any:
    """An expression where c is positive (1), zero (2) or negative (3)."""
    import sympy

    known = {node: node.args[side] for node in kinks_of(expr, "case_") if node.args[0] == c}
    known |= {node: sympy.Integer(2 - side) for node in kinks_of(expr, "sign_") if node.args[0] == c}
    return _on_side(expr.xreplace(known), c, side) if known else expr


def _weighted(share: Any, slope: dict[Any, Any]) -> dict[Any, Any]:
    """Slopes times a share of the way; none where that is zero, be they finite or not."""
    return {symbol: kink("case_")(share, share * value, 0, 0) for symbol, value in slope.items()}


def _sum(*slopes: dict[Any, Any]) -> dict[Any, Any]:
    total: dict[Any, Any] = {}
    for slope in slopes:
        for symbol, value in slope.items():
            total[symbol] = total.get(symbol, 0) + value
    return total


def _product(factor: Any, value: Any, there: Any) -> Any:
    """Their product; where `there` is 0, and the factor infinite, 0 if the value is."""
    if value.is_number:
        return factor * value
    return kink("case_")(there, factor * value, kink("case_")(kink("abs_")(value), factor * value, 0, 0), 0)


def _scaled(factor: Any, slope: dict[Any, Any]) -> dict[Any, Any]:
    return {symbol: factor * value for symbol, value in slope.items()}


@cache
def _rules() -> dict[str, Callable[[Any, Any], Any]]:
    """Divided differences of elementary functions, with m the mean and d half the difference of the arguments."""
    import sympy

    names = ("sinc_", "sinhc_", "atanhc_", "atanc_", "connected_", "absq_", "arcq_", "bowq_")
    sinc, sinhc, atanhc, atanc, connected, absq, arcq, bowq = (symbolic(name) for name in names)

    def m(a: Any, b: Any) -> Any:
        return (a + b) / 2

    def d(a: Any, b: Any) -> Any:
        return (b - a) / 2

    return {
        "exp": lambda a, b: sympy.exp(m(a, b)) * sinhc(d(a, b)),
        "expm1": lambda a, b: sympy.exp(m(a, b)) * sinhc(d(a, b)),
        "log": lambda a, b: atanhc(d(a, b) / m(a, b)) / m(a, b),
        "log1p": lambda a, b: atanhc(d(a, b) / (1 + m(a, b))) / (1 + m(a, b)),
        "sin": lambda a, b: sympy.cos(m(a, b)) * sinc(d(a, b)),
        "cos": lambda a, b: -sympy.sin(m(a, b)) * sinc(d(a, b)),
        "tan": lambda a, b: sinc(2 * d(a, b)) / (sympy.cos(a) * sympy.cos(b)) * connected(sympy.cos(a), sympy.cos(b)),
        "sinh": lambda a, b: sympy.cosh(m(a, b)) * sinhc(d(a, b)),
        "cosh": lambda a, b: sympy.sinh(m(a, b)) * sinhc(d(a, b)),
        "tanh": lambda a, b: sinhc(2 * d(a, b)) / (sympy.cosh(a) * sympy.cosh(b)),
        "atan": lambda a, b: atanc(a, b),
        "abs_": lambda a, b: absq(a, b),
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


def absq_(a: Array, b: Array) -> Array:
    """(|b| - |a|)/(b - a), written (a + b)/(|a| + |b|); 0 where both are."""
    a, b = np.asarray(a), np.asarray(b)
    size = np.abs(a) + np.abs(b)
    return np.where(size > 0, (a + b) / np.where(size > 0, size, 1.0), 0.0)


def powq_(a: Array, b: Array, p: Array) -> Array:
    """(bᵖ - aᵖ)/(b - a) of numbers that are not negative; Mᵖ⁻¹ (1 - (1 - δ)ᵖ)/δ, δ = |b - a|/M, where they are near."""
    a, b, p = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float), np.asarray(p, float))
    low, top = np.minimum(a, b), np.maximum(a, b)
    with np.errstate(all="ignore"):  # each form where it has a value
        far = (top**p - low**p) / (top - low)
        delta = (top - low) / top
        near = np.where(low == top, p, -np.expm1(p * np.log1p(-delta)) / delta) * top ** (p - 1.0)
    return np.where(low < 0, np.nan, np.where(low < 0.5 * top, far, near))


FUNCTIONS = {
    "connected_": connected_,
    "sinc_": sinc_,
    "sinhc_": sinhc_,
    "atanhc_": atanhc_,
    "atanc_": atanc_,
    "absq_": absq_,
    "powq_": powq_,
} | ARCS
