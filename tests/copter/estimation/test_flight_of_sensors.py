"""The motion by which observers are judged is one: its rates are those of its positions."""

import numpy as np
from numpy.testing import assert_allclose

from visviva.geometry import quaternion


def test_rates_are_derivatives(flight):
    h = 1e-5
    for t in (0.3, 1.7, 4.4):
        assert_allclose((flight.r(t + h) - flight.r(t - h)) / (2 * h), flight.v(t), atol=1e-8)
        assert_allclose((flight.v(t + h) - flight.v(t - h)) / (2 * h), flight.a(t), atol=1e-8)
        q_dot = (flight.q(t + h) - flight.q(t - h)) / (2 * h)
        assert_allclose(q_dot, quaternion.rate(flight.q(t), flight.w(t)), atol=1e-8)
        assert np.linalg.norm(flight.w(t)) > 0.1
