"""Constrained solves: one solution whatever units, redundant rows and vanishing inertia."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.numerics.constrained import NoInertia, check_definite, constrained, definite_solve, least_change
from visviva.numerics.rank import LEAST


def problem(seed, n=7, m=3):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + np.eye(n), rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)


def kkt(M, Z, b, z):
    m = len(Z)
    solution = np.linalg.solve(np.block([[M, Z.T], [Z, np.zeros((m, m))]]), np.concatenate([b, z]))
    return solution[: len(b)], solution[len(b) :]


@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_have_the_solution_of_the_full_matrix(seed):
    given = problem(seed)
    found, (a, w) = constrained(*given), kkt(*given)
    assert_allclose(found.a, a, rtol=0, atol=1e-12)
    assert_allclose(found.w, w, rtol=0, atol=1e-11)
    assert found.rank == 3


@pytest.mark.parametrize("seed", range(5))
def test_redundant_rows_leave_the_motion_and_share_their_force_by_least_norm(seed):
    M, Z, b, z = problem(seed)
    more = np.vstack([Z, Z[0] - 2 * Z[1]])
    found = constrained(M, more, b, np.append(z, z[0] - 2 * z[1]))
    assert found.rank == 3
    assert_allclose(found.a, kkt(M, Z, b, z)[0], rtol=0, atol=1e-11)
    assert_allclose(M @ found.a + more.T @ found.w, b, rtol=0, atol=1e-11)
    assert_allclose(found.w @ np.array([1.0, -2.0, 0.0, -1.0]), 0, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_units_of_velocities_and_rows_change_nothing(seed):
    M, Z, b, z = problem(seed)
    Z, z = np.vstack([Z, Z[0] + Z[1]]), np.append(z, z[0] + z[1])
    rng = np.random.default_rng(seed)
    velocities, rows = 10.0 ** rng.uniform(-2.5, 2.5, 7), 10.0 ** rng.uniform(-2, 2, 4)
    scaled = velocities[:, None] * M * velocities, rows[:, None] * Z * velocities, velocities * b, rows * z
    found, plain = constrained(*scaled), constrained(M, Z, b, z)
    assert found.rank == plain.rank == 3
    assert_allclose(velocities * found.a, plain.a, rtol=0, atol=1e-11)
    assert_allclose(Z.T @ (rows * found.w), Z.T @ plain.w, rtol=0, atol=1e-10)


def test_inertia_is_asked_for_where_rows_leave_motion_and_nowhere_else():
    M, b = np.diag([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 3.0])
    held = constrained(M, np.array([[0.0, 1.0, 0.0]]), b, np.array([4.0]))
    assert_allclose(held.a, [1, 4, 1.5])
    assert_allclose(held.w, [2])
    with pytest.raises(NoInertia) as light:
        constrained(M, np.array([[1.0, 0.0, 1.0]]), b, np.zeros(1))
    assert_allclose(np.abs(light.value.motion), [0, light.value.motion.max(), 0], atol=1e-12)
    assert light.value.eigenvalue == 0


@pytest.mark.parametrize("size", [1.0, 1e-9, 1e9])
def test_a_matrix_of_lower_rank_is_not_definite_in_any_units(size):
    unit = np.array([1.0, size])
    with pytest.raises(NoInertia):
        definite_solve(np.outer(unit, unit), unit, LEAST)
    light = np.diag([1.0, 1e-20])
    assert_allclose(definite_solve(light, np.ones(2), LEAST), [1, 1e20])
    with pytest.raises(NoInertia):
        definite_solve(light, np.ones(2))


@pytest.mark.parametrize("seed", range(5))
def test_levels_of_wishes_are_met_in_their_order_by_the_least_change(seed):
    M, A, _, b = problem(seed)
    rng = np.random.default_rng(10 + seed)
    A2 = np.vstack([A[0] + A[1], rng.normal(size=(2, 7))])
    b2 = rng.normal(size=3)
    x = least_change(A, b, M, then=(A2, b2))
    assert_allclose(A @ x, b, atol=1e-11)
    assert_allclose(A2[1:] @ x, b2[1:], atol=1e-10)  # the first contradicts what comes before
    both = np.vstack([A, A2[1:]])
    assert_allclose(x, kkt(M, both, np.zeros(7), np.concatenate([b, b2[1:]]))[0], atol=1e-10)


def test_damping_shortens_a_change_and_keeps_its_direction_downhill():
    M, A, _, b = problem(0)
    free, damped = least_change(A, b, M), least_change(A, b, M, damping=0.1)
    assert damped @ M @ damped < free @ M @ free
    assert 0 < np.linalg.norm(A @ damped - b) < np.linalg.norm(b)


@pytest.mark.parametrize("seed", range(3))
def test_a_damped_change_is_that_of_levenberg_in_the_metric(seed):
    M, A, _, b = problem(seed)
    mu, one = 0.3, np.ones(len(b))
    x = least_change(A, b, M, terms=one * np.linalg.norm(A, axis=1), damping=mu)
    rows = A / np.linalg.norm(A, axis=1)[:, None]
    wanted = np.linalg.solve(M + rows.T @ rows / mu, rows.T @ (b / np.linalg.norm(A, axis=1)) / mu)
    assert_allclose(x, wanted, rtol=0, atol=1e-12)


def test_what_is_not_free_stays_and_the_others_change_least():
    M, A, _, b = problem(2)
    free = np.array([True, False, True, True, False, True, True])
    x = least_change(A, b, M, free=free)
    assert not x[~free].any()
    assert_allclose(x[free], kkt(M[np.ix_(free, free)], A[:, free], np.zeros(5), b)[0], atol=1e-11)


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e3])
def test_a_motion_without_inertia_changes_least_in_any_units(length):
    """One that no row asks for stays; one that a row asks for follows it."""
    units = np.array([1.0, 1.0 / length, 1.0])
    M = units[:, None] * np.diag([2.0, 1.0, 0.0]) * units
    rows = np.array([[1.0, 1.0, 0.0]]) * units
    assert_allclose(units * least_change(rows, np.array([3.0]), M), [1.0, 2.0, 0.0], atol=1e-8)
    held = np.array([[0.0, 0.0, 1.0]]) * units
    assert_allclose(units * least_change(held, np.array([3.0]), M), [0.0, 0.0, 3.0], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_definite_whatever_the_units(scale):
    """A motion has no inertia below 1e-13 of that of its velocities; kg m² beside kg do not matter."""
    unit = np.array([1.0, scale, 1.0 / scale])
    for part, definite in ((1e-12, True), (3e-14, False), (0.0, False), (-1e-9, False)):
        c = np.sqrt(1.0 - part) if part >= 0 else 1.0 + 1e-9
        M = unit[:, None] * np.array([[1.0, c, 0.0], [c, 1.0, 0.0], [0.0, 0.0, 1.0]]) * unit
        if definite:
            check_definite(M)
            continue
        with pytest.raises(NoInertia) as light:
            check_definite(M)
        assert_allclose(np.abs(light.value.motion), [np.sqrt(0.5), np.sqrt(0.5), 0.0], atol=1e-6)
    with pytest.raises(NoInertia):
        check_definite(np.diag([1.0, 0.0]))
    check_definite(np.zeros((0, 0)))
