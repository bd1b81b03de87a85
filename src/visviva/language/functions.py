"""Functions that expressions may hold beside those of SymPy: smooth where a quotient of known ones would be 0/0.

A function of this kind is known by its name, which ends in an underscore; the derivative of f_ by its first argument is
df_. What they are as numbers is told by `visviva.language.discrete` and `visviva.kernels.elementary`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from visviva.language.trace import Traced


@cache
def symbolic(name: str) -> Any:
    """The function of a name as a symbol, with its derivative. Those of two arguments and more are symmetric in two."""
    import sympy

    def fdiff(self: Any, argindex: int = 1) -> Any:
        if name == "connected_":
            return sympy.Integer(0)
        args = self.args if argindex == 1 else (self.args[1], self.args[0], *self.args[2:])
        return symbolic("d" + name)(*args)

    return type(name, (sympy.Function,), {"fdiff": fdiff, "is_real": True, "__module__": __name__})


@cache
def near_zero(name: str) -> Any:
    """exp x - 1 and log(1 + x) as symbols that lose no digits where x is small, "expm1" and "log1p"."""
    from sympy.codegen import cfunctions

    plain = {"expm1": ("(exp({}) - 1)", r"\left(e^{{{}}} - 1\right)"), "log1p": ("log(1 + {})", None)}[name]

    def _sympystr(self: Any, printer: Any) -> str:
        return plain[0].format(printer._print(self.args[0]))

    def _latex(self: Any, printer: Any, exp: str | None = None) -> str:
        x = printer._print(self.args[0])
        inner = rf"\log{{\left(1 + {x} \right)}}" if plain[1] is None else plain[1].format(x)
        return inner if exp is None else rf"{inner}^{{{exp}}}"

    printed = {"_sympystr": _sympystr, "_latex": _latex, "__module__": __name__, "__qualname__": name}
    return type(name, (getattr(cfunctions, name),), printed)


def __getattr__(name: str) -> Any:
    """Symbols by name, so that expressions that hold them can be pickled."""
    if name in ("expm1", "log1p"):
        return near_zero(name)
    if name.endswith("_") and not name.startswith("_"):
        return symbolic(name)
    raise AttributeError(name)


def logarithm(R: Any, p: Any) -> tuple[list[Any], list[Any]]:
    """(ω, v) of the logarithm of a traced pose in SE(3); smooth up to, not including, half a turn."""
    trace = (R[0][0] + R[1][1] + R[2][2]).expr
    arc, bow = Traced(symbolic("arc_")(trace)), Traced(symbolic("bow_")(trace))
    a = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    b = _cross(a, p)
    c = _cross(a, b)
    return [arc * a[i] for i in range(3)], [p[i] - arc * b[i] / 2 + bow * c[i] for i in range(3)]


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
