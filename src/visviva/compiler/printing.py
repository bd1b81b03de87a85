"""Expressions as source text of compiled functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

HELPERS = (
    *("sinc_", "sinhc_", "atanhc_", "atanc_", "connected_", "dsinc_", "dsinhc_", "datanhc_", "datanc_"),
    *("absq_", "dabsq_", "powq_", "dpowq_"),
    *("arc_", "arcq_", "darc_", "darcq_", "bow_", "bowq_", "dbow_", "dbowq_"),
)


@cache
def _printer() -> Any:
    from sympy.printing.pycode import PythonCodePrinter

    class Printer(PythonCodePrinter):  # type: ignore[misc]
        """Whole powers as products, fractions as floats, no objects that only SymPy knows."""

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            base, exponent = expr.args
            if exponent.is_Integer and 1 <= abs(int(exponent)) <= 8:
                product = "*".join([f"({self._print(base)})"] * abs(int(exponent)))
                return f"({product})" if exponent > 0 else f"(1.0/({product}))"
            if exponent.is_Rational and exponent.q == 2:
                root = f"math.sqrt({self._print(base)})"
                if exponent < 0:  # 1/(b √b), not √b/b², which is no number at 0
                    return f"(1.0/({self._print(base**-exponent)}))"
                whole = self._print(base ** (exponent.p // 2)) if exponent.p // 2 else "1.0"
                return f"(({whole})*{root})"
            return f"({self._print(base)})**({self._print(exponent)})"

        def _print_Rational(self, expr: Any) -> str:
            return repr(float(expr))

        def _print_Integer(self, expr: Any) -> str:
            return repr(float(expr))

        def _print_Abs(self, expr: Any) -> str:
            return f"abs({self._print(expr.args[0])})"

        def _print_sign(self, expr: Any) -> str:
            x = self._print(expr.args[0])
            return f"(1.0 if {x} > 0.0 else -1.0 if {x} < 0.0 else {x})"

        def _print_DiracDelta(self, expr: Any) -> str:  # the slope of a sign: none where it is used
            return "0.0"

    return Printer({"user_functions": {name: name for name in HELPERS}, "fully_qualified_modules": True})


def text(expr: Any) -> str:
    """One expression."""
    return str(_printer().doprint(expr))


def shared(groups: Sequence[Sequence[Any]]) -> tuple[list[list[str]], list[list[str]]]:
    """Assignments and values of groups of expressions, evaluated one group after the other.

    Common subexpressions are taken out over all groups; each group comes with the assignments that it needs and that
    none before it made.
    """
    import sympy

    flat = [expr for group in groups for expr in group]
    assignments, reduced = sympy.cse(flat, symbols=sympy.numbered_symbols("w"), order="none")
    table, done = dict(assignments), set[Any]()
    lines: list[list[str]] = []
    values: list[list[str]] = []
    at = 0
    for group in groups:
        own = reduced[at : at + len(group)]
        at += len(group)
        needed = set[Any]()
        waiting = [symbol for expr in own for symbol in expr.free_symbols if symbol in table]
        while waiting:
            symbol = waiting.pop()
            if symbol not in needed and symbol not in done:
                needed.add(symbol)
                waiting += [other for other in table[symbol].free_symbols if other in table]
        lines.append([f"{symbol} = {text(expr)}" for symbol, expr in assignments if symbol in needed])
        values.append([text(expr) for expr in own])
        done |= needed
    return lines, values
