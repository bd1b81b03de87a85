"""A mechanism as a composite: the pattern, the same energy and a consistent start, names, errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_mechanisms import CATALOGUE, balls, double_pendulum, one_body, rods

import visviva as vv
from visviva.compiler import check_consistent, initial_x
from visviva.forms.minimal.state import Coordinates
from visviva.testing.readings import READINGS, Case, instant

MECHANISMS = pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)


@MECHANISMS
def test_it_starts_with_the_same_energy_on_its_constraints(make):
    m, inputs = make()
    model, own = vv.compile(m.system()), vv.compile(m)
    x = model.pack(m.system_state())
    y = initial_x(own, m.assemble()[0])
    assert model.H(x) == pytest.approx(float(own.H(y)), abs=1e-12)
    u = np.concatenate([np.zeros(0), *(np.atleast_1d(inputs[port.name]) for port in model.ports)])
    check_consistent(model, x, u)
    assert [port.name for port in model.ports] == [port.name for port in own.ports]


def test_boxes_are_bodies_joints_springs_and_ports():
    system = double_pendulum()[0].system()
    names = ["ground", "upper_arm", "b", "hinge", "elbow", "cord", "coil", "motor", "load", "environment"]
    assert list(system.boxes) == names
    assert list(system.interface) == ["motor", "load"]
    assert set(system.boxes["hinge"].boxes) == {"hc", "o1", "o2", "mf"}
    assert set(system.boxes["cord"].boxes) == {"pe", "pkc", "hc", "o1", "o2", "mf"}
    assert [f"{box}.{port}" for box, port in system.junctions["rate_elbow_angle"].ends] == [
        "elbow.angle",
        "coil.r1",
        "motor.p_r",
    ]
    assert [f"{box}.{port}" for box, port in system.junctions["s"].ends][-1] == "environment.s"


def test_joints_of_one_kind_have_one_law():
    """Offsets are parameters, zeros too, so that two joints differ in numbers only."""
    flat = balls()[0].system().flatten()
    laws = {str(flat.boxes[f"{joint}.o2"].C.values) for joint in ("socket", "ball")}
    assert len(laws) == 1


def test_the_state_at_another_motion():
    m = rods()[0]
    motion = m.assemble()[0]
    moved = type(motion)({name: q + np.eye(len(q))[0] for name, q in motion.q.items()}, motion.V, {})
    for name, q in m.system_state(moved).items():
        shift = 1.0 if name.startswith("q_") and name != "q_ground" else 0.0
        assert_allclose(q[0] - m.system_state()[name][0], shift, atol=1e-14)


def test_a_free_joint_is_no_box():
    m, a = one_body("free")
    m.free("nothing", m.ground, a)
    assert list(m.system().boxes) == ["a"]


def test_names_that_would_be_one_are_refused():
    m = vv.Mechanism("twins")
    m.particle("a b", mass=1.0, at=(0, 0, 0))
    m.particle("a_b", mass=1.0, at=(1, 0, 0))
    m.frame("a-b", m.ground, at=(0, 0, 0))  # no box
    with pytest.raises(vv.ModelError, match=r"parts 'a b' and 'a_b' of mechanism 'twins' would both be the box 'a_b'"):
        m.system()


def test_what_has_no_composite_is_refused():
    with pytest.raises(vv.ModelError, match="mechanism 'empty' has no bodies"):
        vv.Mechanism("empty").system()


def test_friction_of_a_universal_joint_beside_redundant_joints_acts_on_both_of_its_angles():
    m = vv.Mechanism("shaft in two bearings", gravity=(0.5, 0, -9.81))
    m.body("shaft", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.1, 0.2, 0))
    m.revolute("left", "ground", "shaft", at=(0, 0, 0), axis=(1, 0, 0))
    m.revolute("right", "ground", "shaft", at=(1, 0, 0), axis=(1, 0, 0))
    m.body("yoke", mass=0.5, inertia=(0.05, 0.02, 0.06), at=(1.3, 0.1, 0.2))
    m.universal("cross", "shaft", "yoke", at=(1, 0, 0), axes=((0, 1, 0), (0, 0, 1)), friction=(0.3, 0.2))
    form = vv.analytical(m)
    q = form.advance_q(form.initial.q, np.array([0.0, 0.3, -0.4]))
    state = form.projected(0.0, q, np.array([2.0, 1.0, -3.0]), form.initial.s)
    READINGS["composite"](instant(Case(m), Coordinates(*state)))
