"""Rates of Jacobians: differences along the motion, J̇ v, and loops with balls in their trees."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robots import acted, arm, four_bar, state

import visviva as vv
from visviva.demo import slider_crank, stewart
from visviva.errors import ModelError

AXES = ("world", "body", "spatial")
h = 1e-5


def difference(d, name, q, v, rows):
    def J(s):
        return d.jacobian(name, d.integrate(q, s * v), rows)

    return (8 * (J(h) - J(-h)) - (J(2 * h) - J(-2 * h))) / (12 * h)


@pytest.mark.parametrize("rows", AXES)
@pytest.mark.parametrize(("build", "names"), [(arm, ("tool", "link3")), (acted, ("tool", "arm", "bob", "ground"))])
def test_rate_of_a_jacobian_is_its_difference_along_the_motion(build, names, rows):
    d = vv.dynamics(build())
    q, v, _ = state(d)
    for name in names:
        rate = d.jacobian_rate(name, q, v, rows)
        assert_allclose(rate, difference(d, name, q, v, rows), atol=1e-8)
        assert_allclose(rate @ v, d.bias_acceleration(name, q, v, rows), atol=1e-11)


@pytest.mark.parametrize(
    ("build", "name"), [(four_bar, "pen"), (slider_crank, "connecting rod"), (stewart, "platform")]
)
def test_rate_of_a_jacobian_over_independent_velocities_is_its_difference(build, name):
    d = vv.dynamics(build(), independent="rank")
    rng = np.random.default_rng(1)
    v = 0.3 * rng.normal(size=d.nv)
    q = d.integrate(d.q_built, 0.2 * v)
    name = name if name in d.frames else d.frames[-1]
    v = 0.4 * rng.normal(size=d.nv)
    for rows in AXES:
        rate = d.jacobian_rate(name, q, v, rows)
        steps = np.array([d.jacobian(name, d.integrate(q, s * v), rows) for s in (h, -h)])
        assert_allclose(rate, (steps[0] - steps[1]) / (2 * h), atol=2e-6)
        assert_allclose(rate @ v, d.bias_acceleration(name, q, v, rows), atol=1e-9)


def test_many_states_have_many_rates():
    d = vv.dynamics(arm())
    states = [state(d, seed) for seed in range(3)]
    Q, V = np.array([s[0] for s in states]), np.array([s[1] for s in states])
    found = d.jacobian_rate("tool", Q, V)
    assert found.shape == (3, 6, d.nv)
    assert_allclose(found[1], d.jacobian_rate("tool", Q[1], V[1]), atol=1e-14)


def test_dependent_velocities_have_no_rate_of_a_jacobian():
    d = vv.dynamics(four_bar())
    with pytest.raises(ModelError, match="independent='rank'"):
        d.jacobian_rate("pen", d.q_built, np.zeros(d.nv))
