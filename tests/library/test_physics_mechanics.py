"""Translation and rotation against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import bouncing, oscillator
from scipy.special import ellipj, ellipk

import visviva as vv
from visviva.language import compose
from visviva.library import rotation, thermal, translation
from visviva.testing import check_storage


def angular(pe, inertia=1.0):
    boxes = {"pe": pe, "ke": rotation.inertia(inertia), "pkc": rotation.kinematic()}
    return compose("angular", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}, outer=("p",))


def test_an_oscillator_follows_its_cosine():
    run = vv.simulate(oscillator(translation.spring(4.0), m=0.25), t_end=1.0, h=2e-3, initial={"q": 1.0, "p": 0.0})
    np.testing.assert_allclose(run["q"][:, 0], np.cos(4.0 * run.t), atol=1e-4)


def test_a_torsion_spring_and_an_inertia_oscillate():
    run = vv.simulate(angular(rotation.spring(4.0), inertia=0.25), t_end=1.0, h=2e-3, initial={"q": 1.0, "p": 0.0})
    np.testing.assert_allclose(run["q"][:, 0], np.cos(4.0 * run.t), atol=1e-4)


def test_a_pendulum_follows_its_elliptic_function():
    """From rest at q0: sin(q/2) = k cd(ω t, k²) with k = sin(q0/2), ω² = g/l."""
    m, length, q0 = 2.0, 0.8, 2.5
    system = angular(rotation.pendulum(m, length), inertia=m * length**2)
    run = vv.simulate(system, t_end=1.0, h=2e-3, initial={"q": q0, "p": 0.0})
    k2 = np.sin(q0 / 2) ** 2
    sn = ellipj(ellipk(k2) - np.sqrt(9.81 / length) * run.t, k2)[0]
    np.testing.assert_allclose(run["q"][:, 0], 2 * np.arcsin(np.sqrt(k2) * sn), atol=2e-5)


def test_a_hard_spring_is_stiffer_by_its_cube():
    """The largest momentum from q0 is that of the energy k q0²/2 + k3 q0⁴/4."""
    run = vv.simulate(oscillator(translation.hard_spring(1.0, 3.0)), t_end=2.0, h=5e-3, initial={"q": 1.0, "p": 0.0})
    assert np.abs(run["p"]).max() == pytest.approx(np.sqrt(2 * (0.5 + 0.75)), rel=1e-4)


def test_a_weight_falls_and_a_force_pushes():
    for pe, a in ((translation.weight(2.0), -9.81), (translation.force(3.0), 1.5)):
        run = vv.simulate(oscillator(pe, m=2.0), t_end=1.0, h=0.1, initial={"q": 0.0, "p": 0.0})
        np.testing.assert_allclose(run["q"][:, 0], a * run.t**2 / 2, atol=1e-13)
    run = vv.simulate(angular(rotation.torque(3.0), inertia=2.0), t_end=1.0, h=0.1, initial={"q": 0.0, "p": 0.0})
    np.testing.assert_allclose(run["p"][:, 0], 3.0 * run.t, atol=1e-13)
    np.testing.assert_allclose(run["energy.pe"], -3.0 * run["q"][:, 0], atol=1e-13)


@pytest.mark.parametrize("damper", [translation.damper(0.5), rotation.damper(0.5)])
def test_a_damper_slows_exponentially(damper):
    mass = translation.mass(2.0) if damper.interface["p"].quantity.name == "momentum" else rotation.inertia(2.0)
    boxes = {"m": mass, "d": damper, "body": thermal.capacity(1.0)}
    system = compose("slowing", boxes, {"p": ("m.p", "d.p"), "s": ("d.s", "body.s")})
    run = vv.simulate(system, t_end=4.0, h=0.02, initial={"p": 1.0, "s": 0.0})
    np.testing.assert_allclose(run["p"][:, 0], np.exp(-run.t / 4), atol=1e-5)
    warmed = thermal.temperature(run["s"][:, 0], 1.0) - 300.0
    np.testing.assert_allclose(warmed, (1 - run["p"][:, 0] ** 2) / 4, atol=1e-11)  # all of it became heat


def test_a_spring_between_two_masses_leaves_their_momentum_alone():
    boxes = {
        "ma": translation.mass(1.0),
        "mb": translation.mass(3.0),
        "spring": translation.spring(3.0),
        "between": translation.kinematic(a=1, b=-1),
    }
    junctions = {"a": ("ma.p", "between.a"), "b": ("mb.p", "between.b"), "q": ("spring.q", "between.q")}
    run = vv.simulate(compose("pair", boxes, junctions), t_end=1.0, h=2e-3, initial={"a": 0.5, "b": 0.0, "q": 1.0})
    np.testing.assert_allclose(run["a"] + run["b"], 0.5, atol=1e-13)
    w = np.sqrt(3.0 / 0.75)  # of the reduced mass
    np.testing.assert_allclose(run["q"][:, 0], np.cos(w * run.t) + 0.5 / w * np.sin(w * run.t), atol=1e-4)


@pytest.mark.parametrize("ratio", [2.0, -0.5])
def test_a_lever_balances_forces_in_the_inverse_ratio_of_its_arms(ratio):
    """v_a = r v_b: the force r m g on b holds the weight m g on a, so that both go on at constant speed."""
    boxes = {
        "ma": translation.mass(1.0),
        "mb": translation.mass(4.0),
        "wa": translation.weight(1.0),
        "fb": translation.force(9.81 * ratio),
        "qa": translation.kinematic(),
        "qb": translation.kinematic(),
        "lever": translation.lever(ratio),
    }
    junctions = {
        "a": ("ma.p", "qa.p", "lever.a"),
        "b": ("mb.p", "qb.p", "lever.b"),
        "ha": ("wa.q", "qa.q"),
        "hb": ("fb.q", "qb.q"),
    }
    start = {"a": 0.1 * ratio, "b": 0.4, "ha": 0.0, "hb": 0.0}
    run = vv.simulate(compose("balance", boxes, junctions), t_end=1.0, h=0.1, initial=start)
    assert run.audit().ok
    np.testing.assert_allclose(run["hb"][:, 0], 0.1 * run.t, atol=1e-12)
    np.testing.assert_allclose(run["ha"], ratio * run["hb"], atol=1e-12)


def test_a_gear_shows_the_far_inertia_divided_by_its_ratio_squared():
    boxes = {
        "motor": rotation.inertia(0.1),
        "wheel": rotation.inertia(3.0),
        "gear": rotation.gear(5.0),
        "torque": rotation.torque(2.0),
        "pkc": rotation.kinematic(),
    }
    junctions = {"a": ("motor.p", "gear.a", "pkc.p"), "b": ("wheel.p", "gear.b"), "q": ("torque.q", "pkc.q")}
    run = vv.simulate(compose("geared", boxes, junctions), t_end=1.0, h=0.1, initial={"a": 0.0, "b": 0.0, "q": 0.0})
    assert run.audit().ok
    speed = run["a"][:, 0] / 0.1
    np.testing.assert_allclose(speed, 2.0 / (0.1 + 3.0 / 25) * run.t, atol=1e-11)
    np.testing.assert_allclose(speed, 5.0 * run["b"][:, 0] / 3.0, atol=1e-11)


def test_a_drum_lets_a_weight_down():
    """a = g / (1 + I/(m r²))."""
    boxes = {
        "load": translation.mass(2.0),
        "weight": translation.weight(2.0),
        "pkc": translation.kinematic(),
        "drum": rotation.inertia(0.5),
        "rope": rotation.rack(0.25),
    }
    junctions = {"v": ("load.p", "pkc.p", "rope.a"), "w": ("drum.p", "rope.b"), "h": ("weight.q", "pkc.q")}
    run = vv.simulate(compose("drum", boxes, junctions), t_end=1.0, h=0.1, initial={"v": 0.0, "w": 0.0, "h": 0.0})
    a = 9.81 / (1 + 0.5 / (2.0 * 0.25**2))
    np.testing.assert_allclose(run["h"][:, 0], -a * run.t**2 / 2, atol=1e-12)


# -- stops ---------------------------------------------------------------------------------------------------------


def test_stops_are_an_energy_with_an_exact_discrete_gradient():
    system = compose("one", {"stops": translation.stops(-0.5, 0.5, k=10.0, width=0.1)}, {"q": ("stops.q",)})
    check_storage(vv.compile(system).storages[0], 1)


def test_stops_push_back_beyond_the_range_and_hardly_inside():
    k, width = 1e4, 1e-3
    system = compose("one", {"stops": translation.stops(-1.0, 2.0, k=k, width=width)}, {"q": ("stops.q",)})
    storage = vv.compile(system).storages[0]
    assert storage.dH(np.array([2.1]))[0] == pytest.approx(k * 0.1, rel=1e-4)
    assert storage.dH(np.array([-1.1]))[0] == pytest.approx(-k * 0.1, rel=1e-4)
    y = 0.1
    assert storage.dH(np.array([2.0 - y]))[0] == pytest.approx(k * width**4 / (16 * y**3), rel=1e-2)


def test_a_ball_bounces_as_high_as_before_and_lower_with_loss():
    start = {"height": 1.0, "q": 1.0, "p": 0.0}
    peaks = []
    for d in (1e-9, 50.0):
        run = vv.simulate(bouncing(d), t_end=1.0, h=4e-3, initial=start)
        assert run.audit().ok
        assert run["q"].min() > -0.15
        after = run.t > 0.6
        peaks.append(run["q"][after, 0].max())
        np.testing.assert_allclose(run["q"], run["height"], atol=1e-12)
    assert peaks[0] == pytest.approx(1.0, abs=5e-3)
    assert peaks[1] < 0.9


def test_lossy_stops_never_pull():
    """A mass that leaves a stop at once, faster than stiffness over damping: only its weight slows it down."""
    h = 1e-3
    for q in (-0.05, 0.0):
        run = vv.simulate(bouncing(5e3), t_end=0.03, h=h, initial={"height": q, "q": q, "p": 5.0})
        contact = np.diff(run["p"][:, 0]) / h + 9.81
        assert contact.min() >= -1e-10
        assert run.audit().ok


def test_lossy_stops_are_those_of_joints():
    """`m.stop` with the same numbers: the same bounces, up to the error of the steps."""
    d, h = 400.0, 1e-3
    run = vv.simulate(bouncing(d), t_end=1.2, h=h, initial={"height": 1.0, "q": 1.0, "p": 0.0})
    m = vv.Mechanism("bouncing", gravity=(0, 0, -9.81))
    m.body("ball", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("guide", m.ground, "ball", axis=(0, 0, 1))
    m.stop("stop", "guide", low=-1.0, high=1.0, stiffness=2e3, damping=d, width=1e-2)
    same = vv.simulate(m, t_end=1.2, h=h)
    np.testing.assert_allclose(same["guide.q"] + 1.0, run["q"][:, 0], rtol=0, atol=2e-4)
    assert run["q"][run.t > 0.6, 0].max() < 0.5
