"""Divided differences against many digits, and against their plain forms, at every scale and across every seam."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.kernels import elementary
from visviva.language import discrete

EPS = np.finfo(float).eps
mp = mpmath.mp.clone()
mp.dps = 60


def both_signs(largest, seams):
    """Zero, all decades, both sides of every seam, up to the largest argument."""
    z = np.concatenate([10.0 ** np.arange(-12, 1), np.outer(seams, [1 - 1e-9, 1 + 1e-9]).ravel(), [largest]])
    z = z[z <= largest]
    return np.concatenate([-z, [0.0], z])


# by name: the function in many digits, its value at zero, arguments, accuracy relative to the value
ONE = {
    "sinc_": (lambda z: mp.sin(z) / z, 1, both_signs(3.0, [0.05]), 4 * EPS),
    "sinhc_": (lambda z: mp.sinh(z) / z, 1, both_signs(20.0, [0.05]), 4 * EPS),
    "atanhc_": (lambda z: mp.atanh(z) / z, 1, both_signs(0.999, [0.05]), 4 * EPS),
    "dsinc_": (lambda z: (mp.cos(z) - mp.sin(z) / z) / z, 0, both_signs(3.0, [0.3]), 1e-13),
    "dsinhc_": (lambda z: (mp.cosh(z) - mp.sinh(z) / z) / z, 0, both_signs(20.0, [0.3]), 1e-13),
    "datanhc_": (lambda z: (1 / (1 - z**2) - mp.atanh(z) / z) / z, 0, both_signs(0.999, [0.1]), 1e-13),
}


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_argument(name):
    exact, at_zero, z, accuracy = ONE[name]
    compiled = getattr(elementary, name)
    expected = [float(exact(mp.mpf(value))) if value else at_zero for value in z]
    assert_allclose([compiled(value) for value in z], expected, rtol=accuracy, atol=0)


@pytest.mark.parametrize("name", ["sinc_", "sinhc_", "atanhc_"])
def test_compiled_and_plain_forms_agree(name):
    _, _, z, _ = ONE[name]
    plain = getattr(discrete, name)(z)
    assert_allclose([getattr(elementary, name)(value) for value in z], plain, rtol=8 * EPS)


@pytest.mark.parametrize("name", ["atanhc_", "datanhc_"])
def test_a_logarithm_has_no_value_across_its_pole(name):
    """log[a, b] = artanh(d/m)/m, and |d| ≥ |m| where a and b have different signs."""
    for z in (1.0, -1.0, 1.5):
        assert np.isnan(getattr(elementary, name)(z))


PAIRS = [(a, a + d) for a in (-3.0, -0.4, 0.0, 0.7, 2.0) for d in (1e-8, 1e-5, 9.9e-5, 1.1e-4, 1e-3, 0.04, 0.6, 5.0)]


def exact_slope(a, b):
    a, b = mp.mpf(a), mp.mpf(b)
    return (mp.atan(b) - mp.atan(a)) / (b - a)


@pytest.mark.parametrize(("a", "b"), [*PAIRS, *((b, a) for a, b in PAIRS)])
def test_mean_slope_of_the_arctangent(a, b):
    expected = float(exact_slope(a, b))
    assert_allclose(elementary.atanc_(a, b), expected, rtol=8 * EPS)
    assert_allclose(float(discrete.atanc_(a, b)), expected, rtol=8 * EPS)
    slope = float((exact_slope(a, b) - 1 / (1 + mp.mpf(a) ** 2)) / (mp.mpf(b) - mp.mpf(a)))
    assert_allclose(elementary.datanc_(a, b), slope, rtol=1e-7, atol=1e-8)  # it enters a Newton matrix only


def test_the_mean_slope_of_the_arctangent_at_one_point_is_its_slope():
    for a in (-2.0, 0.0, 0.5):
        assert elementary.atanc_(a, a) == pytest.approx(1 / (1 + a * a), rel=2 * EPS)
        assert elementary.datanc_(a, a) == pytest.approx(-a / (1 + a * a) ** 2, rel=8 * EPS, abs=1e-300)


def test_no_step_crosses_a_pole():
    assert elementary.connected_(1e-9, 3.0) == elementary.connected_(-1.0, -2.0) == 1.0
    assert np.isnan(elementary.connected_(-1.0, 2.0))
    assert np.isnan(elementary.connected_(0.0, 2.0))
    assert_allclose(discrete.connected_([1.0, -1.0], [2.0, 2.0]), [1.0, np.nan])


@pytest.mark.parametrize("name", ["sinc_", "sinhc_", "atanhc_"])
def test_derivatives_of_symbols_are_the_compiled_ones(name):
    """The derivative of f_ is df_, by the first argument."""
    import sympy

    z = sympy.Symbol("z")
    assert str(discrete.symbolic(name)(z).diff(z)) == f"d{name}(z)"
    exact = ONE[name][0]
    for value in (0.04, 0.2, 0.9):
        expected = float(mp.diff(exact, mp.mpf(value)))
        assert getattr(elementary, f"d{name}")(value) == pytest.approx(expected, rel=1e-12)


SIGNED = [(a, b) for a in (-2.0, -1e-9, 0.0, 1e-300, 0.3) for b in (-0.7, -1e-12, 0.0, 1e-5, 4.0)]


@pytest.mark.parametrize(("a", "b"), SIGNED)
def test_the_difference_of_absolute_values(a, b):
    x, y = mp.mpf(a), mp.mpf(b)
    expected = float((abs(y) - abs(x)) / (y - x)) if a != b else float(np.sign(a))
    assert_allclose(elementary.absq_(a, b), expected, rtol=4 * EPS)
    assert_allclose(float(discrete.absq_(a, b)), expected, rtol=4 * EPS)
    slope = float(((abs(y) - abs(x)) / (y - x) - mp.sign(x)) / (y - x)) if a != b else 0.0
    assert_allclose(elementary.dabsq_(a, b), slope if a else 0.0, rtol=1e-12, atol=1e-300)


POWERS = [(a, b) for a in (0.0, 1e-9, 0.4, 0.4 * (1 + 1e-12), 2.0) for b in (0.0, 1e-6, 0.4, 0.4001, 5.0)]


@pytest.mark.parametrize("p", [-0.4, 0.3, 1.0, 1.5, 2.2, 3.7])
@pytest.mark.parametrize(("a", "b"), POWERS)
def test_the_difference_of_powers(a, b, p):
    if p < 0 and 0.0 in (a, b):
        return  # a pole
    x, y, n = map(mp.mpf, (a, b, p))
    inside = n * x ** (n - 1) if a or p >= 1 else mp.inf
    expected = float((y**n - x**n) / (y - x) if a != b else inside)
    assert_allclose(elementary.powq_(a, b, p), expected, rtol=1e-14)
    with np.errstate(divide="ignore"):
        assert_allclose(float(discrete.powq_(a, b, p)), expected, rtol=1e-14)
    if a > 0:
        bend = (((y**n - x**n) / (y - x) - inside) / (y - x)) if a != b else n * (n - 1) / 2 * x ** (n - 2)
        assert_allclose(elementary.dpowq_(a, b, p), float(bend), rtol=1e-6, atol=1e-12)
    assert np.isfinite(elementary.dpowq_(a, b, p))


def test_powers_have_no_value_below_zero():
    assert np.isnan(elementary.powq_(-1.0, 2.0, 1.5))
    assert np.isnan(discrete.powq_(-1.0, 2.0, 1.5))
