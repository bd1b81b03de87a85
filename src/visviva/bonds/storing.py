"""Bond graphs as plain data, for files: numbers stay numbers, functions become texts of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.elements import PORTS, STORES, Element
from visviva.bonds.formula import AbstractLaw
from visviva.bonds.groups import space_of
from visviva.bonds.reading import read, written
from visviva.bonds.units import unit
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

FLAGS = ("energy", "conductance", "modulated", "free")


def to_dict(graph: BondGraph) -> dict[str, Any]:
    """Elements by name, bonds in order, coordinates, and the temperature of the environment."""
    return {
        "name": graph.name,
        "elements": {label: _element(graph, label, element) for label, element in graph.elements.items()},
        "bonds": [
            {"name": b.name, "tail": b.tail, "head": b.head, "tail_port": b.tail_port, "head_port": b.head_port}
            for b in graph.bonds
        ],
        "coordinates": {junction: list(names) for junction, names in graph.coordinates.items()},
        "theta0": graph.theta0,
        "initial": dict(graph.initial),
    }


def _element(graph: BondGraph, label: str, element: Element) -> dict[str, Any]:
    made = element.system is not None and (element.kind == "RS" or space_of(element) is not None)
    if isinstance(element.given, AbstractLaw) or made:
        raise ModelError(
            f"{element.kind} {label!r} of {graph.name!r} has a law that was made from a model: it has no text.\n"
            "Keep the model, and make the graph from it again."
        )
    width = graph.widths[graph.at(label)[0].name]
    data: dict[str, Any] = {"kind": element.kind, "domain": graph.domains[graph.at(label)[0].name]}
    if element.kind in ("TF", "GY"):
        data.pop("domain")
    if element.junction or element.kind in STORES or len(element.ports) == 1:
        data["width"] = width
    data |= {flag: True for flag in FLAGS if getattr(element, flag)}
    data |= {key: value for key, value in (("label", element.label), ("names", list(element.names))) if value}
    if element.units:
        own = graph.laws.own_parameters.get(label, {})
        data["units"] = {str(own[name]) if name else "": by.in_base for name, by in element.units.items()}
    if element.given is None and element.system is None:
        return data
    if not element.functional and element.system is None:
        return data | {"value": np.asarray(element.given, dtype=float).tolist()}
    roles = {"C": "energy", "I": "energy", "R": "factor", "Se": "output", "Sf": "output", "IC": "energy"}
    wanted = ("A", "effort") if element.kind == "NIC" else (roles.get(element.kind, "matrix"),)
    parts = [graph.laws.of(label, role) for role in wanted]
    inputs = next((formula.inputs for role in ("output", "effort") if graph.laws.has(label, role)
                   for formula in [graph.laws.of(label, role)]), ())  # fmt: skip
    symbols = set().union(*(entry.free_symbols for part in parts for entry in np.ravel(part.values)))
    names = _names(graph, inputs)
    signs = (1, -1) if element.kind == "NIC" else (1,)
    known = {symbol: names[symbol] for symbol in symbols}
    data["law"] = [_texts(sign * part.values, known) for sign, part in zip(signs, parts, strict=True)]
    data["symbols"] = {names[symbol]: str(symbol) for symbol in symbols}
    data["inputs"] = [str(symbol) for symbol in inputs]
    data["parameters"] = {str(s): graph.laws.parameters[s] for s in symbols if s in graph.laws.parameters}
    return data


def _names(graph: BondGraph, inputs: tuple[Any, ...]) -> dict[Any, str]:
    """Identifiers for all symbols: their own names where these are some."""
    symbols = [*graph.laws.symbols.values(), graph.laws.t, *graph.laws.parameters, *inputs]
    return {s: str(s) if str(s).isidentifier() else f"x{k}" for k, s in enumerate(symbols)}


def _texts(values: Any, names: dict[Any, str]) -> Any:
    if np.ndim(values) == 0:
        return written(np.asarray(values, dtype=object).item(), names)
    return [_texts(entry, names) for entry in values]


def from_dict(data: Mapping[str, Any]) -> BondGraph:
    """What `to_dict` wrote; texts are read by a grammar of expressions and never run."""
    from visviva.bonds.graph import Bond, BondGraph

    try:
        elements = {label: _read(label, each) for label, each in data["elements"].items()}
        bonds = [Bond(**each) for each in data["bonds"]]
        coordinates: dict[Any, str] = {tuple(names): junction for junction, names in data["coordinates"].items()}
        return BondGraph(
            data["name"], elements, bonds, coordinates=coordinates, theta0=data["theta0"], initial=data.get("initial")
        )
    except (KeyError, TypeError, AttributeError) as reason:
        raise ModelError(f"this is no bond graph as to_dict writes it: {type(reason).__name__} {reason}.") from None


def _read(label: str, data: Mapping[str, Any]) -> Element:
    import sympy

    kind = data["kind"]
    if kind not in PORTS:
        raise ModelError(f"element {label!r} is of no known kind: {kind!r}; there are {', '.join(PORTS)}.")
    given: Any = data.get("value")
    if isinstance(given, list):
        given = np.array(given)
    if "law" in data:
        names = {name: sympy.Symbol(symbol, real=True) for name, symbol in data["symbols"].items()}
        parts = [_expressions(part, names, f"the law of {label!r}") for part in data["law"]]
        given = tuple(parts) if kind == "NIC" else parts[0]
    flags: dict[str, Any] = {flag: bool(data.get(flag, False)) for flag in FLAGS}
    count = 2 if kind in ("TF", "GY", "RS", *STORES) else 1
    return Element(
        kind,
        given,
        dict(data.get("parameters", {})),
        None if kind in ("TF", "GY") else data.get("domain"),
        (data.get("width"),) * count,
        PORTS[kind],
        **flags,
        label=data.get("label", ""),
        names=tuple(data.get("names", ())),
        inputs=tuple(data.get("inputs", ())),
        units={name: unit(text, f"{kind} {label!r}") for name, text in data.get("units", {}).items()},
    )


def _expressions(texts: Any, names: dict[str, Any], what: str) -> Any:
    if isinstance(texts, str):
        return read(texts, names, what)
    return [_expressions(text, names, what) for text in texts]
