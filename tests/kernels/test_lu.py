from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array

from visviva.errors import ModelError
from visviva.kernels import ordering
from visviva.kernels.lu import factor, solve
from visviva.kernels.ordering import analyse
from visviva.kernels.singular import Singular
from visviva.kernels.symbolic import fill

SEEDS = st.integers(0, 2**32 - 1)


def entries(A):
    rows, cols = np.nonzero(A)
    return rows, cols, A[rows, cols]


def solution(plan, values, b):
    """The solution of A x = b, and the smallest relative pivot; the working arrays start as nan."""
    LU, work, x = np.full(plan.size, np.nan), np.full(plan.n, np.nan), np.array(b, dtype=float)
    smallest = factor(plan, values, LU, work)
    solve(plan, LU, x, work)
    return x, smallest


def assert_solves(A, plan=None):
    """The factors solve A x = b as accurately as LAPACK does, for an x of ordinary size."""
    rows, cols, values = entries(A)
    x = np.cos(np.arange(len(A)))
    found, smallest = solution(plan or analyse(len(A), rows, cols, values), values, A @ x)
    assert 0 < smallest <= 1
    assert_allclose(found, x, rtol=0, atol=1e-13 * np.linalg.cond(A))


def sparse_matrix(rng, n, share):
    A = rng.standard_normal((n, n)) * (rng.random((n, n)) < share)
    A[np.arange(n), rng.permutation(n)] += rng.choice([-2.0, 2.0], n)  # the diagonal may remain empty
    return A


def saddle_point(rng, bodies, rows):
    """Masses of `bodies` in a chain, 6 by 6 each, with the multipliers of `rows` constraints per joint."""
    n = 6 * bodies
    A = np.zeros((n + rows * bodies, n + rows * bodies))
    for k in range(bodies):
        body, joint = slice(6 * k, 6 * k + 6), slice(n + rows * k, n + rows * (k + 1))
        root = rng.standard_normal((6, 6))
        A[body, body] = root @ root.T + np.eye(6)
        both = slice(max(6 * k - 6, 0), 6 * k + 6)
        A[joint, both] = rng.standard_normal((rows, both.stop - both.start))
        A[both, joint] = A[joint, both].T
    return A


def heat_line(cells):
    """Momentum p, displacement q and entropy s in every cell; q has no entry on the diagonal."""
    i = 3 * np.arange(cells)
    stencil = [  # row, column, cell of the column, value
        ("q", "p", 0, 1.0), ("q", "p", -1, -1.0), ("p", "q", 0, -40.0), ("p", "q", 1, 40.0), ("p", "p", 0, 2.0),
        ("p", "p", -1, -0.3), ("p", "p", 1, -0.3), ("p", "s", 0, 0.1), ("s", "p", 0, -0.2), ("s", "s", 0, 3.0),
        ("s", "s", -1, -0.5), ("s", "s", 1, -0.5),
    ]  # fmt: skip
    rows, cols, values = [], [], []
    for row, col, shift, value in stencil:
        there = i[(i + 3 * shift >= 0) & (i + 3 * shift < 3 * cells)]
        rows.append(there + "qps".index(row))
        cols.append(there + 3 * shift + "qps".index(col))
        values.append(np.full(len(there), value))
    return 3 * cells, np.concatenate(rows), np.concatenate(cols), np.concatenate(values)


