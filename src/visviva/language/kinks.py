"""Continuous functions with kinks, as symbols: |x|, the larger and the smaller of two, and cases by the sign of c.

    abs_(x)             |x|                                  slope  sign_(x), 0 at 0
    sign_(x)            -1, 0, 1                             slope  0
    max_(a, b)          the larger                           slope  that of the active one, their mean at a tie
    min_(a, b)          the smaller                          slope  likewise
    case_(c, f, m, g)   f where c > 0, m at 0, g where c < 0  slope  that of the active branch

Slopes are those within branches: SymPy's own functions have Dirac's deltas and conjugates there, which are no numbers.
Every printer of SymPy writes them: as mathematics, as NumPy, as scalar Python for Numba, as C. What differences between
two states are is told by `visviva.language.discrete`; what jumps is told by `visviva.language.jumps`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

NAMES = ("abs_", "sign_", "max_", "min_", "case_")


def __getattr__(name: str) -> Any:
    """The symbols by name, so that expressions that hold them can be pickled."""
    if name in NAMES:
        return _classes()[name]
    raise AttributeError(name)


def kink(name: str) -> Any:
    """The symbol of a name."""
    return _classes()[name]


def is_kink(expr: Any, *names: str) -> bool:
    """Whether an expression is one of these functions; without names, any of them."""
    return isinstance(expr, tuple(_classes()[name] for name in names or NAMES))


def kinks_of(expr: Any, *names: str) -> set[Any]:
    """The parts of an expression that are such functions."""
    found: set[Any] = expr.atoms(*(_classes()[name] for name in names or NAMES))
    return found


def heaviside(x: Any, middle: Any) -> Any:
    """1 where x > 0, 0 where x < 0."""
    return kink("case_")(x, 1, middle, 0)


def continuous(expr: Any) -> Any:
    """An expression with these functions in the place of SymPy's, which arise by themselves: √(x²) is |x|."""
    import sympy

    foreign = sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Heaviside, sympy.Piecewise
    if not expr.has(*foreign):
        return expr
    if isinstance(expr, sympy.Piecewise):
        return _piecewise([(continuous(value), condition) for value, condition in expr.args])
    parts = [continuous(part) for part in expr.args]
    match expr:
        case sympy.Abs():
            return kink("abs_")(*parts)
        case sympy.sign():
            return kink("sign_")(*parts)
        case sympy.Max() | sympy.Min():
            two = kink("max_" if isinstance(expr, sympy.Max) else "min_")
            first, *rest = parts
            for part in rest:
                first = two(first, part)
            return first
        case sympy.Heaviside():
            return heaviside(*parts)
    return expr.func(*parts)


def joined(expr: Any) -> Any:
    """max(0, u) {f for u > 0, f/2 at 0, 0 for u < 0} written max(0, u) f, where f has a value everywhere."""
    return expr.replace(lambda part: part.is_Mul and kinks_of(part, "case_"), _joined)


def _joined(product: Any) -> Any:
    import sympy

    factors = list(product.args)
    sides = set()  # signs of u that the product needs
    for base, exponent in (factor.as_base_exp() for factor in factors):
        if is_kink(base, "max_", "min_") and sympy.Integer(0) in base.args and exponent.is_positive:
            u = sum(base.args)
            sides |= {base.sense * u}
    for k, factor in enumerate(factors):
        if is_kink(factor, "case_"):
            c, f, m, g = factor.args
            for inside, value, other in ((c, f, g), (-c, g, f)):
                if inside in sides and other == 0 and m in (value, value / 2, 0) and value.is_polynomial():
                    factors[k] = value
    return sympy.Mul(*factors)


def _piecewise(branches: list[tuple[Any, Any]]) -> Any:
    """Cases one after the other; what SymPy leaves open is not a number."""
    import sympy

    value = sympy.nan
    for branch, condition in reversed(branches):
        value = _chosen(condition, branch, value)
    return value


def _chosen(condition: Any, f: Any, g: Any) -> Any:
    import sympy

    if condition in (sympy.true, sympy.false):
        return f if condition == sympy.true else g
    match condition:
        case sympy.And():
            first, *rest = condition.args
            return _chosen(first, _chosen(sympy.And(*rest), f, g), g)
        case sympy.Or():
            first, *rest = condition.args
            return _chosen(first, f, _chosen(sympy.Or(*rest), f, g))
        case sympy.Not():
            return _chosen(condition.args[0], g, f)
        case sympy.Gt() | sympy.Ge() | sympy.Lt() | sympy.Le():
            c = continuous(condition.gts - condition.lts)
            return kink("case_")(c, f, g if isinstance(condition, sympy.Gt | sympy.Lt) else f, g)
    return sympy.nan


