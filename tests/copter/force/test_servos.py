"""Servos are simulated by Euler's method with the poles that it has, and within half a degree of their equation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.signal import cont2discrete

from visviva.copter import quadcopter, tricopter
from visviva.copter.force import propellers, servo_poles, servos, servos_start, simulate_servos
from visviva.errors import ModelError


def test_poles_of_the_simulation():
    p = servos(tricopter().rotors)
    assert_allclose(np.sort_complex(servo_poles(p)[0]), [0.81667 - 0.07265j, 0.81667 + 0.07265j], rtol=0, atol=1e-5)
    A = np.transpose([simulate_servos(p, column, np.zeros(3)) for column in np.eye(6)])
    assert_allclose(np.sort_complex(np.linalg.eigvals(A)), np.sort_complex(servo_poles(p).ravel()), atol=1e-7)


def test_simulated_tilts_stay_within_half_a_degree_of_the_equation():
    p = servos(tricopter().rotors)
    a, b = p.p_S0[0], p.p_S1[0]
    A, B = cont2discrete((np.array([[0, 1], [-a, -b]]), np.array([[0], [a]]), np.eye(2), np.zeros((2, 1))), p.T_S)[:2]
    x, exact, worst = servos_start(p), np.zeros(2), 0.0
    for k in range(800):
        told = np.deg2rad(20) * np.sin(2 * np.pi * 0.5 * k * p.T_S)  # half a swing of 20 degrees in a second
        x, exact = simulate_servos(p, x, np.full(3, told)), A @ exact + B[:, 0] * told
        worst = max(worst, abs(x[0] - exact[0]))
    assert np.rad2deg(worst) < 0.5


def test_a_servo_comes_to_where_it_is_told_to_be():
    p = servos(tricopter().rotors)
    told, x = np.array([0.1, -0.3, 0.5]), servos_start(p)
    for _ in range(200):
        x = simulate_servos(p, x, told)
    assert_allclose(x, [*told, 0, 0, 0], atol=1e-12)


def test_vehicles_without_servos_have_an_empty_simulation():
    p = servos(quadcopter().rotors)
    assert simulate_servos(p, servos_start(p), np.zeros(0)).shape == (0,)


def test_a_period_too_long_for_eulers_method_is_refused_with_the_longest():
    with pytest.raises(ModelError, match=r"'rotor1' cannot be simulated .*\n.*below about 0\.047 s"):
        servos(tricopter().rotors, 0.06)
    servos(tricopter().rotors, 0.045)


def test_vehicles_are_taken_for_their_rotors():
    for vehicle in (quadcopter(), tricopter()):
        for own in (servos, propellers):
            for one, other in zip(own(vehicle), own(vehicle.rotors), strict=True):
                assert_allclose(one, other, rtol=0)
            for wrong in ("quadcopter", quadcopter, [vehicle], vehicle.rotors[0]):
                with pytest.raises(ModelError, match=r"a vehicle or a list of rotors is needed, vehicle\.rotors, got"):
                    own(wrong)
