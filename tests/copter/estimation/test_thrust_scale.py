"""What a vehicle misses of its thrust: a share of it, and a force that stays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import compiled, thrust_scale, update_thrust_scale

T = 0.005


def learned(p, thrust, b=-0.3, share=0.12, noise=0.0, n=1000):
    rng, s = np.random.default_rng(1), p.start()
    for k in range(n):
        F = thrust(k * T)
        s = p.update(s, b + share * F + noise * rng.normal(), F)
    return s


def test_where_the_thrust_changes_both_are_found():
    p = thrust_scale(0.8)
    s = learned(p, lambda t: 8 + 4 * np.sin(4 * t), noise=0.02, n=4000)
    assert_allclose(s[:2], [-0.3, 0.12], atol=0.02)


def test_at_hover_their_sum_is_found():
    s = learned(thrust_scale(0.8), lambda t: 8.0)
    assert_allclose(s[0] + 8 * s[1], -0.3 + 8 * 0.12, rtol=1e-3)
    assert abs(s[1] - 0.12) > 0.03


def test_without_a_share_it_is_the_filter_of_the_force_bias():
    """b[k + 1] = l_F b[k] + (1 - l_F) missing[k], (5.67)."""
    p, s, b = thrust_scale(0.8, l_F=0.95, share=0.0), None, 0.0
    for missing in np.random.default_rng(2).normal(size=50):
        s = p.update(p.start() if s is None else s, missing, 8.0)
        b = 0.95 * b + 0.05 * missing
        assert_allclose(s[:2], [b, 0.0], rtol=1e-9)


def test_compiled_it_is_the_same_and_what_is_not_finite_changes_nothing():
    p, run = thrust_scale(0.8), compiled(update_thrust_scale)
    own, other = p.start(), p.start()
    for F in (8.0, 9.0, 2.0):
        assert update_thrust_scale(p, own, 0.1, F)
        assert run(p, other, 0.1, F)
        assert not run(p, other, np.nan, F)
    assert_allclose(other, own, rtol=1e-12)


def test_bad_input_is_refused():
    with pytest.raises(ModelError, match="mass"):
        thrust_scale(0.0)
    with pytest.raises(ModelError, match="below 1"):
        thrust_scale(1.0, l_F=1.0)
    with pytest.raises(ModelError, match="share"):
        thrust_scale(1.0, share=-0.1)
    p = thrust_scale(1.0)
    with pytest.raises(ModelError, match="thrust of the reference"):
        p.update(p.start(), 0.0, np.inf)
    with pytest.raises(ModelError, match="state of the scale"):
        p.update(np.zeros(3), 0.0, 1.0)
