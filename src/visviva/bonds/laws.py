"""The laws of the elements of a graph, read into formulas: functions are run once on symbols."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.bonds.elements import STORES, Element, is_expression
from visviva.bonds.formula import AbstractLaw, Formula, Scope
from visviva.errors import ModelError
from visviva.forms.kane.trace import rational
from visviva.language.trace import Traced, Values, call, expressions

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph


@final
@dataclass(frozen=True)
class State:
    """Some states that belong together: those of an element, of the coordinates or the flow of a junction."""

    owner: str
    kind: str  # "q", "p", "velocity" (of a field), "coordinate", "flow" (of a junction)
    names: tuple[str, ...]


@final
class Laws:
    """States of a graph by name, and the formulas of its elements.

    States are q_<name> of C elements, p_<name> of I elements, coordinates, and flows of free junctions. A number that
    an element was given has the symbol <name> of this element, so that equations show it.
    """

    def __init__(self, graph: BondGraph) -> None:
        import sympy

        self.graph = graph
        self.states: list[State] = list(self._states())
        names = [name for state in self.states for name in state.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ModelError(f"{graph.name!r} has two states called {twice[0]!r}: rename an element or a coordinate.")
        self.names = tuple(names)
        self.symbols = {name: sympy.Symbol(name, real=True) for name in names}
        self.t = sympy.Symbol("t", real=True)
        self.parameters: dict[Any, float] = {}
        self._owners: dict[Any, str] = {}
        self.inputs: dict[str, list[Any]] = {}
        self.scope = Scope(tuple(self.symbols.values()), self.t, self.parameters)
        self._roles = {label: self._read(label, element) for label, element in graph.elements.items()}

    def of(self, label: str, role: str) -> Formula:
        """A formula of an element."""
        return self._roles[label][role]

    def parameter(self, name: str, number: float, owner: str) -> Any:
        """The symbol of a number; an error if something else has this name."""
        import sympy

        symbol = sympy.Symbol(name, real=True)
        other = "a state" if name in self.symbols else "time" if symbol == self.t else self._owners.get(symbol, owner)
        if other != owner:
            raise ModelError(f"{self.graph.name!r} has two things called {name!r}, {other} and {owner}: rename one.")
        self._owners[symbol], self.parameters[symbol] = owner, number
        return symbol

    def has(self, label: str, role: str) -> bool:
        """Whether it has one."""
        return role in self._roles[label]

    def reads_own(self, label: str) -> bool:
        """Whether the law of a source reads the other variable of its own bond."""
        return bool(self.of(label, "output").inputs)

    def depends(self, label: str, symbols: set[Any]) -> bool:
        """Whether formulas of an element have one of some symbols."""
        known = [formula.values for formula in self._roles[label].values() if formula.values is not None]
        return any(entry.free_symbols & symbols for values in known for entry in np.ravel(values))

    @cached_property
    def places(self) -> dict[tuple[str, str], slice]:
        """Where the states of an owner and kind are."""
        ends = np.cumsum([0, *(len(state.names) for state in self.states)]).tolist()
        return {(s.owner, s.kind): slice(a, b) for s, a, b in zip(self.states, ends, ends[1:], strict=False)}

    # -- states -------------------------------------------------------------------------------------------------
    def _states(self) -> Any:
        graph = self.graph
        for junction, names in graph.coordinates.items():
            yield State(junction, "coordinate", names)
        for label, element in graph.elements.items():
            width = graph.widths[graph.at(label)[0].name]
            if element.free and element.kind == "1":
                yield State(label, "flow", element.names or _numbered(f"f_{label}", width))
            elif element.kind in ("C", "I"):
                kind = "q" if element.kind == "C" else "p"
                yield State(label, kind, element.names or _numbered(f"{kind}_{label}", width))
            elif element.kind == "IC" and element.energy:
                yield State(label, "q", _numbered(f"q_{label}", width))
                yield State(label, "p", _numbered(f"p_{label}", width))
            elif element.kind in STORES:
                kind = "p" if isinstance(element.given, tuple) or element.given.momentum else "velocity"
                yield State(label, kind, element.names or _numbered(f"{kind[0]}_{label}", width))

    def own_symbols(self, label: str, kind: str) -> list[Any]:
        """Symbols of the states of an owner."""
        return [self.symbols[n] for s in self.states if (s.owner, s.kind) == (label, kind) for n in s.names]

    # -- formulas -----------------------------------------------------------------------------------------------
    def _read(self, label: str, element: Element) -> dict[str, Formula]:
        if isinstance(element.given, AbstractLaw):
            return element.given.formulas(self, label)
        if element.junction:
            return {}
        if element.system is not None and element.kind == "RS":
            from visviva.bonds.fields import irreversible_outputs

            return irreversible_outputs(self, label, element)
        if element.kind in ("C", "I"):
            return self._storage(label, element)
        if element.kind in ("R", "RS"):
            return self._resistor(label, element)
        if element.kind in ("Se", "Sf"):
            return self._source(label, element)
        if element.kind in ("TF", "GY"):
            return self._coupling(label, element)
        if element.kind == "IC" and element.energy:
            return self._field(label, element)
        return self._store(label, element)

    def _storage(self, label: str, element: Element) -> dict[str, Formula]:
        kind = "q" if element.kind == "C" else "p"
        symbols = self.own_symbols(label, kind)
        n = len(symbols)
        if element.system is not None:
            from visviva.bonds.fields import storage_energy

            energy = storage_energy(self, label, element, symbols)
        elif element.energy:
            energy = self._expressions(label, element, element.given, {kind: symbols}, "energy").values
            if energy.shape != ():
                raise ModelError(
                    f"the energy of {element.kind} {label!r} must be one number, got shape {energy.shape}."
                )
        else:
            matrix = self._matrix(label, element, element.given, (n, n), positive=True)
            x = np.array(symbols, dtype=object)
            if n > 1 and self._least(matrix.values) <= 0:  # some directions have none of it: they follow others
                return {"matrix": matrix}
            output = inverse(matrix.values) @ x
            energy = np.array(x @ output / 2, dtype=object)
            return {
                "matrix": matrix,
                "output": self._formula(f"law of {element.kind} {label!r}", output),
                "energy": self._formula(f"energy of {label!r}", energy),
            }
        output = np.array([energy.item().diff(symbol) for symbol in symbols], dtype=object)
        found = {
            "output": self._formula(f"law of {element.kind} {label!r}", output),
            "energy": self._formula(f"energy of {label!r}", energy),
        }
        if not all(entry.is_polynomial(*symbols) for entry in output):
            return found
        stiffness = np.array([[entry.diff(symbol) for symbol in symbols] for entry in output], dtype=object)
        moving = set(self.scope.states)
        still = [entry.subs(dict.fromkeys(symbols, 0)) for entry in output]
        constant = not any(entry.free_symbols & moving for entry in stiffness.ravel())
        if constant and not any(still) and stiffness.any():  # a quadratic energy has an inverse law
            found["matrix"] = self._formula(f"modulus of {label!r}", inverse(stiffness))
        return found

    def _resistor(self, label: str, element: Element) -> dict[str, Formula]:
        n = self.graph.widths[self.graph.at(label)[0].name]
        if not element.functional:
            return {"matrix": self._matrix(label, element, element.given, (n, n), positive=True)}
        own = self._own(label, element, "e" if element.conductance else "f", n)
        factor = self._expressions(label, element, element.given, {"ef"[not element.conductance]: own}, "law")
        _shaped(factor, ((), (n, n)), f"the law of R {label!r}")
        values = factor.values
        vector = np.array(own, dtype=object)
        output = values @ vector if values.ndim else values.item() * vector
        return {"factor": factor, "output": self._formula(f"law of R {label!r}", output, tuple(own))}

    def _source(self, label: str, element: Element) -> dict[str, Formula]:
        import sympy

        n = self.graph.widths[self.graph.at(label)[0].name]
        if element.given is None:
            self.inputs[label] = [sympy.Symbol(name, real=True) for name in _numbered(label, n)]
            values = np.array(self.inputs[label], dtype=object)
            return {"output": self._formula(f"input {label!r}", values)}
        own_kind = "f" if element.kind == "Se" else "e"
        own = self._own(label, element, own_kind, n)
        if element.functional:
            found = self._expressions(label, element, element.given, {own_kind: own}, "law")
        else:
            found = self._number(label, element.given, (n,))
        values = found.values if found.values.ndim else np.array([found.values.item()] * n, dtype=object)
        _shaped(Formula(found.what, self.scope, values.shape, values), ((n,),), f"{element.kind} {label!r}")
        read = {symbol for entry in values for symbol in entry.free_symbols} & set(own)
        return {"output": self._formula(f"{element.kind} {label!r}", values, tuple(own) if read else ())}

    def _coupling(self, label: str, element: Element) -> dict[str, Formula]:
        graph, bonds = self.graph, self.graph.at(label)
        if len(bonds) == 1:
            n = graph.widths[bonds[0].name]
            matrix = self._matrix(label, element, element.given, (n, n))
            if any(sum_ != 0 for sum_ in (matrix.values + matrix.values.T).ravel()):
                raise ModelError(f"GY {label!r} of {graph.name!r} has one bond, so its matrix must be skew: e·f = 0.")
            return {"matrix": matrix}
        n_in, n_out = (graph.widths[graph.bond(label, port).name] for port in ("in", "out"))
        shape = (n_out, n_in) if element.kind == "TF" else (n_in, n_out)
        return {"matrix": self._matrix(label, element, element.given, shape)}

    def _field(self, label: str, element: Element) -> dict[str, Formula]:
        q, p = self.own_symbols(label, "q"), self.own_symbols(label, "p")
        energy = self._expressions(label, element, element.given, {"q": q, "p": p}, "energy").values
        _shaped(Formula("", self.scope, energy.shape, energy), ((),), f"the energy of IC {label!r}")
        slopes = {
            role: np.array([energy.item().diff(symbol) for symbol in symbols], dtype=object)
            for role, symbols in (("flow", p), ("effort", q))
        }
        found = {role: self._formula(f"{role} of IC {label!r}", values) for role, values in slopes.items()}
        return found | {"energy": self._formula(f"energy of {label!r}", energy)}

    def _store(self, label: str, element: Element) -> dict[str, Formula]:
        n = self.graph.widths[self.graph.at(label)[0].name]
        own = self._own(label, element, "f", n)
        A = self._matrix(label, element, element.given[0], (n, n))
        gyration = self._expressions(label, element, element.given[1], {"f": own}, "gyration force")
        values = gyration.values if gyration.values.ndim else gyration.values.reshape(1)
        _shaped(Formula("", self.scope, values.shape, values), ((n,),), f"the gyration force of NIC {label!r}")
        return {"A": A, "effort": self._formula(f"gyration force of {label!r}", -values, tuple(own))}

    # -- reading ------------------------------------------------------------------------------------------------
    def _formula(self, what: str, values: Any, inputs: tuple[Any, ...] = ()) -> Formula:
        values = np.asarray(values, dtype=object)
        return Formula(f"{what} in {self.graph.name!r}", self.scope, values.shape, values, inputs)

    def _own(self, label: str, element: Element, kind: str, n: int) -> list[Any]:
        import sympy

        names = element.inputs or _numbered(f"{kind}_{label}", n)
        return [sympy.Symbol(name, real=True) for name in names]

    def _number(self, label: str, given: Any, shape: tuple[int, ...]) -> Formula:
        """A number has the symbol of its element, an array stays as it is."""
        what = f"the value of {label!r} in {self.graph.name!r}"
        if np.shape(given) == ():
            symbol = self.parameter(label, finite_number(given, what), f"element {label!r}")
            return self._formula(what, np.array(symbol, dtype=object))
        return self._formula(what, rational(expressions(given, what)))

    def _matrix(
        self, label: str, element: Element, given: Any, shape: tuple[int, int], positive: bool = False
    ) -> Formula:
        import sympy

        what = f"{element.kind} {label!r} of {self.graph.name!r}"
        if callable(given) or is_expression(given):
            found = self._expressions(label, element, given, {}, "modulus")
        else:
            found = self._number(label, given, shape)
        values = found.values
        if values.ndim == 0:
            if shape[0] != shape[1]:
                raise ModelError(f"{what} joins {shape[1]} components with {shape[0]}: its modulus must be a matrix.")
            values = np.array([[values.item() if i == j else sympy.Integer(0) for j in range(shape[0])]
                               for i in range(shape[0])], dtype=object)  # fmt: skip
        if values.shape != shape:
            raise ModelError(f"the matrix of {what} must have shape {shape}, got {values.shape}.")
        if positive:
            self._check_positive(what, element, values)
        return self._formula(f"modulus of {what}", values)

    def _numbers(self, values: Any) -> Array:
        return np.array([[float(entry.subs(self.parameters)) for entry in row] for row in values])

    def _least(self, values: Any) -> float:
        """The least eigenvalue, zero if it is so to rounding."""
        numbers = self._numbers(values)
        found = np.linalg.eigvalsh((numbers + numbers.T) / 2)
        return 0.0 if abs(found[0]) <= 1e-14 * np.abs(found).max() else float(found[0])

    def _check_positive(self, what: str, element: Element, values: Any) -> None:
        numbers = self._numbers(values)
        strict = element.kind in ("C", "I") and len(values) == 1
        least = self._least(values)
        if np.abs(numbers - numbers.T).max() > 1e-12 * np.abs(numbers).max() or least < 0 or (strict and least == 0):
            rule = "positive" if strict else "positive semidefinite" if len(numbers) > 1 else "not negative"
            kind = "symmetric and " if len(numbers) > 1 else ""
            found = f"{numbers[0, 0]:g}" if len(numbers) == 1 else str(numbers.tolist())
            raise ModelError(f"{what} must be {kind}{rule}, or energy would come from nowhere: got {found}.")

    def _expressions(self, label: str, element: Element, given: Any, own: dict[str, list[Any]], role: str) -> Formula:
        """What a function returns on symbols, or expressions whose symbols are told by their names."""
        what = f"the {role} of {element.kind} {label!r} in {self.graph.name!r}"
        numbers = {}
        for name, value in element.parameters.items():
            shared = sum(name in other.parameters for other in self.graph.elements.values()) > 1
            taken = shared or name in self.graph.elements or name in self.symbols or name == str(self.t)
            number = finite_number(value, f"parameter {name!r} of {what}")
            numbers[name] = self.parameter(f"{name}_{label}" if taken else name, number, f"{name!r} of {label!r}")
        if is_expression(given):
            known = {str(s): s for s in (*self.symbols.values(), self.t, *(s for each in own.values() for s in each))}
            values = _by_name(given, known | numbers, what)
        else:
            available: dict[str, Any] = {"x": Values("x", {n: Traced(s) for n, s in self.symbols.items()})}
            available |= {"t": Traced(self.t)} | {key: _vector(symbols) for key, symbols in own.items()}
            available |= {name: Traced(symbol) for name, symbol in numbers.items()}
            values = rational(expressions(call(given, available, what), what))
        return self._formula(what, values)


def _by_name(given: Any, known: dict[str, Any], what: str) -> Any:
    """Expressions with the symbols of a graph, which are told by their names."""
    import sympy

    array = np.asarray(given.tolist() if isinstance(given, sympy.MatrixBase) else given, dtype=object)
    flat = np.empty(array.size, dtype=object)
    for k, entry in enumerate(map(sympy.sympify, array.ravel())):
        foreign = sorted(str(s) for s in entry.free_symbols if str(s) not in known)
        if foreign:
            raise ModelError(f"{what} has the symbol {foreign[0]!r}; it may have {', '.join(known)}.")
        flat[k] = entry.xreplace({symbol: known[str(symbol)] for symbol in entry.free_symbols})
    return flat.reshape(array.shape)


def _vector(symbols: list[Any]) -> Any:
    traced = np.array([Traced(symbol) for symbol in symbols], dtype=object)
    return traced[0] if len(symbols) == 1 else traced


def _numbered(name: str, n: int) -> tuple[str, ...]:
    return (name,) if n == 1 else tuple(f"{name}_{k + 1}" for k in range(n))


def inverse(values: Any) -> Any:
    """The inverse of a square object array."""
    import sympy

    n = len(values)
    if n == 1:
        return np.array([[1 / values[0, 0]]], dtype=object)
    if n > 3 and not any(entry.free_symbols for entry in values.ravel()):
        numbers = np.linalg.inv(np.array(values, dtype=float))
        return np.array([[sympy.Float(entry) for entry in row] for row in numbers], dtype=object)
    return np.array(sympy.Matrix(values.tolist()).inv().tolist(), dtype=object)


def _shaped(formula: Formula, shapes: tuple[tuple[int, ...], ...], what: str) -> None:
    if formula.shape not in shapes:
        wanted = " or ".join("one number" if shape == () else str(shape) for shape in shapes)
        raise ModelError(f"{what} must have shape {wanted}, got {formula.shape}.")
