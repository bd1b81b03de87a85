"""Evaluation of a causal graph, in symbols or in numbers: each variable of each bond by the element that provides it.

Outputs of storages that differentiate, one variable of each algebraic loop, and rates of flows that are states cannot
be computed in order. They are unknowns y of linear conditions,

    y_loop = law(y),      y_storage = M d/dt(input),      efforts at a free junction balance,

which are solved at each instant; rates are drawn through the same chain of causes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.bonds.computation import Variable, given_to, provider
from visviva.bonds.elements import STORES
from visviva.bonds.formula import Formula
from visviva.bonds.plan import Plan
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import Bond


class Evaluation:
    """All variables of a graph at one instant.

    x, t: numbers, or None for symbols.   y: the unknowns, in the order of the plan.
    known: formulas that do not depend on the unknowns, shared by all evaluations of one instant.
    """

    def __init__(self, plan: Plan, x: Array | None, t: float, y: Any, known: dict[int, Any]) -> None:
        self.known = known
        self.plan, self.graph, self.laws = plan, plan.graph, plan.laws
        self.x, self.t = x, t
        parts = np.split(np.asarray(y), np.cumsum(plan.sizes)[:-1]) if plan.sizes else []
        k = len(plan.torn)
        self.torn: dict[Variable, Any] = dict(zip(plan.torn, parts, strict=False))
        self.solved: dict[Variable, Any] = dict(zip(plan.solved.values(), parts[k:], strict=False))
        self.accelerations: dict[str, Any] = dict(zip(plan.free, parts[k + len(plan.solved) :], strict=True))
        self._values: dict[Variable, Any] = {}

    # -- formulas -----------------------------------------------------------------------------------------------
    def law(self, label: str, role: str, given: Any = ()) -> Any:
        """A formula of an element at this instant."""
        return self._at(self.laws.of(label, role), given)

    def _at(self, formula: Formula, given: Any = ()) -> Any:
        if self.x is None:
            return formula.symbolic(given)
        if len(given):
            return formula.numbers(self.t, self.x, given)
        if id(formula) not in self.known:
            self.known[id(formula)] = formula.numbers(self.t, self.x)
        return self.known[id(formula)]

    def solve(self, matrix: Any, vector: Any) -> Any:
        """matrix⁻¹ vector."""
        if self.x is not None:
            return np.linalg.solve(matrix, vector)
        return solved(matrix, vector)

    def state(self, owner: str, kind: str) -> Any:
        """States of an owner."""
        if self.x is None:
            return np.array(self.laws.own_symbols(owner, kind), dtype=object)
        return self.x[self.laws.places[owner, kind]]

    # -- values -------------------------------------------------------------------------------------------------
    def value(self, variable: Variable) -> Any:
        """An effort or flow."""
        if variable in self.torn:
            return self.torn[variable]
        if variable not in self._values:
            self._values[variable] = self.computed(variable)
        return self._values[variable]

    def computed(self, variable: Variable) -> Any:
        """The same by the law of its element, even if it is an unknown."""
        label = provider(self.graph, self.plan.strokes, variable)
        element, bond = self.graph.elements[label], self.graph.bonds_by_name[variable[1]]
        if element.junction:
            return self.state(label, "flow") if element.free else self._junction(label, bond, variable, self.value)
        if label in self.plan.stored:
            return self.solved[variable] if variable in self.solved else self._differentiated(label, variable)
        port = bond.port(bond.end(label))
        if element.kind in ("TF", "GY"):
            return self._coupling(label, bond, variable)
        own = given_to(label, bond, self.plan.strokes)
        if element.kind in ("C", "I"):
            return self.law(label, "output")
        if element.kind in STORES:
            if port == "C":
                role = self.laws.of(label, "effort")
                return self._at(role, self.value(own) if role.inputs or role.function else ())
            if self.laws.has(label, "flow"):
                return self.law(label, "flow")
            if (label, "velocity") in self.laws.places:
                return self.state(label, "velocity")
            return self.solve(self.law(label, "A"), self.state(label, "p"))
        if element.kind == "RS" and element.system is not None:
            given = [self.value(given_to(label, b, self.plan.strokes)) for b in self.graph.at(label)]
            outputs = self.law(label, "output", np.concatenate(given))
            return outputs[self._part(label, port)]
        if element.kind == "RS" and port == "heat":
            power = self.graph.bond(label, "in")
            return self.value(("e", power.name)) * self.value(("f", power.name)) / self.value(own)
        if element.kind in ("Se", "Sf"):
            return self.law(label, "output", self.value(own) if self.laws.reads_own(label) else ())
        return self._resistor(label, element.conductance, variable[0] == "e", self.value(own))

    def _part(self, label: str, port: str) -> slice:
        bonds = self.graph.at(label)
        ends = np.cumsum([0, *(self.graph.widths[b.name] for b in bonds)]).tolist()
        k = next(k for k, b in enumerate(bonds) if b.port(b.end(label)) == port)
        return slice(ends[k], ends[k + 1])

    def _resistor(self, label: str, conductance: bool, effort: bool, given: Any) -> Any:
        if not self.laws.has(label, "matrix"):
            return self.law(label, "output", given)
        matrix = self.law(label, "matrix")
        return matrix @ given if effort != conductance else self.solve(matrix, given)

    def _junction(self, label: str, bond: Bond, variable: Variable, of: Any) -> Any:
        element, bonds = self.graph.elements[label], self.graph.at(label)
        ruling = "e" if element.kind == "0" else "f"
        if variable[0] == ruling:
            rules = next(b for b in bonds if given_to(label, b, self.plan.strokes)[0] == ruling)
            return of((ruling, rules.name))
        total: Any = np.zeros(self.graph.widths[bond.name], dtype=object if self.x is None else float)
        for other in bonds:
            if other is not bond:
                total = total - _sign(label, other) * of((variable[0], other.name))
        return _sign(label, bond) * total

    def _coupling(self, label: str, bond: Bond, variable: Variable) -> Any:
        """TF: f_out = N f_in, e_in = Nᵀe_out;   GY: e_in = G f_out, e_out = Gᵀf_in;   inverted where strokes say so."""
        matrix = self.law(label, "matrix")
        if len(self.graph.at(label)) == 1:
            return matrix @ self.value(("f", bond.name))
        other = next(b for b in self.graph.at(label) if b is not bond)
        given = self.value(given_to(label, other, self.plan.strokes))
        use, direct = self._direction(label, bond, variable)
        matrix = matrix if use else matrix.T
        return matrix @ given if direct else self.solve(matrix, given)

    def _direction(self, label: str, bond: Bond, variable: Variable) -> tuple[bool, bool]:
        """Whether the matrix is used as it is (not transposed), and whether it is applied (not inverted)."""
        into, effort = bond.port(bond.end(label)) == "in", variable[0] == "e"
        if self.graph.elements[label].kind == "TF":
            direct = into == effort
            return (not into) if direct else into, direct
        return (into == effort), effort

    # -- rates --------------------------------------------------------------------------------------------------
    @cached_property
    def x_dot(self) -> Any:
        """Rates of all states; those that follow from others are left out, and zero."""
        parts = []
        for state in self.laws.states:
            owner, kind = state.owner, state.kind
            if owner in self.plan.derivative:
                parts.append(np.zeros(len(state.names), dtype=object if self.x is None else float))
            elif kind == "coordinate":
                parts.append(self.value(("f", self.graph.at(owner)[0].name)))
            elif kind == "flow":
                parts.append(self.accelerations[owner])
            elif kind == "velocity":
                force = self.value(("e", self.graph.bond(owner, "I").name))
                drift = self.law(owner, "drift") if self.laws.has(owner, "drift") else 0
                parts.append(self.solve(self.law(owner, "A"), force - drift))
            else:
                element = self.graph.elements[owner]
                port = "" if element.kind in ("C", "I") else {"q": "C", "p": "I"}[kind]
                parts.append(self.value(("f" if kind == "q" else "e", self.graph.bond(owner, port).name)))
        return np.concatenate(parts) if parts else np.zeros(0)

    def rate(self, variable: Variable) -> Any:
        """The time derivative of a variable, by the same chain of causes."""
        label = provider(self.graph, self.plan.strokes, variable)
        element, bond = self.graph.elements[label], self.graph.bonds_by_name[variable[1]]
        if variable in self.torn or label in self.plan.stored:
            raise ModelError(
                f"what storages in derivative causality ({', '.join(self.plan.derivative)}) of {self.graph.name!r} "
                "follow "
                f"depends on {label!r}, which is itself solved for.\nUse graph.system(), or add a small storage "
                "between."
            )
        if element.junction:
            return self.accelerations[label] if element.free else self._junction(label, bond, variable, self.rate)
        if element.kind in ("TF", "GY") and len(self.graph.at(label)) == 2:
            other = next(b for b in self.graph.at(label) if b is not bond)
            given = given_to(label, other, self.plan.strokes)
            use, direct = self._direction(label, bond, variable)
            turning, matrix = self.formula_rate(label, "matrix"), self.law(label, "matrix")
            turning, matrix = (turning, matrix) if use else (turning.T, matrix.T)
            if direct:
                return matrix @ self.rate(given) + turning @ self.value(given)
            return self.solve(matrix, self.rate(given) - turning @ self.value(variable))
        if element.kind in ("C", "I", "Se", "Sf") and not self.laws.of(label, "output").inputs:
            return self.formula_rate(label, "output")
        if element.kind == "R" and self.laws.has(label, "matrix"):
            own = given_to(label, bond, self.plan.strokes)
            return self._resistor(label, element.conductance, variable[0] == "e", self.rate(own))
        raise ModelError(
            f"{element.kind} {label!r} of {self.graph.name!r} would have to be differentiated for the storages in "
            f"derivative causality, {', '.join(self.plan.derivative)}.\nUse graph.system()."
        )

    def _differentiated(self, label: str, variable: Variable) -> Any:
        """The answer of a storage that follows: M d/dt(input)."""
        given = ("f" if variable[0] == "e" else "e", variable[1])
        return self.law(label, "matrix") @ self.rate(given)

    def formula_rate(self, label: str, role: str) -> Any:
        """The time derivative of a formula along the motion."""
        formula = self.laws.of(label, role)
        if formula.rates is not None:
            return self._at(formula.rates)
        if label in self.laws.inputs:
            raise ModelError(
                f"input {label!r} of {self.graph.name!r} would have to be differentiated: give it as a law."
            )
        slopes = self._at(formula.slopes)
        one = [1.0] if self.x is not None else [1]
        return slopes @ np.concatenate([self.x_dot, one])

    # -- unknowns -----------------------------------------------------------------------------------------------
    def residual(self) -> Any:
        """What must vanish, one entry for each unknown."""
        parts = [value - self.computed(variable) for variable, value in self.torn.items()]
        for label, variable in self.plan.solved.items():
            parts.append(self.solved[variable] - self._differentiated(label, variable))
        for label in self.plan.free:
            bonds = self.graph.at(label)
            parts.append(sum(_sign(label, bond) * self.value(("e", bond.name)) for bond in bonds))
        return np.concatenate(parts)


def evaluated(plan: Plan, x: Array | None, t: float) -> Evaluation:
    """The graph at an instant, its unknowns solved: conditions are affine in them."""
    known: dict[int, Any] = {}
    n, kind = sum(plan.sizes), (object if x is None else float)
    if not n:
        return Evaluation(plan, x, t, np.zeros(0, dtype=kind), known)
    zero, units = np.zeros(n, dtype=kind), np.eye(n, dtype=int if x is None else float)
    if x is None:
        zero, units = zero + _integer(0), units + _integer(0)
    r0 = Evaluation(plan, x, t, zero, known).residual()
    columns = np.stack([Evaluation(plan, x, t, unit, known).residual() - r0 for unit in units], axis=-1)
    if x is None:
        return Evaluation(plan, None, t, solved(columns, -r0), known)
    try:
        y = np.linalg.solve(columns, -r0)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the algebraic loops and derivative causality of {plan.graph.name!r} have no unique solution here: "
            f"{', '.join(label for loop in plan.causality.loops for label in loop) or ', '.join(plan.derivative)}."
        ) from None
    return Evaluation(plan, x, t, y, known)


def solved(matrix: Any, vector: Any) -> Any:
    """matrix⁻¹ vector of expressions."""
    import sympy

    if len(vector) == 1:
        return np.array([sympy.cancel(sympy.sympify(vector[0]) / matrix[0, 0])], dtype=object)
    found = sympy.Matrix(matrix.tolist()).LUsolve(sympy.Matrix(list(vector)))
    return np.array([sympy.cancel(sympy.together(entry)) for entry in found], dtype=object)


def _integer(k: int) -> Any:
    import sympy

    return sympy.Integer(k)


def _sign(label: str, bond: Bond) -> int:
    """Power into an element is positive at the head."""
    return 1 if bond.head == label else -1
