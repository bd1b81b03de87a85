"""Static equilibrium: forces balance, reactions carry the weight, and stability is that of small oscillations."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from large_mechanisms import chain
from numpy.testing import assert_allclose

import visviva as vv
from visviva.demo import double_pendulum, four_bar
from visviva.integrate.descent import Descent
from visviva.integrate.equilibrium import equilibrium
from visviva.mechanism import Motion

G = 9.81
BAR = vv.inertia.cylinder(1.0, 0.05, 1.0, axis="z")


def pendulum(tilt: float, **spring) -> vv.Mechanism:
    """A bar of length 1 on a hinge about y, at an angle from hanging."""
    m = vv.Mechanism("pendulum", gravity=(0, 0, -G))
    R = vv.geometry.SO3.exp(np.array([0.0, tilt, 0.0]))
    m.body("bar", inertia=BAR, at=R.act(np.array([0, 0, -0.5])), rotation=R)
    m.revolute("hinge", m.ground, "bar", at=(0, 0, 0), axis=(0, 1, 0))
    if spring:
        m.torsion("spring", "hinge", **spring)
    return m


@pytest.mark.parametrize("angle", [0.0, 0.3, -1.5, 2.5])
def test_a_pendulum_hangs_and_its_hinge_carries_it(angle):
    found = equilibrium(pendulum(angle))
    assert_allclose(found.motion.q["bar"][:3], (0, 0, -0.5), rtol=0, atol=1e-12)
    force = np.linalg.norm(found.reactions["hinge"][3:])
    assert force == pytest.approx(G, rel=1e-12)
    assert_allclose(found.reactions["hinge"][:3], 0, atol=1e-12)
    assert found.energy == pytest.approx(-0.5 * G, rel=1e-12)
    inertia = 0.25 + float(BAR.J[1, 1])
    assert found.lowest == pytest.approx(0.5 * G / inertia, rel=1e-8)
    assert found.stable
    assert f"{np.sqrt(0.5 * G / inertia) / (2 * np.pi):.4g} Hz" in str(found)


def test_a_start_in_balance_is_kept_though_it_is_unstable():
    found = equilibrium(pendulum(np.pi))
    assert_allclose(found.motion.q["bar"][:3], (0, 0, 0.5), rtol=0, atol=1e-15)
    assert (found.stability, found.stable) == ("unstable", False)
    assert found.lowest == pytest.approx(-0.5 * G / (0.25 + float(BAR.J[1, 1])), rel=1e-8)


def test_a_torsion_spring_holds_it_where_moments_balance():
    """½ g sin θ = k (2 - θ); also beyond one turn, as the spring winds up."""
    found = equilibrium(pendulum(0.0, k=3.0, angle=2.0))
    theta = found.motion.angles["hinge"]
    assert 0.5 * G * np.sin(theta) == pytest.approx(3.0 * (2.0 - theta), rel=1e-10)
    wound = equilibrium(pendulum(0.0, k=50.0, angle=8.0)).motion.angles["hinge"]
    assert 0.5 * G * np.sin(wound) == pytest.approx(50.0 * (8.0 - wound), rel=1e-10)
    assert wound > 2 * np.pi


def test_a_mass_on_a_spring():
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.particle("p", mass=2.0, at=(0.1, 0, -1.0))
    m.spring("s", m.ground, "p", k=50.0, length=1.0, at_a=(0, 0, 0))
    found = equilibrium(m)
    assert_allclose(found.motion.q["p"], (0, 0, -1 - 2 * G / 50), rtol=0, atol=1e-10)
    assert found.lowest == pytest.approx(G / (1 + 2 * G / 50), rel=1e-6)  # as a pendulum
    assert found.reactions == {}


def test_a_loop_with_redundant_rows_comes_to_rest():
    m = four_bar()
    found = equilibrium(m)
    assert found.stable
    around = equilibrium(m, initial=found.motion)
    assert around.energy == pytest.approx(found.energy, rel=1e-12)
    run = vv.simulate(m, t_end=0.05, h=0.01, initial=found.motion)
    assert np.abs(run["momentum"]).max() < 1e-9
    assert_allclose(found.reactions["A"], run["A.reaction"][0], rtol=0, atol=1e-8)
    assert_allclose(found.reactions["D"], run["D.reaction"][0], rtol=0, atol=1e-8)


def test_the_stretched_double_pendulum():
    found = equilibrium(double_pendulum())
    assert found.stable
    angles = list(found.motion.angles.values())
    assert np.sin(angles[1]) == pytest.approx(0.0, abs=1e-9)


def test_directions_without_stiffness_are_told():
    """A bar on a ball joint may turn about the vertical."""
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("bar", inertia=BAR, at=(0.1, 0.2, -0.4))
    m.spherical("ball", m.ground, "bar", at=(0.1, 0.2, 0.1))
    found = equilibrium(m)
    assert (found.stability, found.stable) == ("neutral", False)


@pytest.mark.parametrize("arm", [0.5, 0.6, 0.7, 0.8, 0.9, 1.1])
def test_a_stiffness_of_rounding_is_none(arm):
    """A turntable with a hanging bob: about its axis the stiffness is what eigenvalues beside that of the bob round to,
    of either sign."""
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("table", mass=1, inertia=(1, 1, 1))
    m.revolute("post", m.ground, "table", axis=(0, 0, 1), at=(0, 0, 0))
    m.body("bob", mass=1, inertia=(0.1, 0.1, 0.1), at=(2 * arm, 0, 0))
    m.revolute("pin", "table", "bob", at=(arm, 0, 0), axis=(0, 1, 0))
    assert equilibrium(m).stability == "neutral"


def test_what_cannot_move_is_in_equilibrium():
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("block", inertia=BAR, at=(1, 0, 0))
    m.fixed("weld", m.ground, "block", at=(0, 0, 0))
    found = equilibrium(m)
    assert found.lowest is None
    assert found.stable
    assert_allclose(found.reactions["weld"], (0, -G, 0, 0, 0, G), rtol=0, atol=1e-12)


def test_large_chains_hang_straight(monkeypatch):
    monkeypatch.setattr(sys.modules[equilibrium.__module__], "FEW", 0)
    found = equilibrium(chain(6))
    assert found.energy == pytest.approx(-G * 18.0, rel=1e-12)
    assert found.stability == "neutral"  # each link may spin
    assert np.linalg.norm(found.reactions["joint0"][3:]) == pytest.approx(6 * G, rel=1e-10)


@pytest.mark.slow
def test_a_chain_of_thirty_links():
    found = equilibrium(chain(30))
    assert found.energy == pytest.approx(-G * 450.0, rel=1e-10)


# -- errors -----------------------------------------------------------------------------------------------------


def test_what_falls_has_no_equilibrium():
    m = vv.Mechanism("stone", gravity=(0, 0, -G))
    m.particle("p", mass=2.0, at=(0, 0, 0))
    with pytest.raises(vv.AssemblyError, match=r"(?s)no equilibrium of mechanism 'stone'.*'p' would start with 9.81"):
        equilibrium(m)


def bead_on_a_swinging_arm():
    m = pendulum(1.0)
    m.particle("bead", mass=0.4, at=(0.5, 0, -0.5))
    m.point_on_line("wire", "bar", "bead", at=(0.5, 0, -0.5), axis=(0.2, 0.1, -1))
    return m


def nut_on_a_screw():
    m = vv.Mechanism("press", gravity=(0, 0, -G))
    m.body("nut", mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1)
    return m


def unbalanced_nut():
    m = vv.Mechanism("press", gravity=(0, 0, -G))
    m.body("nut", mass=2.0, inertia=(0.1, 0.2, 0.3), at=(0.2, 0.1, 0))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis=(0.1, 0, 1), pitch=1.0)
    return m


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (bead_on_a_swinging_arm, r"'bead' would start with .* as 'wire.q' changes: a force of"),
        (nut_on_a_screw, r"'nut' would start with .* along \(0, 0, -1\) as 'thread.q' changes"),
        (unbalanced_nut, r"'nut' would start with .* as 'thread.q' changes"),
        (CATALOGUE["branching tree"].build, r"'tail' would start with .* as '(table|rail).q' changes"),
    ],
)
def test_what_falls_on_and_on_is_seen_after_few_steps(make, found, monkeypatch):
    steps, newton = [], Descent._newton
    monkeypatch.setattr(Descent, "_newton", lambda self, now: steps.append(now) or newton(self, now))
    with pytest.raises(vv.AssemblyError, match=rf"(?s)no equilibrium of mechanism .*{found}"):
        equilibrium(make())
    assert len(steps) < 60


def test_a_long_fall_ends_on_a_spring():
    """A drift that is followed in ever longer steps is still a descent: it does not jump over what stops it."""
    m = vv.Mechanism("lift", gravity=(0, 0, -G))
    m.body("cabin", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0.5))
    m.prismatic("rail", m.ground, "cabin", axis=(0, 0, 1))
    m.stop("buffer", "rail", -40.0, 1.0, stiffness=1e4, width=1e-6)
    found = equilibrium(m)
    assert found.motion.q["cabin"][2] == pytest.approx(0.5 - 40.0 - G / 1e4, rel=1e-9)


def test_springs_without_tension_are_in_balance():
    """Where nothing acts, rounding is no force that is left over."""
    m = vv.Mechanism("at ease")
    for k in range(2):
        m.body(f"block{k}", mass=3.0, inertia=(0.1, 0.1, 0.1), at=(0.3 * (k + 1), 0, 0))
        m.prismatic(f"rail{k}", m.ground, f"block{k}", axis=(1, 0, 0))
    m.spring("first", m.ground, "block0", at_a=(0, 0, 0), k=3000.0)
    m.spring("second", "block0", "block1", k=80.0)
    found = equilibrium(m)
    assert found.stable
    assert_allclose(found.motion.q["block1"][:3], (0.6, 0, 0), rtol=0, atol=1e-12)


def test_bodies_without_mass_hide_no_stiffness():
    """Their stiffness over mass is beyond all bounds, and no measure for that of the others."""
    m = pendulum(0.3)
    m.body("cage", massless=True, at=(0, 0, 0))
    m.revolute("bearing", "bar", "cage", at=(0, 0, 0), axis=(0, 1, 0))
    m.torsion("wire", "bearing", k=1.0)
    found = equilibrium(m)
    assert (found.stability, found.lowest) == ("stable", pytest.approx(0.5 * G / (0.25 + float(BAR.J[1, 1])), rel=1e-6))


def test_only_mechanisms_have_one():
    with pytest.raises(vv.ModelError, match="takes a Mechanism, got int"):
        equilibrium(3)


def test_an_initial_motion_of_other_bodies_is_refused():
    with pytest.raises(vv.ModelError, match="of other bodies"):
        equilibrium(pendulum(0.0), initial=Motion({"x": np.zeros(3)}, {"x": np.zeros(3)}, {}))


def test_gears_may_turn_by_more_than_half_a_turn_on_the_way():
    """Two pendulums with q_a = -2 q_b, angles downwards from the x axis: 2 m_a cos q_a = m_b cos q_b."""
    m = vv.Mechanism("geared", gravity=(0, 0, -9.81))
    for k, mass in enumerate((1.0, 3.0)):
        m.body(f"bob{k}", inertia=vv.inertia.sphere(mass, 0.1), at=(0.5, k, 0))
        m.revolute(f"hinge{k}", m.ground, f"bob{k}", at=(0, k, 0), axis=(0, 1, 0))
    m.gear("mesh", "hinge0", "hinge1", ratio=-2.0)
    found = vv.equilibrium(m)
    b = np.arccos((3 - np.sqrt(41)) / 8)
    assert found.stable
    assert found.motion.angles["hinge1"] == pytest.approx(b, abs=1e-9)
    assert found.motion.angles["hinge0"] == pytest.approx(-2 * b, abs=1e-9)
    assert found.reactions["mesh"] == pytest.approx(-9.81 * 0.5 * np.cos(2 * b), rel=1e-8)


def test_conditions_on_velocities_have_no_equilibrium_by_energy():
    m = vv.Mechanism("skate")
    m.body("skate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.planar("ice", m.ground, "skate", at=(0, 0, 0), normal=(0, 0, 1))
    m.knife_edge("blade", m.ground, "skate", direction=(0, 1, 0))
    with pytest.raises(vv.ModelError, match="conditions on velocities, 'blade'"):
        vv.equilibrium(m)


# -- stiff beside soft, light beside heavy, near and far --------------------------------------------------------------


def quarter_car(k=2e4, tyre=2e5, at=0.0, masses=(400.0, 40.0), road=False, damping=0.0):
    """Chassis and wheel on slides; the tyre stands on the ground, or on a massless road that a drive holds."""
    m = vv.Mechanism("quarter car", gravity=(0, 0, -G))
    for name, mass, z in zip(("chassis", "wheel"), masses, (1.0, 0.4), strict=True):
        m.body(name, mass=mass, inertia=(1, 1, 1), at=(at, 0, at + z))
        m.prismatic(f"{name} slide", m.ground, name, at=(at, 0, at + z), axis=(0, 0, 1))
    under = m.ground
    if road:
        under = m.body("road", massless=True, at=(at, 0, at))
        m.prismatic("slide", m.ground, "road", at=(at, 0, at), axis=(0, 0, 1))
        m.drive("bump", "slide", rate=0.0)
    m.spring("suspension", "chassis", "wheel", k=k, length=0.6, damping=damping)
    m.spring("tyre", "wheel", m.frame("patch", under, at=(at, 0, at)), k=tyre, length=0.4)
    return m


@pytest.mark.parametrize("road", [False, True])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"damping": 1500.0},
        {"k": 2e6, "tyre": 1e9},
        {"tyre": 2e8},
        {"at": 1e3},
        {"at": 1e6},
        {"at": 1e6, "k": 1e8, "tyre": 1e9},
        {"masses": (400.0, 4e-4)},
        {"masses": (4e-4, 400.0), "k": 0.2},
        {"masses": (1e-9, 1e-10), "k": 1e-3, "tyre": 1e-2},
    ],
    ids=str,
)
def test_forces_balance_to_the_rounding_of_their_terms(given, road):
    m = quarter_car(**given, road=road)
    found = equilibrium(m)
    default = {"k": 2e4, "tyre": 2e5, "at": 0.0, "masses": (400.0, 40.0)}
    k, tyre, at, (M, mu) = (given.get(name, value) for name, value in default.items())
    wheel = at + 0.4 - (M + mu) * G / tyre
    place = {"wheel": wheel, "chassis": wheel + 0.6 - M * G / k}
    assert found.stable
    for name, z in place.items():
        assert found.motion.q[name][2] == pytest.approx(z, abs=2e-15 * max(1.0, at), rel=1e-15)


def test_a_quarter_car_is_found_in_a_few_steps(monkeypatch):
    """A massless body has no acceleration to compare others with: it neither hurries nor holds up the descent."""
    steps, go = [], Descent._go
    monkeypatch.setattr(Descent, "_go", lambda self, delta, least: steps.append(delta) or go(self, delta, least))
    equilibrium(quarter_car(road=True))
    assert len(steps) < 20


def test_massless_bodies_between_springs_are_springs_in_series():
    m = vv.Mechanism("series", gravity=(0, 0, -G))
    above = m.ground
    for n, k in enumerate((1e3, 2e3, 5e5)):
        name = f"ring{n}"
        m.body(name, mass=1.0, inertia=(1, 1, 1), at=(0, 0, -n - 1)) if n == 2 else m.body(
            name, massless=True, at=(0, 0, -n - 1)
        )
        m.prismatic(f"guide{n}", m.ground, name, at=(0, 0, -n - 1), axis=(0, 0, 1))
        m.spring(f"spring{n}", above, name, k=k, length=1.0, at_a=(0, 0, -n))
        above = name
    found = equilibrium(m)
    assert found.stable
    series = 1.0 / (1e-3 + 0.5e-3 + 2e-6)
    assert found.motion.q["ring2"][2] == pytest.approx(-3.0 - G / series, rel=1e-14)
    assert found.lowest == pytest.approx(series, rel=1e-6)


def test_what_is_light_beside_what_is_heavy_is_not_neutral():
    """Stiffness is compared with its own terms, not with the largest one over the smallest mass."""
    found = equilibrium(quarter_car(masses=(4e6, 4e-6), k=1e7, tyre=1e7))
    assert found.stability == "stable"


# -- where it starts, and under which inputs -------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.LieMidpoint()], ids=repr)
def test_a_search_starts_where_a_run_ended(integrator):
    """From behind its upper rest a pendulum falls to the other side, and from there to the same place."""
    m = pendulum(0.5)
    m.torsion("clock", "hinge", k=1e-3)
    run = vv.simulate(m, t_end=0.1, h=0.01, integrator=integrator)
    found, again = equilibrium(m, initial=run.final), equilibrium(m, initial=equilibrium(m))
    for other in (again, equilibrium(m)):
        assert_allclose(found.motion.q["bar"], other.motion.q["bar"], rtol=0, atol=1e-9)


def test_what_is_no_state_is_refused():
    m = pendulum(0.0)
    with pytest.raises(vv.ModelError, match=r"(?s)run.final.*got tuple. m.assemble\(\) returns two things"):
        equilibrium(m, initial=m.assemble())
    other = vv.simulate(quarter_car(), t_end=0.01, h=0.01)
    with pytest.raises(vv.ModelError, match="no state of mechanism 'pendulum'"):
        equilibrium(m, initial=other.final)


def test_inputs_are_balanced_too():
    m = pendulum(0.0)
    m.torque("motor", "hinge")
    found = equilibrium(m, inputs={"motor": 0.25 * G})
    assert found.stable
    assert abs(found.motion.angles["hinge"]) == pytest.approx(np.pi / 6, rel=1e-12)
    with pytest.raises(vv.ModelError, match="inputs name 'moter'"):
        equilibrium(m, inputs={"moter": 1.0})


def test_a_motor_that_nothing_holds_has_no_equilibrium():
    m = vv.Mechanism("fan")
    m.body("wheel", mass=1.0, inertia=(1, 1, 2))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis=(0, 0, 1))
    m.torque("motor", "axle")
    with pytest.raises(vv.AssemblyError, match="no equilibrium of mechanism 'fan'"):
        equilibrium(m, inputs={"motor": 2.0})
