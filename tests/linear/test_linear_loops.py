"""Loops, redundant joints and any instant of a motion, against the model itself."""

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from linear_models import sorted_poles
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.compiler import initial_x
from visviva.linear.of_models import linearise_model


def reduced(form, states, q, s):
    """ẋ of the independent states of a mechanism at rest or not, from its accelerations: what A must be a slope of."""
    positions = [form.q_names.index(name) for name in states if name.endswith(".q")]
    rates = [form.xi_names.index(name) for name in states if name.endswith(".rate")]

    def f(x):
        p, eta = x[: len(positions)], x[len(positions) :]
        there = q.copy()
        for _ in range(12):  # close the loops with these coordinates held
            there[positions] = p
            g = form.open.g(form.x(there, None, s))
            Z = form.at(there, None, s).Z
            others = np.setdiff1d(np.arange(form.n), positions)
            there[others] -= np.linalg.lstsq(Z[:, others], g, rcond=1e-9)[0]
        Z = form.at(there, None, s).Z
        others = np.setdiff1d(np.arange(form.n), rates)
        xi = np.zeros(form.n)
        xi[rates] = eta
        xi[others] = -np.linalg.lstsq(Z[:, others], Z[:, rates] @ eta, rcond=1e-9)[0]
        point = form.at(there, xi, s)
        u, u_dot = form.inputs_at(0.0, point)
        return np.concatenate([xi[positions], form.solve(point, u, u_dot).xi_dot[rates]])

    return f


def slope(f, x, h=1e-4):
    return np.column_stack([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in h * np.eye(len(x))])


def test_a_four_bar_about_its_equilibrium_is_the_slope_of_its_accelerations():
    m = demo.four_bar()
    lin = vv.linearise(m)
    form, q, s = lin.shapes.form, lin.shapes.q, lin.shapes.s
    x = np.array([q[form.q_names.index(lin.states[0])], 0.0])
    f = reduced(form, lin.states, q, s)
    assert_allclose(f(x), 0.0, atol=1e-9)
    assert_allclose(lin.A, slope(f, x), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["four bar", "tilted four bar", "double pendulum"])
def test_any_instant_of_a_motion_is_the_slope_of_its_accelerations(name):
    m = CATALOGUE[name].build()
    form = vv.analytical(m)
    lin = vv.linearise(m, m.assemble()[0], residual_ok=True)
    start = form.initial
    assert np.abs(start.xi).max() > 0.5 or name == "double pendulum"
    x = np.array([*(start.q[form.q_names.index(n)] for n in lin.states if n.endswith(".q"))]
                 + [start.xi[form.xi_names.index(n)] for n in lin.states if n.endswith(".rate")])  # fmt: skip
    assert_allclose(lin.A, slope(reduced(form, lin.states, start.q, start.s), x), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    "name",
    ["four bar", "Bennett linkage", "spherical", "motor on a crank", "differential", "screw press"],
)
def test_eigenvalues_are_those_of_the_model_with_all_its_multipliers(name):
    """Maximal coordinates, multipliers eliminated by differentiating the rows: nothing in common but the model."""
    m = CATALOGUE[name].build()
    at = vv.equilibrium(m)
    few = vv.linearise(m, at)
    model = vv.compile(m)
    all_ = linearise_model(model, initial_x(model, at.motion), None, None, False, False)
    found = all_.poles()
    extra = len(found) - few.n
    counted = len(model.measured) + sum(part.rows for part in m.conditions if part.shifted)
    assert 0 <= extra <= counted  # angles and lengths that are measured are states of the model
    assert (np.abs(found[:extra]) < 1e-9).all()
    assert_allclose(sorted_poles(found[extra:]), sorted_poles(few.poles()), atol=2e-6)


def test_a_model_with_all_its_multipliers_needs_inertia():
    m = CATALOGUE["massless coupler"].build()
    model = vv.compile(m)
    with pytest.raises(vv.ModelError, match="without inertia"):
        linearise_model(model, initial_x(model, m.assemble()[0]), None, None, False, False)
    assert vv.linearise(m).n == 2


def test_independent_velocities_can_be_chosen():
    chosen = [vv.linearise(demo.four_bar(), velocities=[f"{hinge}.rate"]) for hinge in "AB"]
    assert [lin.states for lin in chosen] == [("A.q", "A.rate"), ("B.q", "B.rate")]
    assert_allclose(sorted_poles(chosen[0].poles()), sorted_poles(chosen[1].poles()), atol=1e-8)


def test_a_platform_on_springs_hangs_as_its_statics_say():
    lin = vv.linearise(demo.stewart())
    at = vv.equilibrium(demo.stewart())
    import scipy.linalg

    lowest = scipy.linalg.eigh(lin.mechanics.stiffness, lin.M, eigvals_only=True)[0]
    assert_allclose(lowest, at.lowest, rtol=1e-6)
    assert lin.n == 12
    assert lin.stable


def test_a_gear_stays_in_phase():
    """Two wheels on a gear, one with a torsion spring: one degree of freedom, ω² = k/(J1 + J2 r²)."""
    m = vv.Mechanism("gear")
    for name, x in (("one", 0.0), ("two", 1.0)):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.2), at=(x, 0, 0))
        m.revolute(f"{name} axle", m.ground, name, at=(x, 0, 0), axis=(0, 0, 1))
    m.gear("gear", "one axle", "two axle", ratio=3.0)
    m.torsion("spring", "one axle", k=7.0)
    lin = vv.linearise(m)
    assert lin.n == 2
    rates = np.array([lin.shapes.N[k, 0] for k in range(2)])
    ratio = abs(rates[0] / rates[1])
    assert_allclose(np.abs(lin.poles().imag), np.sqrt(7.0 / (0.2 + 0.2 / ratio**2)), rtol=1e-9)
