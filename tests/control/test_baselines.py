"""Baselines as templates: computed torque, augmented PD, PD with gravity compensation, operational space."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, closed_loop, random_state

from visviva.errors import ModelError

JOINTS = {f"theta{i + 1}": c.gains(1.0, 3.0 + i, 5.0 + i) for i in range(6)}
D, K = 3.0 + np.arange(6), 5.0 + np.arange(6)


def law(approach, gains=None):
    return c.tracking(plants.robot_arm(), JOINTS if gains is None else gains, approach)


def test_computed_torque_makes_linear_decoupled_errors():
    own = law("computed torque")
    q, v, q_R, v_R, a_R = random_state(own.d, 1)
    e = own.evaluate(q, v, q_R, v_R, a_R)
    assert_allclose(e.a, a_R - D * (v - v_R) - K * (q - q_R), atol=1e-9)
    assert_allclose(e.u, own.d.inverse(q, v, e.a), atol=1e-9)
    wanted = np.concatenate([np.roots([1, d, k]) for d, k in zip(D, K, strict=True)])
    assert_allclose(np.poly(own.matching().poles), np.poly(wanted), rtol=1e-8)


def test_augmented_pd_is_4_38():
    own = law("augmented PD")
    d = own.d
    q, v, q_R, v_R, a_R = random_state(d, 1)
    e = own.evaluate(q, v, q_R, v_R, a_R)
    wanted = d.mass_matrix(q) @ a_R + d.coriolis_matrix(q, v) @ v_R + d.gravity(q) + d.passive(q, v)
    assert_allclose(e.u, wanted - D * (v - v_R) - K * (q - q_R), atol=1e-8)
    assert e.W_dot == pytest.approx(e.W_dot_template, rel=1e-9)


def test_pd_with_gravity_compensation_holds_and_dissipates():
    own = law("PD with gravity compensation")
    d = own.d
    q, v, q_R, *_ = random_state(d, 1)
    still = np.zeros(6)
    e = own.evaluate(q, v, q_R, still, still)
    assert_allclose(e.u, d.gravity(q) - D * v - K * (q - q_R), atol=1e-8)
    assert e.W_dot == pytest.approx(-v @ (D * v), rel=1e-9)


@pytest.mark.parametrize(
    "gains", [c.gains(1.0, 20.0, 100.0), c.gains((1.0, (0, 0, 0), 0.1), (20.0, (0, 0, 0), 1), (100.0, (0, 0, 0), 1))]
)
def test_operational_space_makes_linear_errors_of_a_tool(gains):
    rest = {f"theta{i + 1}": c.gains(1.0, 2.0, 0.0) for i in range(6)}
    own = law("operational space", {("ground", "tool"): gains, **rest})
    d = own.d
    q, v, q_R, v_R, a_R = random_state(d, 1)
    a = own.evaluate(q, v, q_R, v_R, a_R).a

    def tool(q, v, a):
        J = d.jacobian("tool", q)[3:]
        return d.pose("tool", q).r, J @ v, J @ a + d.bias_acceleration("tool", q, v)[3:]

    e, de, dde = (x - y for x, y in zip(tool(q, v, a), tool(q_R, v_R, a_R), strict=True))
    assert_allclose(dde + 20.0 * de + 100.0 * e, 0, atol=1e-7)


def test_energy_rates_of_baselines_are_differences():
    rest = {f"theta{i + 1}": c.gains(1.0, 2.0, 0.0) for i in range(6)}
    for own in (
        law("computed torque"), law("augmented PD"),
        law("operational space", {("ground", "tool"): c.gains(1.0, 20.0, 100.0), **rest}),
    ):  # fmt: skip
        d, h = own.d, 1e-4
        q, v, q_R, v_R, a_R = random_state(d, 2)
        e = own.evaluate(q, v, q_R, v_R, a_R)
        W = []
        for s in (h, -h):
            x = d.integrate(q, s * v + s * s / 2 * e.a), v + s * e.a
            R = d.integrate(q_R, s * v_R + s * s / 2 * a_R), v_R + s * a_R, a_R
            W.append(own.template.at(*x, *R).template.W)
        assert (W[0] - W[1]) / (2 * h) == pytest.approx(e.W_dot, rel=1e-5)


@pytest.mark.slow
def test_a_baseline_and_a_template_arrive_at_the_same_goal():
    m = plants.scara()
    joints = {"first": c.gains(1.0, 4.0, 4.0), "second": c.gains(1.0, 4.0, 4.0)}
    still, q_R = np.zeros(2), np.array([0.5, 0.9])
    for approach in ("computed torque", "energy", "augmented PD"):
        if approach == "augmented PD":  # its inertia is that of the arm
            joints = {"first": c.gains(1.0, 2.0, 4.0), "second": c.gains(1.0, 0.5, 1.0)}
        own = c.tracking(m, joints, approach)
        _, Q, _ = closed_loop(own, lambda t: (q_R, still, still), np.array([0.0, 0.3]), still, 6.0, 2e-2)
        assert_allclose(Q[-1], q_R, atol=2e-3)


def test_gains_of_baselines_are_checked():
    with pytest.raises(ModelError, match=r"no gains for theta2\.rate"):
        law("computed torque", {"theta1": c.gains(1, 1, 1)})
    with pytest.raises(ModelError, match="are those of joints, not of the pair"):
        law("augmented PD", {("ground", "tool"): c.gains(1, 1, 1)})
    with pytest.raises(ModelError, match="operational space has one pair"):
        law("operational space", {"theta1": c.gains(1, 1, 1)})
    with pytest.raises(ModelError, match="Did you mean 'tool'"):
        law("operational space", {("ground", "tol"): c.gains(1, 1, 1)})
    with pytest.raises(ModelError, match="critical points are those of a template of pairs"):
        c.critical_points(law("computed torque").template)
