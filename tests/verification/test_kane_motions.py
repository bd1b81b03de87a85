"""Motions by Kane's equations in all their forms: published numbers, other derivations, every joule of the drives."""

from __future__ import annotations

import numpy as np
import pytest
from kane_systems import (
    DISC,
    HOLONOMIC,
    KANE,
    disc,
    double_pendulum,
    driven_pendulum,
    euler_body,
    free_body,
    shaken_pendulum,
    sleigh,
    snakeboard,
)
from nonholonomic_references import Disc, Snakeboard
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva import demo

FINE = vv.DOP853(tolerance=1e-11)


def turned(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("form", KANE)
def test_sleigh_has_its_published_numbers(form):
    """M8 at t = 3: ω = 0.0817319482, v = 1.9067226139; E = 1.82."""
    run = vv.simulate(sleigh().form(form), 3.0, 0.05, initial=([0, 0, 0], [2, 1]), integrator=FINE)
    assert_allclose([run["w"][-1], run["v"][-1]], [0.0817319482, 1.9067226139], rtol=0, atol=1e-10)
    assert_allclose(run["energy"], 1.82, rtol=0, atol=1e-10)
    assert_allclose(run["p_v"], run["v"], rtol=1e-12)


@pytest.mark.parametrize("form", [*KANE, *HOLONOMIC])
def test_double_pendulum_has_its_published_numbers(form):
    """M3 at t = 1."""
    run = vv.simulate(double_pendulum().form(form), 1.0, 0.02, initial=([0, 0], [0, 0]), integrator=FINE)
    assert_allclose(run["q"][-1], [-2.7785125650, -2.3851873499], rtol=0, atol=2e-9)
    assert_allclose(run["xi"][-1], [-3.4065175330, -0.5160454721], rtol=0, atol=2e-9)


@pytest.mark.slow
@pytest.mark.parametrize("form", KANE)
def test_free_body_has_its_published_numbers(form):
    """M1: twist at t = 10, and the momentum in space."""
    start = ([0, 0, 0, 1, 0, 0, 0], [0.1, 2, 0.1, 1, 0, 0.5])
    run = vv.simulate(free_body().form(form), 10.0, 0.05, initial=start, integrator=FINE)
    twist = (-0.471885, -1.927805, 0.341083, 0.981652, -0.328929, -0.422097)
    assert_allclose(run["xi"][-1], twist, rtol=0, atol=1e-6)
    assert_allclose(run["energy"], 7.28, rtol=0, atol=1e-8)
    R, P = turned(run["q"][-1, 3:]), run["p"][-1]
    linear = R @ P[3:]
    angular = R @ P[:3] + np.cross(run["q"][-1, :3], linear)
    assert_allclose([*angular, *linear], (0.2, 6, 0.4, 2, 0, 1), rtol=0, atol=1e-7)


def test_free_body_is_one_motion_in_twists_and_in_angles():
    """Momentum form in quasi-velocities against Lagrange and Hamilton in the angles of R = R_y R_x R_z."""
    start = ([0, 0, 0, 1, 0, 0, 0], [0.1, 2, 0.1, 1, 0, 0.5])
    twist = vv.simulate(free_body().form("momentum"), 0.5, 0.05, initial=start, integrator=FINE)
    place, R = twist["q"][-1, :3], turned(twist["q"][-1, 3:])
    start = (np.zeros(6), [1, 0, 0.5, 2, 0.1, 0.1])
    for form in ("momentum", *HOLONOMIC):
        run = vv.simulate(euler_body().form(form), 0.5, 0.05, initial=start, integrator=FINE)
        x, y, z, a, b, c = run["q"][-1]
        assert_allclose([x, y, z], place, rtol=0, atol=1e-9)
        third = [np.sin(a) * np.cos(b), -np.sin(b), np.cos(a) * np.cos(b)]  # R e_z
        assert_allclose(third, R[:, 2], rtol=0, atol=1e-9)
        assert_allclose(np.tan(c), R[1, 0] / R[1, 1], rtol=1e-8)


@pytest.mark.parametrize("form", KANE)
def test_disc_is_that_of_moments_about_its_centre(form):
    own = Disc(DISC["m"], DISC["rho"], DISC["C"], DISC["A1"], DISC["g"])
    y0 = np.array([1.2, 0.0, 0.0, 0.0, 0.3, 1.1, -4.0])
    wanted = own.motion(y0, np.array([0.0, 1.0]))[-1]
    run = vv.simulate(disc().form(form), 1.0, 0.05, initial=(y0[:4], y0[4:]), integrator=FINE)
    assert_allclose([*run["q"][-1], *run["xi"][-1]], wanted, rtol=0, atol=1e-9)
    assert np.ptp(run["energy"]) < 1e-9


def test_snakeboard_is_that_of_multipliers():
    """Four velocities against six with two constraints; motors turn the rotor and the wheels."""
    own, system = Snakeboard(), snakeboard()
    q0, xi0 = np.array([0.0, 0.0, 0.2, 0.0, 0.5, -0.4]), np.array([0.3, 0.1, -0.2, 0.3])

    def torques(t):
        return np.array([0.5 * np.sin(2 * t), 0.02 * np.cos(3 * t), -0.03 * np.cos(3 * t)])

    v0 = system.at(q0, xi0).q_dot
    assert_allclose(own.rows(q0) @ v0, 0, atol=1e-14)
    wanted = own.motion(q0, v0, torques, np.array([0.0, 1.0]))[-1]
    for form in KANE[:2]:
        run = vv.simulate(system.form(form), 1.0, 0.05, initial=(q0, xi0), integrator=FINE)
        assert_allclose(run["q"][-1], wanted[:6], rtol=0, atol=1e-8)
        end = system.at(run["q"][-1], run["xi"][-1], 1.0)
        assert_allclose(end.q_dot, wanted[6:], rtol=0, atol=1e-8)
        motors = torques(1.0) @ run["xi"][-1, 1:]
        assert_allclose([end.power, run["power"][-1]], motors, rtol=1e-12)


@pytest.mark.parametrize("form", KANE)
def test_drive_of_the_pivot_brings_the_energy(form):
    """Power of the reaction (48), and of friction, adds up to the energy that the pendulum gains."""
    system, h = driven_pendulum(), 0.02
    run = vv.simulate(system.form(form), 1.0, h, initial=([0, 0.5], [0]), integrator=vv.Gauss8())
    drive, friction = run["u.drive"] * run["u"], -0.05 * run["w"] ** 2
    assert_allclose(drive + friction, run["power"], rtol=0, atol=1e-12)
    weights = np.ones(len(run.t))
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    gain = run["energy"][-1] - run["energy"][0]
    assert abs(gain) > 1
    work = h / 3 * weights @ run["power"]  # Simpson's rule: order 4 in h, with frequencies near 7/s
    assert work == pytest.approx(gain, abs=2e-3)
    twice = np.ones(len(run.t[::2]))
    twice[1:-1:2], twice[2:-1:2] = 4, 2
    coarse = 2 * h / 3 * twice @ run["power"][::2]
    assert abs(coarse - gain) > 12 * abs(work - gain)  # the difference is that of the rule


def test_time_as_a_known_velocity_is_the_motion_of_the_driven_pivot():
    driven = vv.simulate(driven_pendulum().form("momentum"), 0.6, 0.05, initial=([0, 0.5], [0]), integrator=FINE)
    shaken = vv.simulate(shaken_pendulum().form("momentum"), 0.6, 0.05, initial=([0.5], [0]), integrator=FINE)
    lagrange = vv.simulate(shaken_pendulum().form("lagrange"), 0.6, 0.05, initial=([0.5], [0]), integrator=FINE)
    for name in ("theta", "energy", "power"):
        assert_allclose(shaken[name][-1], driven[name][-1], rtol=0, atol=1e-8)
        assert_allclose(lagrange[name][-1], driven[name][-1], rtol=0, atol=1e-8)


def test_flows_of_the_forms_agree_with_an_independent_solver():
    form = sleigh().form("momentum")
    state = form.checked(([0, 0, 0], [2, 1]))

    def rates(t, y):
        p_dot, q_dot = form.rates(t, np.zeros(0), y[:2], y[2:])
        return np.concatenate([p_dot, q_dot])

    exact = solve_ivp(rates, (0, 1), np.concatenate([state.xi, state.s]), method="Radau", rtol=1e-9, atol=1e-10)
    run = vv.simulate(form, 1.0, 0.05, initial=([0, 0, 0], [2, 1]), integrator=FINE)
    assert_allclose([*run["p"][-1], *run["q"][-1]], exact.y[:, -1], rtol=0, atol=1e-7)


def test_run_continues_where_it_ended():
    form = driven_pendulum().form("momentum")
    whole = vv.simulate(form, 1.0, 0.05, initial=([0, 0.5], [0]), integrator=vv.Gauss8())
    half = vv.simulate(form, 0.5, 0.05, initial=([0, 0.5], [0]), integrator=vv.Gauss8())
    rest = vv.simulate(form, 1.0, 0.05, initial=half.final, integrator=vv.Gauss8())
    assert_allclose(rest["q"][-1], whole["q"][-1], rtol=0, atol=1e-12)
    assert_allclose(rest["u.drive"][-1], whole["u.drive"][-1], rtol=0, atol=1e-10)


def oscillator(**more):
    body = vv.KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, 0])
    return vv.kane("oscillator", q="x", bodies={"b": body}, V=lambda q: q.x**2, **more)


