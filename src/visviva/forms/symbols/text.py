"""Symbolic equations in a form, as LaTeX and as text: the equation in matrices, then what each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

from visviva.views.equations_text import AbstractWriter, TextWriter, aligned

if TYPE_CHECKING:
    from visviva.forms.symbols.equations import SymbolicEquations

DIGITS = 6  # of numbers in print
SIMPLE = 12  # largest denominator that is written as a fraction
TALL = 12  # rows of a matrix; taller ones are written entry by entry
WIDE = 72  # characters of a row of a matrix; wider ones are written entry by entry
Lines = list[tuple[str, str]]


@final
@dataclass(frozen=True)
class Spelled:
    """How vectors and operators are written, in LaTeX or in text."""

    xi: str
    xi_dot: str
    q_dot: str
    transposed: str
    inverse: str
    lam: str
    p_dot: str
    s_dot: str
    slope: str
    gamma: str
    Phi: str
    entry: str


LATEX = Spelled(
    r"\xi", r"\dot{\xi}", r"\dot{q}", r"^{\top}", r"^{-1}", r"\lambda", r"\dot{p}", r"\dot{s}",
    r"\partial_q {}", r"\gamma(\xi) \, p", r"\Phi", "{}_{{{}}}",
)  # fmt: skip
PLAIN = Spelled("xi", "xi_dot", "q_dot", "^T", "^-1", "lam", "p_dot", "s_dot", "d{}/dq", "gamma(xi) p", "Phi", "{}_{}")


def equation_terms(e: SymbolicEquations) -> list[Any]:
    """The matrices that the equations of a form are made of."""
    return [value for _, value in _where(e, LATEX)]


def latex_lines(e: SymbolicEquations) -> tuple[Lines, Lines, Lines]:
    """Left and right sides in LaTeX: of the equations, of what their matrices are, and of definitions."""
    writer, words = e.writer, _words(e, LATEX)
    where = [line for name, value in _where(e, words) for line in spelled_lines(writer, name, value, words.entry)]
    definitions = [(writer.expression(s), spell(writer, value)) for s, value in e.definitions().items()]
    return list(_equations(e, words)), where, definitions


def latex(e: SymbolicEquations) -> str:
    """An `aligned` environment."""
    lines, where, definitions = latex_lines(e)
    return aligned([f"{a} &= {b}" for a, b in lines], [f"{a} &= {b}" for a, b in (*where, *definitions)])


def plain(e: SymbolicEquations) -> str:
    """Lines of text."""
    writer, words = TextWriter(), _words(e, PLAIN)
    where = [writer.equation(name, spell(writer, value)) for name, value in _where(e, words)]
    where += [writer.equation(str(s), spell(writer, value)) for s, value in e.definitions().items()]
    lines = [writer.equation(left, right) for left, right in _equations(e, words)]
    return "\n".join([f"{e.name}, {e.form} form:", *lines, "where", *where])


def components(e: SymbolicEquations) -> list[Any]:
    """M ξ̇ + c = f - Zᵀλ by components, or ṗ = f + Dᵀξ - Zᵀλ, then Z ξ̇ = z."""
    import sympy

    lam = sympy.Matrix(e.Z.rows, 1, [sympy.Symbol(f"lambda_{k + 1}", real=True) for k in range(e.Z.rows)])
    xi_dot = sympy.Matrix(len(e.xi), 1, list(e.xi_dot))
    if e.form in ("kane-momentum", "hamilton"):
        rates = [sympy.Symbol(f"{symbol}_dot", real=True) for symbol in e.p]
        left, right = sympy.Matrix(len(rates), 1, rates), e.f + e.gyration - e.Z.T * lam
    else:
        left, right = e.M * xi_dot + e.c, e.f - e.Z.T * lam
    pairs = [*zip(left, right, strict=True), *zip(e.Z * xi_dot, e.z, strict=True)]
    return [sympy.Eq(a, b, evaluate=False) for a, b in pairs]


def spell(writer: AbstractWriter, value: Any) -> str:
    """An expression or matrix with numbers as they are read: short fractions, else a few digits."""
    import sympy

    def shown(number: Any) -> Any:
        return number if number.is_Integer or number.q <= SIMPLE else sympy.Float(number, DIGITS)

    def short(entry: Any) -> Any:
        entry = entry.xreplace({number: sympy.Float(number, DIGITS) for number in entry.atoms(sympy.Float)})
        return entry.xreplace({number: shown(number) for number in entry.atoms(sympy.Rational)})

    return writer.expression(value.applyfunc(short) if isinstance(value, sympy.MatrixBase) else short(value))


def spelled_lines(writer: AbstractWriter, name: str, value: Any, entry: str) -> Iterator[tuple[str, str]]:
    """A matrix, or its entries one by one where it is wide; of a symmetric one those on and above the diagonal."""
    import sympy

    if isinstance(value, sympy.MatrixBase) and value.is_zero_matrix:
        yield name, "0"
        return
    if not isinstance(value, sympy.MatrixBase) or (value.rows <= TALL and _width(writer, value) <= WIDE):
        yield name, spell(writer, value)
        return
    symmetric = value.rows == value.cols and value == value.T
    base = f"({name})" if " " in name or ("_" in name and entry.startswith("{}_")) else name
    for i in range(value.rows):
        for j in range(i if symmetric else 0, value.cols):
            if value[i, j] != 0:
                place = str(i + 1) if value.cols == 1 else f"{i + 1}{j + 1}" if value.cols < 10 else f"{i + 1},{j + 1}"
                yield entry.format(base, place), spell(writer, value[i, j])


def visible(latex: str) -> int:
    """About how many characters LaTeX shows."""
    return len(re.sub(r"\\(left|right|mathrm|text|dot|ddot|quad)|[{}^_\s&]|\\[a-z]+(?=\{)", "", latex))


def _width(writer: AbstractWriter, matrix: Any) -> int:
    widest = [max(visible(spell(writer, matrix[i, j])) for i in range(matrix.rows)) for j in range(matrix.cols)]
    return sum(widest) if matrix.rows else 0


def _words(e: SymbolicEquations, words: Spelled) -> Spelled:
    """Where all velocities are rates of coordinates, and spelled so, they are written so."""
    if not e.in_rates:
        return words
    rates = (r"\dot{q}", r"\ddot{q}") if words is LATEX else ("q_dot", "q_ddot")
    return replace(words, xi=rates[0], xi_dot=rates[1])


def _equations(e: SymbolicEquations, w: Spelled) -> Iterator[tuple[str, str]]:
    """The equations."""
    reaction = f" - Z{w.transposed} {w.lam}" if e.Z.rows else ""
    match e.form:
        case "minimal":
            yield f"M {w.xi_dot} + c", f"f{reaction}"
        case "kane-velocity":
            yield f"A {w.xi_dot} + D {w.xi}", f"f{reaction}"
        case "kane-momentum":
            yield w.p_dot, f"f + D{w.transposed} {w.xi}{reaction}"
            yield w.xi, f"A{w.inverse} p"
        case "lagrange":
            turned = f" + {w.gamma}" if e.turns else ""
            yield f"{w.p_dot}{turned} - {w.slope.format('T')} + {w.slope.format('V')}", f"Q{reaction}"
            yield "p", f"M {w.xi}"
        case "hamilton":
            turned = f" - {w.gamma}" if e.turns else ""
            yield w.p_dot, f"{w.slope.format('T')} - {w.slope.format('V')}{turned} + Q{reaction}"
            yield w.xi, f"M{w.inverse} p"
    if any(part.g is not None for part in e.rows):
        yield w.Phi, "0"
    if e.Z.rows:
        yield f"Z {w.xi}", "r" if any(e.r) else "0"
        yield f"Z {w.xi_dot}", "z"


def _where(e: SymbolicEquations, w: Spelled) -> list[tuple[str, Any]]:
    """What its names stand for."""
    xi = _column(e.xi)
    found: list[tuple[str, Any]] = [("q", _column(e.q))] if e.q else []
    if not e.in_rates:
        found += [(w.xi, xi), (w.q_dot, e.q_dot)]
    match e.form:
        case "minimal":
            found += [("M", e.M), ("c", e.c), ("f", e.f)]
        case "kane-velocity" | "kane-momentum":
            found += [("A", e.M), ("D", e.D), ("f", e.f)]
        case "lagrange" | "hamilton":
            found += [("T", e.T), ("V", e.V), ("M", e.M)]
            found += [(w.slope.format("T"), e.T_q), (w.slope.format("V"), e.V_q), ("Q", e.Q)]
            if e.turns:
                found.append((w.gamma, e.turning))
    if e.Z.rows:
        if any(part.g is not None for part in e.rows):
            found.append((w.Phi, e.g))
        found += [("Z", e.Z), *([("r", e.r)] if any(e.r) else []), ("z", e.z)]
    if e.s:
        found += [("s", _column(e.s)), (w.s_dot, e.s_dot)]
    return found


def _column(symbols: Any) -> Any:
    import sympy

    return sympy.Matrix(len(symbols), 1, list(symbols))
