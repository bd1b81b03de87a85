"""The formulas of an element, by role: what it answers to what it receives, its energy, its modulus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.elements import Element
from visviva.bonds.formula import AbstractLaw, Formula
from visviva.bonds.given import is_law
from visviva.bonds.groups import lift, space_of, sympified
from visviva.bonds.moduli import check_not_negative, inverse, is_regular, least
from visviva.bonds.states import numbered
from visviva.bonds.tracing import formula, matrix, own_inputs, regular, traced, value
from visviva.errors import ModelError
from visviva.language.regularity import FEEDBACK, LAW
from visviva.language.slopes import slope

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

Roles = dict[str, Formula]


def formulas(laws: Laws, label: str, element: Element) -> Roles:
    """output, energy, matrix, factor, flow, effort, A: those that an element of its kind has."""
    if isinstance(element.given, AbstractLaw):
        return element.given.formulas(laws, label)
    if element.junction:
        return {}
    if element.system is not None and element.kind == "RS":
        from visviva.bonds.fields import irreversible_outputs

        return irreversible_outputs(laws, label, element)
    return LAWS[element.kind](laws, label, element)


def _storage(laws: Laws, label: str, element: Element) -> Roles:
    kind = "q" if element.kind == "C" else "p"
    symbols = laws.own_symbols(label, kind)
    n = len(symbols)
    if element.system is not None:
        from visviva.bonds.fields import storage_energy

        energy = storage_energy(laws, label, element, symbols)
    elif element.energy:
        energy = traced(laws, label, element, element.given, {kind: symbols}, "energy").values
        _check_shape(energy, ((),), f"the energy of {element.kind} {label!r}")
    else:
        modulus = matrix(laws, label, element, element.given, (n, n), positive=True)
        x = np.array(symbols, dtype=object)
        if n > 1 and least(laws, modulus.values) <= 0:  # some directions have none of it: they follow others
            return {"matrix": modulus}
        output = inverse(modulus.values) @ x
        energy = np.array(x @ output / 2, dtype=object)
        return {
            "matrix": modulus,
            "output": formula(laws, f"law of {element.kind} {label!r}", output),
            "energy": formula(laws, f"energy of {label!r}", energy),
        }
    output = np.array([slope(energy.item(), symbol) for symbol in symbols], dtype=object)
    if (space := space_of(element)) is not None:
        N = sympified(lift(space, symbols))
        return {
            "output": formula(laws, f"law of {element.kind} {label!r}", N.T @ output),
            "energy": formula(laws, f"energy of {label!r}", energy),
            "lift": formula(laws, f"rates of {label!r}", N),
        }
    found = {
        "output": formula(laws, f"law of {element.kind} {label!r}", output),
        "energy": formula(laws, f"energy of {label!r}", energy),
    }
    if not all(entry.is_polynomial(*symbols) for entry in output):
        return found
    stiffness = np.array([[entry.diff(symbol) for symbol in symbols] for entry in output], dtype=object)
    moving = set(laws.scope.states)
    still = [entry.subs(dict.fromkeys(symbols, 0)) for entry in output]
    constant = not any(entry.free_symbols & moving for entry in stiffness.ravel())
    if constant and not any(still) and is_regular(laws, stiffness):  # a quadratic energy has an inverse law
        found["matrix"] = formula(laws, f"modulus of {label!r}", inverse(stiffness))
    return found


def _resistor(laws: Laws, label: str, element: Element) -> Roles:
    n = laws.graph.widths[laws.graph.at(label)[0].name]
    if not element.functional:
        return {"matrix": matrix(laws, label, element, element.given, (n, n), positive=True)}
    kind = "e" if element.conductance else "f"
    own = own_inputs(label, element, kind, n)
    factor = traced(laws, label, element, element.given, {kind: own}, "law")
    _check_shape(factor.values, ((), (n, n)), f"the law of {element.kind} {label!r}")
    check_not_negative(laws, factor, own)
    values, vector = factor.values, np.array(own, dtype=object)
    output = values @ vector if values.ndim else values.item() * vector
    regular(laws, f"the law of {element.kind} {label!r} in {laws.graph.name!r}", output, own, LAW)
    return {"factor": factor, "output": formula(laws, f"law of R {label!r}", output, tuple(own))}


def _source(laws: Laws, label: str, element: Element) -> Roles:
    import sympy

    n = laws.graph.widths[laws.graph.at(label)[0].name]
    if element.given is None:
        laws.inputs[label] = [sympy.Symbol(name, real=True) for name in numbered(label, n)]
        return {"output": formula(laws, f"input {label!r}", np.array(laws.inputs[label], dtype=object))}
    kind = "f" if element.kind == "Se" else "e"
    own = own_inputs(label, element, kind, n)
    if element.functional:
        values = traced(laws, label, element, element.given, {kind: own}, "law").values
        regular(laws, f"the law of {element.kind} {label!r} in {laws.graph.name!r}", values, own, FEEDBACK)
    else:
        values = value(laws, label, element.given).values
    values = values if values.ndim else np.array([values.item()] * n, dtype=object)
    _check_shape(values, ((n,),), f"{element.kind} {label!r}")
    read = {symbol for entry in values for symbol in entry.free_symbols} & set(own)
    return {"output": formula(laws, f"{element.kind} {label!r}", values, tuple(own) if read else ())}


def _coupling(laws: Laws, label: str, element: Element) -> Roles:
    graph, bonds = laws.graph, laws.graph.at(label)
    if len(bonds) == 1:
        n = graph.widths[bonds[0].name]
        modulus = matrix(laws, label, element, element.given, (n, n))
        if any(sum_ != 0 for sum_ in (modulus.values + modulus.values.T).ravel()):
            raise ModelError(f"GY {label!r} of {graph.name!r} has one bond, so its matrix must be skew: e·f = 0.")
        return {"matrix": modulus}
    n_in, n_out = (graph.widths[graph.bond(label, port).name] for port in ("in", "out"))
    shape = (n_out, n_in) if element.kind == "TF" else (n_in, n_out)
    if not element.functional and not np.any(element.given):
        raise ModelError(
            f"the modulus of {element.kind} {label!r} in {graph.name!r} must not be zero: it would join nothing.\n"
            "Leave it out, or make it depend on states, e.g. M" + f"{element.kind}(lambda x: ...)."
        )
    return {"matrix": matrix(laws, label, element, element.given, shape)}


def _field(laws: Laws, label: str, element: Element) -> Roles:
    q, p = laws.own_symbols(label, "q"), laws.own_symbols(label, "p")
    energy = traced(laws, label, element, element.given, {"q": q, "p": p}, "energy").values
    _check_shape(energy, ((),), f"the energy of IC {label!r}")
    slopes = {
        role: np.array([slope(energy.item(), symbol) for symbol in symbols], dtype=object)
        for role, symbols in (("flow", p), ("effort", q))
    }
    found = {role: formula(laws, f"{role} of IC {label!r}", values) for role, values in slopes.items()}
    return found | {"energy": formula(laws, f"energy of {label!r}", energy)}


def _store(laws: Laws, label: str, element: Element) -> Roles:
    n = laws.graph.widths[laws.graph.at(label)[0].name]
    own = own_inputs(label, element, "f", n)
    constant = not is_law(element.given[0])
    A = matrix(laws, label, element, element.given[0], (n, n), positive=constant)
    gyration = traced(laws, label, element, element.given[1], {"f": own}, "gyration force")
    values = gyration.values if gyration.values.ndim else gyration.values.reshape(1)
    _check_shape(values, ((n,),), f"the gyration force of NIC {label!r}")
    power = np.array(own, dtype=object) @ values
    if constant and power.expand().subs(laws.parameters).expand() != 0:
        raise ModelError(
            f"the gyration force of NIC {label!r} in {laws.graph.name!r} has the power {power}: where A is constant it "
            "must have none,\nor energy would come from nowhere."
        )
    return {"A": A, "effort": formula(laws, f"gyration force of {label!r}", -values, tuple(own))}


LAWS = {
    "C": _storage, "I": _storage, "R": _resistor, "RS": _resistor, "Se": _source, "Sf": _source, "TF": _coupling,
    "GY": _coupling, "IC": _field, "NIC": _store,
}  # fmt: skip


def _check_shape(values: Any, shapes: tuple[tuple[int, ...], ...], what: str) -> None:
    if values.shape not in shapes:
        wanted = " or ".join("one number" if shape == () else f"shape {shape}" for shape in shapes)
        raise ModelError(f"{what} must be {wanted}, got shape {values.shape}.")
