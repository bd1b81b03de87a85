"""M = R Wed(K) with the numbers of T7, its extremal property, and what is unique about it."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.geometry import SO3
from visviva.geometry.inertia.euler import euler_tensor
from visviva.geometry.special_polar import special_polar

RNG = np.random.default_rng(1)
CASES = [
    np.diag([3.0, 2, 1]),
    np.diag([3.0, 2, -1]),
    -np.eye(3),
    np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]]),
    np.diag([3.0, 2, -2]),
    np.outer([1.0, 2, 3], [0.5, -1, 2]),
    np.zeros((3, 3)),
    *RNG.normal(size=(6, 3, 3)),
]


@pytest.mark.parametrize("M", CASES)
def test_the_factors_multiply_to_the_matrix(M):
    polar = special_polar(M)
    np.testing.assert_allclose(polar.R @ polar.stretch, M, atol=1e-13)
    np.testing.assert_allclose(polar.R.T @ polar.R, np.eye(3), atol=1e-13)
    assert np.linalg.det(polar.R) == pytest.approx(1.0)
    assert polar.eigenvalues[0] >= -1e-13
    np.testing.assert_allclose(np.linalg.eigvalsh(polar.K), polar.eigenvalues, atol=1e-12)


@pytest.mark.parametrize("M", CASES)
def test_no_other_rotation_is_nearer(M):
    best = np.trace(M.T @ special_polar(M).R)
    others = SO3.exp(3 * RNG.normal(size=(10_000, 3))).R
    assert np.einsum("ij,kij->k", M, others).max() <= best + 1e-12


@pytest.mark.parametrize(
    ("M", "eigenvalues"),
    [
        (np.diag([3.0, 2, 1]), [3, 4, 5]),
        (np.diag([3.0, 2, -1]), [1, 2, 5]),
        (-np.eye(3), [0, 0, 2]),
        (CASES[3], [0.678294829, 17.215638646, 18.287666517]),
    ],
)
def test_eigenvalues_of_the_published_cases(M, eigenvalues):
    np.testing.assert_allclose(special_polar(M).eigenvalues, eigenvalues, atol=1e-8)


def test_rotations_of_the_published_cases():
    np.testing.assert_allclose(special_polar(np.diag([3.0, 2, 1])).R, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(special_polar(np.diag([3.0, 2, -1])).R, np.eye(3), atol=1e-14)
    assert special_polar(CASES[3]).R[0, 0] == pytest.approx(-0.75476349, abs=1e-8)
    half_turn = special_polar(-np.eye(3))
    np.testing.assert_allclose(half_turn.R, half_turn.K - np.eye(3), atol=1e-13)  # R = 2 q qᵀ - I, K = 2 q qᵀ


def test_two_decompositions_of_one_matrix_are_reported():
    """K is not unique where it is singular and σ2 > 0, which Konz denies."""
    M = np.diag([3.0, 2, -2])
    for R, K in ((np.eye(3), np.diag([0.0, 1, 5])), (np.diag([1.0, -1, -1]), np.diag([0.0, 5, 1]))):
        np.testing.assert_allclose(R @ euler_tensor(K), M, atol=1e-15)
    polar = special_polar(M)
    assert not polar.R_unique
    assert not polar.K_unique
    np.testing.assert_allclose(polar.eigenvalues, [0, 1, 5], atol=1e-14)


def test_uniqueness_is_reported_case_by_case():
    unique = [(polar.R_unique, polar.K_unique) for polar in map(special_polar, CASES[:7])]
    assert unique == [
        (True, True),
        (True, True),
        (False, False),
        (True, True),
        (False, False),
        (False, True),
        (False, True),
    ]
