"""Screws, gears, racks, drives and user's constraints against closed forms and minimal equations."""

from __future__ import annotations

import coupled_mechanisms
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv

COMPILED = {"PHMP": vv.PHMP(), "PHMPGGL": vv.PHMPGGL(), "LieMidpoint": vv.LieMidpoint()}
each = pytest.mark.parametrize("scheme", COMPILED.values(), ids=COMPILED.keys())


def order(m, names, references, t_end, h, scheme, **options):
    """Measured orders of the errors of some quantities at the end, over one halving of h."""
    errors = []
    for step in (h, 0.5 * h):
        run = vv.simulate(m, t_end, step, integrator=scheme, **options)
        pairs = zip(names, references, strict=True)
        errors.append([float(np.abs(run[name][-1] - reference).max()) for name, reference in pairs])
    return np.log2(np.array(errors[0]) / errors[1])


# -- closed forms --------------------------------------------------------------------------------------------------


@each
def test_a_rack_falls_as_its_closed_form_says(scheme):
    """(m + J/r²) z̈ = -m g."""
    m, _ = coupled_mechanisms.rack()
    a = -9.80665 / (1.0 + 0.04 / 0.05**2)
    assert order(m, ["guide.q"], [0.125 * a], 0.5, 0.02, scheme) == pytest.approx(2.0, abs=0.1)
    run = vv.simulate(m, 0.1, 0.01, integrator=scheme)
    assert_allclose(run["guide.q"], 0.05 * run["axle.q"], rtol=0, atol=1e-15)
    assert_allclose(run["teeth.reaction"], 1.0 * (a + 9.80665), rtol=1e-9)
    assert run.unit("teeth.reaction") == "N"


@each
def test_a_screw_under_a_torque_advances_as_its_closed_form_says(scheme):
    """(J + m p²) θ̈ = τ - m g p along a vertical axis."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("nut", mass=3.0, inertia=(0.2, 0.2, 0.05), at=(0, 0, 0))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.02)
    m.torque("motor", "thread")
    a = (0.9 - 3.0 * 9.81 * 0.02) / (0.05 + 3.0 * 0.02**2)
    turn = 0.5 * a * 0.5**2
    assert order(m, ["thread.q"], [turn], 0.5, 0.02, scheme, inputs={"motor": 0.9}) == pytest.approx(2.0, abs=0.1)
    run = vv.simulate(m, 0.2, 0.02, integrator=scheme, inputs={"motor": 0.9})
    assert_allclose(run["nut.r"][:, 2], 0.02 * run["thread.q"], rtol=0, atol=1e-15)
    axial = 3.0 * (9.81 + 0.02 * a)
    assert_allclose(run["thread.reaction"][:, 5], axial, rtol=1e-9)
    assert_allclose(run["thread.reaction"][:, 2], -0.02 * axial, rtol=1e-9)  # the thread turns the load into torque
    assert run.audit().ok


@each
def test_a_differential_shares_its_torque_equally(scheme):
    """J_l θ̈_l = f, J_r θ̈_r = f, J_c θ̈_c = τ - 2 f, with θ_l + θ_r = 2 θ_c."""
    m = vv.Mechanism()
    moments = {"left": 0.02, "right": 0.05, "carrier": 0.04}
    for name, J in moments.items():
        m.body(name, mass=1.0, inertia=(0.03, J, 0.03), at=(0, 0, 0))
        m.revolute(f"{name} shaft", m.ground, name, at=(0, 0, 0), axis=(0, 1, 0))
    m.coupler("gears", {"left shaft": 1.0, "right shaft": 1.0, "carrier shaft": -2.0})
    m.torque("engine", "carrier shaft")
    J_l, J_r, J_c = moments.values()
    # f/J_l + f/J_r = 2 (τ - 2 f)/J_c
    f = 2 * 0.3 / J_c / (1 / J_l + 1 / J_r + 4 / J_c)
    turn = 0.5 * f / J_l * 0.25
    assert order(m, ["left shaft.q"], [turn], 0.5, 0.025, scheme, inputs={"engine": 0.3}) == pytest.approx(2.0, abs=0.1)
    run = vv.simulate(m, 0.1, 0.025, integrator=scheme, inputs={"engine": 0.3})
    assert_allclose(run["gears.reaction"], f, rtol=1e-9)
    assert m.mobility() == 2


def test_gears_of_many_turns_keep_their_ratio_to_rounding():
    """An irrational ratio over a hundred turns: nothing accumulates, and the angles are those of the wheels."""
    m = vv.Mechanism()
    for name in "ab":
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
        m.revolute(f"j{name}", m.ground, name, at=(0, 0, 0), axis=(0, 0, 1), rate=30.0 if name == "a" else None)
    m.gear("mesh", "ja", "jb", ratio=-np.sqrt(2.0))
    run = vv.simulate(m, 20.0, 0.02)
    assert abs(run["ja.q"][-1]) > 90 * 2 * np.pi
    assert_allclose(run["ja.q"] + np.sqrt(2.0) * run["jb.q"], 0.0, atol=5e-13)
    assert run.audit().g <= 1e-15
    again = vv.simulate(m, 30.0, 0.02, initial=run.final)
    assert_allclose(again["ja.q"] + np.sqrt(2.0) * again["jb.q"], 0.0, atol=5e-13)


@pytest.mark.slow
@pytest.mark.parametrize("build", [coupled_mechanisms.screw, coupled_mechanisms.gears])
def test_rounding_of_couplings_does_not_accumulate(build):
    """Over a hundred thousand steps; the screw flies, gears turn many times, and coordinates round with their size."""
    m, part = build()
    run = vv.simulate(m, 1000.0, 0.01, record="g.*", every=100)
    audit = run.audit()
    assert audit.g <= 1e-14
    assert audit.first_law <= 1e-13
    assert np.abs(run[f"g.{part.name}"]).max() <= 1e-12


# -- minimal equations ---------------------------------------------------------------------------------------------


def screw_on_a_pendulum():
    """A nut that turns on a screw fixed to a swinging arm: two coordinates φ (arm) and θ (nut)."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("arm", mass=2.0, inertia=(0.05, 0.3, 0.3), at=(0.5, 0, 0))
    m.body("nut", mass=1.0, inertia=(0.02, 0.01, 0.01), at=(0.4, 0, 0))
    m.revolute("pivot", m.ground, "arm", at=(0, 0, 0), axis=(0, -1, 0), rate=0.5)
    m.screw("thread", "arm", "nut", at=(0.4, 0, 0), axis=(1, 0, 0), pitch=0.03, rate=6.0, friction=0.002)
    return m


