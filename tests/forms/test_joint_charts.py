"""Coordinates that follow from the definition of a joint: all of the library, and joints that it does not know."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import AssemblyError, ModelError
from visviva.forms import Loop, Moments, RigidSystem, coordinates
from visviva.forms.calculus.charts import Quaternion, Space
from visviva.forms.calculus.joint_chart import JointChart
from visviva.forms.calculus.stabilisation import nearest_configuration, restoring_rate
from visviva.geometry import SE3, SO3
from visviva.library.joints import (
    JOINTS,
    MEET,
    TURN,
    AbstractJoint,
    Ball,
    Distance,
    Planar,
    Revolute,
    Screw,
    Shift,
    Turn,
    Universal,
    along,
    along_child,
    cosine,
)
from visviva.testing import check_joint

AT = SE3.exp([0.1, -0.2, 0.3, 0.1, 0.5, -0.4]).matrix
TO = SE3.exp([0.4, 0.2, -0.3, 0.2, -0.5, 0.1]).matrix


class PinInSlot(AbstractJoint):
    """Turns about z and slides along x of the parent: no joint of the library. X = (R_z(q_1), (q_2, 0, 0))."""

    kind, glyph, chain = "pin in slot", "slide", (Shift(0, 1), Turn(2, 0))
    rows = (along(1), along(2), cosine(2, 0), cosine(2, 1))
    coordinates, names, upright = (TURN, along(0)), ("angle", "x"), (cosine(2, 2),)


class Follower(AbstractJoint):
    """The child's own x axis slides through a ball of the parent; unnamed coordinates, rows of axes of the child."""

    kind, glyph, chain = "follower", "slide", (Ball(1), Shift(0, 0, -1.0))
    rows = (along_child(1), along_child(2))


class FastUniversal(AbstractJoint):
    """A Cardan joint in angles of another scale, without names: S varies four times as fast."""

    kind, glyph, chain = "fast universal", "cross", (Turn(2, 0, 4.0), Turn(0, 1, 4.0))
    rows = (*MEET, cosine(2, 0))


OWN = (PinInSlot(), Follower(), FastUniversal())
EVERY = {joint.kind: joint for joint in (*JOINTS, *OWN)}


@pytest.fixture(params=EVERY)
def placed(request):
    """A joint of the ground and a body, with poses before and after, at some place and speed."""
    joint = EVERY[request.param]
    p = coordinates.joined({("ground", "body"): coordinates.of_joint("j", joint, at=AT, to=TO)})
    rng = np.random.default_rng(1)
    return joint, p, p.local.advance(p.q0, rng.uniform(-0.7, 0.7, p.n)), rng.normal(size=p.n)


def ahead(p, q, xi, t):
    """q(t) with constant ξ, by some midpoint steps."""
    for _ in range(8):
        half = q + t / 16 * p.q_dot(q, xi)
        q = q + t / 8 * p.q_dot(half, xi)
    return q


@pytest.mark.parametrize("joint", OWN, ids=lambda joint: joint.kind)
def test_joints_of_ones_own_keep_the_contract(joint):
    check_joint(joint)


def test_jacobians_are_rates_of_poses(placed):
    _, p, q, xi = placed
    (edge,), h = p.edges, 1e-5
    before, after = (edge.pose(ahead(p, q, xi, t)) for t in (-h, h))
    rate = SE3.vee(np.linalg.inv(edge.pose(q)) @ (after - before) / (2 * h))
    size = max(1.0, np.abs(rate).max())
    assert_allclose(edge.jacobian(q) @ xi, rate, rtol=0, atol=1e-8 * size**3)
    p.check(q)


def test_biases_are_rates_of_jacobians(placed):
    _, p, q, xi = placed
    (edge,), h = p.edges, 1e-5
    before, after = (edge.jacobian(ahead(p, q, xi, t)) @ xi for t in (-h, h))
    size = max(1.0, np.abs(edge.jacobian(q) @ xi).max())
    assert_allclose(edge.bias(q, xi), (after - before) / (2 * h), rtol=0, atol=1e-8 * size**3)


def test_poses_are_those_of_the_joint(placed):
    """Its rows vanish between the frames of the joint, also where rotations are by quaternions."""
    joint, p, q, xi = placed
    body = {"body": Moments.from_parts(1.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))}
    system = RigidSystem(p, bodies=body, constraints=[Loop("l", "ground", "body", joint, AT, np.linalg.inv(TO))])
    rows = system.rows(system.instant(q, xi))["l"]
    assert len(rows.z) == 6 - joint.nv
    for part in (rows.position, rows.velocity, rows.Z):
        assert_allclose(part, 0, rtol=0, atol=1e-12 * max(1.0, np.abs(p.edges[0].jacobian(q)).max(initial=0.0)))


