"""Heat against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import HOT_COLD, mixing

import visviva as vv
from visviva.language import compose
from visviva.library import thermal, translation


def test_two_bodies_come_to_the_temperature_of_mixing_exponentially():
    """θ1 - θ2 decays with k (1/c1 + 1/c2); c1 θ1 + c2 θ2 stays."""
    run = vv.simulate(mixing(thermal.conduction(0.5)), t_end=20.0, h=0.1, initial=HOT_COLD)
    theta_a, theta_b = thermal.temperature(run["a"][:, 0], 2.0), thermal.temperature(run["b"][:, 0], 3.0, 280.0)
    final = (2.0 * 350.0 + 3.0 * 290.0) / 5.0
    np.testing.assert_allclose(2.0 * theta_a + 3.0 * theta_b, 5.0 * final, rtol=1e-13)
    np.testing.assert_allclose(theta_a - theta_b, 60.0 * np.exp(-0.5 * (1 / 2 + 1 / 3) * run.t), atol=0.01)
    assert theta_a[-1] == pytest.approx(final, abs=0.02)


def test_a_body_cools_to_the_environment_by_convection():
    boxes = {"body": thermal.capacity(2.0), "air": thermal.convection(5.0, 0.2), "env": thermal.environment(280.0)}
    system = compose("cooling", boxes, {"s": ("body.s", "air.s1"), "s_env": ("air.s2", "env.s")})
    run = vv.simulate(system, t_end=5.0, h=0.05, initial={"s": thermal.entropy(400.0, 2.0)})
    theta = thermal.temperature(run["s"][:, 0], 2.0)
    np.testing.assert_allclose(theta, 280.0 + 120.0 * np.exp(-run.t / 2.0), atol=0.02)
    np.testing.assert_allclose(280.0 * run["s_env"][:, 0], 2.0 * (400.0 - theta), atol=1e-10)  # heat over θ0


@pytest.mark.parametrize(("v", "factor"), [(0.0, 1.0), (3.0, 10**0.4), (-3.0, 10**0.4)])
def test_wind_cools_faster_and_feels_nothing(v, factor):
    boxes = {
        "body": thermal.capacity(2.0),
        "wind": thermal.forced_convection(5.0, 0.2, v_half=1.0, n=0.8),
        "air": translation.mass(1.0),
        "env": thermal.environment(),
    }
    junctions = {"s": ("body.s", "wind.s1"), "s_env": ("wind.s2", "env.s"), "p": ("air.p", "wind.p")}
    start = {"s": thermal.entropy(400.0, 2.0), "p": v}
    run = vv.simulate(compose("wind", boxes, junctions), t_end=1.0, h=0.02, initial=start)
    assert run.audit().ok
    np.testing.assert_allclose(run["p"], v, atol=1e-14)
    theta = thermal.temperature(run["s"][:, 0], 2.0)
    np.testing.assert_allclose(theta, 300.0 + 100.0 * np.exp(-factor * run.t / 2.0), atol=0.02)


@pytest.mark.parametrize("n", [1.0, 3.0])
def test_a_power_law_body_has_the_capacity_it_says(n):
    """In contact with a body of constant capacity: both internal energies add up, U = c θ_ref/(n+1) (θ/θ_ref)^(n+1)."""
    c = 2.0
    system = mixing(thermal.conduction(0.5), a=thermal.power_law_capacity(c, n), b=thermal.capacity(3.0))
    start = {"a": thermal.power_law_entropy(350.0, c, n), "b": thermal.entropy(290.0, 3.0)}
    run = vv.simulate(system, t_end=30.0, h=0.2, initial=start)
    assert run.audit().ok
    theta_a = 300.0 * (n * run["a"][:, 0] / c) ** (1 / n)
    theta_b = thermal.temperature(run["b"][:, 0], 3.0)
    assert theta_a[0] == pytest.approx(350.0, rel=1e-12)
    U = c * 300.0 / (n + 1) * (theta_a / 300.0) ** (n + 1) + 3.0 * theta_b
    np.testing.assert_allclose(U, U[0], rtol=1e-12)
    assert theta_a[-1] == pytest.approx(theta_b[-1], abs=0.05)


def test_entropy_and_temperature_are_inverse():
    theta = np.array([1.0, 300.0, 5000.0])
    np.testing.assert_allclose(thermal.temperature(thermal.entropy(theta, 2.0, 290.0), 2.0, 290.0), theta, rtol=1e-14)
    assert thermal.entropy(290.0, 2.0, 290.0) == 0.0