@given(seed=SEEDS, n=st.integers(1, 30), share=st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_factors_solve_any_regular_matrix(seed, n, share):
    A = sparse_matrix(np.random.default_rng(seed), n, share)
    assume(np.linalg.cond(A) < 1e6)
    assert_solves(A)


@given(seed=SEEDS, bodies=st.integers(1, 6), rows=st.integers(1, 5))
def test_factors_solve_saddle_points(seed, bodies, rows):
    A = saddle_point(np.random.default_rng(seed), bodies, rows)
    assume(np.linalg.cond(A) < 1e8)
    assert_solves(A)


@given(seed=SEEDS, n=st.integers(2, 20))
def test_units_of_rows_and_columns_change_neither_pivots_nor_digits(seed, n):
    rng = np.random.default_rng(seed)
    A = sparse_matrix(rng, n, 0.3)
    assume(np.linalg.cond(A) < 1e4)
    r, c = 10.0 ** rng.uniform(-8, 8, (2, n))
    rows, cols, values = entries(A)
    x = rng.uniform(1, 2, n)
    scaled = r[rows] * values * c[cols]
    found, smallest = solution(analyse(n, rows, cols, scaled), scaled, r * (A @ x))
    assert_allclose(found * c, x, rtol=1e-10)
    assert smallest > 1e-5


@given(seed=SEEDS, n=st.integers(1, 40))
def test_a_permutation_has_no_fill(seed, n):
    columns = np.random.default_rng(seed).permutation(n)
    plan = analyse(n, np.arange(n), columns, np.ones(n))
    x, smallest = solution(plan, np.ones(n), np.arange(n))
    assert plan.size == n
    assert smallest == 1.0
    assert_array_equal(x[columns], np.arange(n))


@given(seed=SEEDS)
def test_values_at_one_place_are_added(seed):
    rng = np.random.default_rng(seed)
    A = sparse_matrix(rng, 8, 0.4) + 5 * np.eye(8)
    rows, cols, values = entries(A)
    part = rng.standard_normal(len(values))
    order = rng.permutation(2 * len(values))
    rows, cols, values = (np.concatenate(two)[order] for two in ((rows, rows), (cols, cols), (part, values - part)))
    x, _ = solution(analyse(8, rows, cols, values), values, A @ np.ones(8))
    assert_allclose(x, 1.0, rtol=0, atol=1e-13 * np.linalg.cond(A))


def test_one_unknown_and_none():
    x, smallest = solution(analyse(1, [0], [0], [-4.0]), np.array([-4.0]), [2.0])
    assert (x[0], smallest) == (-0.5, 1.0)
    x, smallest = solution(analyse(0, [], [], []), np.zeros(0), [])
    assert (len(x), smallest) == (0, 1.0)


def test_a_dense_matrix_is_eliminated_by_runs():
    A = np.random.default_rng(1).standard_normal((40, 40))
    plan = analyse(40, *entries(A))
    assert plan.size == 1600
    assert plan.runs[:, 2].sum() > 0.9 * 40 * 39 / 2
    assert_solves(A, plan)


def test_fill_of_a_line_is_linear():
    n, rows, cols, values = heat_line(2000)
    plan = analyse(n, rows, cols, values)
    assert plan.size < 6 * n
    b = np.bincount(rows, values, minlength=n)  # A times ones
    assert_allclose(solution(plan, values, b)[0], 1.0, rtol=0, atol=1e-9)


def test_orders_with_more_fill_are_tried_where_no_other_is_stable(monkeypatch):
    monkeypatch.setattr(ordering, "WORSE", 0)  # no order counts as thrifty
    assert_solves(saddle_point(np.random.default_rng(2), 3, 3))


def test_the_order_that_fills_large_saddle_points_up_is_tried_only_where_no_other_is_stable(monkeypatch):
    A = saddle_point(np.random.default_rng(2), 3, 3)
    assert len(ordering.orders(csc_array(A))) == 4
    monkeypatch.setattr(ordering, "LARGE", 0)
    assert len(ordering.orders(csc_array(A))) == 3
    assert len(ordering.orders(csc_array(A + np.eye(len(A))))) == 4  # without zeros on the diagonal
    every = ordering.orders
    monkeypatch.setattr(ordering, "orders", lambda A, again=False: every(A, again=True) if again else [])
    assert_solves(A)


@given(seed=SEEDS)
def test_one_plan_serves_other_values_of_the_pattern(seed):
    rng = np.random.default_rng(seed)
    A = sparse_matrix(rng, 12, 0.3) + 8 * np.eye(12)
    rows, cols, values = entries(A)
    trial = values * (rng.random(len(values)) < 0.7)  # an entry that is zero at the analysis is still in the pattern
    trial[rows == cols] = 8.0
    assert_solves(A, analyse(12, rows, cols, trial))


def test_pivots_that_vanish_later_are_noticed_and_a_new_analysis_cures_them():
    rows, cols = [0, 0, 1, 1], [0, 1, 0, 1]
    later = np.array([1e-14, 1.0, 1.0, 1.0])
    plan = analyse(2, rows, cols, [1.0, 1e-3, 1e-3, 1.0])
    assert solution(plan, later, [1.0, 2.0])[1] < 1e-10
    assert solution(plan, np.array([0.0, 1.0, 1.0, 0.0]), [1.0, 2.0])[1] == 0.0
    x, smallest = solution(analyse(2, rows, cols, later), later, [1.0, 2.0])
    assert smallest > 0.1
    assert_allclose(x, [1.0, 1.0], rtol=1e-13)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_noticed_wherever_it_is(place, value):
    values = np.array([3.0, 1.0, 1.0, 3.0])
    plan = analyse(2, [0, 0, 1, 1], [0, 1, 0, 1], values)
    values[place] = value
    assert np.isnan(factor(plan, values, np.empty(plan.size), np.empty(2)))


def test_space_for_the_fill_grows():
    A = np.eye(20)
    A[0], A[:, 0] = 1.0, 1.0  # eliminated from this end an arrow fills completely
    col = np.nonzero(A)[1]
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(A, axis=1))])
    ample, tight = fill(start, col, 1000), fill(start, col, 1)
    assert len(ample[2]) == 400
    for one, other in zip(ample, tight, strict=True):
        assert_array_equal(one, other)


