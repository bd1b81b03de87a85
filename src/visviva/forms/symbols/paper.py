"""Formulas in the order of a paper: m g l cos q, not g l m cos(q); fractions in front, what is positive first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, final

from visviva.views.equations_text import AbstractLatexWriter

NUMBER, AMOUNT, FIELD, LENGTH, NAMED, SUM, PLACE, VELOCITY, FUNCTION = range(9)  # kinds of factors in their order


@final
@dataclass(frozen=True, eq=False)
class Order:
    """Kinds of symbols, and their places among those of their kind.

    places: coordinates, other states, inputs.   velocities: with their rates and momenta.   units: of parameters.
    """

    places: tuple[Any, ...]
    velocities: tuple[Any, ...]
    units: Mapping[Any, str]

    @cached_property
    def _table(self) -> dict[Any, tuple[int, int]]:
        found = {symbol: (_kind(unit), k) for k, (symbol, unit) in enumerate(self.units.items())}
        found |= {symbol: (PLACE, k) for k, symbol in enumerate(self.places)}
        return found | {symbol: (VELOCITY, k) for k, symbol in enumerate(self.velocities)}

    def symbol(self, symbol: Any) -> tuple[int, int]:
        """Kind and place; names of definitions come after parameters."""
        return self._table.get(symbol, (NAMED, 0))

    def factor(self, factor: Any) -> tuple[Any, ...]:
        """Where a factor stands in a product."""
        base = factor.as_base_exp()[0]
        if base.is_Symbol:
            return (*self.symbol(base), False)
        if base.is_Add:
            moves = any(self.symbol(s)[0] == VELOCITY for s in base.free_symbols)
            return (VELOCITY if moves else SUM, len(self.velocities), True)
        return (FUNCTION, 0, False)

    def term(self, term: Any) -> tuple[Any, ...]:
        """Where a term stands in a sum: by velocities, what is constant before what has functions, by parameters."""
        import sympy

        kinds, velocities, others = NUMBER, list[int](), list[tuple[int, int]]()
        for factor in sympy.Mul.make_args(term):
            kind, place, _ = self.factor(factor) if not factor.is_number else (NUMBER, 0, False)
            kinds = max(kinds, FUNCTION if factor.has(sympy.Function) else kind)
            base, power = factor.as_base_exp()
            if kind == VELOCITY:
                velocities += [place] * (int(power) if power.is_Integer and power > 0 else 1)
            elif base.is_Symbol:
                others.append((kind, place))
        return (sorted(velocities), kinds, sorted(others))


def _kind(unit: str) -> int:
    """Masses, inertias, stiffnesses and the like come first, then accelerations, then lengths."""
    return {"m/s²": FIELD, "m": LENGTH, "m/rad": LENGTH, "rad": LENGTH}.get(unit, AMOUNT)


@final
@dataclass(frozen=True, eq=False)
class PaperWriter(AbstractLatexWriter):
    """LaTeX with symbols spelled as given, in an order of terms and factors."""

    spelling: Mapping[Any, str]
    order: Order

    def expression(self, value: Any) -> str:  # noqa: D102
        return str(_printer()(self).doprint(value))


@cache
def _printer() -> Any:
    import sympy
    from sympy.printing.latex import LatexPrinter
    from sympy.printing.precedence import PRECEDENCE

    class Printer(LatexPrinter):  # type: ignore[misc]
        """Products and sums in the given order, numbers in front, and cos q without brackets."""

        def __init__(self, writer: PaperWriter) -> None:
            super().__init__({"symbol_names": dict(writer.spelling), "mat_delim": "["})
            self.rules = writer.order

        def _print_Add(self, expr: Any, order: Any = None) -> str:
            printed = [(self._print(term), self.rules.term(term)) for term in expr.args]
            printed.sort(key=lambda one: (one[0].startswith("-"), one[1]))
            first, *more = (text for text, _ in printed)
            return first + "".join(f" - {t[1:].lstrip()}" if t.startswith("-") else f" + {t}" for t in more)

        def _print_Mul(self, expr: Any) -> str:
            number, rest = expr.as_coeff_Mul()
            above, below = list[Any](), list[Any]()
            for factor in sympy.Mul.make_args(rest):
                base, power = factor.as_base_exp()
                under = power.is_Rational and power.is_negative
                (below if under else above).append(base**-power if under else factor)
            sign, number = ("- ", -number) if number.is_negative else ("", number)
            if not below:
                head = [] if number == 1 else [self._print(number)]
                return sign + " ".join([*head, *self._factors(above)])
            p, q = (number.p, number.q) if number.is_Rational else (number, 1)
            top = " ".join([*([] if p == 1 and above else [self._print(sympy.sympify(p))]), *self._factors(above)])
            bottom = " ".join([*([] if q == 1 else [str(q)]), *self._factors(below, alone=q == 1)])
            return rf"{sign}\frac{{{top}}}{{{bottom}}}"

        def _factors(self, factors: list[Any], alone: bool = False) -> list[str]:
            if alone and len(factors) == 1:
                return [self._print(factors[0])]
            ordered = sorted(factors, key=self.rules.factor)
            return [self.parenthesize(factor, PRECEDENCE["Mul"]) for factor in ordered]

        def _print_Function(self, expr: Any, exp: str | None = None) -> str:
            name, arguments = type(expr).__name__, ", ".join(self._print(one) for one in expr.args)
            power = rf"^{{{exp}}}" if exp else ""
            if name in ("sin", "cos", "tan"):
                short = expr.args[0].is_Symbol
                return rf"\{name}{power} {arguments}" if short else rf"\{name}{power}\left({arguments}\right)"
            if name in ("atan2", "sign"):
                return rf"\operatorname{{{name}}}{power}\left({arguments}\right)"
            return str(super()._print_Function(expr, exp))

        _print_atan2 = _print_Function

    return Printer
