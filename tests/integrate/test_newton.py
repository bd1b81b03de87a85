"""Newton to stagnation: what it solves, and how it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.integrate.newton import Newton, NotConverged, difference_jacobian


def root_of_two(y):
    return y**2 - 2, np.ones(1)


def test_it_stops_at_rounding():
    solution = Newton().solve(root_of_two, lambda y: np.diag(2 * y), np.array([1.0]))
    assert abs(solution.y[0] - np.sqrt(2)) <= 4e-16
    assert solution.iterations <= 7


def test_a_reused_matrix_reaches_the_same_root():
    solution = Newton().solve(root_of_two, lambda y: np.diag(2 * y), np.array([1.3]), reuse=True)
    assert abs(solution.y[0] - np.sqrt(2)) <= 4e-16


def test_a_residual_that_cannot_be_zero_is_refused():
    with pytest.raises(NotConverged, match="no convergence in 100 iterations"):
        Newton().solve(lambda y: (y**2 + 1, np.ones(1)), lambda y: np.diag(2 * y), np.array([0.3]))


def test_nan_is_never_accepted():
    with pytest.raises(NotConverged, match="not finite"):
        Newton().solve(lambda y: (np.array([np.nan, 0.0]), np.ones(2)), lambda y: np.eye(2), np.zeros(2))


def test_a_singular_matrix_is_named():
    with pytest.raises(NotConverged, match="singular"):
        Newton().solve(lambda y: (np.ones(2), np.ones(2)), lambda y: np.ones((2, 2)), np.zeros(2))


def test_the_worst_row_is_reported():
    with pytest.raises(NotConverged) as failure:
        Newton().solve(lambda y: (np.array([1e-3, 5.0]), np.ones(2)), lambda y: np.eye(2), np.zeros(2))
    assert failure.value.row == 1


def test_stagnation_above_the_bound_is_no_solution():
    rng = np.random.default_rng(0)
    with pytest.raises(NotConverged):
        Newton().solve(lambda y: (1e-6 * rng.standard_normal(1), np.ones(1)), lambda y: np.eye(1), np.zeros(1))


def test_difference_jacobian():
    def function(y):
        return np.stack([y[..., 0] * y[..., 1], np.sin(y[..., 0])], axis=-1)

    y = np.array([0.4, -1.7])
    np.testing.assert_allclose(
        difference_jacobian(function, y, np.ones(2)), [[-1.7, 0.4], [np.cos(0.4), 0.0]], atol=1e-9
    )