def pendulum_reference(t_end):
    """T = ½ (J_a + m_a a² + J_n + m_n s²) φ̇² + ½ (I + m_n p²) θ̇², s = s0 + p θ, V = (m_a a + m_n s) g sin φ."""
    J = 0.3 + 2.0 * 0.25 + 0.01
    p, d, mn, inertia = 0.03, 0.002, 1.0, 0.02

    def f(_, y):
        phi, theta, w, v = y
        s = 0.4 + p * theta
        w_dot = (-2.0 * mn * s * p * v * w - (2.0 * 0.5 + mn * s) * 9.81 * np.cos(phi)) / (J + mn * s * s)
        v_dot = (mn * s * p * w * w - mn * p * 9.81 * np.sin(phi) - d * v) / (inertia + mn * p * p)
        return [w, v, w_dot, v_dot]

    return solve_ivp(f, (0, t_end), [0, 0, 0.5, 6.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@each
def test_a_screw_on_a_pendulum_converges_with_order_two(scheme):
    m, reference = screw_on_a_pendulum(), pendulum_reference(0.2)
    orders = order(m, ["pivot.q", "thread.q"], reference[:2], 0.2, 0.01, scheme)
    assert orders == pytest.approx(2.0, abs=0.15)


@each
def test_gears_with_different_moments_swing_as_one_pendulum(scheme):
    """Two arms coupled 1 : -2: (J1 + J2/4) θ̈ = -g (m1 a1 cos θ - ½ m2 a2 cos(θ/2)) in the first arm's angle."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("one", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.body("two", mass=2.0, inertia=(0.2, 0.2, 0.3), at=(0.4, 1, 0))
    m.revolute("a", m.ground, "one", at=(0, 0, 0), axis=(0, -1, 0), rate=1.0)
    m.revolute("b", m.ground, "two", at=(0, 1, 0), axis=(0, -1, 0))
    m.gear("mesh", "a", "b", ratio=-2.0)
    J1, J2 = 0.1 + 0.25, 0.2 + 2.0 * 0.16

    def f(_, y):
        torque = -9.81 * (0.5 * np.cos(y[0]) - 0.5 * 2.0 * 0.4 * np.cos(-0.5 * y[0]))
        return [y[1], torque / (J1 + J2 / 4)]

    reference = solve_ivp(f, (0, 0.5), [0, 1.0], method="DOP853", rtol=1e-12, atol=1e-13).y[0, -1]
    assert order(m, ["a.q"], [reference], 0.5, 0.02, scheme) == pytest.approx(2.0, abs=0.15)


@each
def test_a_bead_on_an_ellipsoid_converges_with_order_two(scheme):
    """r̈ = -g e_z - λ ∇g with λ from g̈ = 0, integrated by an explicit method."""
    m, _ = coupled_mechanisms.bead()
    A = np.diag([2.0, 1.0, 2.0 / 3.0])

    def f(_, y):
        r, v = y[:3], y[3:]
        n, pull = A @ r, np.array([0, 0, -9.81])
        lam = (n @ pull + v @ A @ v) / (n @ n)
        return np.concatenate([v, pull - lam * n])

    start = m.assemble()[0]
    y0 = np.concatenate([start.q["bead"], start.V["bead"]])
    reference = solve_ivp(f, (0, 0.5), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:3, -1]
    assert order(m, ["bead.r"], [reference], 0.5, 0.01, scheme) == pytest.approx(2.0, abs=0.15)


# -- drives --------------------------------------------------------------------------------------------------------


@each
def test_the_power_of_a_drive_is_the_change_of_energy(scheme):
    m, _ = coupled_mechanisms.driven_four_bar()
    run = vv.simulate(m, 0.5, 0.01, integrator=scheme)
    scale = run.energy_scale
    assert_allclose(np.diff(run["energy"]), 0.01 * run["motor.power"], rtol=0, atol=1e-14 * scale)
    assert_allclose(run["energy"] - run["energy"][0], run["motor.work"], rtol=0, atol=1e-13 * scale)
    assert_allclose(run["j1.q"], 4.0 * run.t + 0.5 * np.sin(2.0 * run.t), atol=1e-13)
    assert_allclose(run["j1.rate"], 4.0 + np.cos(2.0 * run.t), atol=1e-11)
    assert run.audit().ok


def test_the_reaction_of_a_drive_is_the_torque_that_its_power_asks_for():
    """P = dH/dt, with all positions a function of the crank's."""
    m, _ = coupled_mechanisms.driven_four_bar()
    h, k = 1e-3, 20
    run = vv.simulate(m, 25 * h, h, integrator=vv.PHMPGGL())
    torque = (run["energy"][k + 1] - run["energy"][k - 1]) / (2 * h) / run["j1.rate"][k]
    assert run["motor.reaction"][k] == pytest.approx(torque, rel=1e-4)
    assert run["motor.reaction_mid"][k - 1 : k + 1].mean() == pytest.approx(torque, rel=1e-4)


@each
def test_the_torque_of_a_driven_pendulum_is_its_closed_form(scheme):
    """τ = J θ̈ + m g a cos θ for a given θ(t)."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.2), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, -1, 0))
    m.drive("motor", "hinge", position=lambda t: np.sin(3.0 * t))
    run = vv.simulate(m, 0.5, 0.01, integrator=scheme)

    def torque(t):
        return (0.2 + 0.5) * -9.0 * np.sin(3.0 * t) + 2.0 * 9.81 * 0.5 * np.cos(np.sin(3.0 * t))

    assert_allclose(run["motor.reaction"], torque(run.t), rtol=0, atol=1e-9)
    mean = 0.5 * (run["motor.reaction_mid"][1:] + run["motor.reaction_mid"][:-1])
    assert_allclose(mean, torque(run.t[1:-1]), atol=0.02)


def test_inputs_replace_the_law_of_a_drive():
    m, _ = coupled_mechanisms.driven_four_bar()
    run = vv.simulate(m, 1.0, 0.01, inputs={"motor": lambda t: 2.0 + t})
    assert_allclose(run["j1.q"], 2.0 * run.t + 0.5 * run.t**2, atol=1e-13)
    assert_allclose(run["j1.rate"], 2.0 + run.t, atol=1e-11)
    assert run.audit().ok
    still = vv.simulate(m, 0.1, 0.01, inputs={"motor": 0.0})
    assert_allclose(still["j1.q"], 0.0, atol=1e-14)
    assert_allclose(still["work"], 0.0, atol=1e-14)


def test_a_driven_run_continues_where_it_ended():
    m, _ = coupled_mechanisms.driven_four_bar()
    whole = vv.simulate(m, 0.4, 0.01)
    first = vv.simulate(m, 0.2, 0.01)
    rest = vv.simulate(m, 0.4, 0.01, initial=first.final)
    assert_allclose(rest["j1.q"][-1], whole["j1.q"][-1], atol=1e-13)
    assert_allclose(rest.record.x[-1], whole.record.x[-1], atol=1e-12)


def test_a_drive_in_steps_of_order_four():
    m, _ = coupled_mechanisms.driven_four_bar()
    run = vv.simulate(m, 1.0, 0.02, integrator=vv.Suzuki4())
    assert_allclose(run["j1.q"], 4.0 * run.t + 0.5 * np.sin(2.0 * run.t), atol=1e-13)
    assert run.audit().ok
