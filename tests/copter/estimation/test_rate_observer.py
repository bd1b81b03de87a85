"""Angular velocity and the torque that no model explains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import rate_observer

T_S = 0.005
inertia = np.diag([0.0179, 0.0180, 0.0307])


def test_poles_are_those_of_the_text():
    poles = rate_observer(inertia).poles
    assert_allclose(np.sort(poles[0].real), [0.815, 0.985], atol=5e-4)
    assert_allclose(np.sort(poles[2].real), [0.8085, 0.9915], atol=5e-4)


def test_errors_die_out_by_the_poles():
    """A small error in one axis, at rest: two steps of the observer obey its characteristic polynomial."""
    p = rate_observer(inertia)
    s = [np.array([0, 1e-6, 0, 0, 2e-6, 0])]
    for _ in range(2):
        s.append(p.update(s[-1], np.zeros(3), np.zeros(3)))
    a, b = p.poles[1]
    assert_allclose(s[2] - (a + b).real * s[1] + (a * b).real * s[0], 0, atol=1e-16)


@pytest.mark.parametrize(("axis", "within"), [(0, 1.1), (2, 2.0)])
def test_a_step_of_torque_is_found(axis, within):
    p, tau_B = rate_observer(inertia), np.zeros(3)
    tau_B[axis] = 0.05
    s, w, at = p.start(), np.zeros(3), []
    for _ in range(int(3 / T_S)):
        s = p.update(s, w, np.zeros(3))
        w = w + T_S * np.linalg.solve(inertia, tau_B - np.cross(w, inertia @ w))
        at.append(s[3 + axis])
    late = np.flatnonzero(np.abs(np.array(at) / 0.05 - 1) > 0.05)[-1]
    assert 0.5 * within < (late + 1) * T_S < within


def test_gyroscopic_and_known_torques_are_no_bias():
    """A body that tumbles under a known torque: the observer, its model exact, sees nothing else."""
    Theta = np.array([[0.018, -0.002, 0.001], [-0.002, 0.02, 0.0], [0.001, 0.0, 0.03]])
    p, w = rate_observer(Theta), np.array([4.0, -3.0, 2.0])
    s = p.start(w)
    for k in range(400):
        torque = 0.1 * np.array([np.sin(k / 50), np.cos(k / 70), -0.5])
        s = p.update(s, w, torque)
        w = w + T_S * np.linalg.solve(Theta, torque - np.cross(w, Theta @ w))
        assert_allclose(s, [*w, 0, 0, 0], atol=1e-10)


def test_bad_input_is_refused():
    with pytest.raises(ModelError, match=r"positive definite.*-1"):
        rate_observer([1, 1, -1])
    with pytest.raises(ModelError, match="symmetric"):
        rate_observer(np.array([[1, 0.1, 0], [0, 1, 0], [0, 0, 1.0]]))
    with pytest.raises(ModelError, match="L_omega below 2, and L_tau below L_omega"):
        rate_observer(inertia, L_tau=1.0)
    with pytest.raises(ModelError, match="does not settle"):
        rate_observer(inertia, L_omega=2.1)
    with pytest.raises(ModelError, match="positive"):
        rate_observer(inertia, -0.005)
    p = rate_observer(inertia)
    with pytest.raises(ModelError, match="finite"):
        p.update(p.start(), [np.nan, 0, 0], np.zeros(3))
    with pytest.raises(ModelError, match="torque"):
        p.update(p.start(), np.zeros(3), np.zeros(4))
    with pytest.raises(ModelError, match="state of the rate observer"):
        p.update(np.zeros(5), np.zeros(3), np.zeros(3))


def test_the_told_limit_of_gains_is_the_one():
    limit = 0.2 * 0.0179 / T_S
    assert np.abs(rate_observer(inertia, L_tau=0.999 * limit).poles).max() < 1
    with pytest.raises(ModelError, match="does not settle"):
        rate_observer(inertia, L_tau=1.001 * limit)
