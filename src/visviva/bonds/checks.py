"""Checks of a bond graph: ports, arrows, connection, and that widths and domains agree along junctions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.bonds.elements import PORTS, STORES, Element
from visviva.bonds.formula import AbstractLaw
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond

MARKS = frozenset("<>|=:;,+*/()[]{}#\"'`")


def check_elements(name: str, elements: Mapping[str, Element]) -> None:
    """Names and kinds."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"the name of a bond graph must be a non-empty string, got {name!r}.")
    if not isinstance(elements, Mapping) or not elements:
        raise ModelError(f"the elements of {name!r} are a dictionary by name, e.g. {{'m': I(2.0), 'v': one()}}.")
    for label, element in elements.items():
        check_name(label, f"an element of {name!r}")
        if not isinstance(element, Element):
            raise ModelError(f"{label!r} of {name!r} must be an element such as I(2.0) or one(), got {element!r}.")
        if element.kind not in PORTS:
            raise ModelError(
                f"{label!r} of {name!r} is of no known kind: {element.kind!r}; there are {', '.join(PORTS)}."
            )


def check_name(label: object, what: str) -> None:
    """A name that texts and equations can have."""
    if not isinstance(label, str) or not label or any(mark.isspace() or mark in MARKS for mark in label):
        raise ModelError(
            f"{what} is called {label!r}: use a name without blanks, arrows and signs of operations, e.g. 'm_1'."
        )


