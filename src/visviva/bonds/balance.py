"""Units of elements against those of their bonds, and laws whose units must balance.

    C: [f] s/[e]    I: [e] s/[f]    R: [e]/[f]    Se: [e]    Sf: [f]    TF: [f_out]/[f_in]    GY: [e_in]/[f_out]

A law whose parameters have units is checked as a whole: terms of sums have one unit, sin and exp take numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.domains import DOMAINS
from visviva.bonds.elements import Element
from visviva.bonds.units import ONE, SECOND, UNITS, Unit, unit
from visviva.errors import ModelError
from visviva.language.kinks import is_kink

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond
    from visviva.bonds.laws import Laws


def check_units(name: str, elements: Mapping[str, Element], bonds: Sequence[Bond], domains: dict[str, str]) -> None:
    """An error for a value whose unit is not that of its element in the domain of its bonds."""
    for label, element in elements.items():
        if not element.units:
            continue
        here = {bond.port(bond.end(label)): domains[bond.name] for bond in bonds if label in (bond.tail, bond.head)}
        wanted = modulus_unit(name, label, element, here)
        found = element.units.get("", wanted)
        if not found.fits(wanted):
            where = " and ".join(dict.fromkeys(here.values()))
            raise ModelError(
                f"{element.shown} {label!r} of {name!r} is given in {found.text}, but has the unit {wanted.text} at a "
                f"bond of the domain {where}."
            )


def modulus_unit(name: str, label: str, element: Element, domains: dict[str, str]) -> Unit:
    """The unit of the value of an element, by the domains at its ports."""
    for domain in domains.values():
        if not DOMAINS[domain].effort_unit or "," in DOMAINS[domain].effort_unit:
            raise ModelError(
                f"{element.shown} {label!r} of {name!r} has units, but its bond is of the domain {domain!r}, which has "
                "none:\nsay which, e.g. domain='translation'."
            )
    e, f = ({port: _of(domain, kind) for port, domain in domains.items()} for kind in ("effort_unit", "flow_unit"))
    first = element.ports[0]
    match element.kind:
        case "C":
            return f[""] * SECOND / e[""]
        case "I":
            return e[""] * SECOND / f[""]
        case "R" | "RS":
            return f[first] / e[first] if element.conductance else e[first] / f[first]
        case "Se":
            return e[""]
        case "Sf":
            return f[""]
        case "TF":
            return f["out"] / f["in"]
        case "GY":
            return e["in"] / f.get("out", f["in"])
        case "IC" | "NIC":
            return e["I"] * SECOND / f["I"]
    raise ModelError(f"{element.kind} {label!r} of {name!r} has no unit of its own.")


def _of(domain: str, kind: str) -> Unit:
    return unit(getattr(DOMAINS[domain], kind), domain)


# -- laws ----------------------------------------------------------------------------------------------------------


def check_balance(laws: Laws, label: str, values: Any, role: str, own: dict[Any, str | Unit]) -> None:
    """An error for a law in which units do not balance; own: units of its parameters, "e" and "f" of its bond."""
    graph, element = laws.graph, laws.graph.elements[label]
    here = {bond.port(bond.end(label)): graph.domains[bond.name] for bond in graph.at(label)}
    wanted = UNITS["J"] if role == "energy" else modulus_unit(graph.name, label, element, here)
    if role == "gyration force":
        wanted = _of(here["C"], "effort_unit")
    known = dict.fromkeys(laws.parameters, ONE) | {laws.t: SECOND}
    for state in laws.states:
        domain = graph.domains[graph.at(state.owner)[0].name]
        kind, time = {"p": ("effort_unit", 1), "flow": ("flow_unit", 0), "velocity": ("flow_unit", 0)}.get(
            state.kind, ("flow_unit", 1)
        )
        if DOMAINS[domain].effort_unit and "," not in DOMAINS[domain].effort_unit:
            known |= {laws.symbols[each]: _of(domain, kind) * SECOND ** Fraction(time) for each in state.names}
    first = next(iter(here.values()))
    for symbol, by in own.items():
        known[symbol] = by if isinstance(by, Unit) else _of(first, "effort_unit" if by == "e" else "flow_unit")
    what = f"the {role} of {element.shown} {label!r} in {graph.name!r}"
    for entry in np.ravel(values):
        found = _unit_of(entry, known, what)
        if entry != 0 and not found.fits(wanted):
            raise ModelError(f"{what} has the unit {found.text}, but must have {wanted.text}.")


def _unit_of(entry: Any, known: dict[Any, Unit], what: str) -> Unit:
    """The unit of an expression; an error where it does not balance."""
    import sympy

    if entry.is_Symbol:
        if entry not in known:
            raise ModelError(f"{what} has units, but {entry} in it has none: say the domain of its bond.")
        return known[entry]
    if entry.is_number:
        return ONE
    if entry.is_Add:
        units = {term: _unit_of(term, known, what) for term in entry.args}
        first, *others = units
        for other in others:
            if not units[other].fits(units[first]):
                raise ModelError(
                    f"{what} adds {first} [{units[first].text}] and {other} [{units[other].text}]: units must balance."
                )
        return units[first]
    if entry.is_Mul:
        return _product(_unit_of(factor, known, what) for factor in entry.args)
    if isinstance(entry, sympy.Pow) and entry.exp.is_Rational:
        return _unit_of(entry.base, known, what) ** Fraction(int(entry.exp.p), int(entry.exp.q))
    if is_kink(entry, "sign_", "case_"):  # what decides has any unit
        _unit_of(entry.args[0], known, what)
    if is_kink(entry, "abs_", "max_", "min_", "case_"):
        branches = entry.args[1:] if is_kink(entry, "case_") else entry.args
        return _unit_of(sympy.Add(*(part for part in branches if part != 0), evaluate=False), known, what)
    if is_kink(entry, "sign_"):
        return ONE
    for argument in entry.args:
        found = _unit_of(argument, known, what)
        if not found.fits(ONE):
            raise ModelError(f"{what} has {entry}, of {argument} [{found.text}]: it takes a number without a unit.")
    return ONE


def _product(units: Any) -> Unit:
    found = ONE
    for each in units:
        found = found * each
    return found
