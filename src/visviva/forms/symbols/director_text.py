"""Director equations as LaTeX and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from visviva.forms.symbols.steps import matrix_of
from visviva.forms.symbols.text import Lines, spell, spelled_lines
from visviva.views.equations_names import Label
from visviva.views.equations_text import TextWriter

if TYPE_CHECKING:
    from visviva.forms.symbols.directors import DirectorEquations

DOTTED = r"\dot{s}"
SHORT = 400  # terms that constraints may have to be written without definitions


def latex_lines(e: DirectorEquations) -> tuple[Lines, Lines, Lines]:
    """Left and right sides: of the equations, of what their matrices are, and of definitions."""
    writer = e.writer
    terms = [r"-\nabla V", *([" - R_v v"] if any(e.R_v) else []), r" - G^{\top} \lambda"]
    terms += [*([" + B_v u"] if any(e.B_v) else []), *([" + h_v"] if any(e.h_v) else [])]
    equations = [(r"\dot{q}", "v"), (r"M \dot{v}", "".join(terms)), ("G v", "r" if any(e.r) else "0")]
    diagonal = ", ".join(spell(writer, e.M[k, k]) for k in range(0, e.M.rows, 3))
    where: Lines = [
        ("M", rf"\mathrm{{diag}}\left({diagonal}\right) \otimes I_3"),
        ("G", r"\partial g / \partial q"),
        ("V", spell(writer, _written(e, [e.V])[0])),
    ]
    constraints = _constraints(e)
    for name, g in constraints.items():
        where += spelled_lines(writer, Label("g", (name,)).latex, matrix_of(g), "{}^{{({})}}")
    shown = [*_written(e, [e.V]), *(entry for g in constraints.values() for entry in g)]
    parts = [part for name, value in _others(e) for part in spelled_lines(writer, name, value, "{}_{{{}}}")]
    shown += [entry for _, value in _others(e) for entry in value]
    names = [(writer.expression(s), spell(writer, value)) for s, value in e.steps.needed(shown).items()]
    return equations, where + parts, names


def _others(e: DirectorEquations) -> list[tuple[str, Any]]:
    """Matrices and columns that are not zero: losses, inputs, other forces, what drives prescribe, other states."""
    found = [("R_v", e.R_v), ("B_v", e.B_v), ("h_v", e.h_v), ("r", e.r)]
    return [*((name, value) for name, value in found if any(value)), *([(DOTTED, e.s_dot)] if e.s else [])]


def plain(e: DirectorEquations) -> str:
    """Lines of text."""
    writer, constraints = TextWriter(), _constraints(e)
    diagonal = ", ".join(spell(writer, e.M[k, k]) for k in range(0, e.M.rows, 3))
    terms = [" - R_v v"] if any(e.R_v) else []
    terms += [" - G^T lam", *([" + B_v u"] if any(e.B_v) else []), *([" + h_v"] if any(e.h_v) else [])]
    lines = [
        f"{e.name}, directors:",
        "  q_dot = v",
        f"  M v_dot = -dV/dq{''.join(terms)}",
        "  G v = " + ("r" if any(e.r) else "0"),
    ]
    lines += ["where", f"  M = diag({diagonal}) x I_3", "  G = dg/dq", f"  V = {spell(writer, _written(e, [e.V])[0])}"]
    lines += [f"  g_{name} = {spell(writer, matrix_of(g))}" for name, g in constraints.items()]
    lines += [
        f"  {a.replace(DOTTED, 's_dot')} = {b}"
        for name, value in _others(e)
        for a, b in spelled_lines(writer, name, value, "{}_{}")
    ]
    shown = [*_written(e, [e.V]), *(entry for g in constraints.values() for entry in g)]
    shown += [entry for _, value in _others(e) for entry in value]
    return "\n".join([*lines, *(f"  {s} = {spell(writer, value)}" for s, value in e.steps.needed(shown).items())])


def _constraints(e: DirectorEquations) -> dict[str, list[Any]]:
    """g by joint or condition."""
    return {part.name: _written(e, list(part.g)) for part in e.rows if part.g is not None}


def _written(e: DirectorEquations, values: list[Any]) -> list[Any]:
    """With definitions put in, where that is short."""
    import sympy

    if e.steps.operations(values, SHORT + 1) > SHORT:
        return values
    return [sympy.expand(value) for value in e.steps.expanded(values)]
