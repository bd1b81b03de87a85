"""State equations that were worked out by hand; half arrows turned about change signs and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from textbook_graphs import TEXTBOOK
from worked_graphs import WORKED

from visviva.bonds import TF, BondGraph
from visviva.forms.flows.flow import FlowState


def expression(text):
    names = {str(s) for s in sympy.sympify(text, locals={n: sympy.Symbol(n) for n in "QNSICE"}).free_symbols}
    return sympy.sympify(text, locals={name: sympy.Symbol(name, real=True) for name in names})


def same(a, b):
    return sympy.simplify(sympy.nsimplify(a - b)) == 0


@pytest.mark.parametrize("worked", WORKED, ids=lambda worked: worked.name)
def test_state_equations_are_those_worked_out(worked):
    equations = worked.graph.equations()
    for found, expected in ((equations.rates, worked.rates), (equations.dependent, worked.dependent)):
        assert {str(x) for x in found} == set(expected)
        for x, value in found.items():
            assert same(value, expression(expected[str(x)])), (x, value)


def turned(example, k):
    """The example with its bond k, between junctions, turned about; and with a transformer of -1 there instead."""
    bonds = [bond.replace("|", "") for bond in example.bonds]
    tail, head = (end.strip() for end in bonds[k].split("->"))
    back = [*bonds[:k], f"{head} -> {tail}", *bonds[k + 1 :]]
    mirror = [*bonds[:k], f"{tail} -> mirror -> {head}", *bonds[k + 1 :]]
    elements = {**example.elements, "mirror": TF(-1.0)}
    return (
        BondGraph("back", example.elements, back, **example.options),
        BondGraph("mirror", elements, mirror, **example.options),
    )


TURNED = [
    pytest.param(example, k, id=f"{example.name}-{k}")
    for example in (*TEXTBOOK, *WORKED)
    for k, bond in enumerate(example.bonds)
    if all(example.elements[end.strip().split(".")[0]].junction for end in bond.replace("|", "").split("->"))
]


@pytest.mark.parametrize(("example", "k"), TURNED)
def test_bond_turned_about_is_a_transformer_of_minus_one(example, k):
    back, mirror = (graph.flow() for graph in turned(example, k))
    assert back.plan.independent == mirror.plan.independent
    y = np.random.default_rng(k).uniform(0.5, 1.5, back.n)
    states = [flow.quantities(FlowState(0.7, np.zeros(0), y, np.zeros(1))) for flow in (back, mirror)]
    assert_allclose(*(flow.rates(0.7, np.zeros(0), y, np.zeros(1))[0] for flow in (back, mirror)), rtol=1e-10)
    for name, value in states[0].items():
        assert_allclose(value, states[1][name], rtol=1e-10, atol=1e-12, err_msg=name)
