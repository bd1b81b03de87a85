"""Joints as interconnections of ports: the same admissible velocities as by kinematic pairs, and no power lost."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_mechanisms import CATALOGUE, bennett

import visviva as vv
from visviva.mechanism.body_twists import world_twist
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.interconnection import twist_map
from visviva.testing.structures import check_dirac

AXES = {"axes": ((0, 0.6, 0.8), (1, 0, 0))}
JOINTS = {
    "spherical": ({}, 3),
    "cylindrical": ({"axis": (0.2, 1, 0.3)}, 4),
    "universal": (AXES, 4),
    "revolute": ({"axis": (0.2, 1, 0.3)}, 5),
    "prismatic": ({"axis": (0.2, 1, 0.3)}, 5),
    "planar": ({"normal": (0.2, 1, 0.3)}, 3),
    "fixed": ({}, 6),
    "point_on_plane": ({"normal": (0.2, 1, 0.3)}, 1),
    "point_on_line": ({"axis": (0.2, 1, 0.3)}, 2),
    "screw": ({"axis": (0.2, 1, 0.3), "pitch": 0.07}, 5),
}


def pair(kind, given):
    m = vv.Mechanism("pair")
    turn = vv.geometry.SO3.exp([0.3, -0.4, 0.5])
    a = m.body("A", inertia=vv.inertia.box(1.3, (0.9, 0.2, 0.1)), at=(0.5, 0.1, 0), com=(0.05, 0, 0.02), rotation=turn)
    b = m.body("B", inertia=vv.inertia.ellipsoid(0.7, (0.3, 0.1, 0.2)), at=(1.4, 0, 0.3))
    place = {} if kind in ("prismatic", "fixed") else {"at": (0.9, 0.2, 0.1)}
    getattr(m, kind)("J", a, b, **place, **given)
    return m


def same_space(one, other):
    return one.shape == other.shape and np.abs(one @ one.T - other @ other.T).max() <= 1e-12


@pytest.mark.parametrize(("kind", "given", "k"), [(kind, *rest) for kind, rest in JOINTS.items()], ids=JOINTS)
def test_ports_and_pairs_admit_the_same_velocities(kind, given, k):
    """(48), for every joint of Table 1 and others, with the number of constraints that the table gives."""
    joined = pair(kind, given).interconnection()
    found = joined.admissible()
    assert found.shape == (24, 12 - k)
    assert same_space(found, joined.admissible_by_pairs())
    assert joined.internal["J"]["B"].shape == (12, k)
    assert joined.external["J"]["B"].shape == (12, 6 - k)


@pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)
def test_the_same_in_mechanisms_with_loops_particles_and_grounds(make):
    joined = make()[0].interconnection()
    structure = joined.structure()
    check_dirac(structure)
    assert same_space(joined.admissible(), joined.admissible_by_pairs())
    assert joined.admissible().shape[1] == joined.mechanism.mobility()


@pytest.mark.parametrize(("kind", "given", "k"), [(kind, *rest) for kind, rest in JOINTS.items()], ids=JOINTS)
def test_joints_pass_power_on_and_keep_none(kind, given, k):
    """(43) and (45): u_A·y_A + u_B·y_B = 0 for admissible velocities, and J is skew."""
    joined = pair(kind, given).interconnection()
    rng = np.random.default_rng(0)
    v = joined.admissible() @ rng.standard_normal(12 - k)
    y_A, y_B = (joined.internal["J"][end].T @ v[joined.columns[end]] for end in "AB")
    assert_allclose(y_A, y_B, atol=1e-12)
    J = joined.J()
    assert J.shape == (24 + 12 + k,) * 2
    assert (J == -J.T).all()
    assert_allclose(J[24:, :24] @ v, 0, atol=1e-12)


def test_a_port_of_another_joint_admits_other_velocities():
    revolute, spherical = (pair(kind, JOINTS[kind][0]).interconnection() for kind in ("revolute", "spherical"))
    assert not same_space(revolute.admissible(), spherical.admissible_by_pairs())


def test_forces_on_directors_are_those_of_a_wrench():
    """Wᵀ F does the work of the wrench F on any motion of the body, rigid or not in its directors."""
    m = pair("spherical", {})
    state, _ = m.assemble()
    for body in m.bodies:
        v = space_of(body).lift(state.q[body.name]) @ np.arange(1.0, 7.0)
        moved = vv.mechanism.assembly.Motion(state.q, {**state.V, body.name: np.arange(1.0, 7.0)}, state.angles)
        assert_allclose(twist_map(body, moved) @ v, world_twist(body, moved), atol=1e-12)


def test_overconstrained_loops_move_and_wrong_motions_are_refused():
    m = bennett()[0]
    assert m.interconnection().admissible().shape[1] == 1
    with pytest.raises(vv.ModelError, match="of other bodies"):
        m.interconnection(pair("fixed", {}).assemble()[0])
    with pytest.raises(vv.ModelError, match="has no bodies"):
        vv.Mechanism("nothing").interconnection()
