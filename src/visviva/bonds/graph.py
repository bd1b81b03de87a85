"""BondGraph: elements by name, joined by power bonds; checked when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, final

from visviva.bonds.balance import check_units
from visviva.bonds.checks import (
    check_bonds,
    check_connected,
    check_elements,
    check_ports,
    check_thermal,
    joined,
    resolved_domains,
    resolved_widths,
)
from visviva.bonds.domains import GENERAL, check_domain
from visviva.bonds.elements import Element
from visviva.errors import ModelError
from visviva.integrate.system import AbstractSystem

if TYPE_CHECKING:
    from pathlib import Path

    from visviva.bonds.causality import Causality
    from visviva.bonds.equations import StateEquations
    from visviva.bonds.flow import BondFlow
    from visviva.bonds.laws import Laws
    from visviva.bonds.picture import BondPicture
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.language import Composite
    from visviva.results.trajectory import Trajectory

ARROW = "->"


@final
@dataclass(frozen=True)
class Bond:
    """A power bond with its half arrow at the head; ports are those of multiports, "" elsewhere."""

    name: str
    tail: str
    head: str
    tail_port: str = ""
    head_port: str = ""

    def end(self, element: str) -> str:
        """Which end an element has: "tail" or "head"."""
        return "head" if self.head == element else "tail"

    def other(self, element: str) -> str:
        """The element at the other end."""
        return self.tail if self.head == element else self.head

    def port(self, end: str) -> str:
        """The port at an end."""
        return self.head_port if end == "head" else self.tail_port


@final
@dataclass(frozen=True, eq=False, init=False)
class BondGraph(AbstractSystem):
    """Elements and bonds, scalar ones and multibonds.

        vv.BondGraph(
            "oscillator",
            {"F": Se(1.0), "v": one(), "m": I(2.0), "k": C(0.1), "d": R(0.3)},
            ["F -> v -> m", "v -> k", "v -> d"],
            domain="translation",
        )

    bonds:        chains "a -> b -> c" of elements, half arrows as written; "f -> n.I" ends at port I of n.
    coordinates:  integrals of the flows of 1-junctions by name, {"theta": "w"}, which laws may depend on as x.theta;
                  of a multibond {("x", "y", "theta"): "q_dot"}.
    domain:       of all bonds for which elements do not say another.
    theta0:       temperature [K] of the environment, which takes up the heat of R elements.
    initial:      where states start, by name; zero where nothing is said.
    """

    name: str
    elements: dict[str, Element]
    bonds: tuple[Bond, ...]
    coordinates: dict[str, tuple[str, ...]]  # 1-junction -> names
    widths: dict[str, int]
    domains: dict[str, str]
    theta0: float
    initial: dict[str, float]

    def __init__(
        self,
        name: str,
        elements: Mapping[str, Element],
        bonds: Iterable[str] | Iterable[Bond],
        *,
        coordinates: Mapping[str | tuple[str, ...], str] | None = None,
        domain: str | None = None,
        theta0: float = 300.0,
        initial: Mapping[str, float] | None = None,
    ) -> None:
        from visviva._arrays import finite_number

        if coordinates is not None and not isinstance(coordinates, Mapping):
            raise ModelError(f"coordinates of {name!r} are {{name: 1-junction}}, got {coordinates!r}.")
        check_elements(name, elements)
        found = _parsed(name, bonds, elements)
        check_bonds(name, elements, found)
        ports = check_ports(name, elements, found, (coordinates or {}).values())
        found = tuple(_with_port(_with_port(bond, "tail", ports), "head", ports) for bond in found)
        values: dict[str, Any] = {
            "name": name, "elements": dict(elements), "bonds": found,
            "domains": resolved_domains(name, elements, found, check_domain(domain, f"bond graph {name!r}") or GENERAL),
            "widths": resolved_widths(name, elements, found),
            "theta0": finite_number(theta0, "theta0 of a bond graph [K]", positive=True),
            "initial": {
                str(state): finite_number(value, f"initial value of {state!r} of {name!r}")
                for state, value in (initial or {}).items()
            },
        }  # fmt: skip
        check_connected(name, elements, found, values["domains"])
        check_thermal(name, elements, found, values["domains"])
        check_units(name, elements, found, values["domains"])
        values["coordinates"] = _coordinates(name, elements, found, values["widths"], coordinates or {})
        for key, value in values.items():
            object.__setattr__(self, key, value)

    # -- structure ----------------------------------------------------------------------------------------------
    def at(self, element: str) -> list[Bond]:
        """The bonds of an element, in order."""
        return self._at[element]

    @cached_property
    def _at(self) -> dict[str, list[Bond]]:
        return joined(self.elements, self.bonds)

    @cached_property
    def bonds_by_name(self) -> dict[str, Bond]:
        """The bonds by name."""
        return {bond.name: bond for bond in self.bonds}

    def bond(self, element: str, port: str = "") -> Bond:
        """The bond at a port of an element."""
        return next(bond for bond in self.at(element) if bond.port(bond.end(element)) == port)

    @cached_property
    def causality(self) -> Causality:
        """Causal strokes, by sequential assignment; an error where there are none that fit."""
        from visviva.bonds.causality import assigned

        return assigned(self)

    @cached_property
    def laws(self) -> Laws:
        """States, and the laws of the elements as expressions."""
        from visviva.bonds.laws import Laws

        return Laws(self)

    # -- readings -----------------------------------------------------------------------------------------------
    def equations(self) -> StateEquations:
        """State equations, as SymPy."""
        from visviva.bonds.equations import state_equations

        return state_equations(self)

    def flow(self) -> BondFlow:
        """What `vv.simulate` takes: the laws of the elements, evaluated along the causal strokes."""
        from visviva.bonds.flow import BondFlow

        return BondFlow(self)

    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """The motion of `flow()` until t_end; DOP853 by default."""
        return self.flow().simulated(t_end, h, integrator=integrator, initial=initial, every=every)

    def system(self) -> Composite:
        """The same as a system of the language, with heat and both laws."""
        from visviva.bonds.to_system import to_system

        return to_system(self)

    def draw(self, path: str | Path | None = None, *, strokes: bool = True, numbers: bool = False) -> BondPicture:
        """A picture with half arrows and causal strokes; path: where to write it as well (.svg, .png, .pdf)."""
        from visviva.bonds.picture import draw

        return draw(self, path, strokes=strokes, numbers=numbers)

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def text(self) -> str:
        """One line for each element and bond."""
        from visviva.bonds.text import text

        return text(self)

    def to_dict(self) -> dict[str, Any]:
        """Numbers, texts, lists and dictionaries only, ready for JSON; `from_dict` reads it."""
        from visviva.bonds.storing import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> BondGraph:
        """The graph that `to_dict` wrote."""
        from visviva.bonds.storing import from_dict

        return from_dict(data)

    def to_text(self) -> str:
        """The graph as text that can be written by hand and read back by `from_text`; see `bonds.notation`."""
        from visviva.bonds.notation import to_text

        return to_text(self)

    @staticmethod
    def from_text(text: str) -> BondGraph:
        """The graph of a text; it is parsed and never run."""
        from visviva.bonds.notation import from_text

        return from_text(text)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<BondGraph {self.name!r}: {len(self.elements)} elements, {len(self.bonds)} bonds>"


def _parsed(name: str, bonds: Iterable[str] | Iterable[Bond], elements: Mapping[str, Element]) -> tuple[Bond, ...]:
    if isinstance(bonds, str) or not isinstance(bonds, Iterable):
        got = "one string" if isinstance(bonds, str) else repr(bonds)
        raise ModelError(f"the bonds of {name!r} are a list of chains such as 'a {ARROW} b', got {got}.")
    found: list[Bond] = []
    for given in bonds:
        if isinstance(given, Bond):
            found.append(given)
            continue
        names = [part.strip() for part in str(given).split(ARROW)]
        if any("|" in part for part in names):
            raise ModelError(f"the bond {given!r} of {name!r} has a causal stroke: these are assigned, leave '|' out.")
        if len(names) < 2 or not all(names):
            raise ModelError(f"the bond {given!r} of {name!r} must be a chain such as 'a {ARROW} b {ARROW} c'.")
        ends = [_end(part, elements) for part in names]
        found += [
            Bond(str(len(found) + k + 1), tail, head, tail_port, head_port)
            for k, ((tail, tail_port), (head, head_port)) in enumerate(pairwise(ends))
        ]
    return tuple(found)


def _end(text: str, elements: Mapping[str, Element]) -> tuple[str, str]:
    """Element and port of "a" or "a.port"; what is not there is found by `check_bonds`."""
    element, _, port = text.rpartition(".")
    return (element, port) if text not in elements and element in elements else (text, "")


def _with_port(bond: Bond, end: str, ports: dict[tuple[str, str], str]) -> Bond:
    return replace(bond, **{f"{end}_port": ports[bond.name, end]})


def _coordinates(
    name: str,
    elements: Mapping[str, Element],
    bonds: tuple[Bond, ...],
    widths: dict[str, int],
    given: Mapping[str | tuple[str, ...], str],
) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for labels, junction in given.items():
        names = labels if isinstance(labels, tuple) else (labels,)
        for each in names:
            if not isinstance(each, str) or not each:
                raise ModelError(f"a coordinate of {name!r} is called {each!r}: its name is a non-empty string.")
        if junction not in elements or elements[junction].kind != "1":
            raise ModelError(
                f"coordinate {names[0]!r} of {name!r} integrates the flow of a 1-junction; {junction!r} is none."
            )
        if junction in found:
            raise ModelError(
                f"coordinates {found[junction]} and {names} of {name!r} are of one junction, {junction!r}."
            )
        width = next(widths[bond.name] for bond in bonds if junction in (bond.tail, bond.head))
        if len(names) != width:
            raise ModelError(
                f"junction {junction!r} of {name!r} has {width} flows, but {len(names)} coordinates: {names}."
            )
        found[junction] = names
    return found
