"""Motors on screws, drives on gears, discs on plates: elements together, against equations written down by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import visviva as vv

SCHEMES = {"PHMP": vv.PHMP(), "LieMidpoint": vv.LieMidpoint()}
G = 9.81
ROLLED = {"PHMP": 5e-10, "LieMidpoint": 1e-13}  # [m]; that of PHMP falls with the fourth power of the step


def assert_exact(run):
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert audit.g <= 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_motor_lifts_a_nut_on_a_dry_screw(scheme):
    """(J + m p²) θ'' = k i - m g p - F(θ'), L i' = u - R i - k θ', c T' = R i²: second order in the step."""
    J, mass, p, k, R, L, c, u = 0.002, 1.5, 0.01, 0.08, 0.6, 0.01, 3.0, 9.0
    dry = vv.friction.coulomb(0.05, v_reg=0.5)

    def lift():
        m = vv.Mechanism("lift", gravity=(0, 0, -G))
        m.thermal("winding", capacity=c)
        m.body("nut", mass=mass, inertia=(J, J, J))
        m.screw("thread", m.ground, "nut", at=(0.1, 0, 0), axis=(0, 0, 1), pitch=p, friction=dry)
        m.motor("motor", "thread", resistance=R, inductance=L, k=k, heat_to="winding")
        return m

    def equations(_, y):
        _, w, i, _ = y
        friction = 0.05 * w / np.sqrt(w**2 + 0.25)
        inertia = J + mass * (p**2 + 0.1**2)  # the axis is 0.1 m beside the centre of mass
        return w, (k * i - mass * G * p - friction) / inertia, (u - R * i - k * w) / L, R * i**2 / c

    exact = solve_ivp(equations, (0, 0.4), (0, 0, 0, 300.0), "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    errors = []
    for h in (0.002, 0.001):
        run = vv.simulate(lift(), t_end=0.4, h=h, integrator=SCHEMES[scheme], inputs={"motor": u})
        assert_exact(run)
        names = ("thread.q", "thread.rate", "motor.current", "winding.temperature")
        errors.append(np.array([run[name][-1] for name in names]) - exact)
    np.testing.assert_allclose(errors[1] / np.maximum(np.abs(exact), 1.0), 0, atol=2e-4)
    assert np.abs(errors[0]).max() / np.abs(errors[1]).max() == pytest.approx(4, abs=0.4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_drive_carries_what_is_geared_to_it(scheme):
    """q_b = -q_a/3: M = J_a q_a'' + d q_a' + (J_b q_a''/3 + m g l sin(q_a/3))/3, of a mass that stands on its head."""
    m = vv.Mechanism("geared", gravity=(0, 0, -G))
    m.body("a", mass=1.0, inertia=(0.01, 0.01, 0.02))
    m.body("b", mass=2.0, inertia=(0.05, 0.04, 0.05), at=(1, 0, 0.3))
    m.revolute("on a", m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1), friction=0.03)
    m.revolute("on b", m.ground, "b", at=(1, 0, 0), axis=(0, 1, 0))
    m.gear("mesh", "on a", "on b", ratio=-3.0)
    m.drive("drive", "on a", position=lambda t: 2.0 * t + np.sin(3.0 * t))
    run = vv.simulate(m, t_end=0.5, h=0.002, integrator=SCHEMES[scheme])
    assert_exact(run)
    t = run.t
    q, w, a = 2 * t + np.sin(3 * t), 2 + 3 * np.cos(3 * t), -9 * np.sin(3 * t)
    np.testing.assert_allclose(run["on b.q"], -q / 3, rtol=0, atol=1e-12)
    torque = 0.02 * a + 0.03 * w + ((0.04 + 2 * 0.09) * a / 3 - 2 * G * 0.3 * np.sin(q / 3)) / 3
    np.testing.assert_allclose(run["drive.reaction"], torque, rtol=0, atol=1e-4)
    supplied = np.trapezoid(torque * w, t)
    assert run["drive.work"][-1] == pytest.approx(supplied, rel=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_disc_that_rolls_on_a_plate_pushes_it_away(scheme):
    """An upright disc rolls along a plate that slides freely: momentum is kept, and the disc feels no loss.

    Pulled by a force F against the ground: m v' = F - S, M u' = S, with the spin J w' = ρ S and v - u = ρ w.
    """
    m = vv.Mechanism("plate", gravity=(0, 0, -G))
    m.body("plate", mass=4.0, inertia=(1, 1, 1))
    m.body("disc", inertia=vv.inertia.cylinder(1.0, 0.2, 0.001, axis="y"), at=(0, 0, 0.2))
    m.prismatic("rail", m.ground, "plate", axis=(1, 0, 0))
    m.rolling_disc("edge", "plate", "disc", radius=0.2, axis=(0, 1, 0))
    m.wrench("pull", "disc")
    run = vv.simulate(m, t_end=0.5, h=0.005, integrator=SCHEMES[scheme], inputs={"pull": (0, 0, 0, 3.0, 0, 0)})
    assert_exact(run)
    J, rho = vv.inertia.cylinder(1.0, 0.2, 0.001, axis="y").J[1, 1], 0.2
    along = 1.0 / (1.0 + 1.0 / (1.0 / 4.0 + rho**2 / J))  # a_disc = F (1/M + ρ²/J)/(1 + 1/M + ρ²/J) for m = 1
    np.testing.assert_allclose(run["disc.r"][:, 0], 0.5 * 3.0 * along * run.t**2, rtol=0, atol=ROLLED[scheme])
    np.testing.assert_allclose(run["momentum"][:, 3], 3.0 * run.t, rtol=0, atol=1e-11)


def flying_screw():
    """Nut and bolt of their own, with a spring and a damper between two points."""
    m = vv.Mechanism("flying screw")
    m.body("nut", mass=2.0, inertia=(0.2, 0.3, 0.25), at=(0.1, 0, 0), twist=(0.3, -0.5, 1.0, 0.2, 0.1, -0.3))
    m.body("bolt", mass=1.0, inertia=(0.1, 0.12, 0.05), at=(0, 0.2, 0.4))
    m.screw("thread", "nut", "bolt", at=(0, 0.1, 0.2), axis=(0.2, 0.1, 1), pitch=0.15, rate=3.0)
    m.spring("spring", "nut", "bolt", at_a=(0.3, 0, 0), at_b=(0, 0.2, 0.9), k=20.0, length=0.3, damping=0.5)
    return m


ALL_SCHEMES = SCHEMES | {"PHMPGGL": vv.PHMPGGL()}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ALL_SCHEMES)
def test_a_screw_in_flight_keeps_its_thread_and_its_momentum(scheme):
    """Its angle is no polynomial of directors: the row holds by its discrete derivative."""
    run = vv.simulate(flying_screw(), t_end=5.0, h=0.01, integrator=ALL_SCHEMES[scheme])
    assert run.audit().first_law <= 1e-14
    assert np.abs(run["g"]).max() <= 1e-14
    P = run["momentum"]
    np.testing.assert_allclose(P, np.broadcast_to(P[0], P.shape), rtol=0, atol=1e-13 * np.abs(P).max())
    assert np.diff(run["heat"]).min() > 0
    if scheme == "PHMPGGL":
        assert np.abs(run["g_v"]).max() <= 4e-14


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.02, 0.002])
@pytest.mark.parametrize("scheme", ALL_SCHEMES)
def test_energies_that_are_not_quadratic_close_to_rounding(scheme, h):
    """Motor, screw, quartic and cosine torsion, exponential spring, Stribeck friction, gravity: 8e-13 J in each step.

    About 1100 J are exchanged in two seconds; no step has negative heat.
    """
    m = vv.Mechanism("all at once", gravity=(0, 0, -G))
    m.body("arm", mass=2.0, inertia=(0.05, 0.1, 0.1), at=(0.5, 0, 0))
    dry = vv.friction.stribeck(coulomb=0.4, static=0.9, speed=0.1, v_reg=0.02)
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=dry)
    m.motor("motor", "hinge", resistance=0.5, inductance=0.02, k=0.8)
    m.torsion("torsion", "hinge", energy=lambda q: 2.0 * q**4 + 5.0 * (1 - np.cos(q)))
    m.body("bolt", mass=0.8, inertia=(0.02, 0.02, 0.01), at=(1.0, 0, 0.1))
    m.screw("thread", "arm", "bolt", at=(1.0, 0, 0), axis=(0.1, 0, 1), pitch=0.1, rate=2.0)
    m.spring("rubber", m.ground, "bolt", at_a=(1.0, 0.5, 0.5), energy=lambda length: np.exp(2 * length))
    voltage = {"motor": lambda t: 24 * np.sin(3 * t)}
    run = vv.simulate(m, t_end=2.0, h=h, integrator=ALL_SCHEMES[scheme], inputs=voltage)
    assert run.audit().ok
    assert np.abs(np.diff(run["work"])).sum() > 1000
    assert np.abs(np.diff(run["energy"] + run["heat"] - run["work"])).max() <= 8e-13
    assert np.diff(run["heat"]).min() > 0
    assert np.abs(run["g"]).max() <= 2e-15
    if scheme == "PHMPGGL":
        assert np.abs(run["g_v"]).max() <= 4e-14