def check_bonds(name: str, elements: Mapping[str, Element], bonds: Sequence[Bond]) -> None:
    """Names of bonds, and of what they join."""
    names = [bond.name for bond in bonds]
    twice = next((each for each in names if names.count(each) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        both = " and ".join(f"{bond.tail} -> {bond.head}" for bond in bonds if bond.name == twice)
        raise ModelError(f"{name!r} has two bonds called {twice!r}, {both}: rename one.")
    for bond in bonds:
        for end in (bond.tail, bond.head):
            if end not in elements:
                raise unknown_name(end, elements, f"bond graph {name!r}, whose bonds join elements,")
            port = bond.port(bond.end(end))
            if port and port not in elements[end].ports:
                known = ", ".join(f"{end}.{each}" for each in elements[end].ports if each) or "none by name"
                raise ModelError(f"the {elements[end].kind} {end!r} of {name!r} has no port {port!r}; it has {known}.")
        if bond.tail == bond.head:
            raise ModelError(f"bond {bond.name} of {name!r} joins {bond.tail!r} with itself.")


def joined(elements: Iterable[str], bonds: Sequence[Bond]) -> dict[str, list[Bond]]:
    """The bonds of each element."""
    at: dict[str, list[Bond]] = {element: [] for element in elements}
    for bond in bonds:
        at[bond.tail].append(bond)
        at[bond.head].append(bond)
    return at


def check_ports(
    name: str, elements: Mapping[str, Element], bonds: Sequence[Bond], read: Iterable[str]
) -> dict[tuple[str, str], str]:
    """The port at each end of each bond, by (bond, end); junctions whose flow is `read` may have one bond only."""
    at = joined(elements, bonds)
    ports: dict[tuple[str, str], str] = {}
    for label, element in elements.items():
        here = at[label]
        if element.junction:
            if len(here) < 2 - (element.free or label in read):
                raise ModelError(
                    f"junction {label!r} of {name!r} has {_count(len(here))}: a junction joins at least two."
                )
            ports |= {(bond.name, bond.end(label)): "" for bond in here}
            continue
        given = [_port(name, label, elements, bond) for bond in here]
        lone = element.kind == "GY" and given == ["in"]
        wanted = ["in"] if lone else list(element.ports)
        if sorted(given) != sorted(wanted):
            kinds = f" ({', '.join(wanted)})" if len(wanted) > 1 else ""
            raise ModelError(
                f"{element.kind} {label!r} of {name!r} has {_count(len(here))}"
                + (f" at the ports {', '.join(given)}" if len(wanted) > 1 and given else "")
                + f", but {len(wanted)} port{'s' if len(wanted) > 1 else ''}{kinds}: one bond at each."
            )
        ports |= {(bond.name, bond.end(label)): port for bond, port in zip(here, given, strict=True)}
    return ports


def _port(name: str, label: str, elements: Mapping[str, Element], bond: Bond) -> str:
    """The port of an element at a bond; half arrows say which where it is not written."""
    element, end = elements[label], bond.end(label)
    into = end == "head"
    written = bond.port(end)
    if element.kind in ("TF", "GY", "RS") and element.system is None:
        through = element.ports[0] if into else element.ports[1]
        if written and written != through:
            raise ModelError(f"bond {bond.name} of {name!r} has its arrow against port {written!r} of {label!r}.")
        return through
    if not into and element.kind not in ("Se", "Sf") and element.system is None:
        passive = not elements[bond.head].junction and elements[bond.head].kind not in ("Se", "Sf", "TF", "GY")
        raise ModelError(
            f"bond {bond.name} of {name!r} has its half arrow out of the {element.kind} {label!r}: power is positive "
            "into C, I and R elements.\n"
            + ("Put a junction between them." if passive else f"Turn it: '{bond.head} -> {label}'.")
        )
    if element.kind in STORES and not written:
        raise ModelError(
            f"bond {bond.name} of {name!r} must say at which port of the {element.kind} {label!r} it ends: "
            f"'{bond.tail} -> {label}.I' or '{bond.tail} -> {label}.C'."
        )
    return written if written or len(element.ports) > 1 else element.ports[0]


def connected_parts(at: Mapping[str, Sequence[Bond]]) -> list[list[str]]:
    """Elements that bonds join, part by part; at: the bonds of each element."""
    parts: list[list[str]] = []
    for first in at:
        if any(first in part for part in parts):
            continue
        reached = [first]
        for label in reached:  # grows while it is read
            reached += dict.fromkeys(o for bond in at[label] if (o := bond.other(label)) not in reached)
        parts.append(reached)
    return parts


def check_connected(name: str, elements: Iterable[str], bonds: Sequence[Bond], domains: dict[str, str]) -> None:
    """Bonds lead from everywhere to everywhere, but for thermal parts: the environment joins these without bonds."""
    at = joined(elements, bonds)
    parts = connected_parts(at)
    apart = [part for part in parts if any(domains[bond.name] != "thermal" for label in part for bond in at[label])]
    if len(apart) > 1:
        lost = [label for label in at if any(label in part for part in apart[1:])]
        raise ModelError(
            f"bond graph {name!r} is not connected: no bonds lead from {apart[0][0]!r} to "
            f"{', '.join(map(repr, lost))}.\n"
            "Join the parts, or make two graphs."
        )


def _count(n: int) -> str:
    return f"{n or 'no'} bond{'' if n == 1 else 's'}"


# -- widths and domains --------------------------------------------------------------------------------------------


def resolved_widths(name: str, elements: Mapping[str, Element], bonds: Sequence[Bond]) -> dict[str, int]:
    """The number of components of each bond: as given somewhere along junctions, else 1."""
    claims = {bond.name: [claim for claim in (_width(elements, bond, end) for end in ENDS) if claim] for bond in bonds}
    found = _spread(name, elements, bonds, claims, "components", _through)
    return {bond.name: found.get(bond.name, 1) for bond in bonds}


def resolved_domains(name: str, elements: Mapping[str, Element], bonds: Sequence[Bond], default: str) -> dict[str, str]:
    """The domain of each bond, likewise."""
    claims = {bond.name: [claim for claim in (_domain(elements, bond, end) for end in ENDS) if claim] for bond in bonds}
    found = _spread(name, elements, bonds, claims, "domain", lambda element: element.junction)
    return {bond.name: found.get(bond.name, default) for bond in bonds}


ENDS = ("tail", "head")


def check_thermal(name: str, elements: Mapping[str, Element], bonds: Sequence[Bond], domains: dict[str, str]) -> None:
    """Entropy has no momentum, and is not destroyed."""
    at = joined(elements, bonds)
    for label, element in elements.items():
        if element.kind in ("I", "R") and domains[at[label][0].name] == "thermal":
            why = (
                "entropy has no momentum, so that nothing thermal is an I"
                if element.kind == "I"
                else "a resistor makes heat, which an RS leads on.\n"
                "Conduction: hot -> flow -> cold and flow -> RS -> cold, with flow a 1-junction"
            )
            raise ModelError(f"{element.kind} {label!r} of {name!r} is at a thermal bond: {why}.")


def _width(elements: Mapping[str, Element], bond: Bond, end: str) -> tuple[int, str] | None:
    label = getattr(bond, end)
    element = elements[label]
    if element.junction:
        width = element.widths[0]
    elif element.kind in ("TF", "GY"):
        shape = _shape(element.given)
        lone = element.kind == "GY" and bond.port(end) == "in"
        width = None if len(shape) != 2 else shape[(element.kind == "TF") == (bond.port(end) == "in")]
        width = shape[0] if lone and len(shape) == 2 else width
    else:
        width = element.widths[element.ports.index(bond.port(end))]
        shape = () if element.energy else _shape(element.given)
        if width is None and shape and element.kind in ("C", "I", "R", "Se", "Sf"):
            width = shape[0]
    return None if width is None else (width, label)


def _domain(elements: Mapping[str, Element], bond: Bond, end: str) -> tuple[str, str] | None:
    label = getattr(bond, end)
    element = elements[label]
    if element.kind == "RS" and bond.port(end) == "heat":
        return "thermal", label
    return None if element.domain is None else (element.domain, label)


def _shape(given: Any) -> tuple[int, ...]:
    return () if given is None or callable(given) or isinstance(given, tuple) else np.shape(given)


def _through(element: Element) -> bool:
    """Whether all bonds of an element have one width."""
    told = not element.functional and not isinstance(element.given, AbstractLaw)
    scalar = element.kind in ("TF", "GY") and told and _shape(element.given) == ()
    return element.junction or scalar


def _spread(
    name: str,
    elements: Mapping[str, Element],
    bonds: Sequence[Bond],
    claims: dict[str, list[tuple[Any, str]]],
    what: str,
    through: Any,
) -> dict[str, Any]:
    """Values claimed somewhere, for all bonds that junctions tie together; an error where two claims differ."""
    at, found = joined(elements, bonds), dict[str, Any]()
    done: set[str] = set()
    for start in bonds:
        if start.name in done:
            continue
        tied = {start.name: start}
        for bond in (queue := [start]):  # grows while it is read
            ends = [label for label in (bond.tail, bond.head) if through(elements[label])]
            further = {b.name: b for label in ends for b in at[label] if b.name not in tied}
            tied |= further
            queue += further.values()
        done |= tied.keys()
        told = [(value, by, bond) for bond in bonds if bond.name in tied for value, by in claims[bond.name]]
        for value, by, bond in told:
            if value != told[0][0]:
                raise ModelError(
                    f"bond {bond.name} of {name!r}, {bond.tail} -> {bond.head}, has two values of its {what}: "
                    f"{told[0][0]} by {told[0][1]!r} and {value} by {by!r}.\n"
                    "Bonds at one junction have the same; a TF or a GY leads from one to another."
                )
        found |= dict.fromkeys(tied, told[0][0]) if told else {}
    return found
