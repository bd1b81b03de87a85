"""Saddle-point systems: nearest points under linear conditions, whatever the rank of these."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

from visviva.numerics import saddle
from visviva.numerics.saddle import Saddle, solve_many, symmetric_solver

RNG = np.random.default_rng(7)
M = RNG.uniform(0.5, 2.0, 8)
C = RNG.standard_normal((5, 8))
F, B = RNG.standard_normal(8), RNG.standard_normal(5)
HARD = np.zeros(5, dtype=bool)
SOFT = np.array([False, False, True, True, True])


@pytest.fixture(params=[0, 150], ids=["sparse", "full"])
def few(request, monkeypatch):
    monkeypatch.setattr(saddle, "FEW", request.param)


def kkt(M, C, f, b):
    K = np.block([[np.diag(M), C.T], [C, np.zeros((len(C), len(C)))]])
    solution = np.linalg.lstsq(K, np.concatenate([f, b]), rcond=1e-12)[0]
    return solution[: len(M)], solution[len(M) :]


@pytest.mark.parametrize("soft", [HARD, SOFT, ~HARD])
def test_the_solution_is_that_of_the_full_system(few, soft):
    x, lam = Saddle(M, scipy.sparse.csr_array(C), soft).solve(F, B)
    expected = kkt(M, C, F, B)
    assert_allclose(x, expected[0], rtol=0, atol=1e-13)
    assert_allclose(lam, expected[1], rtol=0, atol=1e-12)


def test_redundant_rows_do_no_harm_where_they_are_soft(few):
    twice = np.vstack([C, C[2:] + C[:3]])
    b = np.concatenate([B, B[2:] + B[:3]])
    soft = np.arange(8) >= 2
    x, lam = Saddle(M, scipy.sparse.csr_array(twice), soft).solve(F, b)
    assert_allclose(x, kkt(M, C, F, B)[0], rtol=0, atol=1e-12)
    assert_allclose(M * x + twice.T @ lam, F, rtol=0, atol=1e-12)


def test_rows_that_contradict_leave_a_compromise(few):
    """x = 1 and x = 3 of equal weight."""
    rows = scipy.sparse.csr_array(np.array([[1.0, 0.0], [1.0, 0.0]]))
    x, _ = Saddle(np.ones(2), rows, np.ones(2, dtype=bool)).solve(np.array([0.0, 5.0]), np.array([1.0, 3.0]))
    assert_allclose(x, (2, 5), rtol=0, atol=1e-8)


def test_where_there_is_no_mass_the_rows_decide(few):
    light = M.copy()
    light[0] = 0.0
    metric = np.maximum(light, 1e-9)
    x, lam = Saddle(light, scipy.sparse.csr_array(C), HARD, metric=metric).solve(F, B)
    assert_allclose(light * x + C.T @ lam, F, rtol=0, atol=1e-12)
    assert_allclose(C @ x, B, rtol=0, atol=1e-12)


def test_many_systems_are_solved_as_one_by_one():
    many = RNG.standard_normal((4, 5, 8))
    f, b = RNG.standard_normal((4, 8)), RNG.standard_normal((4, 5))
    x, lam = solve_many(M, many, SOFT, M, f, b)
    for k in range(4):
        one = Saddle(M, scipy.sparse.csr_array(many[k]), SOFT).solve(f[k], b[k])
        assert_allclose(x[k], one[0], rtol=0, atol=1e-11)
        assert_allclose(lam[k], one[1], rtol=0, atol=1e-11)


def test_a_full_matrix_may_stand_for_the_masses():
    K = RNG.standard_normal((8, 8))
    K = K + K.T
    x, lam = symmetric_solver(scipy.sparse.csr_array(K), M, scipy.sparse.csr_array(C), HARD)(F, B)
    assert_allclose((K + np.diag(M)) @ x + C.T @ lam, F, rtol=0, atol=1e-10)
    assert_allclose(C @ x, B, rtol=0, atol=1e-12)
