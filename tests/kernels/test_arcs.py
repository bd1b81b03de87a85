"""The functions in the logarithm of a pose, against many digits: NumPy and compiled."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.kernels import elementary
from visviva.language import arcs

EPS = np.finfo(float).eps
NAMES = ("arc", "bow")
PAIRS = [(-0.9, 2.9), (0.5, 0.5 + 1e-9), (2.99999, 2.9999), (1.2, 2.9), (2.5, -0.3)]


def angle(t):
    return mp.acos((mp.mpf(t) - 1) / 2)


def arc(t):
    return angle(t) / (2 * mp.sin(angle(t)))


def bow(t):
    return (1 - angle(t) / 2 * mp.cot(angle(t) / 2)) / (4 * mp.sin(angle(t)) ** 2)


EXACT = {"arc": arc, "bow": bow}


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_values_slopes_and_divided_differences(name, a, b):
    f, x, y = EXACT[name], mp.mpf(a), mp.mpf(b)
    value, slope = f(x), mp.diff(f, x)
    mean = (f(y) - f(x)) / (y - x)
    for module in (elementary, arcs):
        assert_allclose(float(getattr(module, f"{name}_")(a)), float(value), rtol=8 * EPS)
        assert_allclose(float(getattr(module, f"d{name}_")(a)), float(slope), rtol=16 * EPS)
        assert_allclose(float(getattr(module, f"{name}q_")(a, b)), float(mean), rtol=16 * EPS)
    assert_allclose(getattr(elementary, f"d{name}q_")(a, b), float((mean - slope) / (y - x)), rtol=1e-12)


@pytest.mark.parametrize("module", [elementary, arcs])
def test_limits_without_rotation_and_at_half_a_turn(module):
    assert_allclose(float(module.arc_(3.0)), 0.5, rtol=4 * EPS)
    assert_allclose(float(module.bow_(3.0)), 1 / 48, rtol=4 * EPS)
    with np.errstate(divide="ignore"):
        assert np.isinf(module.arc_(-1.0))
