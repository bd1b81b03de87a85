"""From a system of the language to its bond graph.

Junctions of momenta are 1-junctions, others 0-junctions; see `to_system` for how efforts and flows correspond. A skew
matrix J couples its ports pair by pair: momenta by a GY, displacements by a GY, a momentum and a displacement by a TF,
which for ±1 is a bond. Friction with a constant coefficient is an RS, other irreversible components are RS fields with
laws of their own. A storage whose energy has a constant slope is a source. Rows C e = 0 over momenta are flows
that balance at a 0-junction, over displacements efforts that balance at a 1-junction, each through a TF; between two
ports one TF will do. Outer ports give flows of the language, sources efforts: a source of velocity is an Sf, one of
force, voltage or temperature an Se, of which the input is then the absolute temperature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.domains import domain_of
from visviva.bonds.elements import PORTS, Element
from visviva.bonds.graph import ARROW, BondGraph
from visviva.bonds.groups import curved
from visviva.bonds.moduli import inverse
from visviva.errors import ModelError
from visviva.geometry.embedding import origin
from visviva.language import Composite, Environment, Irreversible, Reversible, Source, Storage
from visviva.language.expression import Expression
from visviva.language.slopes import slope
from visviva.library.onsager import heating


@final
@dataclass
class SystemParts:
    """Elements and bonds so far."""

    flat: Composite
    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[tuple[str, str]] = field(default_factory=list)  # (tail, head), with ports after a dot
    junctions: dict[str, str] = field(default_factory=dict)  # by junction of the system
    states: dict[str, tuple[str, ...]] = field(default_factory=dict)  # names by junction of the system
    initial: dict[str, float] = field(default_factory=dict)  # of states in groups: no rotation, the origin
    sources: dict[str, str] = field(default_factory=dict)  # elements that are inputs, by port or box
    variables: dict[str, str] = field(default_factory=dict)  # names of states by junction of the system, where given

    def named(self, name: str) -> str:
        """A name that no element has."""
        while name in self.elements:
            name += "_"
        return name

    def states_at(self, name: str, port: str, at: dict[tuple[str, str], str]) -> tuple[str, ...]:
        """Names of the states that a component reads at a port."""
        names = self.states.get(at[name, port], ())
        if not names:
            raise ModelError(
                f"{name!r} depends on the state of its port {port!r}, which no storage holds: it has no bond graph."
            )
        return names

    def add(self, name: str, element: Element) -> str:
        """An element, under a name like the one given."""
        name = self.named(name)
        self.elements[name] = element
        return name


def _read(expression: Expression) -> dict[str, tuple[Any, ...]]:
    """The symbols of the states that an expression depends on, by port."""
    found = {symbol for entry in expression.values.ravel() for symbol in entry.free_symbols}
    return {port: tuple(symbols) for port, symbols in expression.states.items() if found & set(symbols)}


def from_system(system: Composite) -> BondGraph:
    """The graph of a composite; nesting is flattened, dotted names stay."""
    flat = system.flatten()
    theta0 = next((box.theta0 for box in flat.boxes.values() if isinstance(box, Environment)), 300.0)
    work = system_parts(flat, theta0)
    _contract(work)
    chains = [f"{tail} {ARROW} {head}" for tail, head in work.bonds]
    return BondGraph(system.name, work.elements, chains, theta0=theta0, initial=work.initial)


def system_parts(
    flat: Composite,
    theta0: float,
    variables: Mapping[str, str] | None = None,
    read: Mapping[str, tuple[str, ...]] | None = None,
) -> SystemParts:
    """Elements and bonds of a flat composite, with sources `u_<port>` at its outer ports.

    variables: names of states by junction; default: after elements.   read: names of states that are not its own.
    """
    work = SystemParts(flat, states=dict(read or {}), variables=dict(variables or {}))
    taken = set(flat.boxes)
    for name, junction in flat.junctions.items():
        domain, momentum = domain_of(junction.quantity)
        kind = "1" if momentum else "0"
        label = name if name not in taken else f"{name}_"
        work.junctions[name] = label
        work.elements[label] = Element(kind, domain=domain, widths=(junction.quantity.dim,), ports=())
    at = {end: name for name, junction in flat.junctions.items() for end in junction.ends}
    for name, box in flat.boxes.items():
        if isinstance(box, Storage):
            _storage(work, name, box, at)
    for name, box in flat.boxes.items():
        match box:
            case Environment():
                for port in box.interface:
                    entropic = box.interface[port].quantity.is_entropy
                    source = Element(
                        "Se", theta0 if entropic else 0.0, domain=work.elements[work.junctions[at[name, port]]].domain
                    )
                    work.bonds.append((work.add(name, source), work.junctions[at[name, port]]))
            case Irreversible() if (found := _resistance(box)) is not None:
                value, power, heat = found
                domain = domain_of(box.interface[power].quantity)[0]
                work.elements[name] = Element("RS", value, {}, domain, (1, 1), PORTS["RS"])
                work.bonds.append((work.junctions[at[name, power]], name))
                work.bonds.append((name, work.junctions[at[name, heat]]))
            case Irreversible():
                ports = tuple(port.name for port in box.power_ports)
                widths = tuple(port.quantity.dim for port in box.power_ports)
                reads = {port: work.states_at(name, port, at) for port in _read(box.M)}
                work.elements[name] = Element("RS", None, {}, None, widths, ports, system=box, reads=reads)
                work.bonds += [(work.junctions[at[name, port]], f"{name}.{port}") for port in ports]
            case Reversible():
                _Coupling(work, name, box, at).add()
            case Source():
                (given,) = box.interface.values()
                domain, momentum = domain_of(given.quantity)
                source = Element("Sf" if momentum else "Se", None, domain=domain, widths=(given.quantity.dim,))
                work.sources[name] = work.add(name, source)
                work.bonds.append((work.sources[name], work.junctions[at[name, given.name]]))
    for port, name in flat.outer.items():
        momentum = domain_of(flat.junctions[name].quantity)[1]
        source = Element("Se" if momentum else "Sf", None, widths=(flat.junctions[name].quantity.dim,))
        work.sources[port] = work.add(f"u_{port}", source)
        work.bonds.append((work.sources[port], work.junctions[name]))
    return work


def _storage(work: SystemParts, name: str, box: Storage, at: dict[tuple[str, str], str]) -> None:
    (port,) = box.interface.values()
    domain, momentum = domain_of(port.quantity)
    if _constant(box) and not port.quantity.is_entropy:
        value = _slope(box)
        source = Element("Sf" if momentum else "Se", value if len(value) > 1 else float(value[0]), domain=domain)
        work.bonds.append((work.add(name, source), work.junctions[at[name, port.name]]))
        return
    work.elements[name] = Element(
        "I" if momentum else "C", None, {}, domain, (port.quantity.dim,), energy=True, system=box
    )
    work.bonds.append((work.junctions[at[name, port.name]], name))
    letter, n = "p" if momentum else "q", port.quantity.space.embedding.size
    names = (f"{letter}_{name}",) if n == 1 else tuple(f"{letter}_{name}_{k + 1}" for k in range(n))
    given = work.variables.get(at[name, port.name])
    if given is not None:
        names = (given,) if n == 1 else tuple(f"{given}[{k}]" for k in range(n))
        work.elements[name] = replace(work.elements[name], names=names)
    work.states[at[name, port.name]] = names
    if curved(port.quantity):
        work.initial |= dict(zip(names, map(float, origin(port.quantity.space.embedding)), strict=True))


def _constant(box: Storage) -> bool:
    """Whether a storage of a vector is a source: an energy with constant slope."""
    ((symbols,), (port,)) = box.H.states.values(), box.interface.values()
    return len(symbols) == port.quantity.dim and not any(
        slope(box.H.values.item(), symbol).free_symbols & set(symbols) for symbol in symbols
    )


def _slope(box: Storage) -> Array:
    (symbols,) = box.H.states.values()
    numbers = dict(box.H.parameters.values())
    return np.array([float(slope(box.H.values.item(), symbol).subs(numbers)) for symbol in symbols])


def _resistance(box: Irreversible) -> tuple[float, str, str] | None:
    """A constant resistance with its ports of power and heat, if a component is `heating` by one; else None."""
    import sympy

    ports = box.power_ports
    heats = [port.name for port in ports if port.quantity.is_entropy]
    powers = [port.name for port in ports if not port.quantity.is_entropy]
    if len(heats) != 1 or len(powers) != 1 or box.interface[powers[0]].quantity.dim != 1:
        return None
    numbers = dict(box.M.parameters.values())
    M = [[entry.subs(numbers) for entry in row] for row in box.M.values]
    x, s = (next(k for k, port in enumerate(ports) if port.name == name) for name in (powers[0], heats[0]))
    (v,), theta = box.M.efforts[powers[0]], box.M.theta0 + box.M.efforts[heats[0]][0]
    mu = sympy.cancel(M[x][x] / theta)
    laws = zip((M[x][s], M[s][s]), heating(mu, v, theta)[1], strict=True)
    if mu.free_symbols or not mu or any(sympy.cancel(a - b) != 0 for a, b in laws):
        return None
    return float(mu if domain_of(box.interface[powers[0]].quantity)[1] else 1 / mu), powers[0], heats[0]


class _Coupling:
    """The elements of a reversible component."""

    def __init__(self, work: SystemParts, name: str, box: Reversible, at: dict[tuple[str, str], str]) -> None:
        self.work, self.name, self.box, self.at = work, name, box, at
        self.ports = [port.name for port in box.power_ports]
        self.momentum = {port.name: domain_of(port.quantity)[1] for port in box.power_ports}
        ends = np.cumsum([0, *(port.quantity.dim for port in box.power_ports)]).tolist()
        self.columns = {port: slice(a, b) for port, a, b in zip(self.ports, ends, ends[1:], strict=False)}
        self.count = 0

    def add(self) -> None:
        """Pair by pair, then the rows."""
        J = self._values(self.box.J)
        for port in self.ports:
            own = J[self.columns[port], self.columns[port]]
            if own.any():
                self._lone(port, own)
        for a, b in combinations(self.ports, 2):
            block = J[self.columns[a], self.columns[b]]
            if block.any():
                self._pair(a, b, block, self.box.J)
        if self.box.C is not None:
            self._rows(self._values(self.box.C), self.box.C)

    def _junction(self, port: str) -> str:
        return self.work.junctions[self.at[self.name, port]]

    def _values(self, expression: Expression) -> Any:
        """Expressions with the names of states of the graph for those of ports."""
        import sympy

        known: dict[Any, Any] = {}
        for port, symbols in _read(expression).items():
            names = self.work.states_at(self.name, port, self.at)
            known |= {symbol: sympy.Symbol(name, real=True) for symbol, name in zip(symbols, names, strict=True)}
        flat = np.empty(expression.values.size, dtype=object)
        flat[:] = [sympy.sympify(entry).xreplace(known) for entry in expression.values.ravel()]
        return flat.reshape(expression.values.shape)

    def _element(self, kind: str, matrix: Any, expression: Expression) -> str:
        """A TF or GY with a number, numbers or expressions."""
        moving = any(entry.free_symbols for entry in matrix.ravel())
        parameters = {}
        if moving:
            found = {symbol for entry in matrix.ravel() for symbol in entry.free_symbols}
            parameters = {name: value for name, (symbol, value) in expression.parameters.items() if symbol in found}
            given: Any = matrix if matrix.size > 1 else matrix.item()
            modulated = not found <= {symbol for symbol, _ in expression.parameters.values()}
        else:
            given = np.array([float(entry) for entry in matrix.ravel()]).reshape(matrix.shape)
            given, modulated = (float(given.item()) if given.size == 1 else given), False
        self.count += 1
        label = self.name if self.count == 1 else f"{self.name}_{self.count}"
        element = Element(kind, given, parameters, None, (None, None), PORTS[kind], modulated=modulated)
        return self.work.add(label, element)

    def _lone(self, port: str, J: Any) -> None:
        """J of one port: e = -J f of momenta."""
        if not self.momentum[port]:
            raise ModelError(
                f"{self.name!r} turns displacements of its port {port!r} among each other: it has no bond graph."
            )
        label = self._element("GY", -J, self.box.J)
        self.work.bonds.append((self._junction(port), label))

    def _pair(self, a: str, b: str, J: Any, expression: Expression) -> None:
        """J of two ports: ẋ_a = J e_b."""
        if self.momentum[a] != self.momentum[b]:
            if not self.momentum[a]:
                a, b, J = b, a, -J.T
            self._transform(self._junction(a), self._junction(b), -J.T, expression)
            return
        G = -J
        if not self.momentum[a]:
            if J.shape[0] != J.shape[1]:
                raise ModelError(
                    f"{self.name!r} couples displacements by a matrix that is not square: it has no bond graph."
                )
            G = inverse(-J).T
        label = self._element("GY", G, expression)
        self.work.bonds += [(self._junction(a), label), (label, self._junction(b))]

    def _transform(self, tail: str, head: str, N: Any, expression: Expression) -> None:
        """f_head = N f_tail; a bond if N is 1 or -1."""
        n, m = N.shape
        eye = np.eye(n, m, dtype=int)
        if n == m and (eye == N).all():
            self.work.bonds.append((tail, head))
        elif n == m and (-eye == N).all():
            self.work.bonds.append((head, tail))
        else:
            label = self._element("TF", N, expression)
            self.work.bonds += [(tail, label), (label, head)]

    def _rows(self, C: Any, expression: Expression) -> None:
        """C e = 0."""
        used = [port for port in self.ports if C[:, self.columns[port]].any()]
        kinds = {self.momentum[port] for port in used}
        if len(kinds) > 1:
            raise ModelError(f"{self.name!r} ties momenta and displacements in one row C e = 0: it has no bond graph.")
        (momentum,) = kinds
        blocks = {port: C[:, self.columns[port]] for port in used}
        k = len(C)
        if len(used) == 2 and all(block.shape == (k, k) for block in blocks.values()):
            a, b = used
            if k == 1 or (blocks[b] == -np.eye(k, dtype=int)).all():
                N = -inverse(blocks[b]) @ blocks[a] if momentum else (-inverse(blocks[a]) @ blocks[b]).T
                self._transform(self._junction(a), self._junction(b), N, expression)
                return
        if len(used) == 1:  # held at zero
            middle = self.work.add(self.name, Element("Sf" if momentum else "Se", np.zeros(k), widths=(k,)))
        else:
            middle = self.work.add(f"{self.name}_rows", Element("0" if momentum else "1", widths=(k,), ports=()))
        for port, block in blocks.items():
            if momentum:
                self._transform(self._junction(port), middle, block, expression)
            else:
                self._transform(middle, self._junction(port), -block.T, expression)


def _contract(work: SystemParts) -> None:
    """Leave out junctions with one bond in and one out."""
    for junction in list(work.junctions.values()):
        into = [bond for bond in work.bonds if bond[1] == junction]
        out = [bond for bond in work.bonds if bond[0] == junction]
        if len(into) == 1 and len(out) == 1:
            (tail, _), (_, head) = into[0], out[0]
            if _couples(work, tail, junction) and _couples(work, head, junction):
                continue
            work.bonds[work.bonds.index(into[0])] = (tail, head)
            work.bonds.remove(out[0])
            del work.elements[junction]


def _couples(work: SystemParts, end: str, junction: str) -> bool:
    """Whether an end is a TF or GY: between two of them the junction is kept, for its name."""
    element = work.elements.get(end)
    return element is not None and element.kind in ("TF", "GY")
