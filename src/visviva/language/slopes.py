"""Derivatives of expressions that have a value wherever the function has one.

SymPy differentiates bᵖ to p bᵖ b'/b, which is 0/0 where b = 0. Here it is p bᵖ⁻¹ b', with two readings of 0 · ∞:

    b >= 0 by itself (|x|, max(0, x), x² + y²)   the slope is 0 where b is: the mean of all directions.
    other b                                      where b is 0 and b' too, the slope is 0; else infinite, at the end of
                                                 the domain.

What has an unbounded slope inside its domain is refused where it is given, see `visviva.language.steep`.
"""

from __future__ import annotations

from typing import Any

from visviva.language.kinks import is_kink, joined, kink, kinks_of


def slope(expr: Any, symbol: Any) -> Any:
    """∂/∂symbol; of kinks that within their branches."""
    import sympy

    expr = sympy.sympify(expr)
    if not _special(expr):
        return expr.diff(symbol)
    return joined(_Walk(symbol)(expr))


def root_slope(base: Any, exponent: Any, rate: Any) -> Any:
    """p bᵖ⁻¹ b' of a base b that changes at the rate b'."""
    found = exponent * base ** (exponent - 1) * rate
    if exponent.is_integer or base.is_positive or (exponent - 1).is_nonnegative or exponent.is_negative:
        return found
    if base.is_nonnegative:
        return kink("case_")(base, found, 0, 0)
    if rate.is_number:
        return found
    return kink("case_")(base, found, kink("case_")(kink("abs_")(rate), found, 0, 0), found)


def _special(expr: Any) -> bool:
    """Whether SymPy's derivative may be 0/0."""
    import sympy

    powers = expr.atoms(sympy.Pow)
    return any(not p.exp.is_integer and not p.base.is_positive for p in powers) or bool(kinks_of(expr))


class _Walk:
    """The chain rule, each part of an expression once."""

    def __init__(self, symbol: Any) -> None:
        self.symbol = symbol
        self.known: dict[Any, Any] = {}

    def __call__(self, expr: Any) -> Any:
        import sympy

        if self.symbol not in expr.free_symbols:
            return sympy.Integer(0)
        if expr not in self.known:
            self.known[expr] = self._slope(expr)
        return self.known[expr]

    def _slope(self, expr: Any) -> Any:
        import sympy

        if expr == self.symbol:
            return sympy.Integer(1)
        if expr.is_Add:
            return sympy.Add(*map(self, expr.args))
        if expr.is_Mul:
            parts = expr.args
            return sympy.Add(*(sympy.Mul(*parts[:k], self(p), *parts[k + 1 :]) for k, p in enumerate(parts)))
        if expr.is_Pow:
            base, exponent = expr.args
            found = root_slope(base, exponent, self(base)) if self.symbol in base.free_symbols else 0
            return found + (sympy.log(base) * expr * self(exponent) if self.symbol in exponent.free_symbols else 0)
        if is_kink(expr, "max_", "min_"):
            a, b = expr.args
            slopes = self(a), self(b)
            return kink("case_")(expr.sense * (a - b), slopes[0], (slopes[0] + slopes[1]) / 2, slopes[1])
        if is_kink(expr, "case_"):
            c, *branches = expr.args
            return kink("case_")(c, *map(self, branches))
        if isinstance(expr, sympy.Function):
            return sympy.Add(*(expr.fdiff(k + 1) * self(arg) for k, arg in enumerate(expr.args) if self(arg) != 0))
        return expr.diff(self.symbol)
