"""What cannot be computed in the order of causes: unknowns of algebraic loops and of derivative causality."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.computation import Variable, asked_of, dependencies, given_to, provider
from visviva.bonds.elements import STORES
from visviva.bonds.formula import AbstractLaw
from visviva.bonds.tape import Tape
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond, BondGraph
    from visviva.bonds.states import State


@final
class Plan:
    """The unknowns of a graph, found once.

    torn:    variables of algebraic loops.   stored: outputs of storages that follow, by storage.
    solved:  those of them that are unknowns.   free: 1-junctions whose flow is a state.   closing: 0-junctions whose
             effort is whatever makes their flows balance.   driven: stores of kinetic energy with known flows, whose
             rates of flows are unknowns: A itself may be singular, see `known_flow`.
    sizes:   of the unknowns, in the order torn, solved, free, closing, driven.
    """

    def __init__(self, graph: BondGraph) -> None:
        self.graph, self.causality, self.laws = graph, graph.causality, graph.laws
        self.strokes, self.derivative = self.causality.strokes, self.causality.derivative
        self._check_laws()
        self.torn = self._torn()
        self.stored = {label: asked_of(label, graph.at(label)[0], self.strokes) for label in self.derivative}
        self.solved = {} if self._direct() else self.stored
        self.free, self.closing = (
            [label for label, e in graph.elements.items() if e.free and e.kind == kind] for kind in ("1", "0")
        )
        self.driven = [label for label in graph.elements if self.laws.has(label, "rows")]
        for label in self.derivative:
            if not self.laws.has(label, "matrix"):
                raise ModelError(
                    f"{graph.elements[label].kind} {label!r} of {graph.name!r} is in derivative causality, and its "
                    "energy is a function: its state cannot be found from its input.\n"
                    "Give it a number, or let another storage follow. graph.system() solves the constraint instead."
                )
        self._check_independent()
        self._check_linear()
        self.sizes = [graph.widths[v[1]] for v in (*self.torn, *self.solved.values())]
        self.sizes += [graph.widths[graph.at(label)[0].name] for label in (*self.free, *self.closing, *self.driven)]

    @cached_property
    def units(self) -> list[Array]:
        """Unknowns as affine functions of themselves, (w, 1 + n) each."""
        ends = np.cumsum(self.sizes).tolist()
        eye = np.eye(ends[-1] if ends else 0, 1 + (ends[-1] if ends else 0), k=1)
        return [eye[b - w : b] for w, b in zip(self.sizes, ends, strict=True)]

    def undetermined(self) -> ModelError:
        """The error of conditions without a unique solution."""
        names = [label for loop in self.causality.loops for label in loop]
        return ModelError(
            f"the algebraic loops and derivative causality of {self.graph.name!r} have no unique solution here: "
            f"{', '.join(names or [*self.derivative, *self.closing])}."
        )

    @cached_property
    def scalar_rates(self) -> Callable[[float, Array], Array] | None:
        """Rates of all states by one function, where laws are short expressions."""
        from visviva.bonds.scalars import scalar_rates

        return scalar_rates(self)

    @cached_property
    def tape(self) -> Tape:
        """The order of computation of all efforts, flows and rates."""
        return Tape(self, everything=True)

    @cached_property
    def rates_tape(self) -> Tape:
        """That of rates of states alone."""
        return Tape(self, everything=False)

    def _direct(self) -> bool:
        """Whether what storages follow is known with the rates of free flows, so that they need not be solved for.

        That is so if no rate of a state depends on the answers of these storages, nor what they follow.
        """
        found = [
            v for state in self.laws.states if state.owner not in self.derivative for v in self._rate_inputs(state)
        ]
        found += [given_to(label, self.graph.at(label)[0], self.strokes) for label in self.derivative]
        for v in found:
            found += [w for w in self._given(v) if w not in found]
        return not self.torn and not set(found) & set(self.stored.values())

    def _rate_inputs(self, state: State) -> list[Variable]:
        """What the rate of a state is made of."""
        graph, owner = self.graph, state.owner
        if state.kind == "flow":
            return []
        if state.kind == "coordinate":
            return [("f", graph.at(owner)[0].name)]
        port = {"q": "C", "p": "I", "velocity": "I"}[state.kind] if graph.elements[owner].kind in STORES else ""
        return [("f" if state.kind == "q" else "e", graph.bond(owner, port).name)]

    def _given(self, v: Variable) -> list[Variable]:
        return dependencies(self.graph, self.strokes, v)

    def _check_laws(self) -> None:
        """An error for moduli that are known at one configuration only, and for storages that cannot be inverted."""
        for label, element in self.graph.elements.items():
            if (
                element.modulated
                and element.given is not None
                and not element.functional
                and not isinstance(element.given, AbstractLaw)
            ):
                raise ModelError(
                    f"{element.shown} {label!r} of {self.graph.name!r} is known at one configuration only: the graph "
                    "can be read, not simulated.\n"
                    "Simulate the mechanism itself, or one of its graphs in Kane's way, vv.bond_graph(m, "
                    "form='kane-momentum')."
                )
            if element.kind in ("C", "I") and label not in self.derivative and not self.laws.has(label, "output"):
                raise ModelError(
                    f"{element.kind} {label!r} of {self.graph.name!r} has a singular matrix: it must follow other "
                    "storages, and is not in derivative causality."
                )

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the states that determine all others."""
        return tuple(name for state in self.laws.states if state.owner not in self.derivative for name in state.names)

    def _check_independent(self) -> None:
        """An error if a law depends on a state that follows from others."""
        laws = self.laws
        for state in laws.states:
            if state.owner not in self.derivative:
                continue
            own = {laws.symbols[name] for name in state.names}
            for label in self.graph.elements:
                if label != state.owner and laws.depends(label, own):
                    raise ModelError(
                        f"the law of {label!r} depends on the state {state.names[0]!r}, which is in derivative "
                        "causality: "
                        "use a coordinate of a junction instead, coordinates={...}."
                    )

    def _check_linear(self) -> None:
        """An error if an unknown goes through a nonlinear law: conditions would not be linear in it."""
        unknown = {*self.torn, *self.solved.values()}
        for bond in self.graph.bonds:
            for kind in ("e", "f"):
                v = (kind, bond.name)
                label = provider(self.graph, self.strokes, v)
                if not self._nonlinear(label, bond):
                    continue
                found = [v]
                for w in found:
                    found += [each for each in self._given(w) if each not in found]
                if unknown & set(found[1:]) or v in unknown:
                    solved = {provider(self.graph, self.strokes, w) for w in unknown & {*found}} | {label}
                    loops = [loop for loop in self.causality.loops if solved & set(loop)]
                    names = ", ".join(dict.fromkeys([*(each for loop in loops for each in loop), *sorted(solved)]))
                    raise ModelError(
                        f"{self.graph.elements[label].kind} {label!r} of {self.graph.name!r} has a nonlinear law "
                        f"within what must be solved for, an algebraic loop or storages that follow: {names}.\n"
                        "Use graph.system(), whose steps solve it, or break the loop by a storage."
                    )

    def _nonlinear(self, label: str, bond: Bond) -> bool:
        """Whether an element answers its input on a bond by a law that is not linear."""
        element = self.graph.elements[label]
        port = bond.port(bond.end(label))
        if element.kind == "RS":
            return port == "heat" or not self.laws.has(label, "matrix")
        if element.kind in ("Se", "Sf"):
            return self.laws.reads_own(label)
        return (element.kind == "R" and not self.laws.has(label, "matrix")) or (element.kind in STORES and port == "C")

    def _torn(self) -> list[Variable]:
        """One variable after the other, preferably of resistors, until nothing depends on itself."""
        graph, torn = self.graph, list[Variable]()
        while True:
            cycle = self._cycle(torn)
            if not cycle:
                return torn
            kinds = [graph.elements[provider(graph, self.strokes, v)].kind for v in cycle]
            linear = [
                v for v, kind in zip(cycle, kinds, strict=True)
                if kind in ("R", "RS") and self.laws.has(provider(graph, self.strokes, v), "matrix")
            ]  # fmt: skip
            torn.append(linear[0] if linear else cycle[0])

    def _cycle(self, torn: list[Variable]) -> list[Variable]:
        """Some variables that lead back to the first one."""
        done: set[Variable] = set(torn)
        for start in [(kind, bond.name) for bond in self.graph.bonds for kind in ("e", "f")]:
            if start in done:
                continue
            path, left = [start], [iter(self._given(start))]
            while path:
                v = next(left[-1], None)
                if v is None:
                    done.add(path.pop())
                    left.pop()
                elif v in path:
                    return path[path.index(v) :]
                elif v not in done:
                    path.append(v)
                    left.append(iter(self._given(v)))
        return []
