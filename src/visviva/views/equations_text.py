"""Equations as LaTeX and as text, in vectors and matrices with names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from visviva.views.equations_names import Label
from visviva.views.equations_terms import Form, Term, value


class AbstractWriter(ABC):
    """How expressions, labels and matrices are written."""

    @abstractmethod
    def expression(self, value: Any) -> str:
        """A number, or a matrix."""

    @abstractmethod
    def label(self, label: Label) -> str:
        """A name."""

    @abstractmethod
    def rate(self, label: Label, in_group: bool) -> str:
        """x_dot, or x⁻¹ x_dot for a state in a group."""

    @abstractmethod
    def equation(self, left: str, right: str) -> str:
        """A line."""

    @abstractmethod
    def transposed(self, name: str) -> str:
        """A transposed matrix."""

    def form(self, form: Form, n: int) -> str:
        """The right-hand side of a row: one expression where it is a number, else a sum of products of matrices."""
        if n == 1:
            return self.expression(value(form, 1)[0])
        parts = [(" - " if term.sign < 0 else " + ") + self._product(term) for term in form]
        text = "".join(parts) or " + 0"
        return text.removeprefix(" + ") if text.startswith(" + ") else "-" + text.removeprefix(" - ")

    def _product(self, term: Term) -> str:
        import sympy

        names = [
            self.transposed(self.label(factor.label)) if factor.transposed else self.label(factor.label)
            for factor in term.factors
        ]
        vector = term.vector
        return " ".join(
            [*names, self.label(vector.label) if vector.label else self.expression(sympy.Matrix(vector.entries))]
        )


class AbstractLatexWriter(AbstractWriter):
    """Equations in LaTeX, aligned at their signs."""

    def label(self, label: Label) -> str:  # noqa: D102
        return label.latex

    def rate(self, label: Label, in_group: bool) -> str:  # noqa: D102
        return rf"{label.latex}^{{-1}} {label.dotted}" if in_group else label.dotted

    def equation(self, left: str, right: str) -> str:  # noqa: D102
        return f"{left} &= {right}"

    def transposed(self, name: str) -> str:  # noqa: D102
        return rf"{name}^{{\top}}"


@final
@dataclass(frozen=True)
class LatexWriter(AbstractLatexWriter):
    """LaTeX by SymPy, with the spelling of every symbol."""

    spelling: Mapping[Any, str]

    def expression(self, value: Any) -> str:  # noqa: D102
        import sympy

        return str(sympy.latex(value, symbol_names=dict(self.spelling), mat_delim="["))


@final
@dataclass(frozen=True)
class TextWriter(AbstractWriter):
    """Plain text, a matrix by its rows."""

    def expression(self, value: Any) -> str:  # noqa: D102
        import sympy

        if not isinstance(value, sympy.MatrixBase):
            return str(value)
        rows = value.T.tolist() if value.cols == 1 else value.tolist()
        listed = ["[" + ", ".join(map(str, row)) + "]" for row in rows]
        return listed[0] if len(listed) == 1 else "[" + ", ".join(listed) + "]"

    def label(self, label: Label) -> str:  # noqa: D102
        return label.text

    def rate(self, label: Label, in_group: bool) -> str:  # noqa: D102
        return f"{label.text}^-1 {label.text}'" if in_group else f"{label.text}'"

    def equation(self, left: str, right: str) -> str:  # noqa: D102
        return f"  {left} = {right}"

    def transposed(self, name: str) -> str:  # noqa: D102
        return f"{name}^T"


def aligned(lines: list[str], where: list[str]) -> str:
    """An `aligned` environment of LaTeX: the equations, then what names in them stand for."""
    explained = [r"\text{where}\quad " + where[0], *where[1:]] if where else []
    body = " \\\\\n".join([*lines, *explained])
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
