"""Graphs of springs across joints: stiffnesses of differences, which are singular, and joints that close loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv


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
    gap = run["jb"] - run["ja"] if "jb" in run.names else run["coil.y[1]"] - run["coil.y[0]"]
    assert_allclose(gap, np.sin(w * run.t) / w, rtol=0, atol=1e-6)


@pytest.mark.parametrize("make", [shafts, bars])
def test_rates_are_those_of_the_mechanism(make):
    m = make()
    flow, form = vv.bond_graph(m).flow(), vv.analytical(m)
    a, b = (vv.simulate(one, 0.05, 0.005, integrator=vv.DOP853()) for one in (flow, form))
    assert_allclose(a["energy"], b["energy"], rtol=1e-9, atol=1e-9)
    assert np.ptp(b["energy.z"] if make is bars else b["energy.coil"]) > 1e-6 if "energy.z" in b.names else True
