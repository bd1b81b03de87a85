"""Against 50 digits: exp, log and their derivatives over the whole range of angles, from 1e-9 to π - 1e-9."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from visviva.geometry import SE2, SE3, SO2, SO3
from visviva.geometry.stumpff import stumpff

DIGITS = 50
RELATIVE = 1e-14  # what is claimed is 1e-12
ANGLES = [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 0.999999, 1.000001, 1.999999, 2.000001, 3.0]
ANGLES += [np.pi - gap for gap in (1e-2, 1e-5, 1e-9)]


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(DIGITS):
        yield


def exact(array):
    return mp.matrix(np.asarray(array).tolist())


def rounded(matrix):
    return np.array(matrix.tolist(), dtype=float)


def error(got, want):
    """Largest difference, before `want` is rounded, relative to the largest entry."""
    got, want = exact(np.atleast_2d(got)), want
    return float(mp.norm(got - want, mp.inf) / mp.norm(want, mp.inf))


def twist(group, angle):
    rng = np.random.default_rng(int(1e6 * angle))
    xi = rng.uniform(-1, 1, group.dim)
    n = 1 if group in (SO2, SE2) else 3
    xi[:n] *= angle / np.linalg.norm(xi[:n])
    return xi


def exact_dexp(group, xi):
    """Σ (-ad)^j / (j + 1)!"""
    ad, term, total = exact(group.ad(xi)), mp.eye(group.dim), mp.zeros(group.dim)
    for j in range(80):
        total += term / mp.factorial(j + 1)
        term = -term * ad
    return total


CASES = [(group, angle) for group in (SO2, SO3, SE2, SE3) for angle in ANGLES]
IDS = [f"{group.__name__}-{angle:.10g}" for group, angle in CASES]


@pytest.mark.parametrize(("group", "angle"), CASES, ids=IDS)
def test_exp_to_rounding(group, angle):
    xi = twist(group, angle)
    want = mp.expm(exact(group.hat(xi)))
    X = group.exp(xi).matrix
    n = 2 if group in (SO2, SE2) else 3
    assert error(X, want) < RELATIVE
    for i, j in zip(*np.triu_indices(n, 1), strict=True):  # small entries are as accurate as the large ones
        assert abs(X[i, j] - want[i, j]) < RELATIVE * np.sin(angle / 2)
    if group in (SE2, SE3):
        assert error(X[:n, n:], want[:n, n:]) < RELATIVE


@pytest.mark.parametrize(("group", "angle"), CASES, ids=IDS)
def test_log_to_rounding_in_the_angular_and_in_the_linear_part(group, angle):
    xi = twist(group, angle)
    got = group.from_matrix(rounded(mp.expm(exact(group.hat(xi))))).log()
    n = 1 if group in (SO2, SE2) else 3
    for part in (slice(0, n), slice(n, None)):
        assert np.abs(got[part] - xi[part]).max(initial=0) <= RELATIVE * np.abs(xi[part]).max(initial=0)


@pytest.mark.parametrize(("group", "angle"), CASES, ids=IDS)
def test_dexp_and_its_inverse_to_rounding(group, angle):
    xi = twist(group, angle)
    want = exact_dexp(group, xi)
    assert error(group.dexp(xi), want) < RELATIVE
    assert error(group.dexp_inv(xi), want**-1) < RELATIVE


@pytest.mark.parametrize("angle", ANGLES)
def test_cayley_maps_to_rounding(angle):
    xi = twist(SE3, 2 * np.tan(angle / 2))
    half, one = exact(SE3.hat(xi)) / 2, mp.eye(4)
    assert error(SE3.cay(xi).matrix, (one - half) ** -1 * (one + half)) < RELATIVE
    half, one = exact(SE3.ad(xi)) / 2, mp.eye(6)
    assert error(SE3.cay_ad(xi).Ad(), (one - half) ** -1 * (one + half)) < RELATIVE


@pytest.mark.parametrize("group", [SO2, SO3, SE2])
@pytest.mark.parametrize("angle", [*ANGLES, np.pi - 1e-12])
def test_cay_of_cay_inv_is_the_identity_up_to_half_turns(group, angle):
    X = group.exp(twist(group, angle))
    np.testing.assert_allclose(group.cay(X.cay_inv()).matrix, X.matrix, rtol=0, atol=1e-12)


@pytest.mark.parametrize("angle", [*ANGLES, np.pi - 1e-12])
def test_on_se3_a_huge_cayley_vector_rounds_the_translation_only(angle):
    X = SE3.exp(twist(SE3, angle))
    rounding = 1e-14 + 1e-15 * np.tan(angle / 2)
    for there_and_back in (SE3.cay(X.cay_inv()), SE3.cay_ad(X.cay_ad_inv())):
        np.testing.assert_allclose(there_and_back.R, X.R, rtol=0, atol=1e-14)
        np.testing.assert_allclose(there_and_back.r, X.r, rtol=0, atol=rounding)


@pytest.mark.parametrize("angle", [a for a in ANGLES if a < np.pi - 1e-3])
def test_cay_inv_of_cay_is_the_identity_away_from_half_turns(angle):
    for group in (SO2, SO3, SE2, SE3):
        xi = twist(group, 2 * np.tan(angle / 2))
        np.testing.assert_allclose(group.cay(xi).cay_inv(), xi, rtol=0, atol=1e-12 * np.abs(xi).max())


@pytest.mark.parametrize("x", [0.0, 1e-18, 1e-6, 0.5, 1 - 1e-15, 1.0, 2.0, 9.8, 1e3])
def test_stumpff_functions_to_rounding(x):
    def c(k):
        return mp.nsum(lambda j: (-mp.mpf(x)) ** j / mp.factorial(2 * j + k), [0, mp.inf])

    for k, got in enumerate(stumpff(np.array(x), 5)):
        assert abs(float(got) - c(k)) < 2e-14 / mp.factorial(k)
