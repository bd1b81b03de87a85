"""A tape: all that a causal graph computes at an instant, in order, traced once and run for numbers or for symbols.

Each variable of each bond comes from the element that provides it. Outputs of storages that differentiate, one
variable of each algebraic loop, rates of flows that are states and efforts that close loops cannot be computed in
order. They are unknowns y of linear conditions,

    y_loop = law(y),      y_storage = M d/dt(input),      efforts at a free 1-junction balance,
    A ξ̇ + … = e of a store with known flows,               rates of flows at a free 0-junction balance.

What depends on them is affine: an array (w, 1 + n) whose first column is its value at y = 0. So one pass over the tape
has all conditions; rates are drawn through the same chain of causes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.bonds import operations as op
from visviva.bonds.computation import Variable, dependencies, given_to, provider
from visviva.bonds.elements import STORES
from visviva.bonds.formula import Formula
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond
    from visviva.bonds.plan import Plan
    from visviva.bonds.states import State

NOW = 0  # the slot of time and states
COUPLED_BACK = op.COUPLINGS[False, True]


@final
class Tape:
    """Steps (slot, operation, slots that it reads), and where results are.

    everything: whether all efforts and flows are computed, or only what rates of states need.
    """

    def __init__(self, plan: Plan, everything: bool) -> None:
        self.plan, self.graph, self.laws = plan, plan.graph, plan.laws
        self.n = sum(plan.sizes)
        self.steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = []
        self.formulas: dict[int, Formula] = {}  # those of states and time alone, by slot
        self.units: dict[int, int] = {}  # unknowns: which one of the plan, by slot
        self.affine = [False]
        self._known: dict[tuple[str, ...], int] = {}
        self._unknown: dict[Variable | str, int] = {}
        unknowns: list[Variable | str] = [*plan.torn, *plan.solved.values(), *plan.free, *plan.closing, *plan.driven]
        for k, unknown in enumerate(unknowns):
            slot = self._slot(True)
            self.units[slot] = k
            self._unknown[unknown] = slot
        self.residuals = list(self._residuals())
        self.rates = [self._rate_of(state) for state in self.laws.states]
        self.values: dict[Variable, int] = {}
        if everything:
            self.values = {(kind, b.name): self.value((kind, b.name)) for b in self.graph.bonds for kind in ("e", "f")}

    @property
    def size(self) -> int:
        """Number of slots."""
        return len(self.affine)

    # -- recording ----------------------------------------------------------------------------------------------
    def _slot(self, affine: bool) -> int:
        self.affine.append(affine)
        return len(self.affine) - 1

    def _record(self, operation: Callable[..., Any], *reads: int, affine: bool | None = None) -> int:
        slot = self._slot(any(self.affine[k] for k in reads) if affine is None else affine)
        self.steps.append((slot, operation, reads))
        return slot

    def _once(self, key: tuple[str, ...], make: Callable[[], int]) -> int:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def _in_order(self, variable: Variable, prefix: tuple[str, ...], make: Callable[[Variable], int]) -> int:
        """A variable after all those that it follows from: chains of causes may be long."""
        waiting = [variable]
        while waiting:
            v = waiting[-1]
            if (*prefix, *v) not in self._known:
                missing = [w for w in self._causes(v) if (*prefix, *w) not in self._known]
                if missing:
                    waiting += missing
                    continue
                self._known[*prefix, *v] = make(v)
            waiting.pop()
        return self._known[*prefix, *variable]

    def _causes(self, v: Variable) -> list[Variable]:
        return [w for w in dependencies(self.graph, self.plan.strokes, v) if w not in self.plan.torn]

    def _formula(self, formula: Formula, key: tuple[str, ...]) -> int:
        def make() -> int:
            slot = self._slot(False)
            self.formulas[slot] = formula
            return slot

        return self._once(key, make)

    def law(self, label: str, role: str) -> int:
        """A formula of an element that reads states and time alone."""
        return self._formula(self.laws.of(label, role), ("law", label, role))

    def _answer(self, label: str, role: str, given: int) -> int:
        """A formula of an element that reads what it receives; nonlinear, hence not of an unknown."""
        self._check_known(given, label)
        return self._record(op.answer(self.laws.of(label, role)), NOW, given)

    def _check_known(self, slot: int, label: str) -> None:
        if self.affine[slot]:
            element = self.graph.elements[label]
            raise ModelError(
                f"{element.kind} {label!r} of {self.graph.name!r} has a nonlinear law of something that must be solved "
                "for.\nUse graph.system(), whose steps solve it, or break the loop by a storage."
            )

    def _state(self, owner: str, kind: str) -> int:
        return self._once(("state", owner, kind), lambda: self._record(op.states(self.laws.places[owner, kind]), NOW))

    def _sum(self, terms: list[tuple[int, int]]) -> int:
        """Of (sign, slot)."""
        signs, slots = tuple(sign for sign, _ in terms), [slot for _, slot in terms]
        return self._record(op.total(signs, tuple(self.affine[k] for k in slots)), *slots)

    # -- values -------------------------------------------------------------------------------------------------
    def value(self, variable: Variable) -> int:
        """An effort or flow."""
        if variable in self.plan.torn:
            return self._unknown[variable]
        return self._in_order(variable, (), self._computed)

    def _computed(self, variable: Variable) -> int:
        """The same by the law of its element, even if it is an unknown."""
        label = provider(self.graph, self.plan.strokes, variable)
        element, bond = self.graph.elements[label], self.graph.bonds_by_name[variable[1]]
        if element.junction:
            if element.free:
                return self._state(label, "flow") if element.kind == "1" else self._unknown[label]
            return self._junction(label, bond, variable, self.value)
        if label in self.plan.stored:
            return self._unknown[variable] if variable in self._unknown else self._differentiated(label, variable)
        if element.kind in ("TF", "GY"):
            return self._coupling(label, bond, variable)
        own = given_to(label, bond, self.plan.strokes)
        if element.kind in ("C", "I"):
            return self.law(label, "output")
        if element.kind in STORES:
            return self._field(label, bond, own)
        if element.kind == "RS":
            return self._heating(label, bond, variable, own)
        if element.kind in ("Se", "Sf"):
            if self.laws.reads_own(label):
                return self._answer(label, "output", self.value(own))
            return self.law(label, "output")
        return self._resistor(label, variable[0] == "e", self.value(own))

    def _field(self, label: str, bond: Bond, own: Variable) -> int:
        if bond.port(bond.end(label)) == "C":
            if self.laws.of(label, "effort").inputs:
                return self._answer(label, "effort", self.value(own))
            return self.law(label, "effort")
        if self.laws.has(label, "flow"):
            return self.law(label, "flow")
        if (label, "velocity") in self.laws.places:
            return self._state(label, "velocity")
        if label in self.plan.driven:
            p = self._record(COUPLED_BACK, self.law(label, "unknown"), self._state(label, "p"))
            return self._record(
                op.known_flow, self.law(label, "A"), self.law(label, "rows"), p, self.law(label, "known")
            )
        return self._record(op.solve, self.law(label, "A"), self._state(label, "p"))

    def _heating(self, label: str, bond: Bond, variable: Variable, own: Variable) -> int:
        port = bond.port(bond.end(label))
        if self.graph.elements[label].system is not None:
            given = [self.value(given_to(label, b, self.plan.strokes)) for b in self.graph.at(label)]
            outputs = self._once(("all", label), lambda: self._answer(label, "output", self._record(op.joined, *given)))
            return self._record(op.part(self._part(label, port)), outputs)
        if port == "heat":
            power = self.graph.bond(label, "in")
            reads = [self.value(("e", power.name)), self.value(("f", power.name)), self.value(own)]
            for read in reads:
                self._check_known(read, label)
            return self._record(op.entropy_flow, *reads)
        return self._resistor(label, variable[0] == "e", self.value(own))

    def _part(self, label: str, port: str) -> slice:
        bonds = self.graph.at(label)
        ends = np.cumsum([0, *(self.graph.widths[b.name] for b in bonds)]).tolist()
        k = next(k for k, b in enumerate(bonds) if b.port(b.end(label)) == port)
        return slice(ends[k], ends[k + 1])

    def _resistor(self, label: str, effort: bool, given: int) -> int:
        if not self.laws.has(label, "matrix"):
            return self._answer(label, "output", given)
        direct = effort != self.graph.elements[label].conductance
        return self._record(op.multiply if direct else op.solve, self.law(label, "matrix"), given)

    def _junction(self, label: str, bond: Bond, variable: Variable, of: Callable[[Variable], int]) -> int:
        element, bonds = self.graph.elements[label], self.graph.at(label)
        ruling = "e" if element.kind == "0" else "f"
        if variable[0] == ruling:
            rules = next(b for b in bonds if given_to(label, b, self.plan.strokes)[0] == ruling)
            return of((ruling, rules.name))
        others = [b for b in bonds if b is not bond]
        if not others:
            return self._record(op.nothing(self.graph.widths[bond.name]))
        own = sign(label, bond)
        return self._sum([(-own * sign(label, b), of((variable[0], b.name))) for b in others])

    def _coupling(self, label: str, bond: Bond, variable: Variable) -> int:
        """TF: f_out = N f_in, e_in = Nᵀe_out;   GY: e_in = G f_out, e_out = Gᵀf_in;   inverted where strokes say so."""
        matrix = self.law(label, "matrix")
        if len(self.graph.at(label)) == 1:
            return self._record(op.multiply, matrix, self.value(("f", bond.name)))
        other = next(b for b in self.graph.at(label) if b is not bond)
        given = self.value(given_to(label, other, self.plan.strokes))
        return self._record(op.COUPLINGS[self._direction(label, bond, variable)], matrix, given)

    def _direction(self, label: str, bond: Bond, variable: Variable) -> tuple[bool, bool]:
        """Whether the matrix is used as it is (not transposed), and whether it is applied (not inverted)."""
        into, effort = bond.port(bond.end(label)) == "in", variable[0] == "e"
        if self.graph.elements[label].kind == "TF":
            direct = into == effort
            return (not into) if direct else into, direct
        return (into == effort), effort

    # -- rates --------------------------------------------------------------------------------------------------
    def _rate_of(self, state: State) -> int:
        """The rate of some states; of those that follow from others it is left out, and zero."""
        return self._once(("state rate", state.owner, state.kind), lambda: self._state_rate(state))

    def _state_rate(self, state: State) -> int:
        owner, kind = state.owner, state.kind
        if owner in self.plan.derivative:
            return self._record(op.nothing(len(state.names)))
        if kind == "coordinate":
            return self.value(("f", self.graph.at(owner)[0].name))
        if kind == "flow":
            return self._unknown[owner]
        if kind == "velocity" and owner in self.plan.driven:
            return self._unknown[owner]
        if kind == "velocity":
            terms = [(1, self.value(("e", self.graph.bond(owner, "I").name)))]
            if self.laws.has(owner, "drift"):
                terms.append((-1, self.law(owner, "drift")))
            return self._record(op.solve, self.law(owner, "A"), self._sum(terms))
        element = self.graph.elements[owner]
        port = "" if element.kind in ("C", "I") else {"q": "C", "p": "I"}[kind]
        rate = self.value(("f" if kind == "q" else "e", self.graph.bond(owner, port).name))
        if kind == "p" and owner in self.plan.driven:
            return self._record(op.multiply, self.law(owner, "unknown"), rate)
        return self._record(op.multiply, self.law(owner, "lift"), rate) if self.laws.has(owner, "lift") else rate

    def rate(self, variable: Variable) -> int:
        """The time derivative of a variable, by the same chain of causes."""
        return self._in_order(variable, ("rate",), self._rate)

    def _rate(self, variable: Variable) -> int:
        label = provider(self.graph, self.plan.strokes, variable)
        element, bond = self.graph.elements[label], self.graph.bonds_by_name[variable[1]]
        if variable in self.plan.torn or label in self.plan.stored or (element.free and element.kind == "0"):
            raise ModelError(
                f"what storages in derivative causality ({', '.join(self.plan.derivative)}) of {self.graph.name!r} "
                f"follow depends on {label!r}, which is itself solved for.\n"
                "Use graph.system(), or add a small storage between."
            )
        if element.junction:
            return self._unknown[label] if element.free else self._junction(label, bond, variable, self.rate)
        if element.kind in ("TF", "GY") and len(self.graph.at(label)) == 2:
            return self._coupling_rate(label, bond, variable)
        if element.kind in ("C", "I", "Se", "Sf") and not self.laws.of(label, "output").inputs:
            return self._formula_rate(label, "output")
        if element.kind in STORES and bond.port(bond.end(label)) == "I":
            return self._field_rate(label, variable)
        if element.kind == "R" and self.laws.has(label, "matrix"):
            own = given_to(label, bond, self.plan.strokes)
            return self._resistor(label, variable[0] == "e", self.rate(own))
        raise ModelError(
            f"{element.kind} {label!r} of {self.graph.name!r} would have to be differentiated for the storages in "
            f"derivative causality, {', '.join(self.plan.derivative)}.\nUse graph.system()."
        )

    def _coupling_rate(self, label: str, bond: Bond, variable: Variable) -> int:
        other = next(b for b in self.graph.at(label) if b is not bond)
        given = given_to(label, other, self.plan.strokes)
        use, direct = self._direction(label, bond, variable)
        matrix, drift = self.law(label, "matrix"), self.laws.of(label, "matrix").drift
        if drift is not None and use and direct and variable[0] == "f":
            moved = self._record(op.multiply, matrix, self.rate(given))
            return self._sum([(1, moved), (1, self._formula(drift, ("drift", label)))])
        turning = self._formula_rate(label, "matrix")
        turned = self._turned(label, turning, self.value(given if direct else variable), use)
        if direct:
            moved = self._record(op.COUPLINGS[use, True], matrix, self.rate(given))
            return self._sum([(1, moved), (1, turned)])
        return self._record(op.COUPLINGS[use, False], matrix, self._sum([(1, self.rate(given)), (-1, turned)]))

    def _turned(self, label: str, turning: int, value: int, use: bool) -> int:
        if not self.affine[turning]:
            return self._record(op.COUPLINGS[use, True], turning, value)
        self._check_known(value, label)
        return self._record(op.turned if use else op.turned_back, turning, value)

    def _field_rate(self, label: str, variable: Variable) -> int:
        """Of the flow of a field: its velocities, or d/dt(A⁻¹p) = A⁻¹(ṗ - Ȧ f)."""
        if label in self.plan.driven:
            return self._unknown[label]
        state = next(s for s in self.laws.states if s.owner == label and s.kind in ("velocity", "p"))
        if state.kind == "velocity":
            return self._rate_of(state)
        if self.laws.has(label, "flow"):
            return self._formula_rate(label, "flow")
        turned = self._turned(label, self._formula_rate(label, "A"), self.value(variable), True)
        return self._record(op.solve, self.law(label, "A"), self._sum([(1, self._rate_of(state)), (-1, turned)]))

    def _differentiated(self, label: str, variable: Variable) -> int:
        """The answer of a storage that follows: M d/dt(input)."""
        given = ("f" if variable[0] == "e" else "e", variable[1])
        return self._record(op.multiply, self.law(label, "matrix"), self.rate(given))

    def _formula_rate(self, label: str, role: str) -> int:
        """The time derivative of a formula along the motion."""
        return self._once(("formula rate", label, role), lambda: self._differentiate(label, role))

    def _differentiate(self, label: str, role: str) -> int:
        formula = self.laws.of(label, role)
        if formula.rates is not None:
            return self._formula(formula.rates, ("rates", label, role))
        if label in self.laws.inputs or formula.values is None:
            raise ModelError(
                f"input {label!r} of {self.graph.name!r} would have to be differentiated: give it as a law."
            )
        read = {symbol for entry in np.ravel(formula.values) for symbol in entry.free_symbols}
        states = [s for s in self.laws.states if read & {self.laws.symbols[name] for name in s.names}]
        slopes = formula.slopes_of([self.laws.symbols[name] for s in states for name in s.names])
        rates = [self._rate_of(state) for state in states]
        slot = self._formula(slopes, ("slopes", label, role))
        return self._record(op.along(tuple(self.affine[k] for k in rates)), slot, *rates)

    # -- unknowns -----------------------------------------------------------------------------------------------
    def _residuals(self) -> Any:
        """What must vanish, for each unknown in order."""
        for variable in self.plan.torn:
            yield self._sum([(1, self._unknown[variable]), (-1, self._computed(variable))])
        for label, variable in self.plan.solved.items():
            yield self._sum([(1, self._unknown[variable]), (-1, self._differentiated(label, variable))])
        for label in self.plan.free:
            yield self._sum([(sign(label, b), self.value(("e", b.name))) for b in self.graph.at(label)])
        for label in self.plan.closing:
            terms = [(sign(label, b), self.rate(("f", b.name))) for b in self.graph.at(label)]
            if self.laws.has(label, "drift"):  # what the moduli around it change by
                terms.append((1, self.law(label, "drift")))
            yield self._sum(terms)
        for label in self.plan.driven:
            yield self._accelerated(label)

    def _accelerated(self, label: str) -> int:
        """A ξ̇ less the effort at the I-port of a store, with what A changes by."""
        bond = self.graph.bond(label, "I")
        terms = [(1, self._record(op.multiply, self.law(label, "A"), self._unknown[label]))]
        terms.append((-1, self.value(("e", bond.name))))
        if (label, "p") in self.laws.places:
            turned = self._turned(label, self._formula_rate(label, "A"), self.value(("f", bond.name)), True)
            terms.append((1, turned))
        elif self.laws.has(label, "drift"):
            terms.append((1, self.law(label, "drift")))
        return self._sum(terms)

    @cached_property
    def numbers(self) -> Callable[[float, Any], list[Any]]:
        """All formulas of states and time at once, in the order of their slots."""
        from visviva.bonds.formula import all_numbers

        return all_numbers(list(self.formulas.values()), self.graph.name)


def sign(label: str, bond: Bond) -> int:
    """Power into an element is positive at the head."""
    return 1 if bond.head == label else -1
