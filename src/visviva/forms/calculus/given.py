"""What a user gives as a function: a plain Python function, SymPy expressions, or numbers, as a smooth map."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import finite_array, frozen
from visviva.forms.calculus.expression_map import ExpressionMap, entrywise
from visviva.forms.calculus.function_map import FunctionMap
from visviva.forms.calculus.maps import AbstractMap, Arguments, Blocks, Polynomial, shaped


def map_of(given: Any, arguments: Arguments, what: str, shape: tuple[int | None, ...] | None) -> AbstractMap:
    """The map of a function, of SymPy expressions in symbols of the names of the arguments, or of numbers; or a map.

    what:   how errors call it.
    shape:  that its values must have; None in it stands for any length, None alone for any shape.
    """
    if isinstance(given, AbstractMap):
        return given
    if callable(given) and not _is_symbolic(given):
        return FunctionMap(given, arguments, what, shape)
    if _is_symbolic(given):
        return ExpressionMap(_array_of(given), arguments, what, shape)
    values = shaped(finite_array(given, what), what, shape)
    return Polynomial(arguments.size, frozen(values))


def reads_time(f: AbstractMap) -> bool:
    """Whether a function asks for t, or an expression has it."""
    if isinstance(f, Blocks):
        return any(reads_time(block.f) for block in f.blocks)
    if isinstance(f, FunctionMap):
        return "t" in f.asked
    return isinstance(f, ExpressionMap) and f.arguments.time and any(e.has(f.symbols[-1]) for e in f.values.ravel())


def _is_symbolic(given: Any) -> bool:
    """Whether SymPy made it, without importing SymPy."""
    if type(given).__module__.partition(".")[0] == "sympy":
        return True
    if isinstance(given, list | tuple):
        return any(_is_symbolic(entry) for entry in given)
    return isinstance(given, np.ndarray) and given.dtype == object and any(map(_is_symbolic, given.ravel()))


def _array_of(given: Any) -> Any:
    import sympy

    return entrywise(sympy.sympify, np.array(given.tolist() if isinstance(given, sympy.MatrixBase) else given, object))
