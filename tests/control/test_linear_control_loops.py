"""Small errors of tracking loops: poles, margins and sampled loops against analytic cases and against runs."""

from __future__ import annotations

import numpy as np
import plants
import pytest
import scipy.linalg
from numpy.testing import assert_allclose
from plants import c, random_gains

import visviva as vv

APPROACHES = ("particle", "body", "energy")


def same_poles(found, wanted, atol=1e-7):
    assert_allclose(
        np.sort_complex(np.round(found, 9)), np.sort_complex(np.round(np.asarray(wanted, dtype=complex), 9)), atol=atol
    )


@pytest.mark.parametrize("approach", APPROACHES)
def test_poles_of_a_sliding_body(approach):
    """E1."""
    law = c.tracking(plants.cart(), {"rail": c.gains(2.0, 5.0, 7.0)}, approach)
    loop = law.linear()
    same_poles(loop.poles, np.roots([2.0, 5.0, 7.0]))
    assert loop.stable
    assert_allclose(loop.F, [[-3.0 * 7.0 / 2.0, -3.0 * 5.0 / 2.0]], atol=1e-9)


@pytest.mark.parametrize(("rate", "poles"), [(1.9, (-0.5 + 0.374j, -0.5 - 0.374j)), (2.1, (0.312, -1.312))])
def test_particles_lose_stiffness_with_the_speed_of_a_turning_reference(rate, poles):
    """E2."""
    gains = {"axle": c.gains(1.0, 1.0, 4.0)}
    particle = c.tracking(plants.wheel(), gains, "particle").linear([0.0], [rate])
    same_poles(particle.poles, poles, atol=1e-3)
    same_poles(particle.poles, np.roots([1.0, 1.0, 4.0 - rate**2]))
    assert particle.stable is (rate < 2.0)
    for approach in ("body", "energy"):
        same_poles(c.tracking(plants.wheel(), gains, approach).linear([0.0], [rate]).poles, np.roots([1.0, 1.0, 4.0]))


@pytest.mark.parametrize("approach", APPROACHES)
def test_spectrum_of_a_pvtol(approach):
    """E8."""
    m, actuators, eps = plants.pvtol()
    own = c.matching.pvtol((-3, -4, -5, -6), epsilon=eps, mass=1.7, g=plants.G)
    law = c.tracking(m, {("ground", "craft"): own.gains()}, approach, actuators=actuators)
    same_poles(law.linear().poles, [-3, -4, -5, -6, -1.7091 + 0.8228j, -1.7091 - 0.8228j], atol=2e-4)
    same_poles(law.linear().poles, law.matching().poles, atol=1e-6)


@pytest.mark.parametrize("name", ["arm", "free body", "quadcopter"])
def test_poles_at_rest_are_those_of_matching(name):
    if name == "arm":
        law, q = c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(1)}, "body"), np.full(6, 0.4)
    elif name == "free body":
        law, q = c.tracking(plants.free_body(), {("ground", "body"): random_gains(2)}, "energy"), None
    else:
        m, rotors = plants.quadcopter()
        law, q = c.tracking(m, {("ground", "craft"): random_gains(2)}, "body", actuators=rotors), None
    same_poles(law.linear(q).poles, law.matching(q).poles, atol=1e-5)


def test_a_spinning_reference_of_a_free_body_has_the_poles_of_rest():
    """Errors of a free body obey a system of their own in the body-based template, whatever the reference does."""
    law = c.tracking(plants.free_body(), {("ground", "body"): random_gains(2)}, "body")
    rest = law.linear().poles
    moving = law.linear(None, [1.0, -2.0, 0.5, 0.3, 0.2, -0.4], [0.3, 0.2, 0.1, 0, 1, 0]).poles
    same_poles(moving, rest, atol=1e-6)
    other = c.tracking(plants.free_body(), {("ground", "body"): random_gains(2)}, "particle")
    assert (
        np.abs(
            np.sort_complex(other.linear(None, [1.0, -2.0, 0.5, 0.3, 0.2, -0.4]).poles) - np.sort_complex(rest)
        ).max()
        > 0.1
    )


# -- margins ----------------------------------------------------------------------------------------------------------


def test_margins_of_two_integrators():
    """L = (d s + k)/s² per unit of inertia: |L(iω)| = 1 at ω² = (d² + √(d⁴ + 4 k²))/2, phase atan(d ω/k)."""
    d, k = 5.0, 7.0
    own = c.tracking(plants.cart(), {"rail": c.gains(1.0, d, k)}, "body").linear()
    found = own.margins()["push"]
    w = np.sqrt((d**2 + np.sqrt(d**4 + 4 * k**2)) / 2)
    assert found.frequency == pytest.approx(w, rel=1e-9)
    assert found.phase == pytest.approx(np.arctan(d * w / k), rel=1e-9)
    assert found.delay == pytest.approx(found.phase / w)
    assert found.gain == (0.0, np.inf)
    assert_allclose(own.loop([2.0])[0, 0, 0], (2j * d + k) / (2j) ** 2, rtol=1e-8)
    assert 0.3 < own.distance() <= 1.0 + 1e-5


