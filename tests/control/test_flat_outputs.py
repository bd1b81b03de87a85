"""Flat outputs: all coordinates of under-actuated machines from a few, so that inputs can drive the motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import control
from visviva.control import flat
from visviva.control.paths import Polynomials
from visviva.geometry import SO3

BETA = math.radians(15)


def craft(inertia=(0.01, 0.012, 0.02)):
    m = vv.Mechanism("craft", gravity=(0, 0, -9.81))
    m.body("craft", mass=1.0, inertia=inertia, at=(0, 0, 0))
    return m


def two_masses(k=20.0, m2=2.0):
    m = vv.Mechanism("two masses")
    a = m.body("a", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0))
    b = m.body("b", mass=m2, inertia=(1, 1, 1), at=(1, 0, 0))
    m.prismatic("first", m.ground, a, at=(0, 0, 0), axis="x")
    m.prismatic("second", m.ground, b, at=(1, 0, 0), axis="x")
    m.spring("spring", a, b, k=k, length=1.0)
    m.force("push", "first")
    return m


def test_two_masses_need_no_force_on_the_second():
    found = flat.two_masses(control.polynomial(0.0, 1.0, 2.0, degree=9), stiffness=20.0, mass=2.0)
    r = control.reference(two_masses(), {"first": found.z1, "second": found.z2}, feasible=True)
    feasible = r.feasibility()
    assert feasible.names == ("second.rate",)
    assert feasible.worst < 1e-13
    assert max(r.check()) < 1e-9
    assert_allclose(found.z1(0.7), found.z2(0.7) + found.z2(0.7, 2) / 10.0, rtol=1e-14)
    assert_allclose(found.stretch(0.7), found.z2(0.7) - found.z1(0.7), rtol=1e-13)
    printed = control.reference(two_masses(), {"first": found.z2 + found.stretch, "second": found.z2})
    assert not printed.feasibility()  # the sign of the source


PVTOL = {"mass": 1.0, "inertia": 0.02, "arm": 0.25}
HEIGHT = PVTOL["inertia"] * math.tan(BETA) / (PVTOL["mass"] * PVTOL["arm"])


def thrusts(arm=0.25):
    """B of two thrusts in the plane x, z: moments about -y, forces along x and z of the body."""
    B = np.zeros((6, 2))
    for k, side in enumerate((1.0, -1.0)):
        B[[1, 3, 5], k] = -side * arm * math.cos(BETA), side * math.sin(BETA), math.cos(BETA)
    return B


def test_a_pvtol_reference_is_feasible():
    assert_allclose(HEIGHT, 0.0214359, rtol=1e-5)
    flight = flat.pvtol(control.polynomial([0.0, 0.0], [3.0, 1.0], 2.0, degree=9), height=HEIGHT)
    r = control.reference(craft((0.02, 0.02, 0.02)), {"craft": flight.pose})
    feasible = r.feasibility(inputs=thrusts())
    assert feasible.worst < 1e-6
    assert feasible.worst < 1e-12 * feasible.scale
    for t in np.linspace(0.05, 1.95, 7):  # the same by (4.130), in the plane
        x, y, alpha = (path.derivatives(t, 2) for path in (flight.along, flight.up, flight.angle))
        c, s, w = math.cos(alpha[0]), math.sin(alpha[0]), alpha[1]
        vx, vy = c * x[1] + s * y[1], -s * x[1] + c * y[1]
        vx_rate = c * x[2] + s * y[2] + w * vy
        assert abs(vx_rate - HEIGHT * alpha[2] - w * vy + 9.81 * s) < 1e-12
        assert vx**2 + vy**2 > 0
    wrong = flat.pvtol(control.polynomial([0.0, 0.0], [3.0, 1.0], 2.0, degree=9), height=-HEIGHT)
    assert not control.reference(craft((0.02,) * 3), {"craft": wrong.pose}).feasibility(inputs=thrusts())


@pytest.mark.parametrize("plane", ["xz", "yz"])
def test_a_planar_joint_takes_the_coordinates_of_a_flight(plane):
    m = vv.Mechanism("planar", gravity=(0, 0, -9.81))
    body = m.body("craft", mass=1.0, inertia=(0.02, 0.02, 0.02), at=(0, 0, 0))
    m.planar("sheet", m.ground, body, at=(0, 0, 0), normal="-y" if plane == "xz" else "x")
    flight = flat.pvtol(control.polynomial([0.0, 0.0], [3.0, 1.0], 2.0, degree=9), height=HEIGHT, plane=plane)
    r = control.reference(m, {"craft": flight.pose})
    now = r(0.8)
    assert_allclose(r.dynamics.pose("craft", now.q).matrix, flight.pose(0.8).matrix, rtol=0, atol=1e-14)
    assert_allclose(now.q[r.dynamics.q_names.index("sheet.q[0]")], flight.angle(0.8), rtol=0, atol=1e-13)
    assert max(r.check(np.linspace(0.1, 1.9, 5))) < 1e-9


INERTIA, ARMS = (0.018, 0.006, 0.02), (0.25, 0.12)


def bicopter_inputs():
    across = ARMS[0] * math.cos(BETA) - ARMS[1] * math.sin(BETA)
    s, c, (ly, lz) = math.sin(BETA), math.cos(BETA), ARMS
    force = [[1, 0, 1, 0], [0, s, 0, -s], [0, c, 0, c]]
    return np.array([[0, across, 0, -across], [lz, 0, lz, 0], [-ly, 0, ly, 0], *force])


def test_a_bicopter_loops_upside_down():
    circle = control.circle(1.5, math.pi, normal="x", toward=(0, 0, -1))
    flight = flat.bicopter(control.path([circle[1], circle[2]]), mass=1.0, inertia=INERTIA, arms=ARMS, tilt=BETA)
    r = control.reference(craft(INERTIA), {"craft": flight.pose})
    times = np.linspace(0, 4, 81)
    feasible = r.feasibility(times, inputs=bicopter_inputs())
    assert feasible.worst < 1e-12 * feasible.scale
    assert_allclose(flight.pose(1.0).R[2, 2], -1.0, rtol=1e-12)  # at the top
    assert_allclose(flight.angle([0.0, 1.0, 2.0, 4.0, -2.0]), np.pi * np.array([0, 1, 2, 4, -2]), rtol=0, atol=1e-12)
    assert_allclose(np.abs(r.sample(times).v[:, 0]).max(), 9.3, rtol=5e-3)
    assert max(r.check(times[::8])) < 1e-8


def thrust_and_moments():
    B = np.zeros((6, 4))
    B[:3, :3], B[5, 3] = np.eye(3), 1.0
    return B


MOVE = control.polynomial([0.0, 0.0, 1.0], [2.0, 0.0, 1.0], 1.5, degree=9)
FLIGHTS = {
    "move": flat.quadcopter(MOVE),
    "turning move": flat.quadcopter(MOVE, control.polynomial(0.0, 1.0, 1.5)),
    "without heading": flat.quadcopter(MOVE, None),
    "figure": flat.quadcopter(control.lissajous([2.0, 1.0, 0.5], [0.3, 0.5, 0.2]), lambda t: 0.5 * t),
    "figure without heading": flat.quadcopter(control.lissajous([2.0, 1.0, 0.5], [0.3, 0.5, 0.2]), None, start=0.4),
}


@pytest.mark.parametrize("name", FLIGHTS)
def test_quadcopter_references_are_feasible_and_exact(name):
    X = FLIGHTS[name]
    r = control.reference(craft(), {"craft": X})
    times = np.linspace(0.03, 1.45, 9)
    feasible = r.feasibility(times, inputs=thrust_and_moments())
    assert feasible.worst < 1e-12 * feasible.scale
    check = r.check(times)
    assert check.goals < 1e-13
    assert max(check.v, check.a) < 1e-9
    assert all(X(t).R[:, 2] @ (X.position(t, 2) + np.array([0, 0, 9.81])) > 0 for t in times)


def test_a_fast_move_turns_as_fast_as_it_should():
    times, X = np.linspace(0, 1.5, 601), FLIGHTS["move"]
    w = np.array([X.rotation.spin(t).derivatives for t in times])
    assert_allclose(np.rad2deg(np.linalg.norm(w[:, 0], axis=1).max()), 272.6, rtol=1e-3)
    assert_allclose(np.rad2deg(np.linalg.norm(w[:, 1], axis=1).max()), 1265, rtol=1e-3)
    assert_allclose(np.rad2deg(max(math.acos(X(t).R[2, 2]) for t in times)), 40.3, rtol=1e-3)


def test_drag_in_the_reference_is_held_by_thrust():
    path, drag = control.lissajous([2.0, 1.0, 0.5], [0.3, 0.5, 0.2]), 0.4
    for heading in (0.3, None):
        X = flat.quadcopter(path, heading, drag=drag)
        for t in (0.2, 0.9):
            force = path(t, 2) + [0, 0, 9.81] + drag * path(t, 1)
            assert_allclose(X(t).R[:, :2].T @ force, 0.0, rtol=0, atol=1e-13)
            h = 1e-4
            w = (X.rotation(t - h).inverse() @ X.rotation(t + h)).log() / (2 * h)
            assert_allclose(X.rotation.angular_velocity(t), w, rtol=0, atol=1e-6)
            rate = (X.rotation.angular_velocity(t + h) - X.rotation.angular_velocity(t - h)) / (2 * h)
            assert_allclose(X.rotation.angular_velocity(t, 1), rate, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_roll_and_pitch_return_from_the_upright_axis(seed):
    rng = np.random.default_rng(seed)
    heading, pitch, roll = rng.uniform([-3, -3, -1.5], [3, 3, 1.5])
    R = SO3.from_euler("ZYX", [heading, pitch, roll]).R
    found = flat.tilt(R[:, 2], heading)
    assert_allclose(found, (roll, pitch), rtol=0, atol=1e-12)
    pull = 12.0 * R[:, 2] - [0, 0, 9.81]
    path = control.path(lambda t: [0.5 * a * t * t for a in pull])
    assert_allclose(flat.quadcopter(path, heading)(0.0).R, R, rtol=0, atol=1e-12)


def test_without_a_heading_axes_do_not_turn_about_the_thrust():
    X = FLIGHTS["figure without heading"]
    for t in (-1.0, 0.1, 2.3, 5.0):
        R = X.rotation(t).R
        assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)
        assert_allclose(X.rotation.spin(t).c[:, 2], 0.0, rtol=0, atol=1e-12)
    assert_allclose(math.atan2(X.rotation(0.0).R[1, 0], X.rotation(0.0).R[0, 0]), 0.4, rtol=0.1)
    again = flat.quadcopter(control.lissajous([2.0, 1.0, 0.5], [0.3, 0.5, 0.2]), None, start=0.4)
    later = [again(t).matrix for t in (5.0, 0.1)]
    assert_allclose(later, [X(5.0).matrix, X(0.1).matrix], rtol=0, atol=0)


def test_a_looping_ends_as_it_began():
    angle = control.polynomial(0.0, 2 * np.pi, 1.6, degree=9)
    X = flat.quadcopter(control.circle(1.5, angle, normal="y", toward=(0, 0, -1)), None)
    assert min(X(t).R[2, 2] for t in np.linspace(0, 1.6, 33)) < -0.9
    assert_allclose(X(1.6).R, X(0.0).R, rtol=0, atol=1e-12)
    assert_allclose(X(5.0).R, X(1.6).R, rtol=0, atol=1e-12)


ZIGZAG = Polynomials(np.arange(3.0), np.array([[0.0, 1.0], [1.0, -1.0]]), np.array([[1.0, 1.0], [0.0, -1.0]]))
REFUSED = {
    "rough mass": (
        lambda: flat.two_masses(control.polynomial(0.0, 1.0, 2.0), stiffness=1.0, mass=1.0),
        r"order 3 that jumps by 7.5 at t = 0 s;\n.*degree=7",
    ),
    "rough position": (
        lambda: flat.quadcopter(control.polynomial([0, 0, 0], [1, 0, 0], 1.0)),
        "takes 3 continuous ones",
    ),
    "rough output": (
        lambda: flat.pvtol(control.polynomial([0, 0], [1, 0], 1.0), height=0.1),
        "the path of the flat output has a derivative of order 3",
    ),
    "rough heading": (lambda: flat.quadcopter(MOVE, ZIGZAG), "the heading of a quadcopter has a derivative of order 1"),
    "plane": (lambda: flat.pvtol(control.hold([0.0, 0.0]), height=0.1, plane="zx"), "the second axis is up"),
    "width": (lambda: flat.pvtol(MOVE, height=0.1), "a path of 2 numbers"),
    "arm": (
        lambda: flat.bicopter(control.hold([0, 0]), mass=1.0, inertia=INERTIA, arms=(0.0, 0.0), tilt=0.1),
        "it cannot roll",
    ),
    "falling pvtol": (
        lambda: flat.pvtol(control.path(lambda t: [0 * t, -9.81 / 2 * t * t]), height=0.1).pose(0.0),
        "falls freely at t = 0 s",
    ),
    "falling": (
        lambda: flat.quadcopter(control.path(lambda t: [0 * t, 0 * t, -9.81 / 2 * t * t]))(0.0),
        "the quadcopter falls freely at t = 0 s",
    ),
    "sideways": (
        lambda: flat.quadcopter(control.path(lambda t: [0 * t, 5 * t * t, -9.81 / 2 * t * t]))(0.0),
        "lies on its side at t = 0 s",
    ),
    "sideways at the begin": (
        lambda: flat.quadcopter(control.path(lambda t: [0 * t, 5 * t * t, -9.81 / 2 * t * t]), None)(0.0),
        "lies on its side at the begin",
    ),
    "axis": (lambda: flat.tilt((0, 0, 0), 0.0), "must not be zero"),
    "drag": (lambda: flat.quadcopter(MOVE, drag=-1.0), "must be at least 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_flat_motion_is_refused(name):
    action, message = REFUSED[name]
    with pytest.raises(vv.ModelError, match=message):
        action()
