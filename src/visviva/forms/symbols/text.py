"""Symbolic equations in a form, as LaTeX and as text: the equation in matrices, then what each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from visviva.views.equations_text import AbstractWriter, LatexWriter, TextWriter, aligned

if TYPE_CHECKING:
    from visviva.forms.symbols.equations import SymbolicEquations

DIGITS = 6  # of numbers in print
SIMPLE = 12  # largest denominator that is written as a fraction


@final
@dataclass(frozen=True)
class Spelled:
    """How matrices and operators are written, in LaTeX or in text."""

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


LATEX = Spelled(
    r"\xi", r"\dot{\xi}", r"\dot{q}", r"^{\top}", r"^{-1}", r"\lambda", r"\dot{p}", r"\dot{s}",
    r"\partial_q {}", r"\gamma(\xi)\, p",
)  # fmt: skip
PLAIN = Spelled("xi", "xi_dot", "q_dot", "^T", "^-1", "lam", "p_dot", "s_dot", "d{}/dq", "gamma(xi) p")


def equation_terms(e: SymbolicEquations) -> list[Any]:
    """The matrices that the equations of a form are made of."""
    return [value for _, value in _where(e, LATEX)]


def latex(e: SymbolicEquations) -> str:
    """An `aligned` environment."""
    writer = LatexWriter(e.spelling)
    where = [writer.equation(name, spell(writer, value)) for name, value in _where(e, LATEX)]
    where += [writer.equation(writer.expression(s), spell(writer, value)) for s, value in e.definitions().items()]
    return aligned([f"{left} &= {right}" for left, right in _lines(e, LATEX)], where)


def plain(e: SymbolicEquations) -> str:
    """Lines of text."""
    writer = TextWriter()
    where = [writer.equation(name, spell(writer, value)) for name, value in _where(e, PLAIN)]
    where += [writer.equation(str(s), spell(writer, value)) for s, value in e.definitions().items()]
    lines = [f"  {left} = {right}" for left, right in _lines(e, PLAIN)]
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


def _lines(e: SymbolicEquations, w: Spelled) -> Iterator[tuple[str, str]]:
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
        yield "0", "g"
    if e.Z.rows:
        yield f"Z {w.xi}", "r" if any(e.r) else "0"
        yield f"Z {w.xi_dot}", "z"


def _where(e: SymbolicEquations, w: Spelled) -> list[tuple[str, Any]]:
    """What its names stand for."""
    import sympy

    xi = sympy.Matrix(len(e.xi), 1, list(e.xi))
    found: list[tuple[str, Any]] = [(w.xi, xi)]
    if e.q_dot != xi:
        found.append((w.q_dot, e.q_dot))
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
            found.append(("g", e.g))
        found += [("Z", e.Z), *([("r", e.r)] if any(e.r) else []), ("z", e.z)]
    if e.s:
        found += [("s", sympy.Matrix(len(e.s), 1, list(e.s))), (w.s_dot, e.s_dot)]
    return found
