"""References: largest values of Table 5.2, flatness, and where they end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, control, copter
from visviva.geometry import SO3

QUAD = copter.quadcopter().without_bias()


@pytest.mark.parametrize("name", ["looping", "flip", "tricopter transitions"])
def test_largest_values_are_within_five_per_cent_of_the_table(name):
    plan = copter.manoeuvre(name)
    assert_allclose(plan.largest(), plan.flown[:4], rtol=0.05)


def test_a_manoeuvre_begins_at_zero():
    late = control.flat.quadcopter(control.polynomial(np.zeros(3), [1.0, 0, 0], 1.5, degree=9, begin=2.0))
    with pytest.raises(ModelError, match=r"begins at t = 2 s.*\n.*delayed\(-2\)"):
        copter.Manoeuvre("late", QUAD, late)
    assert copter.Manoeuvre("in time", QUAD, late.delayed(-2.0)).duration == pytest.approx(1.5)


def test_transitions_are_within_ten_per_cent_of_the_table():
    plan = copter.manoeuvre("transitions")
    assert_allclose(plan.largest(), plan.flown[:4], rtol=0.10)


def test_two_metres_in_one_and_a_half_seconds_by_degree_nine():
    """Largest values of (5.75) without drag: 3.281 m/s, 8.331 m/s², 272.6 °/s, 1265 °/s², and a tilt of 40.3°."""
    r = control.polynomial(np.zeros(3), [2.0, 0, 0], 1.5, degree=9)
    plan = copter.Manoeuvre("one", QUAD, control.flat.quadcopter(r))
    assert_allclose(plan.largest(1501), [3.281, 8.331, 272.6, 1265], rtol=1e-3)
    tilt = max(np.degrees(np.arccos(plan.path(t).R[2, 2])) for t in np.linspace(0, 1.5, 301))
    assert_allclose(tilt, 40.3, rtol=2e-3)


def test_the_looping_is_the_flat_reference_without_a_heading():
    """(5.70) with drag: R is a rotation, closes after the loop, and has the rates of the plane formula."""
    path = copter.manoeuvre("looping", QUAD).path
    flat = control.flat.quadcopter(path.position, heading=None, drag=QUAD.drag.mean / QUAD.mass)
    for t in (0.0, 0.7, 1.475, 2.4):
        own, other = path.motion(t), flat.motion(t)
        assert_allclose(other.X.R.T @ other.X.R, np.eye(3), atol=1e-9)
        assert_allclose(own.X.R, other.X.R, atol=1e-9)
        assert_allclose(own.V, other.V, atol=1e-8)
        assert_allclose(own.V_dot, other.V_dot, atol=1e-6)
    assert_allclose(path(path.ends[1]).R, path(0.0).R, atol=1e-9)
    assert path(1.475).R[2, 2] < -0.98


@pytest.mark.parametrize("name", ["looping", "flip"])
def test_rates_are_derivatives(name):
    path, h = copter.manoeuvre(name).path, 1e-4
    for t in (0.31, 0.83, 1.21):
        now, ahead, before = path.motion(t), path.motion(t + h), path.motion(t - h)
        w = SO3(before.X.R.T @ ahead.X.R).log() / (2 * h)
        assert_allclose(now.V[:3], w, atol=2e-6)
        assert_allclose(now.V_dot, (ahead.V - before.V) / (2 * h), atol=2e-5 * np.abs(now.V_dot).max() + 1e-4)


@pytest.mark.parametrize("drag", [0.0, 0.32])
def test_the_flip_ends_where_it_began_and_obeys_its_thrust(drag):
    vehicle = copter.quadcopter().without_bias()
    own = copter.Drag(drag * vehicle.mass, np.zeros(3), np.zeros(3))
    path = copter.manoeuvre("flip", copter.Vehicle(**{**vars_of(vehicle), "drag": own})).path
    r0, r1 = path.position.derivatives(0.0, 2), path.position.derivatives(path.ends[1], 2)
    assert_allclose(r1, r0, atol=1e-9)
    r = path.position(np.linspace(0, path.ends[1], 200))
    assert np.ptp(r[:, 2]) < 1.0
    assert np.abs(r[:, 0]).max() < 0.055
    for t in np.linspace(0.05, path.ends[1] - 0.05, 9):  # thrust along z of the body, at each instant
        _, v, a = path.position.derivatives(float(t), 2)
        f = path(float(t)).R.T @ (a + drag * v + [0, 0, 9.81])
        assert f[2] > 1.0
        assert np.abs(f[:2]).max() < 1e-8


def test_a_path_of_poses_at_half_of_its_speed():
    plan = copter.manoeuvre("looping", QUAD)
    slow = copter.Manoeuvre("slow", QUAD, plan.path.stretched(2.0))
    assert slow.duration == pytest.approx(2 * plan.duration)
    assert_allclose(slow.largest() / np.array([0.5, 0.25, 0.5, 0.25]), plan.largest(), rtol=1e-9)


def vars_of(vehicle):
    return {name: getattr(vehicle, name) for name in ("name", "mass", "com", "inertia", "rotors", "bias", "gravity")}


def test_a_wrong_name_is_said_with_the_nearest():
    with pytest.raises(ModelError, match=r"no manoeuvre 'loop'.*'looping'"):
        copter.manoeuvre("loop")
