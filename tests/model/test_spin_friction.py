"""Friction of a ball by a matrix on its angular velocity, against Euler's equations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.geometry import SO3

D = np.diag([0.2, 0.5, 0.9]) + 0.1
J = np.diag([0.3, 0.4, 0.6])
W = np.array([1.0, -2.0, 0.5])


def top(D, parent="ground", child="top", **options):
    """A body that spins about its centre of mass, which is held by a ball joint."""
    m = vv.Mechanism("top", gravity=(0, 0, 0))
    m.body("top", mass=1, inertia=J, at=(0, 0, 0), twist=(*W, 0, 0, 0))
    m.spherical("ball", parent, child, at=(0, 0, 0), friction=D, **options)
    return m


def by_euler(t, n=4000):
    """ω in the body after the time t, and the heat, by the classical method of Runge and Kutta."""

    def rate(y):
        w = y[:3]
        return np.append(np.linalg.solve(J, -D @ w - np.cross(w, J @ w)), w @ D @ w)

    y, h = np.append(W, 0.0), t / n
    for _ in range(n):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y[:3], y[3]


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint], ids=lambda one: one.__name__)
def test_it_brakes_as_eulers_equations_say_with_an_error_of_second_order(scheme):
    w, heat = by_euler(0.5)
    errors = []
    for h in (0.02, 0.01):
        run = vv.simulate(top(D), 0.5, h, integrator=scheme(compiled=False))
        assert run.audit().ok
        errors.append(np.abs(run["top.twist"][-1, :3] - w).max())
        assert run["energy"][0] - run["energy"][-1] == pytest.approx(heat, rel=20 * h**2)
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_multiple_of_one_is_the_viscous_law():
    ends = []
    for friction in (0.4, 0.4 * np.eye(3)):
        run = vv.simulate(top(friction), 0.3, 0.005, integrator=vv.PHMP(compiled=False))
        ends.append(run["top.twist"][-1])
    assert_allclose(*ends, rtol=0, atol=2e-5)


def test_its_axes_turn_with_the_child():
    """With the body as the parent they stay with the ground: another motion, but for multiples of 1."""
    twists = {}
    for name, parent, child in (("child", "ground", "top"), ("parent", "top", "ground")):
        for word, friction in (("full", D), ("plain", 0.4 * np.eye(3))):
            m = top(friction, parent, child)
            run = vv.simulate(m, 0.4, 0.005, integrator=vv.PHMP(compiled=False))
            assert run.audit().ok
            twists[name, word] = run["top.twist"][-1]
    assert_allclose(twists["child", "plain"], twists["parent", "plain"], atol=1e-12)
    assert np.abs(twists["child", "full"] - twists["parent", "full"]).max() > 0.05


def test_the_heat_goes_where_it_is_sent():
    m = vv.Mechanism("warm", gravity=(0, 0, 0))
    m.thermal("oil", capacity=2.0)
    m.body("top", mass=1, inertia=J, at=(0, 0, 0), rotation=SO3.exp([0.3, 0.2, 0.1]), twist=(*W, 0, 0, 0))
    m.spherical("ball", "ground", "top", at=(0, 0, 0), friction=D, heat_to="oil")
    run = vv.simulate(m, 0.3, 0.01, integrator=vv.PHMP(compiled=False))
    assert run.audit().ok
    assert run["oil.temperature"][-1] > run["oil.temperature"][0] + 0.05


@pytest.mark.parametrize(
    ("friction", "says"),
    [
        (np.eye(2), r"friction of joint 'ball' must have shape \(3, 3\)"),
        (-np.eye(3), "positive semidefinite"),
        (np.triu(np.ones((3, 3))), "symmetric"),
    ],
)
def test_what_is_no_matrix_of_friction_is_refused(friction, says):
    with pytest.raises(vv.ModelError, match=says):
        top(friction)
