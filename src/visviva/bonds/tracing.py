"""What elements are given, read into formulas in the symbols of a graph: functions are run once on symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import finite_number
from visviva.bonds.balance import check_balance
from visviva.bonds.elements import Element
from visviva.bonds.formula import Formula
from visviva.bonds.given import is_expression
from visviva.bonds.moduli import check_positive
from visviva.bonds.states import numbered
from visviva.bonds.units import Unit
from visviva.errors import ModelError
from visviva.forms.kane.trace import rational
from visviva.language.kinks import continuous
from visviva.language.regularity import ENERGY, Advice, require_regular
from visviva.language.trace import Traced, Values, call, expressions, traced_array

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


def formula(laws: Laws, what: str, values: Any, inputs: tuple[Any, ...] = ()) -> Formula:
    """A formula of a graph."""
    values = np.asarray(values, dtype=object)
    return Formula(f"{what} in {laws.graph.name!r}", laws.scope, values.shape, values, inputs)


def own_inputs(label: str, element: Element, kind: str, n: int) -> list[Any]:
    """Symbols of what a law reads of its own bond."""
    import sympy

    return [sympy.Symbol(name, real=True) for name in element.inputs or numbered(f"{kind}_{label}", n)]


def value(laws: Laws, label: str, given: Any) -> Formula:
    """A number has the symbol of its element, an array stays as it is."""
    what = f"the value of {label!r} in {laws.graph.name!r}"
    if np.shape(given) == ():
        symbol = laws.parameter(label, finite_number(given, what), f"element {label!r}")
        return formula(laws, what, np.array(symbol, dtype=object))
    return formula(laws, what, rational(expressions(given, what)))


def matrix(
    laws: Laws, label: str, element: Element, given: Any, shape: tuple[int, int], positive: bool = False
) -> Formula:
    """A modulus: a number is that multiple of the identity."""
    import sympy

    what = f"{element.kind} {label!r} of {laws.graph.name!r}"
    law = callable(given) or is_expression(given)
    values = (traced(laws, label, element, given, {}, "modulus") if law else value(laws, label, given)).values
    if values.ndim == 0:
        if shape[0] != shape[1]:
            raise ModelError(f"{what} joins {shape[1]} components with {shape[0]}: its modulus must be a matrix.")
        values = np.array([[values.item() if i == j else sympy.Integer(0) for j in range(shape[0])]
                           for i in range(shape[0])], dtype=object)  # fmt: skip
    if values.shape != shape:
        raise ModelError(f"the matrix of {what} must have shape {shape}, got {values.shape}.")
    if positive:
        check_positive(laws, what, element.kind == "NIC" or (element.kind in ("C", "I") and len(values) == 1), values)
    return formula(laws, f"modulus of {what}", values)


def traced(laws: Laws, label: str, element: Element, given: Any, own: dict[str, list[Any]], role: str) -> Formula:
    """What a function returns on symbols, or expressions whose symbols are told by their names."""
    law = f"the {role} of {element.kind} {label!r}"
    what, numbers = f"{law} in {laws.graph.name!r}", {}
    for name, number in element.parameters.items():
        shared = sum(name in other.parameters for other in laws.graph.elements.values()) > 1
        taken = shared or name in laws.graph.elements or name in laws.symbols or name == str(laws.t)
        numbers[name] = laws.parameter(f"{name}_{label}" if taken else name, number, f"{name!r} of {label!r}")
    laws.own_parameters.setdefault(label, {}).update(numbers)
    if is_expression(given):
        known = {kind: symbols[0] for kind, symbols in own.items() if len(symbols) == 1}
        known |= {str(s): s for s in (*laws.symbols.values(), laws.t, *(s for each in own.values() for s in each))}
        values = _by_name(given, known | numbers, what)
    else:
        available: dict[str, Any] = {"x": Values("x", {n: Traced(s) for n, s in laws.symbols.items()})}
        available |= {"t": Traced(laws.t)} | {key: _vector(symbols) for key, symbols in own.items()}
        available |= {name: Traced(symbol) for name, symbol in numbers.items()}
        values = rational(expressions(call(given, available, what), what))
    if element.units:
        read: dict[Any, str | Unit] = {s: kind for kind, symbols in own.items() if kind in "ef" for s in symbols}
        check_balance(laws, label, values, role, read | {numbers[name]: by for name, by in element.units.items()})
    if role == "energy":
        regular(laws, what, values, [s for symbols in own.values() for s in symbols], ENERGY)
    return formula(laws, law, values)


def regular(laws: Laws, what: str, values: Any, own: list[Any], advice: Advice) -> None:
    """An error where values jump or are too steep, as the states of a graph and what a law reads of its own move."""
    require_regular(values, [*dict.fromkeys((*own, *laws.symbols.values()))], laws.parameters, what, advice)


def _by_name(given: Any, known: dict[str, Any], what: str) -> Any:
    """Expressions with the symbols of a graph, which are told by their names."""
    import sympy

    array = np.asarray(given.tolist() if isinstance(given, sympy.MatrixBase) else given, dtype=object)
    flat = np.empty(array.size, dtype=object)
    for k, entry in enumerate(map(sympy.sympify, array.ravel())):
        foreign = sorted(str(s) for s in entry.free_symbols if str(s) not in known)
        if foreign:
            raise ModelError(f"{what} has the symbol {foreign[0]!r}; it may have {', '.join(known)}.")
        flat[k] = continuous(entry.xreplace({symbol: known[str(symbol)] for symbol in entry.free_symbols}))
    return rational(flat.reshape(array.shape))


def _vector(symbols: list[Any]) -> Any:
    made = traced_array(symbols)
    return made[0] if len(symbols) == 1 else made
