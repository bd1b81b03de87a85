"""Rates of the states of a graph by one function of numbers, where its laws are short expressions.

A tape is run once on symbols; conditions of unknowns and rates, affine in them, are then two arrays of expressions, and
nothing but their numbers and one linear system is left for each instant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.bonds.operations import COUPLINGS, known_flow, solve
from visviva.errors import ModelError
from visviva.forms.kane.numbers import numbers_of

if TYPE_CHECKING:
    from visviva.bonds.plan import Plan

LONG = 4000  # operations: more take longer to read than they save
STEPS = 24  # of a tape: expressions of long chains are long
INVERSIONS = (solve, known_flow, COUPLINGS[True, False], COUPLINGS[False, False])


def scalar_rates(plan: Plan) -> Callable[[float, Array], Array] | None:
    """ẋ of (t, x), or None where expressions would be long, or are none."""
    from visviva.bonds.evaluation import Evaluation, solution

    tape, laws = plan.rates_tape, plan.laws
    formulas = [*tape.formulas.values(), *(f for label in plan.graph.elements for f in laws.all_of(label))]
    if (
        len(tape.steps) > STEPS
        or any(f.values is None for f in formulas)
        or any(operation in INVERSIONS for _, operation, _ in tape.steps)
    ):
        return None
    if sum(entry.count_ops() for f in tape.formulas.values() for entry in np.ravel(f.values)) > LONG:
        return None
    at = Evaluation(plan, None, 0.0, everything=False)
    parts = [at.affine(tape.residuals) if tape.n else np.zeros((0, 1), dtype=object), at.affine(tape.rates)]
    if sum(_length(entry) for part in parts for entry in part.ravel()) > LONG:
        return None
    numbers = numbers_of(parts, [*laws.scope.states, laws.t], laws.scope.parameters, repr(plan.graph.name))

    def rates(t: float, x: Array) -> Array:
        try:
            conditions, affine = numbers([*x, t])
        except ModelError:
            Evaluation(plan, x, t, everything=False)  # says which law it is
            raise
        if not tape.n:
            return affine[:, 0]
        return affine[:, 0] + affine[:, 1:].dot(solution(conditions, plan.undetermined))

    return rates


def _length(entry: Any) -> int:
    import sympy

    return int(sympy.sympify(entry).count_ops())
