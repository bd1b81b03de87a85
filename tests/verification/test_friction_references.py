"""Friction, heat, motors and stops of mechanisms against equations by hand and the one-dimensional library."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.demo.driven_crank import RADIUS, ROD, driven_crank
from visviva.demo.gyroscope import gyroscope
from visviva.language import compose
from visviva.library import friction, thermal, translation

SCHEMES = {"PHMP": vv.PHMP(), "Lie": vv.LieMidpoint(), "PHMPGGL": vv.PHMPGGL()}


def sliding(law=0.0, *, mass=1.0, heat_to=None, **options):
    """A body on a slide along x."""
    m = vv.Mechanism("sliding")
    if heat_to is not None:
        m.thermal("disc", **heat_to)
    m.body("block", mass=mass, inertia=(1, 1, 1))
    m.prismatic("slide", m.ground, "block", axis=(1, 0, 0), friction=law, heat_to=heat_to and "disc", **options)
    return m


# -- the one-dimensional library: the same steps, to rounding -----------------------------------------------------


def stick_slip(v=0.1, k=20.0):
    """A block on the ground is pulled by a spring from a heavy trolley: it sticks and slips."""
    law = vv.friction.stribeck(coulomb=1.0, static=1.6, speed=0.05, v_reg=5e-3)
    m = sliding(law)
    m.body("trolley", mass=1e4, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "trolley", axis=(1, 0, 0), rate=v)
    m.spring("spring", "trolley", "block", k=k, length=0.0)
    boxes = {
        "block": translation.mass(1.0),
        "trolley": translation.mass(1e4),
        "spring": translation.spring(k),
        "between": translation.kinematic(a=1, b=-1),
        "rub": friction.stribeck(1.0, 1.6, v_st=0.05, v_reg=5e-3),
        "env": thermal.environment(),
    }
    junctions = {
        "a": ("trolley.p", "between.a"),
        "b": ("block.p", "between.b", "rub.p"),
        "q": ("spring.q", "between.q"),
        "s": ("rub.s", "env.s"),
    }
    return m, compose("stick-slip", boxes, junctions), {"a": 1e4 * v, "b": 0.0, "q": 0.0}


@pytest.mark.parametrize("scheme", ["PHMP", "Lie"])
def test_stick_slip_is_that_of_the_library(scheme):
    m, composite, start = stick_slip()
    run = vv.simulate(m, t_end=4.0, h=2e-3, integrator=SCHEMES[scheme])
    flat = vv.simulate(composite, t_end=4.0, h=2e-3, initial=start)
    assert_allclose(run["slide.rate"], flat["b"][:, 0], rtol=0, atol=1e-9)
    assert_allclose(run["heat.slide"], flat["heat.rub"], rtol=0, atol=1e-9)
    stuck = np.abs(run["slide.rate"]) < 0.02
    assert np.count_nonzero(np.diff(stuck.astype(int)) == -1) >= 2  # it broke loose, and stuck again
    assert run.audit().ok


@pytest.mark.parametrize("scheme", ["PHMP", "Lie"])
def test_a_brake_that_gets_hot_is_that_of_the_library(scheme):
    def fades(theta):
        return np.exp(-(theta - 300) / 60)

    law = vv.friction.coulomb(2.0, v_reg=0.05, viscous=0.1, factor=fades)
    m = sliding(law, mass=3.0, rate=4.0, heat_to={"capacity": 0.4, "conductance_to_environment": 0.1})
    boxes = {
        "block": translation.mass(3.0),
        "rub": friction.coulomb(2.0, v_reg=0.05, d=0.1, factor=fades),
        "disc": thermal.capacity(0.4),
        "wall": thermal.conduction(0.1),
        "env": thermal.environment(),
    }
    junctions = {"p": ("block.p", "rub.p"), "s": ("rub.s", "disc.s", "wall.s1"), "e": ("wall.s2", "env.s")}
    flat = vv.simulate(compose("brake", boxes, junctions), t_end=4.0, h=0.02, initial={"p": 12.0, "s": 0.0})
    run = vv.simulate(m, t_end=4.0, h=0.02, integrator=SCHEMES[scheme])
    assert_allclose(3.0 * run["slide.rate"], flat["p"][:, 0], rtol=0, atol=1e-9)
    assert_allclose(run["entropy_stored.disc"], flat["entropy_stored.disc"], rtol=0, atol=1e-11)
    assert_allclose(run["environment"], flat["e"], rtol=0, atol=1e-11)
    theta = run["disc.temperature"]
    assert_allclose(theta, thermal.temperature(flat["s"][:, 0], 0.4), rtol=1e-12)
    assert theta.max() > 325  # it has got so hot that the law has faded


def test_elastic_stops_are_those_of_the_library():
    m = sliding(rate=2.0)
    m.stop("stops", "slide", -0.5, 0.5, stiffness=2e3, width=1e-2)
    boxes = {"m": translation.mass(1.0), "x": translation.kinematic(), "s": translation.stops(-0.5, 0.5, 2e3, 1e-2)}
    composite = compose("stops", boxes, {"p": ("m.p", "x.p"), "q": ("s.q", "x.q")})
    flat = vv.simulate(composite, t_end=3.0, h=2e-3, initial={"p": 2.0, "q": 0.0})
    run = vv.simulate(m, t_end=3.0, h=2e-3)
    assert_allclose(run["slide.q"], flat["q"][:, 0], rtol=0, atol=1e-8)
    assert np.count_nonzero(np.diff(np.sign(run["slide.rate"]))) >= 4
    assert np.ptp(run["energy"]) <= 1e-13 * run.energy_scale * 10


# -- by hand ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rod_pendulum_with_friction_that_heats_its_bearing_M10(scheme):
    """θ(1) = -2.53881655, ω(1) = 0.80634857, 300 s(1) = 300 · 0.00890811 J of heat: the bearing keeps all of it."""
    m = vv.Mechanism("M10", gravity=(0, -9.81, 0))
    bearing = m.thermal("bearing", capacity=5.0, temperature=290.0)
    rod = m.body("rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 0, 1), friction=0.3, heat_to=bearing)

    def end(h):
        run = vv.simulate(m, t_end=1.0, h=h, integrator=SCHEMES[scheme])
        assert run.audit().ok
        assert_allclose(run["energy"], run["energy"][0], rtol=0, atol=1e-12 * run.energy_scale)
        assert (np.diff(run["entropy_stored"]) >= 0).all()
        rise = run["bearing.temperature"][-1] - 290.0
        return np.array([run["hinge.q"][-1], run["hinge.rate"][-1], 5.0 * rise])

    exact = np.array([-2.53881655, 0.80634857, 300 * 0.00890811])
    coarse, fine = end(0.01), end(0.005)
    assert_allclose((4 * fine - coarse) / 3, exact, atol=3e-5)
    assert_allclose((coarse - exact) / (fine - exact), 4.0, rtol=0.05)


def crank_reference(voltage, t_end):
    """(angle, rate, current, temperatures of winding and guide) of the driven crank, in its one coordinate."""
    r, l, g = RADIUS, ROD, 9.81
    m_rod, m_slider, J_crank = 1.0 * ROD, 0.4, 0.5 * 1.2 * RADIUS**2
    J_rod = m_rod * (3 * 0.01**2 + ROD**2) / 12
    R, L, k, d = 0.6, 4e-3, 0.12, 1e-3

    def places(q):
        """Slider, and centre and angle of the conrod; the crank turns x towards -z."""
        pin = np.array([r * np.cos(q), -r * np.sin(q)])
        lean = np.arcsin(r * np.sin(q) / l)
        slider = pin[0] + l * np.cos(lean)
        return np.array([slider, 0.5 * (pin[0] + slider), 0.5 * pin[1], lean])

    def slopes(q):
        return np.imag(places(q + 1e-30j)) / 1e-30

    weights = np.array([m_slider, m_rod, m_rod, J_rod])

    def inertia(q):
        return J_crank + weights @ slopes(q) ** 2

    def rub(v):
        return (1.0 + 0.4 * np.exp(-((v / 0.5) ** 2))) * v / np.sqrt(v**2 + 0.2**2) + 0.5 * v

    def rate(t, y):
        q, w, i, hot, _ = y
        bend = (inertia(q + 1e-6) - inertia(q - 1e-6)) / 2e-6
        s = slopes(q)
        v = s[0] * w
        force = k * i - d * w - rub(v) * s[0] - m_rod * g * s[2] - 0.5 * bend * w**2
        heating = R * i**2 - 0.2 * (hot - 300)
        return [w, force / inertia(q), (voltage - R * i - k * w) / L, heating / 8.0, rub(v) * v / 4.0]

    solution = solve_ivp(rate, (0, t_end), [0, 0, 0, 300, 300], "DOP853", rtol=1e-11, atol=1e-12)
    return solution.y[:, -1]


@pytest.mark.parametrize("scheme", ["PHMP", "Lie"])
def test_a_crank_with_a_motor_is_that_of_its_minimal_form(scheme):
    def end(h):
        run = vv.simulate(driven_crank(), t_end=0.5, h=h, integrator=SCHEMES[scheme], inputs={"motor": 6.0})
        audit = run.audit()
        assert audit.ok
        assert audit.first_law <= 1e-13
        names = ("bearing.q", "bearing.rate", "motor.current", "winding.temperature", "guide.temperature")
        return np.array([run[name][-1] for name in names])

    exact = crank_reference(6.0, 0.5)
    scale = np.array([1, 10, 1, exact[3] - 300, exact[4] - 300])
    errors = [np.abs((end(h) - exact) / scale).max() for h in (1e-3, 5e-4)]
    assert errors[1] < 5e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert exact[0] > 2 * np.pi


def test_a_gyroscope_in_gimbals_closes_its_books_and_warms_its_bearings():
    run = vv.simulate(gyroscope(), t_end=1.0, h=1e-3)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    total = run["energy"] + run.model.theta0 * run["environment"][:, 0]
    assert_allclose(total, total[0], rtol=0, atol=1e-12 * run.energy_scale)
    assert (np.diff(run["entropy_stored"]) >= 0).all()
    assert run["oil.temperature"][-1] > 301
    mechanical = sum(run[f"energy.{name}"] for name in ("outer", "inner", "rotor", "weight"))
    warmth = 3.0 * (run["oil.temperature"] - 300) + 0.5 * (run["rings.temperature"] - 300)
    lost = run.model.theta0 * run["environment"][:, 0]
    assert_allclose(mechanical[0] - mechanical, warmth + lost, rtol=0, atol=1e-10)


# -- properties ---------------------------------------------------------------------------------------------------

LAWS = {
    "viscous": vv.friction.viscous(0.3),
    "coulomb": vv.friction.coulomb(0.5, v_reg=1e-3),
    "stribeck": vv.friction.stribeck(coulomb=0.4, static=0.9, speed=0.1, v_reg=1e-2),
    "cubic": lambda rate: 0.1 * rate**3,
    "quadratic": lambda rate: 0.1 * rate * np.abs(rate),
}


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=25, deadline=None)
@given(h=st.floats(1e-4, 0.3), rate=st.floats(-20, 20))
def test_friction_never_makes_a_negative_heat_at_any_step_size(law, h, rate):
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=vv.inertia.cylinder(1.0, 0.1, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0), rate=rate, friction=LAWS[law])
    run = vv.simulate(m, t_end=6 * h, h=h)
    assert (run.record.heat >= 0).all()
    if max(run.record.turn.max(), h * abs(rate)) < 2.0:  # near half a turn per step its direction is lost in rounding
        assert run.audit().ok


@settings(max_examples=40, deadline=None)
@given(h=st.floats(1e-4, 0.05), damping=st.floats(0, 1e5), speed=st.floats(0.01, 5))
def test_a_stop_never_pulls(h, damping, speed):
    """A body that hits the lower stop is pushed up at every step, however large loss and step are."""
    m = sliding(rate=-speed, limits=(-0.05, 1.0), stop_stiffness=1e3, stop_damping=damping)
    run = vv.simulate(m, t_end=60 * h, h=h)
    v = run["block.twist"][:, 3]
    beyond = run["slide.q"] < 0.4  # in the upper half the other stop, far away, is nearer
    steps = beyond[:-1] & beyond[1:]
    assert (np.diff(v)[steps] >= -1e-12 * speed).all()
    assert run.audit().ok


def test_stops_count_turns():
    """A flywheel passes its start three times before it comes to its stop at 20 rad; then it goes back."""
    m = vv.Mechanism("flywheel")
    m.body("wheel", mass=1.0, inertia=vv.inertia.cylinder(1.0, 0.2, 0.05, axis="z"))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis=(0, 0, 1), rate=10.0,
               limits=(-1.0, 20.0), stop_stiffness=50.0)  # fmt: skip
    run = vv.simulate(m, t_end=6.0, h=2e-3)
    q = run["axle.q"]
    assert 20.0 < q.max() < 21.5
    assert -2.5 < q.min() < -1.0
    assert run["energy.axle.stop"].max() == pytest.approx(run["energy"][0], rel=1e-3)
    free = (q > 0) & (q < 19)
    assert_allclose(np.abs(run["axle.rate"][free]), 10.0, rtol=1e-4)
    assert run.audit().ok


def test_a_lossy_stop_takes_energy_and_pushes():
    m = sliding(rate=-1.0, limits=(-0.1, 1.0), stop_stiffness=1e3, stop_damping=300.0)
    run = vv.simulate(m, t_end=0.5, h=1e-3)
    assert run["slide.rate"][-1] == pytest.approx(0.83, abs=0.05)  # Hunt and Crossley: about 1 - 2/3 · 0.3
    assert run["slide.stop.force"].min() >= -1e-9
    assert run["heat.slide.stop"][-1] == pytest.approx(0.5 * (1 - run["slide.rate"][-1] ** 2), rel=1e-3)
    assert all((np.diff(pair) >= 0) for pair in pairwise(run["heat.slide.stop"]))
