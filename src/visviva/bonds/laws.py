"""The laws of a graph: its states and symbols, and the formulas of its elements."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.bonds.element_laws import formulas
from visviva.bonds.formula import Formula, Scope
from visviva.bonds.states import State, states_of
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph


@final
class Laws:
    """States of a graph by name, and the formulas of its elements.

    States are q_<name> of C elements, p_<name> of I elements, coordinates, and flows of free junctions. A number that
    an element was given has the symbol <name> of this element, so that equations show it.
    """

    def __init__(self, graph: BondGraph) -> None:
        import sympy

        self.graph = graph
        self.states: list[State] = list(states_of(graph))
        names = [name for state in self.states for name in state.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ModelError(f"{graph.name!r} has two states called {twice[0]!r}: rename an element or a coordinate.")
        if "t" in names:
            raise ModelError(f"a state of {graph.name!r} is called 't', which is time: rename it.")
        self.names = tuple(names)
        self.symbols = {name: sympy.Symbol(name, real=True) for name in names}
        self.t = sympy.Symbol("t", real=True)
        self.parameters: dict[Any, float] = {}
        self._owners: dict[Any, str] = {}
        self.inputs: dict[str, list[Any]] = {}
        self.own_parameters: dict[str, dict[str, Any]] = {}  # symbols by element and name
        self.scope = Scope(tuple(self.symbols.values()), self.t, self.parameters)
        self._roles = {label: formulas(self, label, element) for label, element in graph.elements.items()}

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

    def all_of(self, label: str) -> list[Formula]:
        """All formulas of an element."""
        return list(self._roles[label].values())

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

    def own_symbols(self, label: str, kind: str) -> list[Any]:
        """Symbols of the states of an owner."""
        return [self.symbols[n] for s in self.states if (s.owner, s.kind) == (label, kind) for n in s.names]