def test_friction_that_may_change_its_sign_is_an_impressed_force():
    """Negative beyond x² = 2, where it feeds the motion."""
    system = oscillator(tau={"x_dot": lambda q, xi: -0.2 * (1 - 0.5 * q.x**2) * xi.x_dot})
    assert not any(system.hamiltonian.R_map.value(np.array([0.5, 1.0])).ravel())
    run = vv.simulate(system, 3.0, 0.01, initial=([3.0], [0.0]), integrator=vv.DiscreteGradient())
    reference = vv.simulate(system, 3.0, 0.01, initial=([3.0], [0.0]), integrator=FINE)
    assert run.audit().ok
    assert run["energy"][-1] > run["energy"][0]
    assert_allclose(run["x"][-1], reference["x"][-1], rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("law", "R"),
    [
        (lambda xi: -0.2 * xi.x_dot, 0.2),
        (lambda q, xi: -0.2 * (1 + q.x**2) * xi.x_dot, 0.25),
        (lambda q, xi: -0.2 * (1 - np.cos(q.x) ** 2) * xi.x_dot, 0.2 * np.sin(0.5) ** 2),
    ],
)
def test_friction_that_is_never_negative_is_dissipation(law, R):
    found = oscillator(tau={"x_dot": law}).hamiltonian.R_map.value(np.array([0.5, 1.0]))
    assert_allclose(found, [[0, 0], [0, R]], rtol=1e-14)