def test_a_rotation_in_it_stays_one(placed):
    """Of unit length, wherever steps lead and however far."""
    _, p, q, xi = placed
    (edge,) = p.edges
    assert_allclose(p.phi(p.local.advance(q, 5 * xi)), 0, atol=1e-14)
    off = q + 1e-6
    assert_allclose(p.phi(nearest_configuration(p, off)), 0, atol=1e-14)
    decay = p.Phi(off) @ (restoring_rate(p, off, np.zeros(p.n), 1.0))
    assert_allclose(decay, -2 * p.phi(off), atol=1e-10)
    h, delta = 1e-6, 0.3 * xi
    step = h * p.local.rate(q, delta, xi[::-1])
    rate = (p.local.advance(q, delta + step) - p.local.advance(q, delta - step)) / (2 * h)
    assert_allclose(rate, p.A(p.local.advance(q, delta)) @ xi[::-1], atol=1e-8)
    assert isinstance(edge.joint.chart, JointChart | Space)


@pytest.mark.parametrize("joint", OWN, ids=lambda joint: joint.kind)
def test_a_joint_of_ones_own_moves_alike_in_a_tree_and_in_a_loop(joint):
    """It is known in both by its definition alone."""
    body = {"body": Moments.from_points([1, 2, 3, 4], np.random.default_rng(2).normal(size=(4, 3)))}
    tree = RigidSystem(
        coordinates.joined({("ground", "body"): coordinates.of_joint("j", joint, at=AT, to=TO)}),
        bodies=body,
        gravity=(1, 2, -9.8),
    )
    p = tree.parameterisation
    rng = np.random.default_rng(3)
    q, xi = p.local.advance(p.q0, rng.uniform(-0.5, 0.5, p.n)), rng.normal(size=p.n)
    cut = RigidSystem(
        coordinates.joined({("ground", "body"): coordinates.free("b")}),
        bodies=body,
        gravity=(1, 2, -9.8),
        constraints=[Loop("l", "ground", "body", joint, AT, np.linalg.inv(TO))],
    )
    frame = tree.instant(q, xi).frames["body"]
    free = np.concatenate([frame.X.r, frame.X.rotation.as_quat()])
    expected, found = frame.J @ tree.accelerations(q, xi) + frame.B, cut.accelerations(free, frame.V)
    assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_the_rate_of_S_is_exact():
    """Of a Cardan joint on paper: S_1 = R_x(q_2)ᵀ e_z, its rate q̇_2 (R_x(q_2)ᵀ e_z) x e_x."""
    chart = JointChart(Universal(), Quaternion())
    for q, xi in (((0.3, -0.8), (1.3, 2.1)), ((2.0, 14.0), (-3.0, 0.7))):
        s, c = np.sin(q[1]), np.cos(q[1])
        expected = xi[0] * xi[1] * np.array([0, c, -s, 0, 0, 0])
        assert_allclose(chart.bias(np.array(q), np.array(xi)), expected, rtol=0, atol=1e-14 * np.abs(expected).max())


def test_the_rate_of_S_has_no_unit():
    """A rod of a millimetre beside one of a metre: the same to rounding, in proportion to its length."""
    q = np.concatenate([[0.4, -0.7], SO3.exp([0.3, 0.2, -0.5]).as_quat()])
    xi = np.array([2.0, -1.0, 0.3, 0.5, 0.2])
    long, short = (JointChart(Distance(length), Quaternion()).bias(q, xi) for length in (1.0, 1e-3))
    assert_allclose(short[3:], 1e-3 * long[3:], rtol=0, atol=1e-16)
    assert_allclose(short[:3], long[:3], rtol=0, atol=1e-14)
    assert np.abs(long).max() > 1


def test_ready_made_coordinates_are_those_of_the_definition():
    """A hinge and a plate, once by hand and once by the joint: the same mass matrix, in the same velocities."""
    body = {"body": Moments.from_parts(2.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))}

    def mass(joint, q, B=None):
        p = coordinates.joined({("ground", "body"): joint})
        M = RigidSystem(p, bodies=body).terms(np.array(q), np.zeros(p.n)).M
        return M if B is None else B.T @ M @ B

    hinge = mass(coordinates.revolute("j", at=AT, to=TO), [0.7])
    assert_allclose(mass(coordinates.of_joint("j", Revolute(), at=AT, to=TO), [0.7]), hinge, rtol=1e-13)
    c, s = np.cos(0.7), np.sin(0.7)
    B = np.array([[1, 0, 0], [0, c, s], [0, -s, c]])  # body velocities of rates in axes of the parent
    plate = mass(coordinates.planar("j", at=AT, to=TO), [0.2, -0.4, c, s], B)
    assert_allclose(mass(coordinates.of_joint("j", Planar(), at=AT, to=TO), [0.7, 0.2, -0.4]), plate, atol=1e-13)


