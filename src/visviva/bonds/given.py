"""What elements are given: numbers with and without units, functions, expressions, and their parameters by name."""

from __future__ import annotations

import inspect
from collections.abc import Container
from typing import Any

import numpy as np

from visviva._arrays import finite_number, own_copy
from visviva.bonds.units import Unit, measured, unit
from visviva.errors import ModelError

Given = Any  # a number, a text such as "100 mH", a matrix, a function, SymPy expressions


def is_expression(given: Given) -> bool:
    """Whether something is or holds expressions of SymPy."""
    import sys

    sympy = sys.modules.get("sympy")  # what was not imported cannot be there
    if sympy is None or given is None:
        return False
    if isinstance(given, sympy.Basic | sympy.MatrixBase):
        return True
    entries = np.ravel(np.array(given, dtype=object)) if isinstance(given, np.ndarray | list) else ()
    return any(isinstance(entry, sympy.Basic) for entry in entries)


def is_law(given: Given) -> bool:
    """Whether it is a function, or has expressions."""
    return callable(given) or is_expression(given)


def reads(given: Given, parameters: Container[str]) -> bool:
    """Whether a law of a source depends on more than time and parameters."""
    if callable(given):
        return bool({"x", "e", "f"} & set(inspect.signature(given).parameters))
    return any(name != "t" and name not in parameters for name in _names(given)) if is_expression(given) else False


def in_si(given: Given, by: Any, kind: str) -> tuple[Given, Unit | None]:
    """A value in SI units, and the unit it had: that of its text, or that which `by` says."""
    what = f"the value of {_an(kind)}"
    if isinstance(given, str):
        if by is not None:
            raise ModelError(f"{what} has two units, in {given!r} and unit={by!r}: give one.")
        return measured(given, what)
    given = own_copy(given)
    if isinstance(given, list):
        given = _array(given, what)
    if by is None:
        return given, None
    if not isinstance(by, str) or given is None or is_law(given):
        raise ModelError(
            f"{what} has unit={by!r}, which is the unit of numbers, e.g. unit='kg'.\n"
            "Parameters of functions have theirs with them, k='50 N/m'."
        )
    found = unit(by, what)
    return (found.size * np.asarray(given, dtype=float) if np.ndim(given) else found.size * float(given)), found


def _array(given: list[Any], what: str) -> Any:
    if any(is_law(entry) for entry in given) or is_expression(given):
        return given
    try:
        np.array(given)
    except ValueError:
        raise ModelError(f"{what} has rows of different lengths: {given!r}.") from None
    return given


def parameters_in_si(
    parameters: dict[str, Any], laws: tuple[Given, ...], kind: str
) -> tuple[dict[str, float], dict[str, Unit]]:
    """Numbers by name, and the units of those that have one; an error for what no law asks for."""
    numbers, units = dict[str, float](), dict[str, Unit]()
    functions = [law for law in laws if is_law(law)]
    if parameters and not functions:
        raise ModelError(
            f"{_an(kind)} by a number has no parameter {next(iter(parameters))!r}: it is its own one.\n"
            "Options are domain, width, label and unit; functions have parameters, e.g. C(H=lambda q, k: ..., k=3.0)."
        )
    for name, value in parameters.items():
        if not any(_asks(law, name) for law in functions):
            raise ModelError(f"the law of {_an(kind)} does not depend on its parameter {name!r}: a misprint?")
        what = f"parameter {name!r} of {_an(kind)}"
        if isinstance(value, str):
            value, units[name] = measured(value, what)
        numbers[name] = finite_number(value, what)
    return numbers, units


def _asks(law: Given, name: str) -> bool:
    if callable(law):
        arguments = inspect.signature(law).parameters.values()
        return any(a.name == name or a.kind is a.VAR_KEYWORD for a in arguments)
    return name in _names(law)


def _names(law: Given) -> set[str]:
    """Names of the symbols in expressions."""
    import sympy

    entries = map(sympy.sympify, np.ravel(np.array(law, dtype=object)))
    return {str(symbol) for entry in entries for symbol in entry.free_symbols}


def check_width(width: object, kind: str) -> int | None:
    """A number of components, or None where it follows from others."""
    if width is not None and (not isinstance(width, int) or isinstance(width, bool) or width < 1):
        raise ModelError(f"the width of a bond at {kind} must be a positive integer, got {width!r}.")
    return width


def _an(kind: str) -> str:
    return f"an {kind}" if kind[0] in "IR" or kind in ("Se", "Sf", "MTF", "MGY", "NIC") else f"a {kind}"
