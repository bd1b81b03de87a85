"""Joints and conditions as interconnections of ports: the velocities that gradients admit, and no power lost."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from parts import sample
from refusals import CONDITIONS
from small_mechanisms import CATALOGUE, bennett

import visviva as vv
from visviva.mechanism.body_twists import world_twist
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.interconnection import twist_map
from visviva.mechanism.mobility import mobility
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
    assert joined.admissible().shape[1] == mobility(joined.definition)


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


def conditioned(element):
    return sample("cylindrical", element).mechanism


def entries(joined, row):
    """Flows and efforts of a row of numbers, by port of the structure."""
    structure = joined.structure()
    ends = np.cumsum([0, *structure.ports.values()])
    at = {name: slice(a, b) for name, a, b in zip(structure.ports, ends, ends[1:], strict=False)}
    f, e = np.split(row, 2)
    return {name: f[part] for name, part in at.items()}, {name: e[part] for name, part in at.items()}


@pytest.mark.parametrize("element", CONDITIONS)
def test_conditions_are_interconnections_of_all_their_bodies(element):
    """Both ways admit the same velocities, as many as the mobility, and other ones than without the condition."""
    m = conditioned(element)
    joined = m.interconnection()
    check_dirac(joined.structure())
    found = joined.admissible()
    assert same_space(found, joined.admissible_by_pairs())
    assert found.shape[1] == m.mobility() == m.kinestatics(joined.motion).mobility()
    J, n = joined.J(), joined.size
    assert (J == -J.T).all()
    assert_allclose(J[n:, :n] @ found, 0, atol=1e-12)
    own = sum(next(iter(ports.values())).shape[1] for ports in joined.condition_ports.values())
    ranks = [np.linalg.matrix_rank(rows) for rows in (J[n:, :n], J[n : len(J) - own, :n])]
    assert ranks[0] - ranks[1] == own


@pytest.mark.parametrize("element", CONDITIONS)
def test_conditions_pass_power_on_and_keep_none(element):
    """Σ y = 0 at one force for all, or ṡ for what is driven, whose power is all that comes in."""
    joined = conditioned(element).interconnection()
    rng = np.random.default_rng(1)
    structure = joined.structure()
    f, e = entries(joined, structure.to_basis() @ rng.standard_normal(structure.n))
    for name, ports in joined.condition_ports.items():
        y = sum(B.T @ e[end] for end, B in ports.items())
        assert_allclose(y, e[name] if name in joined.drives else 0, atol=1e-11)
    assert {*structure.ports} == {*joined.columns, *joined.drives}
    supplied = sum(float(f[name] @ e[name]) for name in joined.drives)
    assert_allclose(sum(float(f[end] @ e[end]) for end in joined.columns), -supplied, atol=1e-11)
    assert bool(joined.drives) == (element in ("stream", "drive by rate", "drive by position"))


@pytest.mark.parametrize("element", ["drive by rate", "drive by position", "stream"])
def test_a_drive_is_an_open_port_with_its_rate_and_its_force(element):
    """The motion as assembled is one of the structure, at the rate of the law; no other rate is."""
    m = conditioned(element)
    joined = m.interconnection()
    (name,) = joined.drives
    rate = m.parts[name].law.rate(0.0)
    assert abs(rate) > 0.1
    lifts = {body.name: space_of(body).lift(joined.motion.q[body.name]) for body in m.bodies}
    v = {body: lift @ joined.motion.V[body] for body, lift in lifts.items()}
    order = [*joined.structure().ports]
    E = np.split(joined.structure().to_basis(), 2)[1]
    for factor, fits in ((1.0, True), (0.9, False)):
        given = np.concatenate([np.atleast_1d(factor * rate) if port == name else v[port] for port in order])
        left = given - E @ np.linalg.lstsq(E, given, rcond=1e-9)[0]
        assert (np.abs(left).max() < 1e-10) == fits
    held = joined.admissible().shape[1]
    assert np.linalg.matrix_rank(E, tol=1e-9) == held + 1


def test_a_drive_pushes_with_its_force():
    """A hinge that is driven: the moment on the body is the flow of the port, with the sign of the rate."""
    m = vv.Mechanism("driven")
    m.body("rotor", mass=2.0, inertia=(1, 2, 3))
    m.revolute("hinge", m.ground, "rotor", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", "hinge", rate=1.5)
    joined = m.interconnection()
    structure = joined.structure()
    rows = structure.to_basis().T
    unit = space_of(m["rotor"]).lift(joined.motion.q["rotor"]) @ [0, 0, 1.0, 0, 0, 0]  # a turn of 1 rad/s
    forces = [entries(joined, row) for row in rows]
    assert_allclose([-unit @ f["rotor"] for f, _ in forces], [f["motor"][0] for f, _ in forces], atol=1e-12)
    assert_allclose([e["rotor"] for _, e in forces], np.outer([e["motor"][0] for _, e in forces], unit), atol=1e-12)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_the_unit_of_length_does_not_matter(size):
    """A four-bar of planar loops is redundant; a gear between its hinges stops it."""
    corners = size * np.array([(0, 0, 0), (0.3, 0.9, 0), (1.2, 1.1, 0), (1.5, 0, 0)])
    m = vv.Mechanism("four-bar")
    names = ("crank", "coupler", "rocker")
    for name, a, b in zip(names, corners, corners[1:], strict=False):
        m.body(name, mass=1.0, inertia=size**2 * np.array([0.1, 0.2, 0.25]), at=(a + b) / 2)
    for joint, parent, child, at in zip("ABCD", ("ground", *names), (*names, "ground"), corners, strict=True):
        m.revolute(joint, parent, child, at=at, axis=(0, 0, 1))
    assert m.interconnection().admissible().shape[1] == 1
    m.gear("mesh", "A", "B", ratio=-3.0)
    joined = m.interconnection()
    assert joined.admissible().shape[1] == joined.admissible_by_pairs().shape[1] == 0


def test_a_condition_that_says_nothing_as_it_stands_has_no_port():
    """The gradient of a square is zero where the square is."""
    m = vv.Mechanism("flat")
    m.particle("bead", mass=1.0, at=(0, 0, 0))
    m.constraint("square", "bead", g=lambda b: (b.r @ b.r) * b.r[0])
    joined = m.interconnection()
    assert same_space(joined.admissible(), joined.admissible_by_pairs())
    assert joined.admissible().shape == (3, 3)


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
