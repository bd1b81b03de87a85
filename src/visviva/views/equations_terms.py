"""Linear forms in vectors: sums of ± A B … v with matrices that keep their names, so that equations stay readable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, final

from visviva.views.equations_names import Label, Names


@final
@dataclass(frozen=True, eq=False)
class Vector:
    """An effort, a flow or a multiplier; without a label it is shown by its entries."""

    entries: tuple[Any, ...]
    label: Label | None = None

    @property
    def n(self) -> int:
        """Its length."""
        return len(self.entries)

    @property
    def is_zero(self) -> bool:
        """Whether nothing is there to show."""
        return all(entry == 0 for entry in self.entries)


def named_vector(names: Names, options: list[Label], n: int) -> Vector:
    """A vector of n new symbols."""
    label, symbols = names.take(options, lambda one: one.components(n))
    return Vector(symbols, label)


@final
@dataclass(frozen=True, eq=False)
class Factor:
    """A block of a structure; `label` names it in equations of vectors."""

    matrix: Any
    label: Label
    transposed: bool = False

    @property
    def value(self) -> Any:
        """The matrix as it multiplies."""
        return self.matrix.T if self.transposed else self.matrix

    @property
    def T(self) -> Factor:
        """The transposed block, under the same name."""
        return replace(self, transposed=not self.transposed)


@final
@dataclass(frozen=True, eq=False)
class Term:
    """sign · factors · vector."""

    sign: int
    factors: tuple[Factor, ...]
    vector: Vector

    def value(self) -> Any:
        """Its entries, as a column."""
        import sympy

        column = sympy.Matrix(self.vector.entries)
        for factor in reversed(self.factors):
            column = factor.value * column
        return self.sign * column


Form = tuple[Term, ...]


def scaled(sign: int, factors: tuple[Factor, ...], form: Iterable[Term]) -> Form:
    """sign · factors · form."""
    return tuple(Term(sign * term.sign, (*factors, *term.factors), term.vector) for term in form)


def substituted(form: Form, vector: Vector, by: Form) -> Form:
    """The form with a vector replaced by what it equals."""
    parts = (scaled(t.sign, t.factors, by) if t.vector is vector else (t,) for t in form)
    return tuple(term for part in parts for term in part)


def solved(form: Form, vector: Vector) -> Form | None:
    """The vector from 0 = form, if it appears there once and with the coefficient ±1."""
    own = [term for term in form if term.vector is vector]
    if len(own) != 1 or own[0].factors:
        return None
    return scaled(-own[0].sign, (), (term for term in form if term.vector is not vector))


def value(form: Form, n: int) -> Any:
    """The entries of a form as a column of n expressions."""
    import sympy

    return sum((term.value() for term in form if not term.vector.is_zero), sympy.zeros(n, 1))


def block(matrix: Any, label: Label) -> tuple[int, tuple[Factor, ...]] | None:
    """Sign and factors of a block: none at all for zero, no factor for ±1."""
    import sympy

    if matrix.is_zero_matrix:
        return None
    if matrix.rows == matrix.cols:
        for sign in (1, -1):
            if matrix == sign * sympy.eye(matrix.rows):
                return sign, ()
    return 1, (Factor(matrix, label),)