@pytest.mark.parametrize(
    ("joint", "names"),
    [
        (coordinates.cylindrical("j"), ("j_angle", "j_rz")),
        (coordinates.screw("j", pitch=0.1), ("j",)),
        (coordinates.universal("j"), ("j_angle1", "j_angle2")),
        (coordinates.distance("j", length=0.3), ("j_q1", "j_q2", "j_w", "j_x", "j_y", "j_z")),
        (coordinates.point_on_line("j"), ("j_rz", "j_w", "j_x", "j_y", "j_z")),
        (coordinates.point_on_plane("j"), ("j_rx", "j_ry", "j_w", "j_x", "j_y", "j_z")),
        (coordinates.of_joint("j", PinInSlot()), ("j_angle", "j_rx")),
    ],
    ids=lambda one: one.name if hasattr(one, "name") else "",
)
def test_coordinates_have_names(joint, names):
    assert joint.coordinates == names
    assert len(joint.velocities) == joint.chart.joint.nv


def test_rotations_by_matrix():
    joint = coordinates.point_on_line("j", by="matrix")
    assert len(joint.coordinates) == 10
    coordinates.joined({("ground", "body"): joint}).check(joint.chart.q0)


def test_a_rod_that_points_back_is_at_the_end_of_its_coordinates():
    joint = coordinates.distance("j", length=0.3)
    p = coordinates.joined({("ground", "body"): joint})
    end = next(
        q
        for q in (np.array([np.pi, 0.0]), np.array([0.0, np.pi / 2]))
        if np.linalg.matrix_rank(Distance(0.3).S(np.append(q, np.zeros(3))), tol=1e-9) < 5
    )
    with pytest.raises(AssemblyError, match=r"coordinates of a distance joint end at .*\n.*close a Loop"):
        p.edges[0].jacobian(np.concatenate([end, [1, 0, 0, 0]]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: coordinates.of_joint("hip", "revolute"), "joint 'hip' must be a joint of visviva.library.joints"),
        (lambda: coordinates.screw("hip", pitch="a"), "pitch of joint 'hip'"),
        (lambda: coordinates.distance("hip", length=0.0), "length of joint 'hip'"),
        (lambda: coordinates.point_on_line("hip", by="angles"), "one of quaternion, matrix, got 'angles'"),
        (lambda: coordinates.universal("hip", at=2 * np.eye(4)), "at of joint 'hip'"),
    ],
)
def test_wrong_joints_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_screw_closes_a_loop_over_many_turns():
    """A nut that turns on a shaft by coordinates of a sleeve: θ and z are apart, the loop ties them at any turn."""
    pitch = 0.02
    p = coordinates.joined({("ground", "nut"): coordinates.cylindrical("nut")})
    system = RigidSystem(
        p,
        bodies={"nut": Moments.from_parts(2.0, moment=(0.1, 0.1, 0.1))},
        gravity=(0, 0, -9.8),
        constraints=[Loop("thread", "ground", "nut", Screw(pitch))],
    )
    for theta in (0.0, 3.0, 3.3, -40.0, 1000.0):
        q = np.array([theta, pitch * theta])
        rows = system.rows(system.instant(q, np.array([5.0, 5.0 * pitch])))["thread"]
        assert_allclose(rows.position, 0, atol=1e-13)
        assert_allclose(rows.velocity, 0, atol=1e-13)
        off = system.rows(system.instant(q + np.array([0.0, 1e-3]), np.zeros(2)))["thread"]
        assert off.position[-1] == pytest.approx(1e-3, abs=1e-13)
        turn, _ = system.accelerations(q, np.zeros(2))
        assert turn == pytest.approx(-2.0 * 9.8 * pitch / (0.1 + 2.0 * pitch**2), rel=1e-12)


def test_a_screw_without_a_pitch_is_a_hinge():
    p = coordinates.joined({("ground", "nut"): coordinates.cylindrical("nut")})
    body = {"nut": Moments.from_parts(2.0, moment=(0.1, 0.1, 0.1))}
    system = RigidSystem(p, bodies=body, gravity=(0, 0, -9.8), constraints=[Loop("l", "ground", "nut", Screw(0.0))])
    assert_allclose(system.accelerations([0.4, 0.0], [3.0, 0.0]), 0, atol=1e-13)
