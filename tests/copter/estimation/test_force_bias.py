"""The force that no model explains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import force_bias
from visviva.geometry import quaternion

m, d, F_B = 1.001, 0.32, np.array([0.09, 0.02, -0.09])


def test_it_is_found_in_flight_with_drag(flight):
    """F_B = m (a_M - a_B) + d Rᵀ ṙ - F; with the position in place of the velocity it would be off by 0.3 N."""
    p, a_B = force_bias(m, d), np.array([0.3, -0.2, 0.1])
    s, errors = p.start(), []
    for k in range(600):
        t = 0.005 * k
        R, (_, a) = quaternion.matrix_of(flight.q(t)), flight.imu(t, a_B)
        force = m * (a - a_B) + d * R.T @ flight.v(t) - F_B
        s = p.update(s, a, a_B, flight.v(t), flight.q(t), force)
        errors.append(np.abs(s - F_B).max())
    assert_allclose(errors[199] / np.abs(F_B).max(), 0.98**200)
    assert errors[-1] < 1e-6


def test_bad_input_is_refused():
    with pytest.raises(ModelError, match="mass"):
        force_bias(0.0)
    with pytest.raises(ModelError, match="drag"):
        force_bias(1.0, -0.1)
    with pytest.raises(ModelError, match="below 1"):
        force_bias(1.0, l_F=1.0)
    p, o, up = force_bias(1.0), np.zeros(3), [1, 0, 0, 0]
    with pytest.raises(ModelError, match=r"unit quaternion.*1\.1"):
        p.update(p.start(), o, o, o, [1.1, 0, 0, 0], o)
    with pytest.raises(ModelError, match="velocity must be finite"):
        p.update(p.start(), o, o, [np.nan, 0, 0], up, o)
    with pytest.raises(ModelError, match="state of the force bias"):
        p.update(np.zeros(6), o, o, o, up, o)
