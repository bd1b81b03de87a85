"""BondFlow: a bond graph as a flow that schemes integrate, its laws evaluated along the causal strokes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.bonds.computation import given_to
from visviva.bonds.elements import STORES
from visviva.bonds.evaluation import Evaluation
from visviva.bonds.plan import Plan
from visviva.bonds.tape import sign
from visviva.errors import ModelError
from visviva.forms.flows.flow import Flow, FlowState
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

CLOSED = 1e-8  # of the largest flow: by so much flows at a 0-junction that closes a loop may be off


@final
class BondFlow(Flow):
    """The independent states of a graph and their rates.

    A run has all states by name (those that follow from others too), "<element>.e" and "<element>.f" of elements with
    one bond, "<junction>.e" of 0- and "<junction>.f" of 1-junctions, "energy" and "power".
    """

    size_q = 0

    def __init__(self, graph: BondGraph) -> None:
        self.graph, self.plan = graph, Plan(graph)
        self.laws = self.plan.laws
        if self.laws.inputs:
            raise ModelError(
                f"{', '.join(self.laws.inputs)} of {graph.name!r} are inputs without a law: a flow needs one, e.g. "
                "Se(lambda t: ...), or vv.bond_graph(m, inputs=...) of a mechanism. graph.system() takes them at "
                "vv.simulate(..., inputs=...)."
            )
        self.name = graph.name
        self.n = len(self.plan.independent)
        self.at = np.array([self.laws.names.index(name) for name in self.plan.independent], dtype=np.intp)
        self.extra, self.has_clock = 1, True
        self.names = (*self.plan.independent, "t")
        self._last: tuple[float, Array, Evaluation] | None = None

    def evaluation(self, t: float, y: Array) -> Evaluation:
        """All efforts and flows at independent states y; the last one is kept, since several things ask for it."""
        if self._last is None or self._last[0] != t or not np.array_equal(self._last[1], y):
            self._last = t, y.copy(), self._evaluation(t, y, everything=True)
        return self._last[2]

    def _evaluation(self, t: float, y: Array, everything: bool) -> Evaluation:
        return Evaluation(self.plan, self._x(y), t, everything)

    def _x(self, y: Array) -> Array:
        """All states, those that follow from others left zero."""
        x = np.zeros(len(self.laws.names))
        x[self.at] = y
        return x

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """Of the states, and of time."""
        short = self.plan.scalar_rates
        x_dot = self._evaluation(t, xi, everything=False).x_dot if short is None else short(t, self._x(xi))
        return x_dot[self.at], np.ones(1)

    def advance_q(self, q: Array, delta: Array) -> Array:
        """There are no coordinates but those among the states."""
        return q

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """Nothing to follow, hence no rate."""
        return np.zeros(self.n)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """Stored in all C, I and field elements, and where sources have their effort from a potential [J]."""
        return sum(sum(part.values()) for part in self._energies(float(s[0]), xi))

    def _energies(self, t: float, y: Array) -> tuple[dict[str, float], dict[str, float]]:
        """By element, energies that are quadratic and so have a zero of their own, and those that laws give."""
        at, natural, given_by_laws = self.evaluation(t, y), dict[str, float](), dict[str, float]()
        for label, element in self.graph.elements.items():
            if label in self.plan.derivative:
                given = at.value(given_to(label, self.graph.at(label)[0], self.plan.strokes))
                natural[label] = float(given @ at.law(label, "matrix") @ given) / 2
            elif self.laws.has(label, "energy"):
                given_by_laws[label] = float(at.law(label, "energy"))
            elif element.kind in STORES:
                f = at.value(("f", self.graph.bond(label, "I").name))
                natural[label] = float(f @ at.law(label, "A") @ f) / 2
        return natural, given_by_laws

    def energy_size(self, q: Array, xi: Array, s: Array) -> float:
        """The sum of the sizes of what elements store."""
        return sum(abs(one) for part in self._energies(float(s[0]), xi) for one in part.values())

    def energy_changes(self, start: FlowState, state: FlowState) -> Array:
        """By element: what is quadratic, and changes of what laws give."""
        natural, now = self._energies(state.t, state.xi)
        before = self._energies(start.t, start.xi)[1]
        return np.array([*natural.values(), *(now[label] - before[label] for label in now)])

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Of sources less what resistors turn into heat [W]; of those with a potential, what they do besides."""
        at, total = self.evaluation(t, xi), 0.0
        for label, element in self.graph.elements.items():
            if self.laws.has(label, "power"):
                total += float(at.law(label, "power"))
            elif element.kind in ("Se", "Sf", "R") and not self.laws.has(label, "energy"):
                bond = self.graph.at(label)[0]
                into = float(at.value(("e", bond.name)) @ at.value(("f", bond.name)))
                total -= into if bond.head == label else -into
        return total

    def quantities(self, state: FlowState) -> dict[str, Array]:
        """States, and variables of elements and junctions."""
        at = self.evaluation(state.t, state.xi)
        shown = {name: state.xi[k] for k, name in enumerate(self.plan.independent)}
        for label, element in self.graph.elements.items():
            bonds = self.graph.at(label)
            kinds = {"0": ("e",), "1": ("f",)}.get(element.kind, ("e", "f") if len(bonds) == 1 else ())
            shown |= {f"{label}.{kind}": _plain(at.value((kind, bonds[0].name))) for kind in kinds}
            if label in self.plan.derivative:
                kind = "q" if element.kind == "C" else "p"
                held = at.law(label, "matrix") @ at.value(given_to(label, bonds[0], self.plan.strokes))
                names = next(s.names for s in self.laws.states if (s.owner, s.kind) == (label, kind))
                shown |= dict(zip(names, held, strict=True))
        return {name: np.asarray(value, dtype=float) for name, value in shown.items()}

    def checked(self, initial: Any) -> FlowState:
        """From states by name, those that are left out as the graph has them, or zero; or from `run.final`."""
        if isinstance(initial, FlowState):
            if len(initial.xi) != self.n:
                raise ModelError(f"{self.name!r} cannot continue a run of something else: it has {self.n} states.")
            return initial
        if initial is not None and not isinstance(initial, Mapping):
            raise ModelError(
                f"{self.name!r} starts from initial={{name: value}} of its states {', '.join(self.plan.independent)}; "
                f"got {type(initial).__name__}."
            )
        y = np.zeros(self.n)
        for name, value in (self.graph.initial | dict(initial or {})).items():
            if name in self.laws.names and name not in self.plan.independent:
                owner = next(state.owner for state in self.laws.states if name in state.names)
                raise ModelError(
                    f"state {name!r} of {self.name!r} follows from others, as {owner!r} is in derivative causality: "
                    f"start those, {', '.join(self.plan.independent)}."
                )
            if name not in self.plan.independent:
                raise unknown_name(name, self.plan.independent, f"bond graph {self.name!r}, whose states start a run,")
            y[self.plan.independent.index(name)] = finite_number(value, f"initial value of {name!r}")
        self._check_closed(y)
        return FlowState(0.0, np.zeros(0), y, np.zeros(1))

    def _gaps(self, t: float, y: Array) -> Iterator[tuple[str, float, float]]:
        """0-junctions that close loops, how much of flows is left there, and the largest flow or state."""
        for label in self.plan.closing:
            at = self.evaluation(t, y)
            flows = [(sign(label, bond), at.value(("f", bond.name))) for bond in self.graph.at(label)]
            gap = float(np.abs(sum(s * f for s, f in flows)).max())
            size = max(float(np.abs(f).max()) for _, f in flows)
            yield label, gap, max((float(np.abs(y).max(initial=0.0)), size))

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """What flows at 0-junctions that close loops leave."""
        gaps = [gap / (fastest or 1.0) for _, gap, fastest in self._gaps(state.t, state.xi)]
        return {"g": None, "g_v": max(gaps)} if gaps else {}

    def _check_closed(self, y: Array) -> None:
        """An error if flows at a 0-junction that closes a loop do not balance: they would never do."""
        for label, gap, fastest in self._gaps(0.0, y):
            if gap > CLOSED * fastest:
                raise ModelError(
                    f"the flows at 0-junction {label!r} of {self.name!r} do not balance at the start, by {gap:.3g}: "
                    "its effort keeps them as they are.\n"
                    "Start from states that satisfy the constraint, e.g. from those of the graph, initial=None."
                )


def _plain(value: Any) -> Any:
    return value[0] if len(value) == 1 else value
