"""The angle of a step over its sine, and its derivative: series and atan2 are one function."""

from __future__ import annotations

import math

import mpmath
import pytest

from visviva.kernels.multibody import turns

secant = turns.secant.py_func  # compiled functions inside of kernels cannot be called from here
EPS = 2.0**-53


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
@pytest.mark.parametrize("turn", [1e-12, 1e-6, 1e-3, 0.02, 0.0499, 0.0501, 0.3, 1.5, 1.6, 2.5, 3.1])
def test_secants_are_exact_to_rounding(turn, size):
    for sign in (1.0, -1.0):
        X, Y = sign * size * math.sin(turn), size * math.cos(turn)
        ratio, bend = secant(X, Y)
        with mpmath.workdps(50):
            x, y = mpmath.mpf(X), mpmath.mpf(Y)
            exact = mpmath.atan2(x, y) / x
            exact_bend = (1 - exact * y) / x
        assert abs(ratio / exact - 1) < 8 * EPS
        assert abs(bend / exact_bend - 1) < 1e-12


def test_a_step_without_a_turn_has_the_limit():
    assert secant(0.0, 2.0) == (0.5, 0.0)


def test_half_a_turn_has_no_secant():
    assert math.isnan(secant(0.0, -1.0)[0])
    assert math.isnan(secant(math.nan, 1.0)[0])
