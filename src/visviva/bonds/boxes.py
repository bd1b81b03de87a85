"""Primitive systems of the language for the elements of a bond graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.elements import Element
from visviva.errors import ModelError
from visviva.language import Irreversible, Quantity, Reversible, Storage, irreversible, reversible, storage
from visviva.language.trace import Traced
from visviva.library.onsager import heating
from visviva.library.quantities import entropy

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph
    from visviva.bonds.to_system import Wiring


def storage_box(graph: BondGraph, label: str, element: Element, quantity: Quantity) -> Storage:
    """The energy of a C or I element."""
    if isinstance(element.system, Storage):
        return element.system
    energy = graph.laws.of(label, "energy").values
    symbols = graph.laws.own_symbols(label, "q" if element.kind == "C" else "p")
    where = {symbol: ("x", k if len(symbols) > 1 else None) for k, symbol in enumerate(symbols)}
    law, numbers = _law(graph, energy, where, {})
    return storage({"x": quantity}, H=law, **numbers)


def resistor_box(graph: BondGraph, label: str, element: Element, quantity: Quantity, momentum: bool) -> Irreversible:
    """Resistance at momenta, conductance at displacements, with the heat into port s."""
    laws, n = graph.laws, quantity.dim
    ports = {"x": quantity, "s": entropy}
    if laws.has(label, "matrix"):
        matrix = laws.of(label, "matrix").values
        if momentum == element.conductance:
            from visviva.bonds.moduli import inverse

            matrix = inverse(matrix)
        law, numbers = _law(graph, matrix, {}, {})
        if n == 1:
            return irreversible(
                ports, M=_onsager(law, numbers, lambda mu, v, theta: heating(mu[0][0], v, theta)), **numbers
            )
        return irreversible(ports, M=_onsager(law, numbers, _heating_of_vectors), **numbers)
    if momentum == element.conductance:
        asked, there = ("f", "flow") if momentum else ("e", "effort")
        raise ModelError(
            f"the law of R {label!r} in {graph.name!r} must be one of its {there} here, "
            + (f"R(lambda {asked}: ...)." if momentum else f"R(G=lambda {asked}: ...).")
        )
    if n > 1:
        raise ModelError(f"R {label!r} of {graph.name!r} is a function on a multibond: give a matrix.")
    factor = laws.of(label, "factor").values
    own = laws.of(label, "output").inputs[0]
    law, numbers = _law(graph, factor, {}, {own: "v"})
    return irreversible(ports, M=_onsager(law, numbers, heating), **numbers)


def _heating_of_vectors(R: Any, v: Any, theta: Any) -> list[list[Any]]:
    """M = [[R θ, -R v], [-(R v)ᵀ, vᵀR v/θ]]: `heating` with a matrix."""
    R = np.array(R, dtype=object)
    force = R @ v
    rows = [[*(R[i] * theta), -force[i]] for i in range(len(v))]
    return [*rows, [*(-force), (v @ force) / theta]]


def _onsager(
    law: Callable[..., Any] | Any, numbers: Mapping[str, float], shape: Callable[..., Any]
) -> Callable[..., Any]:
    """M of effort and temperature from a coefficient."""

    def M(**given: Any) -> Any:
        e, theta = given.pop("e"), given.pop("theta")
        mu = law
        if callable(law):
            reads = "v" in inspect.signature(law).parameters
            mu = law(**given, **({"v": e.x} if reads else {}))
        return shape(mu, e.x, theta.s)

    return _signed(M, ("e", "theta", *numbers))


def field_box(element: Element) -> Irreversible:
    """The irreversible system that an element was made from."""
    assert isinstance(element.system, Irreversible)
    return element.system


def source_box(graph: BondGraph, label: str, element: Element, quantity: Quantity) -> Storage | None:
    """A constant source is a storage with an energy linear in what it gave; None: an outer port."""
    bond = graph.at(label)[0]
    if element.modulated:
        raise ModelError(
            f"{element.shown} {label!r} of {graph.name!r} depends on states: make it an input, {element.kind}(), and "
            "give "
            "the law at\nvv.simulate(..., inputs={...}), or simulate the graph itself."
        )
    if element.given is None or element.functional:
        if bond.head == label:
            raise ModelError(f"the bond of {element.kind} {label!r} in {graph.name!r} must lead out of it: turn it.")
        return None
    values = graph.laws.of(label, "output").values
    law, numbers = _law(graph, values, {}, {})

    def H(**given: Any) -> Any:
        x = given.pop("x")
        factors = law(**given) if callable(law) else law
        return factors[0] * x.x if quantity.dim == 1 else sum(a * b for a, b in zip(factors, x.x, strict=True))

    return storage({"x": quantity}, H=_signed(H, ("x", *numbers)), **numbers)


def coupling_box(
    graph: BondGraph, label: str, element: Element, quantities: list[Quantity], momentum: bool, wiring: Wiring
) -> tuple[Reversible, dict[str, int]]:
    """TF as a constraint, GY as a skew matrix, over momenta or over displacements; and the nodes whose states it reads.

    Momenta:       v_out = N v_in;  forces G v_out, -Gᵀv_in.   Displacements: e_in = Nᵀe_out;  flows G⁻ᵀe_out, -G⁻¹e_in.
    """
    from visviva.bonds.moduli import inverse

    values = graph.laws.of(label, "matrix").values
    reads: dict[str, int] = {}
    where: dict[Any, tuple[str, int | None]] = {}
    for name, symbol in graph.laws.symbols.items():
        if any(symbol in entry.free_symbols for entry in values.ravel()):
            node = wiring.states[name]
            port = next((port for port, at in reads.items() if at == node), f"state{len(reads) + 1}")
            reads[port] = node
            names = next(s.names for s in graph.laws.states if name in s.names)
            where[symbol] = (port, names.index(name) if len(names) > 1 else None)
    state_ports = {port: wiring.quantities[node].state for port, node in reads.items()}
    if len(quantities) == 1:
        law, numbers = _law(graph, -values, where, {})
        return reversible({"in": quantities[0], **state_ports}, J=law, **numbers), reads
    rows, columns = values.shape
    ports = dict(zip((bond.port(bond.end(label)) for bond in graph.at(label)), quantities, strict=True))
    order = {"in": ports["in"], "out": ports["out"], **state_ports}
    if element.kind == "TF":
        eye = np.eye(rows if momentum else columns, dtype=int)
        C = np.hstack([values, -eye]) if momentum else np.hstack([eye, -values.T])
        law, numbers = _law(graph, C, where, {})
        return reversible(order, C=law, **numbers), reads
    G = values if momentum else inverse(values).T
    n_in, n_out = G.shape
    J = np.zeros((n_in + n_out,) * 2, dtype=object)
    J[:n_in, n_in:], J[n_in:, :n_in] = -G, G.T
    law, numbers = _law(graph, J, where, {})
    return reversible(order, J=law, **numbers), reads


def _law(
    graph: BondGraph, values: Any, where: Mapping[Any, tuple[str, int | None]], own: Mapping[Any, str]
) -> tuple[Any, dict[str, Any]]:
    """A function of x, of arguments of its own and of parameters, for what traces functions; numbers if it is constant.

    where: state symbols as ports and components.   own: further symbols as arguments.
    """
    import sympy

    values = np.asarray(values, dtype=object)
    found = {s for entry in values.ravel() for s in sympy.sympify(entry).free_symbols}
    names = {s: _identifier(f"{s}") for s in graph.laws.parameters if s in found}
    numbers = {name: graph.laws.parameters[symbol] for symbol, name in names.items()}

    def law(**given: Any) -> Any:
        x = given.pop("x", None)
        known = {}
        for symbol, (port, k) in where.items():
            value = x[port] if k is None else x[port][k]
            known[symbol] = value.expr
        known |= {symbol: given[name].expr for symbol, name in {**names, **own}.items() if name in given}
        flat = np.empty(values.size, dtype=object)
        flat[:] = [Traced(sympy.sympify(entry).xreplace(known)) for entry in values.ravel()]
        result = flat.reshape(values.shape)
        return result.item() if result.ndim == 0 else result

    if not found:
        return np.array([float(entry) for entry in values.ravel()]).reshape(values.shape), {}
    return _signed(law, (*(("x",) if where else ()), *own.values(), *numbers)), numbers


def _signed(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """A function whose signature says which arguments it takes."""
    kind = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    return function


def _identifier(name: str) -> str:
    plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    plain = plain if plain.isidentifier() else f"n{plain}"
    return f"{plain}_" if plain in ("x", "e", "theta", "theta0", "v", "s") else plain
