"""Bond graphs of the whole catalogue of mechanisms: rates, energy and power of the graph are those of the model."""

from __future__ import annotations

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose

import visviva as vv

QUICK = ("particles", "gear in a loop", "rolling disc", "driven loop", "driven and sprung tree", "blade on an arm")
NAMES = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CATALOGUE]
NO_MOTION = ("gyroscope in warm bearings", "motor on a crank")


def somewhere(form, seed):
    """A state that is not that of the start, at a time."""
    rng = np.random.default_rng(seed)
    q, xi, s = form.initial
    q = form.advance_q(q, 0.02 * rng.normal(size=form.n))
    return 0.3, *form.projected(0.3, q, xi + rng.normal(size=form.n), s + 0.1 * rng.normal(size=len(s)))


def refused(name, form, figure):
    """Why there is no such figure."""
    traits = CATALOGUE[name].traits
    if name in NO_MOTION:
        return "states that are no motion"
    if figure in (3, 6) and (form.size_q != form.n or "nonholonomic" in traits):
        return "of holonomic systems"
    return ""


def by_name(form, q, xi, s):
    """States of the form and of the Model."""
    found = dict(zip((*form.q_names, *form.xi_names, *form.s_names), np.concatenate([q, xi, s]), strict=True))
    x = form.x(q, xi, s)
    for variable in form.model.variables:
        values = x[form.model.layout.x[variable.name]]
        names = [variable.name] if len(values) == 1 else [f"{variable.name}[{k}]" for k in range(len(values))]
        found = dict(zip(names, values, strict=True)) | found
    return found


def check(graph, form, states, expected, t, size):
    flow = graph.flow()
    y = np.array([states[name] for name in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(t, np.zeros(0), y, np.zeros(1))[0], strict=True))
    shown = [name for name in expected if name in found]
    assert {*form.q_names} <= {*shown}
    gap = max(abs(found[name] - expected[name]) for name in shown)
    assert gap < 1e-9 * size
    return flow, y


@pytest.mark.parametrize("name", NAMES)
def test_graph_of_a_mechanism_has_the_rates_of_the_model(name):
    entry = CATALOGUE[name]
    m = entry.build()
    form = vv.analytical(m, inputs=entry.inputs)
    graph = vv.bond_graph(m, inputs=entry.inputs)
    for seed in range(1, 3):
        t, q, xi, s = somewhere(form, seed)
        rates = np.concatenate([form.q_dot(q, xi), *form.rates(t, q, xi, s)])
        expected = dict(zip((*form.q_names, *form.xi_names, *form.s_names), rates, strict=True))
        flow, y = check(graph, form, by_name(form, q, xi, s), expected, t, np.abs(rates).max())
        if not m.thermals:  # there the energy of the form is exergy
            time = np.array([t])
            assert_allclose(flow.energy(np.zeros(0), y, time), form.energy(q, xi, s), rtol=1e-11, atol=1e-11)
            assert_allclose(flow.power(t, np.zeros(0), y, time), form.power(t, q, xi, s), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("figure", [1, 2, 4, 5, 3, 6])
@pytest.mark.parametrize("name", NAMES)
def test_figures_have_the_rates_of_the_model(name, figure):
    entry = CATALOGUE[name]
    m = entry.build()
    form = vv.analytical(m, inputs=entry.inputs)
    if refusal := refused(name, form, figure):
        with pytest.raises(vv.ModelError, match=refusal):
            vv.bond_graph(m, figure=figure, inputs=entry.inputs)
        return
    graph = vv.bond_graph(m, figure=figure, inputs=entry.inputs)
    momentum = figure in (3, 4)
    names = [f"p_{each}" for each in form.xi_names] if momentum else form.xi_names
    for seed in range(1, 3):
        t, q, xi, s = somewhere(form, seed)
        xi_dot, s_dot = form.rates(t, q, xi, s)
        point = form.at(q, xi, s)
        p_dot = point.M @ xi_dot + point.kane.A_dot @ xi
        rates = np.concatenate([form.q_dot(q, xi), p_dot if momentum else xi_dot, s_dot])
        expected = dict(zip((*form.q_names, *names, *form.s_names), rates, strict=True))
        states = dict(zip((*form.q_names, *form.s_names), np.concatenate([q, s]), strict=True))
        states |= dict(zip(names, point.M @ xi if momentum else xi, strict=True))
        size = np.abs(rates).max() + (np.abs(point.force(form.inputs_at(t, point)[0])).max() if momentum else 0.0)
        flow, y = check(graph, form, states, expected, t, size)
        time = np.array([t])
        assert_allclose(flow.energy(np.zeros(0), y, time), form.energy(q, xi, s), rtol=1e-11, atol=1e-11)
        assert_allclose(flow.power(t, np.zeros(0), y, time), form.power(t, q, xi, s), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("figure", [None, 1, 4])
@pytest.mark.parametrize("name", ["heavy top", "four bar", "driven loop", "rolling disc", "motor on a crank"])
def test_graph_moves_as_the_mechanism_does(name, figure):
    if figure is not None and name in NO_MOTION:
        return
    entry = CATALOGUE[name]
    m = entry.build()
    form = vv.analytical(m, inputs=entry.inputs)
    run = vv.simulate(vv.bond_graph(m, figure=figure, inputs=entry.inputs), 0.2, 0.1)
    reference = vv.simulate(form, 0.2, 0.01, integrator=vv.DOP853(tolerance=1e-11))
    for each in form.q_names:
        assert_allclose(run[each][-1], reference[each][-1], rtol=1e-6, atol=1e-6)
