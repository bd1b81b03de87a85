"""Observer and tracking of propellers settle as their characteristic polynomials say, and find the friction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from visviva.copter import quadcopter, tricopter
from visviva.copter.force import (
    observe_propellers,
    observer_poles,
    propellers,
    propellers_start,
    servos,
    track_speeds,
    tracking_pole,
)
from visviva.errors import ModelError

ROTORS = quadcopter().rotors
HOVER = 412.9


def observer_matrix(p, speed):
    """Of the error (ϖ[k] - ϖ̂[k], ϖ[k-1] - ϖ̂[k-1], p - p̂) of one propeller, by differences of the real update."""
    x = np.array([speed, speed, p.p_P3[0]])
    current = (p.p_P1[0] * speed**2 + p.p_P3[0]) / p.p_P2[0]
    one = p._replace(p_P1=p.p_P1[:1], p_P2=p.p_P2[:1], p_P3=p.p_P3[:1])

    def error(z):  # the plant turns at `speed` for ever, so the observer's deviation is the error with the other sign
        return observe_propellers(one, x + z, np.array([speed]), np.array([current])) - x

    return np.transpose([(error(d) - error(-d)) / 2e-3 for d in 1e-3 * np.eye(3)])


@pytest.mark.parametrize("speed", [150.0, 300.0, HOVER, 533.0, 750.0])
def test_poles_of_the_observer_are_the_roots_of_its_polynomial(speed):
    p = propellers(ROTORS)
    found = np.sort_complex(np.linalg.eigvals(observer_matrix(p, speed)))
    # the deviation has the same factors as the error, whatever its sign
    assert_allclose(np.sort_complex(observer_poles(p, speed)[0]), found, rtol=0, atol=1e-9)
    assert np.abs(found).max() <= 0.9355


def test_a_positive_l_P2_is_refused_because_the_observer_then_grows():
    p = propellers(ROTORS)._replace(l_P1=40.0, l_P2=400.0)
    assert np.abs(observer_poles(p, HOVER)).max() == pytest.approx(1.037, abs=1e-3)
    with pytest.raises(ModelError, match=r"does not settle at .* grow by 1\.0.*\n.*l_P2 < 0"):
        propellers(ROTORS, l_P1=40.0, l_P2=400.0)


def test_the_pole_of_tracking():
    p = propellers(ROTORS)
    assert tracking_pole(p, HOVER)[0] == pytest.approx(0.772, abs=5e-4)
    with pytest.raises(ModelError, match="k_P between 0"):
        propellers(ROTORS, k_P=500.0)


def test_errors_of_tracking_follow_their_exact_recursion():
    p = propellers(ROTORS)
    wanted = HOVER + 40 * np.sin(0.05 * np.arange(60))
    w, friction = np.array([HOVER - 30.0] * 4), p.p_P3
    for k in range(58):
        x = np.concatenate([w, w, friction])
        e = wanted[k] - w
        i = track_speeds(p, x, np.full(4, wanted[k]), np.full(4, wanted[k + 1]))
        w = w + p.T_S * (p.p_P2 * i - p.p_P3 - p.p_P1 * w**2)  # (5.19)
        predicted = -(p.T_S * (2 * p.p_P1 * (wanted[k] - e) + p.k_P) - 1) * e - p.T_S * p.p_P1 * e**2  # (5.26)
        assert_allclose(wanted[k + 1] - w, predicted, rtol=0, atol=1e-10)


def test_friction_of_each_motor_is_found_while_its_speed_is_tracked():
    p = propellers(ROTORS)
    true = np.array([139.0, 60.0, 250.0, 0.0])  # [rad/s²], the observer starts at 138.9
    rng = np.random.default_rng(4)

    def turn(_, w, i):
        return p.p_P2 * i - true - p.p_P1 * w**2

    def wanted(k):
        return np.full(4, HOVER + 60 * np.sin(2 * np.pi * k * p.T_S))

    w = mean = np.full(4, HOVER)
    x, i, angle, errors, found = propellers_start(p, w), (p.p_P1 * w**2 + p.p_P3) / p.p_P2, np.zeros(4), [], []
    for k in range(600):
        end = solve_ivp(
            lambda t, y, i=i: np.append(turn(t, y[:4], i), y[:4]), (0, p.T_S), np.append(w, angle), rtol=1e-9
        )
        x = observe_propellers(p, x, mean, i)
        mean = (end.y[4:, -1] - angle) / p.T_S + 2.0 * rng.standard_normal(4)  # what the driver measures
        w, angle = end.y[:4, -1], end.y[4:, -1]
        i = track_speeds(p, x, wanted(k + 1), wanted(k + 2))
        errors.append(wanted(k + 1) - w)
        found.append(x[8:])
    assert_allclose(np.mean(found[200:], axis=0), true, atol=8.0)
    assert np.sqrt(np.mean(np.square(errors[200:]))) < 3.0


def test_an_observer_at_rest_stays_at_rest():
    p = propellers(tricopter().rotors)
    w = np.array([400.0, 500.0, 600.0])
    x = propellers_start(p, w)
    i = track_speeds(p, x, w, w)
    assert_allclose(i, [rotor.current(s) for rotor, s in zip(tricopter().rotors, w, strict=True)], rtol=1e-12)
    assert_allclose(observe_propellers(p, x, w, i), x, rtol=1e-12)


def test_a_vehicle_is_taken_for_its_rotors():
    assert_allclose(propellers(tricopter()).p_P1, propellers(tricopter().rotors).p_P1)
    assert_allclose(servos(tricopter()).p_S0, servos(tricopter().rotors).p_S0)
