"""Remote control: the filter of sticks, what follows from it exactly, and flights without a position."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, control, copter
from visviva.copter.force import filter_rc, rc_filter, rc_filter_start

QUAD, TRI = copter.quadcopter().without_bias(), copter.tricopter().without_bias()
FREE = replace(QUAD, drag=copter.Drag(0.0, np.zeros(3), np.zeros(3)))


def bump(t: float) -> float:
    """From 0 to 1 and back within 0.4 s, as a hand moves."""
    return float(np.sin(np.pi * np.clip(t / 0.4, 0, 1)) ** 2)


STICKS = {
    "acceleration": lambda t: (2 * bump(t), -bump(t), 0.5 * bump(t), 0.6 * bump(t)),
    "attitude": lambda t: (0.1 * bump(t), 0.2 * bump(t), 9.81 + bump(t), 0.5 * bump(t)),
    "rate": lambda t: (bump(t), -1.5 * bump(t), 9.81 + bump(t), 0.5 * bump(t)),
}


def filtered(sticks, rest, n):
    p = rc_filter(5e-3)
    x = rc_filter_start(p, rest)
    for k in range(n):
        x = filter_rc(p, x, np.array(sticks(5e-3 * k)))
    return x


@pytest.mark.parametrize("mode", list(STICKS))
def test_a_reference_is_what_the_filter_makes_of_sticks(mode):
    """At a tick: accelerations in axes of the heading, roll and pitch, or rates, and jerk by the derivatives."""
    path = copter.remote(STICKS[mode], 0.6, mode=mode).path
    y = filtered(STICKS[mode], [0, 0, 0 if mode == "acceleration" else 9.81, 0], 60)
    now, (_, v, a, jerk) = path.motion(0.3), path.position.derivatives(0.3, 3)
    R = now.X.R
    if mode == "acceleration":
        phi = np.arctan2(R[1, 0], R[0, 0])
        c, s = np.cos(phi), np.sin(phi)
        assert_allclose([c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]], y[:3, 0], atol=1e-9)
        assert_allclose(jerk[2], y[2, 1], atol=1e-8)
    else:
        assert_allclose(a + np.array([0, 0, 9.81]), y[2, 0] * R[:, 2], atol=1e-9)
    if mode == "attitude":
        assert_allclose([np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0])], y[:2, 0], atol=1e-9)
    if mode == "rate":
        assert_allclose(now.V[:3], y[[0, 1, 3], 0], atol=1e-9)
        assert_allclose(now.V_dot[:3], y[[0, 1, 3], 1], atol=1e-7)
    assert_allclose(R @ now.V[3:], v, atol=1e-12)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-12)


def test_the_heading_is_the_integral_of_its_rate():
    """The filter keeps areas: 0.6 rad/s over a bump of 0.2 s."""
    X = copter.remote(STICKS["acceleration"], 0.8).path(0.8)
    assert_allclose(np.arctan2(X.R[1, 0], X.R[0, 0]), 0.6 * 0.2, atol=1e-5)


@pytest.mark.parametrize("mode", list(STICKS))
def test_without_drag_a_vehicle_goes_where_sticks_lead(mode):
    """Nobody tells the law where it is: what the hold of 5 ms leaves drifts by millimetres."""
    flight = copter.fly(copter.remote(STICKS[mode], 0.6, FREE, mode=mode))
    assert flight.figures.e_r < 0.01
    assert flight.figures.e_R < 1.5
    assert np.linalg.norm(flight.run["craft.r"][-1] - flight.run["craft.r"][0]) > 0.05


def test_the_position_is_the_pilots_care():
    """A wind carries a level vehicle away, m v̇ = -d (v - w), and it stays level."""
    level = replace(QUAD, com=np.zeros(3), drag=copter.Drag(0.3, np.zeros(3), np.zeros(3)))
    plan = copter.remote(lambda t: (0, 0, 0, 0), 0.6, level)
    flight = copter.fly(plan, level, wind=(4.0, 0.0, 0.0))
    v = 4.0 * (1 - np.exp(-0.3 * 0.6 / level.mass))
    assert_allclose(flight.run["craft.twist"][-1], [0, 0, 0, v, 0, 0], atol=1e-3)


@pytest.mark.slow
def test_sticks_are_flown_by_sensors():
    """Late by the filters of forces; position is not held, and nothing is called lost."""
    flight = copter.fly(copter.remote(STICKS["attitude"], 1.0, mode="attitude"), sensors=copter.Sensors())
    assert flight.figures.e_R < 3
    assert "lost" not in str(flight)
    assert flight.errors["e_r"][-1] > 0.02


def test_tilting_rotors_take_attitude_and_acceleration():
    sticks = lambda t: (bump(t), 0, 0, 0.1 * bump(t), 0, 0.3 * bump(t))  # noqa: E731
    flight = copter.fly(copter.remote(sticks, 0.6, TRI))
    assert flight.figures.e_R < 0.5
    now = flight.plan.path.motion(0.3)
    assert_allclose(np.arcsin(now.X.R[2, 1]), filtered(sticks, np.zeros(6), 60)[3, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: copter.remote(STICKS["rate"], 0.5, mode="rates"), "no mode 'rates'"),
        (lambda: copter.remote(lambda t: (0, 0, 0), 0.5), r"sticks \(a_x, a_y, a_z, φ̇\)"),
        (lambda: copter.remote(STICKS["rate"], 0.5, TRI), "roll, pitch, φ̇"),
        (lambda: copter.remote(STICKS["rate"], -0.5), "duration"),
        (lambda: copter.fly(copter.remote(lambda t: np.zeros(4), 0.1), approach="body"), "particle"),
    ],
)
def test_wrong_sticks_are_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()


def test_a_remote_manoeuvre_needs_no_rest_in_the_end():
    plan = copter.remote(lambda t: (1.0, 0, 0, 0), 0.3)
    assert plan.piloted
    assert plan.duration == pytest.approx(0.3)
    assert isinstance(plan.path, control.PosePath)
    assert copter.fly(plan).run.t[-1] == pytest.approx(0.3)