@cache
def _classes() -> dict[str, Any]:
    import sympy

    class Kink(sympy.Function):  # type: ignore[misc]
        is_real = True
        is_commutative = True

        def _sympystr(self, printer: Any) -> str:
            return f"{self.spelling}({', '.join(map(printer._print, self.args))})"

        def _eval_evalf(self, prec: int) -> Any:
            return self.func(*(part._evalf(prec) for part in self.args))

    class Absolute(Kink):
        """|x|."""

        is_nonnegative = True
        spelling = "Abs"

        @classmethod
        def eval(cls, x: Any) -> Any:
            known = sympy.Abs(x)  # constants out of it, signs away
            if known == sympy.Abs(x, evaluate=False):
                return None
            return known.replace(sympy.Abs, lambda part: cls(part, evaluate=False))

        def fdiff(self, argindex: int = 1) -> Any:
            return Sign(self.args[0])

        def _eval_power(self, exponent: Any) -> Any:
            return self.args[0] ** exponent if exponent.is_even else None

        def _latex(self, printer: Any, exp: str | None = None) -> str:
            inner = rf"\left|{{{printer._print(self.args[0])}}}\right|"
            return inner if exp is None else f"{inner}^{{{exp}}}"

        def _pretty(self, printer: Any) -> Any:
            return printer._print(sympy.Abs(self.args[0], evaluate=False))

        def _numpycode(self, printer: Any) -> str:
            return f"abs({printer._print(self.args[0])})"

        _pythoncode = _numpycode

        def _ccode(self, printer: Any) -> str:
            return f"fabs({printer._print(self.args[0])})"

    class Sign(Kink):
        """-1, 0, 1."""

        spelling = "sign"

        @classmethod
        def eval(cls, x: Any) -> Any:
            known = sympy.sign(x)
            if known.is_number:
                return known
            return -cls(-x) if x.could_extract_minus_sign() else None

        def fdiff(self, argindex: int = 1) -> Any:
            return sympy.Integer(0)

        def _eval_power(self, exponent: Any) -> Any:  # within the branches
            return sympy.Integer(1) if exponent.is_even else self if exponent.is_odd and exponent > 0 else None

        def _latex(self, printer: Any, exp: str | None = None) -> str:
            inner = rf"\operatorname{{sign}}\left({printer._print(self.args[0])}\right)"
            return inner if exp is None else f"{inner}^{{{exp}}}"

        def _numpycode(self, printer: Any) -> str:
            return f"{printer._module_format('numpy.sign')}({printer._print(self.args[0])})"

        def _pythoncode(self, printer: Any) -> str:
            return _ternary(printer, self.args[0], "1.0", "0.0", "-1.0")

        def _ccode(self, printer: Any) -> str:
            x = printer._print(self.args[0])
            return f"(({x}) > 0.0 ? 1.0 : ({x}) < 0.0 ? -1.0 : 0.0)"

    class Extreme(Kink):
        """The first is taken where sense · (a - b) > 0."""

        @classmethod
        def eval(cls, a: Any, b: Any) -> Any:
            if a == b:
                return a
            gap = cls.sense * (a - b)
            if gap.is_nonnegative or gap.is_nonpositive:
                return a if gap.is_nonnegative else b
            return None if (a.sort_key(), b.sort_key()) == tuple(sorted((a.sort_key(), b.sort_key()))) else cls(b, a)

        def _eval_derivative(self, s: Any) -> Any:
            a, b = self.args
            slopes = a.diff(s), b.diff(s)
            return Cases(self.sense * (a - b), slopes[0], (slopes[0] + slopes[1]) / 2, slopes[1])

        def _latex(self, printer: Any, exp: str | None = None) -> str:
            power = "" if exp is None else f"^{{{exp}}}"
            inner = ", ".join(map(printer._print, self.args))
            return rf"\{self.spelling.lower()}{power}\left({inner}\right)"

        def _numpycode(self, printer: Any) -> str:
            name = printer._module_format("numpy.maximum" if self.sense > 0 else "numpy.minimum")
            return f"{name}({', '.join(map(printer._print, self.args))})"

        def _pythoncode(self, printer: Any) -> str:
            a, b = map(printer._print, self.args)
            return f"(({a}) if ({a}) {'>' if self.sense > 0 else '<'} ({b}) else ({b}))"

        def _ccode(self, printer: Any) -> str:
            return f"{'fmax' if self.sense > 0 else 'fmin'}({', '.join(map(printer._print, self.args))})"

    class Larger(Extreme):
        """The larger of two."""

        spelling, sense = "Max", 1

        def _eval_is_nonnegative(self) -> bool | None:
            return True if any(part.is_nonnegative for part in self.args) else None

        def _eval_is_nonpositive(self) -> bool | None:
            return True if all(part.is_nonpositive for part in self.args) else None

    class Smaller(Extreme):
        """The smaller of two."""

        spelling, sense = "Min", -1

        def _eval_is_nonpositive(self) -> bool | None:
            return True if any(part.is_nonpositive for part in self.args) else None

        def _eval_is_nonnegative(self) -> bool | None:
            return True if all(part.is_nonnegative for part in self.args) else None

    class Cases(Kink):
        """f where c > 0, m where c = 0, g where c < 0."""

        spelling = "case"

        @classmethod
        def eval(cls, c: Any, f: Any, m: Any, g: Any) -> Any:
            if f == m == g:
                return f
            if c.is_positive or c.is_zero or c.is_negative:
                return f if c.is_positive else m if c.is_zero else g
            return cls(-c, g, m, f) if c.could_extract_minus_sign() else None

        def _eval_derivative(self, s: Any) -> Any:
            c, *branches = self.args
            return Cases(c, *(branch.diff(s) for branch in branches))

        def _branches(self) -> list[tuple[Any, str]]:
            """Each value with the relation of c to zero, equal ones together; the last one holds otherwise."""
            _, f, m, g = self.args
            if m == g:
                return [(f, ">"), (g, "<=")]
            return [(f, ">="), (g, "<")] if m == f else [(f, ">"), (m, "="), (g, "<")]

        def _sympystr(self, printer: Any) -> str:
            c, f, m, g = self.args
            left, right = _sides(c)
            spelled = [printer._print(part) for part in (f, g, left, right)]
            if m in (f, g):
                return f"where({spelled[2]} {'>=' if m == f else '>'} {spelled[3]}, {spelled[0]}, {spelled[1]})"
            inner = f"where({spelled[2]} < {spelled[3]}, {spelled[1]}, {printer._print(m)})"
            return f"where({spelled[2]} > {spelled[3]}, {spelled[0]}, {inner})"

        def _latex(self, printer: Any, exp: str | None = None) -> str:
            left, right = map(printer._print, _sides(self.args[0]))
            signs = {"<=": r"\leq", ">=": r"\geq"}
            lines = [
                rf"{printer._print(value)} & \text{{for}}\: {left} {signs.get(relation, relation)} {right}"
                for value, relation in self._branches()
            ]
            inner = r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"
            return inner if exp is None else rf"\left({inner}\right)^{{{exp}}}"

        def _pretty(self, printer: Any) -> Any:
            c, f, m, g = self.args
            pairs = [(f, c > 0), (m, sympy.Eq(c, 0)), (g, True)]
            return printer._print(sympy.Piecewise(*(pairs[:1] + pairs[2:] if m == g else pairs), evaluate=False))

        def _numpycode(self, printer: Any) -> str:
            where, (c, f, m, g) = printer._module_format("numpy.where"), map(printer._print, self.args)
            if m == g:
                return f"{where}({c} > 0, {f}, {g})"
            return f"{where}({c} >= 0, {f}, {g})" if m == f else f"{where}({c} > 0, {f}, {where}({c} < 0, {g}, {m}))"

        def _pythoncode(self, printer: Any) -> str:
            return _ternary(printer, self.args[0], *map(printer._print, self.args[1:]))

        def _ccode(self, printer: Any) -> str:
            c, f, m, g = map(printer._print, self.args)
            if m in (f, g):
                return f"(({c}) {'>' if m == g else '>='} 0.0 ? ({f}) : ({g}))"
            return f"(({c}) > 0.0 ? ({f}) : ({c}) < 0.0 ? ({g}) : ({m}))"

    def _sides(c: Any) -> tuple[Any, Any]:
        """c > 0 as left > right, numbers and parameters that are subtracted on the right."""
        away = [term for term in sympy.Add.make_args(c) if term.could_extract_minus_sign()]
        return c - sum(away), -sum(away, start=sympy.Integer(0))

    def _ternary(printer: Any, c: Any, f: str, m: str, g: str) -> str:
        x = printer._print(c)
        if m in (f, g):
            return f"(({f}) if ({x}) {'>' if m == g else '>='} 0.0 else ({g}))"
        return f"(({f}) if ({x}) > 0.0 else (({g}) if ({x}) < 0.0 else ({m})))"

    found = dict(zip(NAMES, (Absolute, Sign, Larger, Smaller, Cases), strict=True))
    for name, each in found.items():
        each.__module__, each.__name__, each.__qualname__ = __name__, name, name
    return found
