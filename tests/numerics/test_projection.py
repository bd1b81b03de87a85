"""Projections on constraints: nearest, to rounding, whatever units and redundant rows, along groups as well."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.geometry import SO3
from visviva.numerics.constrained import constrained, least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point, nearest_velocities, relative

RULE = 1e-14, 1e-9


def on_ellipse(length, copies=1):
    """Points with (x/2)² + y² = length², said several times over."""

    def gap(q):
        x, y = q / length
        g = np.full(copies, x * x / 4 + y * y - 1.0)
        Z = np.tile([x / 2 / length, 2 * y / length], (copies, 1))
        return Gap(g, np.full(copies, 2.0), lambda z: least_change(Z, z, np.diag([3.0, 1.0])))

    return gap


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("copies", [1, 3])
def test_a_point_is_found_to_rounding_in_any_units_and_with_redundant_rows(length, copies):
    start = length * np.array([1.5, 1.2])
    found, reached = nearest_point(start, on_ellipse(length, copies), np.add, Convergence(*RULE), 20)
    assert reached
    assert on_ellipse(length)(found).largest <= 1e-15
    assert_allclose(found / length, nearest_point(start / length, on_ellipse(1.0), np.add, Convergence(*RULE), 20)[0])


def test_each_step_is_the_least_in_its_metric():
    M, Z, z = np.diag([2.0, 1.0, 5.0]), np.array([[1.0, 1.0, 1.0]]), np.array([2.0])
    plane = lambda q: Gap(Z @ q - z, np.ones(1), lambda z: least_change(Z, z, M))  # noqa: E731
    start = np.array([0.3, -0.1, 0.4])
    found, reached = nearest_point(start, plane, np.add, Convergence(*RULE), 5)
    assert reached
    assert_allclose(found, constrained(M, Z, M @ start, z).a, rtol=1e-14)


def test_groups_are_followed_by_the_callers_steps():
    """The turn nearest to one that carries e3 to a given direction: about an axis across both."""
    wanted = np.array([0.6, 0.0, 0.8])

    def gap(R):
        e = R.R @ np.array([0.0, 0.0, 1.0])
        Z = -R.R @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        return Gap(e - wanted, np.ones(3), lambda z: least_change(Z, z, np.eye(3)))

    found, reached = nearest_point(SO3.exp(np.zeros(3)), gap, lambda R, w: R @ SO3.exp(w), Convergence(*RULE), 20)
    assert reached
    assert_allclose(found.R[:, 2], wanted, atol=1e-15)
    assert_allclose(found.log(), [0.0, np.arcsin(0.6), 0.0], atol=1e-12)


def test_constraints_that_contradict_each_other_are_not_reached_and_the_worst_is_known():
    rows = np.eye(2)[[0, 0, 1]]

    def gap(q):
        return Gap(rows @ q - np.array([1.0, 1.2, 0.5]), np.array([1.0, 1.0, 10.0]), lambda z: least_change(rows, z))

    found, reached = nearest_point(np.zeros(2), gap, np.add, Convergence(*RULE), 10)
    assert not reached
    assert_allclose(found, [1.1, 0.5])
    assert gap(np.array([1.0, 0.5])).worst == 1
    assert gap(np.array([1.0, 0.5])).largest == pytest.approx(0.2)


def test_what_is_zero_misses_nothing_even_without_terms():
    assert_allclose(relative(np.array([0.0, -2.0]), np.array([0.0, 4.0])), [0.0, 0.5])


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e3])
def test_velocities_of_a_batch_are_those_of_one_solve_each(length):
    rng = np.random.default_rng(0)
    units = np.array([1.0, 1.0, 1.0, length, length])
    M, Z, v = [], [], []
    for _ in range(4):
        root, rows = rng.normal(size=(5, 5)), rng.normal(size=(2, 5))
        M.append(units[:, None] * (root @ root.T + np.eye(5)) * units)
        Z.append(np.vstack([rows, rows[0] - rows[1]]) * units)
        v.append(rng.normal(size=5) / units)
    found = nearest_velocities(np.array(M), np.array(Z), np.array(v))
    for one, M_k, Z_k, v_k in zip(found, M, Z, v, strict=True):
        assert_allclose(units * one, units * constrained(M_k, Z_k, M_k @ v_k, np.zeros(3)).a, atol=1e-12)
