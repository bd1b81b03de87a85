"""Graphs of springs across joints: stiffnesses of differences, which are singular, and joints that close loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.testing import readings
from visviva.testing.readings import Case


def shafts():
    """Two shafts, and a spring that knows the angle between them alone."""
    m = vv.Mechanism("shafts", gravity=(0, 0, 0))
    for k, name in enumerate("ab"):
        m.body(name, mass=1, inertia=(0.02, 0.02, 0.01), at=(0, 0, 0.3 * k))
        m.revolute(f"j{name}", "ground", name, at=(0, 0, 0.3 * k), axis=(0, 0, 1), rate=1.0 * k)
    m.joint_spring("coil", ["ja", "jb"], energy=lambda a, b: 0.5 * (a - b) ** 2)
    return m


def bars():
    """A four-bar linkage with a spring across two hinges, one of which closes it, and one of which is called C."""
    m = vv.Mechanism("bars", gravity=(0, 0, -9.81))
    points = [np.array(r, dtype=float) for r in ((0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4), (0.6, 0, 0))]
    for k, name in enumerate("abc"):
        m.body(name, mass=1, inertia=(0.01, 0.01, 0.01), at=0.5 * (points[k] + points[k + 1]))
    ends = ["ground", "a", "b", "c", "ground"]
    for k, name in enumerate("ABCD"):
        m.revolute(name, ends[k], ends[k + 1], at=points[k], axis=(0, 1, 0))
    m.joint_spring("z", ["A", "C"], energy=lambda a, b: a**2 + b**2)
    return m


def test_a_spring_of_a_difference_swings_as_it_does_on_paper():
    """θ_b - θ_a = sin(w t)/w with w² = 2 k/J."""
    run = vv.simulate(vv.bond_graph(shafts()), 0.2, 0.01)
    w = np.sqrt(2 * 1.0 / 0.01)
    gap = run["coil.y[1]"] - run["coil.y[0]"]
    assert_allclose(gap, np.sin(w * run.t) / w, rtol=0, atol=1e-6)


def closed_by(energy, names, **options):
    """The four-bar linkage of the demonstrations, with a spring across some of its hinges; C closes it."""

    def make():
        m = demo.four_bar().snapshot()
        m.joint_spring("coil", names, energy=energy, **options)
        return m

    return make


MECHANISMS = {
    "a difference": shafts,
    "a hinge of the tree and the one that closes": bars,
    "the hinge that closes": closed_by(lambda c: 3 * (c - 0.4) ** 2, ["C"]),
    "a difference with the hinge that closes": closed_by(
        lambda c, d: 5 * (c - d) ** 2, ["C", "D"], damping=np.diag([0.2, 0.3])
    ),
    "all hinges": closed_by(lambda a, b, c, d: 5 * (a - b + c) ** 2 + np.cos(d), ["A", "B", "C", "D"]),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_rates_energy_and_power_are_those_of_the_model(name):
    """At a state in no special pose."""
    m = MECHANISMS[name]()
    form = vv.analytical(m)
    q, _, s = form.initial
    rng = np.random.default_rng(3)
    eps, xi = (size * rng.uniform(0.5, 1.5, form.n) for size in (0.1, 0.5))
    q, xi, s = form.projected(0.0, form.advance_q(q, eps), xi, s)
    now = readings.instant(Case(m, {}), form.projected(0.0, q, xi, s))
    readings.READINGS["bond graph"](now)
    other = replace(now, v_dot=now.v_dot * (1 + 1e-4))
    with pytest.raises(AssertionError):
        readings.READINGS["bond graph"](other)


@pytest.mark.parametrize("name", MECHANISMS)
def test_graphs_run_with_the_energy_of_the_mechanism(name):
    m = MECHANISMS[name]()
    a, b = (
        vv.simulate(one, 0.05, 0.005, integrator=vv.DOP853()) for one in (vv.bond_graph(m).flow(), vv.analytical(m))
    )
    assert_allclose(a["energy"], b["energy"], rtol=1e-9, atol=1e-9)


def test_symbols_of_laws_that_are_numbers_are_refused():
    with pytest.raises(vv.ModelError, match="known by numbers only: the graph has no equations in symbols"):
        vv.bond_graph(shafts()).equations()