def test_delay_margin_is_where_the_sampled_loop_becomes_unstable():
    loop = c.tracking(plants.cart(), {"rail": c.gains(1.0, 5.0, 7.0)}, "body").linear()
    late, tick = loop.margins()["push"].delay, 2e-3
    assert loop.sampled(tick, 0.995 * late - tick / 2).stable  # a hold is late by half of its period
    assert not loop.sampled(tick, 1.005 * late - tick / 2).stable


def test_gain_margin_of_three_lags():
    """L = 4/(s + 1)³: doubling the gain puts poles at ±i√3; |L| = 1 at 1 + ω² = 4^(2/3)."""
    A = np.array([[0, 1, 0], [0, 0, 1], [-1, -3, -3]], dtype=float)
    loop = c.LinearLoop(A, np.eye(3)[:, 2:], np.array([[-4.0, 0, 0]]), ("u",))
    found = loop.margins()["u"]
    w = np.sqrt(4 ** (2 / 3) - 1)
    assert found.gain == (0.0, pytest.approx(2.0, rel=1e-9))
    assert found.phase == pytest.approx(np.pi - 3 * np.arctan(w), rel=1e-9)
    assert np.abs(np.linalg.eigvals(loop.A + 2 * loop.B @ loop.F).real).min() < 1e-9


def test_an_upright_pendulum_needs_some_gain():
    """I s² - m g l: the gain may fall to m g l/(I k/m̄ + m g l)."""
    m = vv.Mechanism("upright", gravity=(0, -9.81, 0))
    rod = m.body("rod", mass=2.0, inertia=(0.2, 0.2, 0.3), com=(0, 0.4, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis="z")
    m.torque("motor", "hinge")
    loop = c.tracking(m, {"hinge": c.gains(1.0, 5.0, 7.0)}, "body").linear()
    inertia, weight = 0.3 + 2.0 * 0.4**2, 2.0 * 9.81 * 0.4
    assert loop.margins()["motor"].gain == (pytest.approx(weight / (7.0 * inertia + weight), rel=1e-7), np.inf)


# -- sampled ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.023, 0.03])
def test_a_sampled_loop_is_the_exact_one_at_ticks(delay):
    """Against fine steps of the held loop, with inputs that arrive late."""
    law = c.tracking(plants.scara(), {"first": c.gains(1.0, 5.0, 30.0), "second": c.gains(1.0, 7.0, 20.0)}, "body")
    loop, T = law.linear([0.2, 0.8]), 0.01
    found = loop.sampled(T, delay)
    n, nu = loop.B.shape
    x, way = np.array([0.3, -0.1, 0.5, 0.2]), []  # inputs that are on their way: (time, value)
    full = np.concatenate([x, np.zeros(len(found.A) - n)])
    acting, fine = np.zeros(nu), 1e-3
    for k in range(40):
        way.append((k * T + delay, loop.F @ x))
        for i in range(10):
            while way and way[0][0] <= k * T + i * fine + 1e-9:
                acting = way.pop(0)[1]
            both = np.zeros((n + nu, n + nu))
            both[:n, :n], both[:n, n:] = loop.A, loop.B
            x = (scipy.linalg.expm(fine * both) @ np.concatenate([x, acting]))[:n]
        full = found.A @ full
        assert_allclose(full[:n], x, atol=1e-10)


def test_short_periods_have_the_poles_of_the_continuous_loop():
    loop = c.tracking(plants.cart(), {"rail": c.gains(1.0, 5.0, 7.0)}, "body").linear()
    same_poles(loop.sampled(1e-5).rates, loop.poles, atol=1e-3)


@pytest.mark.parametrize("plant", ["scara", "quadcopter"])
def test_runs_of_small_errors_follow_the_sampled_loop(plant):
    """Ports that hold wrenches in axes of the world are not thrusts that turn with their body."""
    if plant == "scara":
        m = plants.scara()
        law = c.tracking(m, {"first": c.gains(1.0, 5.0, 30.0), "second": c.gains(1.0, 7.0, 20.0)}, "body")
        q = np.array([0.2, 0.8])
    else:
        m, rotors = plants.quadcopter()
        own = c.matching.quadcopter((-3, -4, -5, -6))
        law = c.tracking(m, {("ground", "craft"): own.gains()}, "body", actuators=rotors)
        q = np.array(law.d.q_built)
    d, T, size = law.d, 0.02, 1e-6
    loop = law.linear(q)
    x = size * np.random.default_rng(1).normal(size=2 * d.nv)
    sim = vv.Simulator(m, h=T / 8, integrator=vv.RK4())
    sim.reset((d.integrate(q, x[: d.nv]), x[d.nv :]))
    controller = law.at(q)
    for _ in range(5):
        values = controller(sim)
        sim.step(values, n=8)
        x = loop.sampled(T).A @ x
    q1, v1 = c.StateReading(d)(sim)
    found = np.concatenate([d.difference(q, q1), v1])
    assert_allclose(found, x, atol=2e-4 * np.abs(x).max())
    if plant == "quadcopter":  # the other loop is told from it
        both = scipy.linalg.expm(T * np.block([[loop.A, loop.B], [np.zeros((4, 16))]]))
        assert np.abs(both[:12, :12] + both[:12, 12:] @ loop.F - loop.sampled(T).A).max() > 1e-3