@pytest.mark.parametrize("ended", ["velocity", "momentum"])
@pytest.mark.parametrize("form", ["velocity", "momentum", "model"])
def test_run_of_one_form_continues_in_any_other(ended, form):
    system = oscillator()
    first = vv.simulate(system.form(ended), 1.0, 0.01, initial=([1.0], [0.0]))
    what, scheme = (system, vv.DiscreteGradient()) if form == "model" else (system.form(form), vv.DOP853())
    name = "p_x_dot" if form == "model" else "p"
    for end in (first.final, first):
        rest = vv.simulate(what, 2.0, 0.01, initial=end, integrator=scheme)
        assert (rest.t[0], rest.t[-1]) == (1.0, 2.0)
        assert_allclose(rest["x"][0], first["x"][-1], rtol=1e-14)
        assert_allclose(np.ravel(rest[name])[0], -2 * np.sin(1.0), rtol=1e-8)
        assert_allclose(rest["x"][-1], np.cos(2.0), rtol=0, atol=1e-8 if form != "model" else 2e-5)


def test_momenta_of_a_mechanism_do_not_go_on_from_velocities():
    m = demo.pendulum()
    ended = vv.simulate(vv.analytical(m, form="kane-velocity"), 0.1, 0.01).final
    with pytest.raises(vv.ModelError, match="goes on from momenta, the run that ended has velocities"):
        vv.simulate(vv.analytical(m, form="kane-momentum"), 0.2, 0.01, initial=ended)


def test_model_of_a_kane_system_starts_at_the_time_that_is_given():
    run = vv.simulate(oscillator(), 2.0, 0.01, initial=([1.0], [0.0], 0.5), integrator=vv.DiscreteGradient())
    assert run.t[0] == 0.5


def test_energy_preserving_scheme_keeps_the_balance_of_a_nonholonomic_system():
    run = vv.simulate(
        disc().form("velocity"), 1.0, 0.05, initial=([1.2, 0, 0, 0], [0.3, 1.1, -4.0]), integrator=vv.BalancedGauss8()
    )
    assert np.ptp(run["energy"]) < 1e-12 * run["energy"][0]
