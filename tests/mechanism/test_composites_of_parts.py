"""Every kind of part runs as a composite: both laws close, drives have their laws, what opens is measured."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from parts import BODIES, ELEMENTS, sample

import visviva as vv
from visviva.compiler import laws
from visviva.forms.minimal.state import Coordinates
from visviva.language import compose, source
from visviva.library import translation
from visviva.library.joints import AbstractJoint, Ball, Shift, along_child
from visviva.library.quantities import momentum
from visviva.testing.readings import READINGS, Case, instant

SCHEME = vv.DiscreteGradient(compiled=False)
PARTS = ("stream", "end stop", "friction law", "friction that heats", "friction matrix of a ball", "motor", "gear",
         "rack", "coupler", "drive by position", "knife edge", "own constraint", "own velocity constraint",
         "spring across joints", "thin rod")  # fmt: skip


def run_of(element, h=0.01, steps=3, joint=None):
    given = sample(joint or (ELEMENTS | BODIES)[element].joint, element)
    return vv.simulate(given.mechanism.system(), steps * h, h, inputs=given.inputs, integrator=SCHEME)


@pytest.mark.parametrize("element", PARTS)
def test_both_laws_hold_over_a_run(element):
    audit = run_of(element).audit()
    assert audit.first_law < 1e-13
    assert (audit.second_law or 0.0) >= 0


def test_heat_of_friction_warms_its_node():
    """The node conducts less than it gets: its entropy grows, and with it its temperature."""
    m = vv.Mechanism("brake", theta0=290.0)
    m.thermal("disc", capacity=2.0, conductance_to_environment=0.01)
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    law = vv.friction.coulomb(0.5, v_reg=0.1)
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis=(0, 0, 1), friction=law, heat_to="disc", rate=20.0)
    run = vv.simulate(m.system(), 0.1, 0.002, integrator=SCHEME)
    own = vv.simulate(m, 0.1, 0.002, integrator=SCHEME)
    assert run.audit().first_law < 1e-13
    warmer = 290.0 * np.expm1(run["s_disc"][-1, 0] / 2.0)
    assert warmer > 0.3
    assert warmer == pytest.approx(own["disc.temperature"][-1] - 290.0, rel=1e-3)


# -- drives are sources with a law


def test_a_drive_follows_its_law_and_an_input_replaces_it():
    m = vv.Mechanism("sledge")
    m.body("cart", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "cart", axis=(1, 0, 0))
    m.drive("belt", "rail", rate=lambda t: 0.3 * np.cos(4 * t))
    run = vv.simulate(m.system(), 0.5, 0.01, integrator=SCHEME)
    assert_allclose(run["p_cart"][:, 3], 2.0 * 0.3 * np.cos(4 * run.t), atol=1e-12)
    assert run["belt.work"][-1] == pytest.approx(run["energy"][-1] - run["energy"][0], rel=1e-9)
    other = vv.simulate(m.system(), 0.5, 0.01, inputs={"belt": lambda t: 0.3 + 0 * t}, integrator=SCHEME)
    assert_allclose(other["p_cart"][:, 3], 0.6, atol=1e-12)


def test_a_source_takes_its_law_where_it_is_composed():
    boxes = {"mass": translation.mass(2.0), "drive": source({"p": momentum}, law=lambda t: 1.0 + t)}
    system = compose("led", boxes, {"p": ("mass.p", "drive.p")})
    run = vv.simulate(system, 0.1, 0.05, initial=vv.consistent(system, {"p": 0.0}), integrator=SCHEME)
    assert_allclose(run["p"][:, 0], 2.0 * (1.0 + run.t), atol=1e-12)
    with pytest.raises(vv.ModelError, match="the law of a source is a function of time"):
        source({"p": momentum}, law=3.0)


# -- what opens is measured


def test_ties_stay_closed():
    for joint in ("revolute", "universal", "rzeppa"):
        assert run_of("gravity", 0.02, joint=joint).audit().g < 1e-13


@pytest.mark.parametrize(("joint", "element"), [("screw", "gravity"), ("cylindrical", "gear")])
def test_couplings_with_angles_open_with_the_square_of_the_step(joint, element):
    """Rows are on velocities, and the mean of a step is no angle: the audit says how far it goes."""
    coarse, fine = (run_of(element, h, round(0.08 / h), joint).audit().g for h in (0.02, 0.01))
    assert 1e-12 < coarse < 1e-4
    assert fine == pytest.approx(coarse / 4, rel=0.2)


def test_a_screw_over_many_turns_is_not_open_by_its_lead():
    m = vv.Mechanism("bolt")
    m.body("bolt", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.screw("thread", m.ground, "bolt", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1, rate=10.0)
    run = vv.simulate(m.system(), 2.0, 0.01, integrator=SCHEME)  # three turns
    assert run["q_bolt"][-1, 2] > 0.1 * 2 * np.pi * 3
    assert run.audit().g < 1e-2


def test_a_needle_moves_as_a_rod_with_a_little_moment_does():
    """About its own axis it follows its hinge: what has no momentum there is held."""

    def tip(moment):
        m = vv.Mechanism("needle", gravity=(0, 0, -9.81))
        m.body("needle", mass=0.5, inertia=(moment, 0.01, 0.01), at=(0.2, 0, 0))
        m.revolute("pin", m.ground, "needle", at=(0, 0, 0), axis=(0.2, 1, 0.3), rate=3.0)
        return vv.simulate(m.system(), 0.1, 0.01, integrator=SCHEME)["q_needle"][-1]

    assert_allclose(tip(0.0), tip(1e-12), atol=1e-9)


# -- one compiled law for all numbers


def general(length, tilt):
    m = vv.Mechanism("general", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.02, 0.1, 0.09), at=(0.5 * length, 0, 0))
    m.revolute("base", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, tilt), friction=0.1 * length)
    m.body("leg", mass=0.5 * length, inertia=(0.03, 0.05, 0.06), at=(2.0 * length, 0.3, 0))
    m.screw("nut", "arm", "leg", at=(length, 0.1, 0), axis=(1, tilt, 0), pitch=0.1 * length)
    m.gear("gear", "nut", "base", ratio=2.0 * length)
    m.particle("bob", mass=0.4, at=(2, 2 * length, 0.5))
    m.distance("rod", "leg", "bob")
    m.wrench("load", "leg", frame="body")
    return m


def traced_laws():
    return [law.cache_info().misses for law in (laws.energy_law, laws.matrix_law)]


def test_other_numbers_are_no_other_laws():
    vv.compile(general(1.0, 0.2).system())
    before = traced_laws()
    vv.compile(general(1.3, 0.3).system())
    assert traced_laws() == before


# -- joints that a user writes, and small motions


class Telescope(AbstractJoint):
    """A point on a line of the child."""

    kind, glyph, chain = "telescope", "bead_on_wire", (Ball(1), Shift(2, 0))
    rows = (along_child(0), along_child(1))
    coordinates, names = (along_child(2),), ("way_out",)


def test_a_joint_of_ones_own_has_a_box_and_ports():
    m = vv.Mechanism("own", gravity=(0.2, 0, -9.81))
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.3, 0, 0))
    m.joint("k", Telescope(), "ground", "a", at=(0, 0, 0), friction=0.3)
    m.force("push", "k")
    assert "rate_k_wayout" in m.system().junctions
    form = vv.analytical(m)
    state = form.projected(0.0, form.initial.q, np.linspace(-1, 1, len(form.initial.xi)), form.initial.s)
    READINGS["composite"](instant(Case(m, {"push": 0.7}), Coordinates(*state)))


def test_small_motions_of_the_composite_are_those_of_the_mechanism():
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -0.5))
    m.revolute("pin", m.ground, "bob", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    found, own = (np.linalg.eigvals(vv.linearise(one).A) for one in (m.system(), m))
    assert_allclose(np.sort_complex(found[np.abs(found) > 1e-3]), np.sort_complex(own), atol=1e-6)
