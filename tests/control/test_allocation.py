"""Inputs of a law: Gauss' principle, matching forces, secondary weights, limits."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains, random_state

import visviva as vv
from visviva.control.allocation import annihilator, factor, limited, matching_force, reached_inputs, unlimited
from visviva.errors import ModelError


def spd(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


def random_problem(seed, n=6, p=4):
    rng = np.random.default_rng(seed)
    return spd(rng, n), rng.normal(size=n), rng.normal(size=(n, p)), spd(rng, n), rng.normal(size=n), rng


# -- A7 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_loop_follows_the_template_but_for_the_matching_force(seed):
    M, b, B, M_bar, b_bar, _ = random_problem(seed)
    u0, H = unlimited(M, b, B, M_bar, b_bar, None)
    a = np.linalg.solve(M, B @ u0 - b)
    match = matching_force(M, b, M_bar, b_bar, annihilator(B), factor(M_bar, "it"))
    assert_allclose(M_bar @ a + b_bar, match.b_tilde, atol=1e-10)
    gap = a + np.linalg.solve(M_bar, b_bar)
    least = gap @ M_bar @ gap / 2
    by_force = match.b_tilde @ np.linalg.solve(M_bar, match.b_tilde) / 2
    assert_allclose([least, by_force], match.G0, rtol=1e-10)
    assert_allclose(H, H.T, atol=0)
    for e in np.eye(len(u0)):  # no other input does better
        worse = np.linalg.solve(M, B @ (u0 + 1e-3 * e) - b) + np.linalg.solve(M_bar, b_bar)
        assert worse @ M_bar @ worse / 2 > least


@pytest.mark.parametrize("seed", range(3))
def test_matching_force_does_not_depend_on_the_complement(seed):
    M, b, B, M_bar, b_bar, rng = random_problem(seed)
    P = annihilator(B)
    factored = factor(M_bar, "it")
    one = matching_force(M, b, M_bar, b_bar, P, factored)
    two = matching_force(M, b, M_bar, b_bar, P @ rng.normal(size=(2, 2)), factored)
    assert_allclose(two.b_tilde, one.b_tilde, atol=1e-10)
    assert_allclose(two.G0, one.G0, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_inputs_do_not_depend_on_the_scale_of_the_template(seed):
    M, b, B, M_bar, b_bar, _ = random_problem(seed)
    u, _ = unlimited(M, b, B, M_bar, b_bar, None)
    scaled, _ = unlimited(M, b, B, 7.0 * M_bar, 7.0 * b_bar, None)
    assert_allclose(scaled, u, atol=1e-10)
    one, two = (
        matching_force(M, b, s * M_bar, s * b_bar, annihilator(B), factor(s * M_bar, "it")).b_tilde for s in (1.0, 7.0)
    )
    assert_allclose(two, 7.0 * one, atol=1e-9)


def test_full_actuation_is_inversion_of_the_model():
    law = c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(1)}, "body")
    x = random_state(law.d, 2)
    e = law.evaluate(*x)
    M, b = law.d.mass_matrix(x[0]), law.d.bias(x[0], x[1])
    assert_allclose(e.u, b - M @ np.linalg.solve(e.M_bar, e.b_bar), rtol=1e-9)
    assert_allclose(e.a, -np.linalg.solve(e.M_bar, e.b_bar), rtol=1e-9)
    assert len(e.lam) == 0
    assert e.G0 == 0.0
    assert not np.any(e.b_tilde)


def test_rate_of_energy_has_the_power_of_matching_force_and_limits():
    """Ẇ = -v_Eᵀ D̄ v_E + v_Eᵀ (b̃ + M̄ M⁻¹ B (u - u0)) on one body."""
    m, actuators = plants.quadcopter()
    gains = {("ground", "craft"): c.matching.quadcopter((-6, -7, -8, -9)).gains()}
    for limits in (None, {"rotors": (0.1, 3.0)}):
        law = c.tracking(m, gains, "body", actuators=actuators, limits=limits)
        x = random_state(law.d, 3, 0.3)
        e = law.evaluate(*x)
        M, B = law.d.mass_matrix(x[0]), law.actuation.matrix(x[0])
        push = e.b_tilde + e.M_bar @ np.linalg.solve(M, B @ (e.u - e.u0))
        assert e.W_dot == pytest.approx(e.W_dot_template + e.v_E @ push, rel=1e-9)
        assert (limits is None) == (len(e.active) == 0)


# -- more inputs than needed ------------------------------------------------------------------------------------------


def double_wheel():
    m = vv.Mechanism("double wheel")
    body = m.body("wheel", mass=3.0, inertia=(1, 1, 2.0))
    m.revolute("axle", m.ground, body, axis="z", at=(0, 0, 0))
    m.torque("left", "axle")
    m.torque("right", "axle")
    return m


def test_weights_say_which_of_several_inputs_works():
    gains = {"axle": c.gains(1.0, 2.0, 3.0)}
    with pytest.raises(ModelError, match=r"2 inputs, of which 1 act differently \(left, right\)"):
        c.tracking(double_wheel(), gains)
    law = c.tracking(double_wheel(), gains, weight=(1.0, 3.0))
    x = [np.array([0.3]), *(np.zeros(1) for _ in range(4))]
    e = law.evaluate(*x)
    assert e.u.sum() == pytest.approx(-2.0 * 3.0 * np.sin(0.3), rel=1e-12)
    assert e.u[0] == pytest.approx(3.0 * e.u[1], rel=1e-12)
    bounded = c.tracking(double_wheel(), gains, weight=(1.0, 3.0), limits={"left": (-1.0, 1.0)}).evaluate(*x)
    assert bounded.u[0] == pytest.approx(-1.0, abs=1e-9)
    assert bounded.u.sum() == pytest.approx(e.u.sum(), rel=1e-12)  # the other one does the rest


def test_a_weight_must_be_positive():
    with pytest.raises(ModelError, match="weight of 2 inputs is 2 positive numbers"):
        c.tracking(double_wheel(), {"axle": c.gains(1.0, 2.0, 3.0)}, weight=(1.0, -1.0))


# -- limits -----------------------------------------------------------------------------------------------------------


def test_inputs_within_limits_are_those_without():
    H, u0 = np.diag([1.0, 2.0]), np.array([0.2, -0.3])
    found = limited(H, u0, (np.vstack([np.eye(2), -np.eye(2)]), np.ones(4)))
    assert found.u is u0
    assert found.status == "unlimited"


def test_limits_satisfy_the_conditions_of_optimality():
    rng = np.random.default_rng(4)
    for _ in range(50):
        H, u0 = spd(rng, 4), 3 * rng.normal(size=4)
        W, l = rng.normal(size=(7, 4)), rng.uniform(0.1, 1.0, 7)
        found = limited(H, u0, (W, l))
        assert (W @ found.u <= l + 1e-9).all()
        if found.status == "unlimited":
            continue
        assert_allclose(H @ (found.u - u0) + W.T @ found.multipliers, 0, atol=1e-7)
        assert (found.multipliers >= -1e-9).all()
        assert abs(found.multipliers @ (W @ found.u - l)) < 1e-7


def test_limits_are_given_by_name_or_as_half_planes():
    gains = {("ground", "tool"): random_gains(1)}
    law = c.tracking(plants.robot_arm(), gains, limits={"tau1": (-1, 2), "tau3": (-np.inf, 5)})
    W, l = law.limits
    assert_allclose(W[:, [0, 2]], [[1, 0], [-1, 0], [0, 1]])
    assert_allclose(l, [2, 1, 5])
    with pytest.raises(ModelError, match="Did you mean 'tau1'"):
        c.tracking(plants.robot_arm(), gains, limits={"tau_1": (-1, 2)})
    with pytest.raises(ModelError, match="lowest ≤ highest"):
        c.tracking(plants.robot_arm(), gains, limits={"tau1": (2, -1)})
    with pytest.raises(ModelError, match=r"W of shape \(m, 6\)"):
        c.tracking(plants.robot_arm(), gains, limits=(np.ones((2, 3)), np.ones(2)))
    with pytest.raises(ModelError, match="limits are given by input"):
        c.tracking(plants.robot_arm(), gains, limits=3)


def test_singular_desired_inertia_is_an_error_of_its_own():
    law = c.tracking(
        plants.scara(), {("ground", "two"): c.point_gains((0.3, 0, 0), mass=1, damping=2, stiffness=3)}, "particle"
    )
    still = np.zeros(2)
    with pytest.raises(c.SingularTemplateError, match="desired inertia of 'scara' is singular here"):
        law.evaluate(np.array([0.3, 0.0]), still, np.array([0.0, 1.0]), still, still)


# -- ports ------------------------------------------------------------------------------------------------------------


def test_thrusters_make_the_wrench_that_their_matrix_says():
    m = vv.Mechanism("craft", gravity=(0, 0, -9.81))
    body = m.body("craft", mass=1.2, inertia=(0.02, 0.03, 0.04), com=(0.01, 0.02, -0.03))
    m.wrench("rotors", body)
    own = c.thrusters([(0.2, 0, 0), (0, 0.2, 0.1)], [(0, 0, 1), (0, 0.6, 0.8)], drag=(0.02, -0.02))
    law = c.tracking(m, {("ground", "craft"): random_gains(2)}, actuators={"rotors": own})
    d = law.d
    q, v, *_ = random_state(d, 1)
    u = np.array([3.0, 5.0])
    ports = law.actuation.port_values(q, u)
    a = d.forward(q, v, ports["rotors"])
    assert_allclose(a, d.forward(q, v, tau=law.actuation.matrix(q) @ u), atol=1e-9)
    with pytest.raises(ModelError, match="length one"):
        c.thrusters([(0, 0, 0)], (0, 0, 2))
    with pytest.raises(ModelError, match="Did you mean 'rotors'"):
        c.tracking(m, {("ground", "craft"): random_gains(2)}, actuators={"rotor": own})


def test_mechanisms_without_force_inputs_are_refused():
    m = vv.Mechanism("bare")
    body = m.body("wheel", mass=3.0, inertia=(1, 1, 2.0))
    m.revolute("axle", m.ground, body, axis="z", at=(0, 0, 0))
    with pytest.raises(ModelError, match="has no input ports"):
        c.tracking(m, {"axle": c.gains(1, 1, 1)})
    m.motor("dc", "axle", resistance=1.0, inductance=0.01, k=0.2)
    with pytest.raises(ModelError, match="'dc' is the voltage of a motor"):
        c.tracking(m, {"axle": c.gains(1, 1, 1)})
    m.torque("push", "axle")
    with pytest.raises(ModelError, match="the current of motor 'dc' is a state that pushes 'bare'"):
        c.tracking(m, {"axle": c.gains(1, 1, 1)}, inputs=("push",))


@pytest.mark.parametrize("size", [1.0, 1e-4, 1e-11])
def test_units_of_an_input_do_not_decide_whether_it_acts(size):
    B = np.array([[1.0, 0.0, 1.0], [0.0, size, 1.0], [0.0, 0.0, 0.0]])
    assert_allclose(np.abs(annihilator(B)), [[0], [0], [1]], atol=1e-12)
    reached = reached_inputs(B)
    assert_allclose(reached @ reached.T, np.eye(2), atol=1e-14)
    lost = np.array([size, 1.0, -size])  # which B does not tell from none
    assert_allclose(B @ lost, 0, atol=1e-15)
    assert_allclose(reached @ lost, 0, atol=1e-14)
