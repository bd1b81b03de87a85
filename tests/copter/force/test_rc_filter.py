"""The filter of remote controls has lost 3 dB at 7 Hz, and its steps are those of its equation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from visviva.copter.force import filter_rc, rc_filter, rc_filter_start
from visviva.errors import ModelError


def test_coefficients_and_cutoff():
    p = rc_filter()
    assert_allclose(p.a, [1.96765e7, 9.4571e5, 1.9480e4, 208.06], rtol=3e-5)

    def loss(f):
        s = 2j * np.pi * f
        return abs(p.a[0] / (s**4 + p.a[3] * s**3 + p.a[2] * s**2 + p.a[1] * s + p.a[0]))

    frequencies = np.linspace(6, 8, 20001)
    cutoff = frequencies[np.argmin(np.abs(loss(frequencies) - 1 / np.sqrt(2)))]
    assert cutoff == pytest.approx(7.0, abs=0.05)


def test_steps_are_those_of_the_differential_equation():
    p, rng = rc_filter(), np.random.default_rng(1)
    units = (2 * np.pi * 7) ** np.arange(4)
    A = np.diag(np.ones(3), 1)
    A[3] = -p.a
    x, y = rc_filter_start(p, 0.3), np.array([0.3, 0, 0, 0])
    for u in rng.uniform(-1, 1, 40):
        x = filter_rc(p, x, np.array([u]))
        scaled = solve_ivp(
            lambda _, z, u=u: (A @ (z * units) + [0, 0, 0, p.a[0] * u]) / units, (0, p.T_S), y / units,
            method="DOP853", rtol=1e-12, atol=1e-13,
        )  # fmt: skip
        y = scaled.y[:, -1] * units
        assert_allclose(x[0] / units, y / units, rtol=0, atol=1e-9)


def test_channels_that_rest_stay_at_rest_and_do_not_mix():
    p = rc_filter()
    x = rc_filter_start(p, [0.2, -0.7])
    assert_allclose(filter_rc(p, x, np.array([0.2, -0.7])) / (2 * np.pi * 7) ** np.arange(4), x, atol=1e-12)
    moved = filter_rc(p, x, np.array([0.2, 0.7]))
    assert_allclose(moved[0], filter_rc(p, x, np.array([0.2, -0.7]))[0], atol=0)
    with pytest.raises(ModelError, match="cutoff"):
        rc_filter(cutoff=-1.0)