def test_trial_values_must_be_finite_and_as_many_as_the_entries():
    with pytest.raises(ModelError, match="trial values of the matrix must be finite"):
        analyse(1, [0], [0], [np.nan])
    with pytest.raises(ModelError, match=r"trial values of the matrix must have shape \(2,\)"):
        analyse(2, [0, 1], [0, 1], [1.0])


def singular_of(n, rows, cols, values):
    with pytest.raises(Singular, match=r"the matrix is singular .*: unknowns .* equations") as caught:
        analyse(n, rows, cols, values)
    return caught.value


def test_an_unknown_in_no_equation_is_named():
    error = singular_of(3, [0, 1, 2, 2], [0, 0, 0, 2], [1.0, 2.0, 1.0, 1.0])
    assert_array_equal(error.unknowns, [1])
    assert_array_equal(error.equations, [0, 1])
    assert error.structural


def test_a_pattern_is_regular_where_values_that_may_change_are_zero():
    error = singular_of(2, [0, 1], [0, 1], [1.0, 0.0])
    assert_array_equal(error.unknowns, [1])
    assert not error.structural


def test_all_values_zero():
    error = singular_of(2, [0, 1], [0, 1], [0.0, 0.0])
    assert_array_equal(error.unknowns, [0, 1])


@pytest.mark.parametrize("n", [5, 300])
def test_floating_parts_are_named_each_with_all_its_unknowns(n):
    """Two free chains of springs, and between them one chain that is held."""
    K = 2 * np.eye(3 * n) - np.eye(3 * n, k=1) - np.eye(3 * n, k=-1)
    for cut in (n, 2 * n):
        K[cut, cut - 1] = K[cut - 1, cut] = 0.0
    for end in (0, n - 1, 2 * n, 3 * n - 1):
        K[end, end] = 1.0
    error = singular_of(3 * n, *entries(K))
    floating = np.r_[:n, 2 * n : 3 * n]
    assert_array_equal(error.unknowns, floating)
    assert_array_equal(error.equations, floating)
    assert not error.structural


def test_redundant_constraints_name_their_multipliers():
    A = saddle_point(np.random.default_rng(3), 3, 2)
    A[-1], A[:, -1] = A[-2], A[:, -2]
    error = singular_of(len(A), *entries(A))
    assert_array_equal(error.unknowns, [len(A) - 2, len(A) - 1])
    assert_array_equal(error.equations, [len(A) - 2, len(A) - 1])


def test_a_long_list_of_unknowns_is_shortened():
    error = singular_of(30, np.arange(30), np.arange(30), np.zeros(30))
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 20 more" in str(error)
