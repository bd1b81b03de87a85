"""Laws of elements that were made from systems of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.domains import domain_of
from visviva.bonds.elements import Element
from visviva.bonds.formula import Formula
from visviva.errors import ModelError
from visviva.language import Irreversible, Storage

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws
    from visviva.language.expression import Expression


def storage_energy(laws: Laws, label: str, element: Element, symbols: list[Any]) -> Any:
    """The energy of a storage in the symbols of a graph."""
    assert isinstance(element.system, Storage)
    H = element.system.H
    (own,) = H.states.values()
    if len(own) != len(symbols):
        space = next(iter(element.system.interface.values())).quantity.space
        raise ModelError(
            f"{label!r} of {laws.graph.name!r} has its state in {space}: equations are those of vectors only."
        )
    known = dict(zip(own, symbols, strict=True)) | _constants(laws, label, H)
    return np.array(H.values.item().xreplace(known), dtype=object)


def irreversible_outputs(laws: Laws, label: str, element: Element) -> dict[str, Formula]:
    """f = M(x, e) e / θ0 over the bonds of an element: bonds of momenta give their flow for e, others their effort.

    Temperatures of bonds are absolute, efforts of entropy ports are θ - θ0.
    """
    import sympy

    assert isinstance(element.system, Irreversible)
    M, system, graph = element.system.M, element.system, laws.graph
    bonds = {bond.port(bond.end(label)): bond for bond in graph.at(label)}
    known = _constants(laws, label, M)
    for port, names in element.reads.items():
        known |= dict(zip(M.states[port], (laws.symbols[name] for name in names), strict=True))
    given: dict[str, list[Any]] = {}
    efforts: list[Any] = []
    for port, symbols in M.efforts.items():
        quantity = system.interface[port].quantity
        kind = "f" if domain_of(quantity)[1] else "e"
        given[port] = [sympy.Symbol(f"{kind}_{label}.{port}_{k + 1}", real=True) for k in range(quantity.dim)]
        shift = graph.theta0 if quantity.is_entropy else 0
        for symbol, own in zip(symbols, given[port], strict=True):
            known[symbol] = own - shift
            efforts.append(own - shift)
    values = np.array([[entry.xreplace(known) for entry in row] for row in M.values], dtype=object)
    flows = values @ np.array(efforts, dtype=object) / graph.theta0
    ends = np.cumsum([0, *map(len, given.values())]).tolist()
    part = {port: flows[a:b] for port, a, b in zip(given, ends, ends[1:], strict=False)}
    ordered = np.concatenate([part[port] for port in bonds])
    inputs = tuple(symbol for port in bonds for symbol in given[port])
    return {"output": Formula(f"law of {label!r} in {graph.name!r}", laws.scope, ordered.shape, ordered, inputs)}


def _constants(laws: Laws, label: str, expression: Expression) -> dict[Any, Any]:
    """Parameters with the name of their element, and the temperature of the environment."""
    import sympy

    known: dict[Any, Any] = {expression.theta0: sympy.Float(laws.graph.theta0)}
    for name, (symbol, number) in expression.parameters.items():
        known[symbol] = laws.parameter(f"{name}_{label}", number, f"{name!r} of {label!r}")
    return known
