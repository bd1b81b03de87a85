"""Laws of quadratic programmes: optimality, the least violation where nothing is feasible, any start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from visviva.control.quadratic_program import (
    QuadraticProgram,
    QuadraticSolution,
    QuadraticStatus,
    solve_quadratic_program,
)
from visviva.errors import ModelError
from visviva.kernels import quadratic_program as kernels

OPTIMAL, LEAST = QuadraticStatus.OPTIMAL, QuadraticStatus.INFEASIBLE_LEAST_VIOLATION


def metric(H, W):
    """1/σ_i = √(w_iᵀ H⁻¹ w_i), the lengths of the rows in the metric of H."""
    return np.linalg.norm(np.linalg.solve(np.linalg.cholesky(H), W.T), axis=0)


def optimality_error(H, u0, W, l, found: QuadraticSolution) -> float:
    """Largest residual of the conditions of optimality (Karush, Kuhn, Tucker) in the metric of H, in which all rows
    have length 1, relative to the sizes of their terms.
    """
    U = np.linalg.cholesky(H).T
    y = U @ (found.u - u0)
    length = metric(H, W)
    rows = length > 0
    a = np.linalg.solve(U.T, W[rows].T).T / length[rows, None]
    lam = found.multipliers[rows] * length[rows]
    s = found.violation if found.status == LEAST else 0.0
    excess = (W @ found.u - l)[rows] / length[rows] - s
    size = (np.abs(l) + np.abs(W) @ np.abs(u0))[rows] / length[rows] + np.linalg.norm(y) + s
    largest = max(np.linalg.norm(y), np.max(lam, initial=0.0)) + 1e-300
    stationary = np.abs(y + a.T @ lam).max() / largest
    feasible = np.max(excess / (size + 1e-300), initial=0.0)
    complementary = np.max(np.abs(lam * excess) / (size + 1e-300), initial=0.0) / largest
    positive = np.max(-found.multipliers, initial=0.0)
    return max(stationary, feasible, complementary, positive)


def least_violation(H, W, l) -> float:
    """min s subject to W u ≤ l + s/σ, s ≥ 0, by linear programming."""
    length = metric(H, W)
    A = np.column_stack([W / length[:, None], -np.ones(len(l))])
    cost = np.zeros(A.shape[1])
    cost[-1] = 1.0
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    ends = [(None, None)] * W.shape[1] + [(0, None)]
    return linprog(cost, A, l / length, bounds=ends, method="highs-ds", options=tight).x[-1]


def draw(kind: str, rng: np.random.Generator):
    """H, u0, W, l of one kind."""
    n, m = int(rng.integers(2, 31)), int(rng.integers(2, 81))
    B, W, x, u0 = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=n), 3 * rng.normal(size=n)
    H = B @ B.T + 0.1 * np.eye(n)
    room = rng.uniform(0, 1, m) * (rng.random(m) < 0.7)  # three of ten rows meet in x
    l = W @ x + room
    match kind:
        case "infeasible":
            l = rng.normal(size=m) - 1
        case "one vertex":
            l = W @ x
        case "whole numbers":
            W = rng.integers(-1, 2, (m, n)).astype(float)
            W[~W.any(axis=1), 0] = 1.0
            l, u0 = W @ x.round() + room.round(), u0.round()
        case "infeasible whole numbers":
            W = rng.integers(-1, 2, (m, n)).astype(float)
            W[~W.any(axis=1), 0] = 1.0
            l, u0 = rng.integers(-2, 3, m).astype(float), u0.round()
        case "duplicates of any length":
            same, factor = rng.integers(0, m, m), 10.0 ** rng.uniform(-6, 6, m)
            W, l = W[same] * factor[:, None], l[same] * factor
        case "equations":
            k = int(rng.integers(1, min(n, m) + 1))
            factor = 10.0 ** rng.uniform(-3, 3, k)
            l[:k] = W[:k] @ x
            W, l = np.vstack([W, -W[:k] * factor[:, None]]), np.append(l, -l[:k] * factor)
        case "units of any size":
            unit, factor = 10.0 ** rng.uniform(-4, 4, n), 10.0 ** rng.uniform(-8, 8, m)
            H, W, u0, l = unit[:, None] * H * unit, W * unit * factor[:, None], u0 / unit, l * factor
        case "few directions":
            W = W[:, :1] * rng.normal(size=n) + W[:, 1:2] * rng.normal(size=n)
            l = W @ x + room
        case "bounds of inputs":
            W, l = np.vstack([np.eye(n), -np.eye(n)]), np.full(2 * n, rng.uniform(0.1, 1.0))
        case "nearly parallel":
            W = W[rng.integers(0, (m + 3) // 4, m)] + 10.0 ** rng.uniform(-14, -3, (m, 1)) * rng.normal(size=(m, n))
            l = W @ x + room
        case "far away":
            u0 = 1e6 * u0
    return H, u0, W, l


FEASIBLE = (
    "feasible", "one vertex", "whole numbers", "duplicates of any length", "equations", "units of any size",
    "few directions", "bounds of inputs", "nearly parallel", "far away",
)  # fmt: skip
INFEASIBLE = "infeasible", "infeasible whole numbers"


@pytest.mark.parametrize("kind", [*FEASIBLE, *INFEASIBLE])
def test_solutions_satisfy_the_conditions_of_optimality(kind):
    rng = np.random.default_rng(0)
    statuses = set()
    for _ in range(100):
        case = draw(kind, rng)
        found = solve_quadratic_program(*case)
        assert optimality_error(*case, found) <= 1e-10
        statuses.add(found.status)
    assert statuses == ({OPTIMAL} if kind in FEASIBLE else {OPTIMAL, LEAST})  # few rows are always feasible


@pytest.mark.parametrize("kind", [*FEASIBLE, *INFEASIBLE])
def test_any_start_gives_the_same_answer(kind):
    rng = np.random.default_rng(1)
    for _ in range(50):
        H, u0, W, l = draw(kind, rng)
        program = QuadraticProgram(H, W)
        cold = program.solve(u0, l)
        U = np.linalg.cholesky(H).T
        for start in (cold.active, rng.integers(-5, len(l) + 5, len(u0)), [2**40, -7, 0, 0, 0], range(len(l))):
            warm = program.solve(u0, l, active=list(start))
            assert warm.status == cold.status
            assert warm.violation == pytest.approx(cold.violation, rel=1e-9, abs=1e-9)
            assert np.linalg.norm(U @ (warm.u - cold.u)) <= 1e-9 * (1 + np.linalg.norm(U @ u0))


def test_the_set_that_was_found_is_where_the_next_programme_starts():
    H, u0, W, l = draw("feasible", np.random.default_rng(2))
    program = QuadraticProgram(H, W)
    first = program.solve(u0, l)
    again = program.solve(u0, l, first.active)
    assert first.iterations > 3
    assert again.iterations == 0
    assert again.active == first.active
    assert_allclose(again.u, first.u, rtol=1e-13)


def test_many_programmes_in_the_same_memory_are_as_exact_as_the_first():
    """Factors of the working set are changed from call to call, and made anew before rounding adds up."""
    rng = np.random.default_rng(3)
    H, _, W, l = draw("feasible", rng)
    program, active = QuadraticProgram(H, W), ()
    changes = 0
    for _ in range(500):
        u0 = 3 * rng.normal(size=len(H))
        found = program.solve(u0, l, active)
        active, changes = found.active, changes + found.iterations
        assert optimality_error(H, u0, W, l, found) <= 1e-12
    assert changes > 1000


@pytest.mark.parametrize("kind", ["feasible", "one vertex", "bounds of inputs", "far away"])
def test_solutions_are_those_of_daqp(kind):
    daqp = pytest.importorskip("daqp")
    rng = np.random.default_rng(4)
    for _ in range(50):
        H, u0, W, l = draw(kind, rng)
        u, _, flag, _ = daqp.solve(H, -H @ u0, W, l, np.full(len(l), -1e30), np.zeros(len(l), dtype=np.int32))
        assert flag > 0
        assert_allclose(solve_quadratic_program(H, u0, W, l).u, u, rtol=0, atol=1e-7 * np.abs(u0).max())


@pytest.mark.parametrize("kind", INFEASIBLE)
def test_the_violation_is_the_least_possible(kind):
    rng = np.random.default_rng(5)
    for _ in range(50):
        H, u0, W, l = draw(kind, rng)
        assert solve_quadratic_program(H, u0, W, l).violation == pytest.approx(least_violation(H, W, l), abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1.0, 1e-3, 1e-5, 1e-8]))
def test_units_of_the_numbers_do_not_matter(seed, size):
    H, u0, W, l = draw("infeasible", np.random.default_rng(seed))
    found, small = solve_quadratic_program(H, u0, W, l), solve_quadratic_program(H, size * u0, W, size * l)
    assert small.status == found.status
    assert_allclose(small.u, size * found.u, rtol=0, atol=1e-10 * size * (1 + np.abs(found.u).max()))
    assert small.violation == pytest.approx(size * found.violation, rel=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_wanted_input_within_the_limits_is_the_answer_to_the_bit(seed):
    rng = np.random.default_rng(seed)
    H, u0, W, _ = draw("feasible", rng)
    found = solve_quadratic_program(H, u0, W, W @ u0 + rng.uniform(1e-6, 1, len(W)), active=range(len(u0)))
    assert_array_equal(found.u, u0)
    assert (found.status, found.active, found.violation) == (OPTIMAL, (), 0.0)
    assert not found.multipliers.any()


def test_the_nearest_point_of_a_corner_by_hand():
    found = solve_quadratic_program([[2.0, 0.0], [0.0, 1.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0])
    assert_allclose(found.u, [1.0, 1.0], rtol=1e-15)
    assert_allclose(found.multipliers, [4.0, 1.0], rtol=1e-15)
    assert set(found.active) == {0, 1}


def test_opposite_limits_are_violated_alike():
    """u ≤ -1 and 3 u ≥ 3 with H = 4: in the metric of H the gap is 4 wide, and its middle is nearest to both."""
    found = solve_quadratic_program([[4.0]], [5.0], [[1.0], [-3.0]], [-1.0, -3.0])
    assert found.status == LEAST
    assert_allclose(found.u, [0.0], atol=1e-15)
    assert found.violation == pytest.approx(2.0, rel=1e-15)


def test_of_all_inputs_that_violate_least_the_nearest_is_taken():
    """The first input is torn between two limits, the second one is free and goes where it is wanted."""
    found = solve_quadratic_program(np.eye(2), [9.0, 7.0], [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [-1.0, -1.0, 3.0])
    assert_allclose(found.u, [0.0, 4.0], atol=1e-14)  # the third limit gives way by as much as the others do
    assert found.violation == pytest.approx(1.0, rel=1e-14)


def test_a_row_of_zeros_is_true_or_infeasible_and_bothers_no_other():
    W, u0 = [[1.0, 0.0], [0.0, 0.0]], [2.0, 2.0]
    assert solve_quadratic_program(np.eye(2), u0, W, [1.0, 0.0]).status == OPTIMAL
    found = solve_quadratic_program(np.eye(2), u0, W, [1.0, -0.5])
    assert (found.status, found.violation) == (LEAST, 0.5)
    assert_allclose(found.u, [1.0, 2.0], rtol=1e-15)


@pytest.mark.parametrize("size", [1e-320, 1e-250, 1e-150, 1e150, 1e250])
def test_rows_of_any_length_count(size):
    found = solve_quadratic_program(np.eye(2), [2.0, 2.0], [[size, size]], [2 * size])
    assert_allclose(found.u, [1.0, 1.0] if size > 1e-310 else [2.0, 2.0], rtol=1e-12)  # denormal numbers are zeros


def test_limits_at_infinity_are_none():
    found = solve_quadratic_program(np.eye(2), [2.0, 2.0], np.eye(2), [1.0, np.inf])
    assert_allclose(found.u, [1.0, 2.0], rtol=1e-15)
    assert solve_quadratic_program(np.eye(2), [2.0, 2.0], np.zeros((0, 2)), []).status == OPTIMAL


def test_a_limit_of_iterations_says_what_is_still_violated():
    H, u0, W, l = draw("feasible", np.random.default_rng(2))
    found = QuadraticProgram(H, W).solve(u0, l, iteration_limit=2)
    assert found.status == QuadraticStatus.ITERATION_LIMIT
    assert found.iterations == 2
    assert np.isfinite(found.u).all()
    assert found.violation == pytest.approx(((W @ found.u - l) / metric(H, W)).max(), rel=1e-9)


def test_kernels_tell_what_is_no_programme():
    work, u, multipliers, report = kernels.workspace(2, 1), np.ones(2), np.ones(1), np.zeros(2)
    active = np.full(2, -1)
    I, W, u0, l = np.eye(2), np.ones((1, 2)), np.zeros(2), np.ones(1)
    assert kernels.prepare(np.array([[1.0, 1.0], [1.0, 1.0]]), W, work) == kernels.NOT_DEFINITE
    assert kernels.prepare(np.diag([1.0, -1.0]), W, work) == kernels.NOT_DEFINITE
    assert kernels.prepare(np.diag([1.0, np.nan]), W, work) == kernels.NOT_FINITE
    assert kernels.prepare(np.array([[1.0, np.inf], [np.inf, 1.0]]), W, work) == kernels.NOT_FINITE
    assert kernels.prepare(I, np.array([[np.nan, 1.0]]), work) == kernels.NOT_FINITE
    assert kernels.prepare(I, np.array([[np.inf, 1.0]]), work) == kernels.NOT_FINITE
    assert kernels.prepare(I, W, work) == kernels.OPTIMAL
    for wanted, limits in [
        (np.array([np.nan, 0.0]), l), (np.array([np.inf, 0.0]), l), (u0, np.array([np.nan])), (u0, np.array([-np.inf])),
    ]:  # fmt: skip
        u[:] = 7.0
        assert kernels.solve(work, wanted, limits, active, 9, u, multipliers, report) == kernels.NOT_FINITE
        assert np.isnan(u).all()  # an input of a call before is none
        assert np.isnan(report[kernels.VIOLATION])
    assert kernels.solve(work, u0, l, active, 9, u, multipliers, report) == kernels.OPTIMAL
    assert_array_equal(u, u0)


def test_numbers_that_overflow_leave_nothing_behind():
    H, u0, W, l = draw("feasible", np.random.default_rng(2))
    program = QuadraticProgram(H, W)
    before = program.solve(u0, l)
    with pytest.raises(ModelError, match="squares overflow"):
        program.solve(1e160 * u0, l, before.active)
    after = program.solve(u0, l, before.active)
    assert (after.status, after.active) == (OPTIMAL, before.active)
    assert optimality_error(H, u0, W, l, after) <= 1e-12


def broken(found: QuadraticSolution, how: str) -> QuadraticSolution:
    u, multipliers = found.u.copy(), found.multipliers.copy()
    held = int(np.argmax(multipliers))
    match how:
        case "sign":
            multipliers[held] *= -1
        case "multiplier left out":
            multipliers[held] = 0.0
        case "input":
            u[0] += 1e-8 * np.abs(u).max()
    return QuadraticSolution(u, multipliers, found.active, found.status, found.violation, found.iterations)


@pytest.mark.parametrize("how", ["sign", "multiplier left out", "input"])
@pytest.mark.parametrize("kind", ["feasible", "infeasible"])
def test_a_broken_solution_is_found_out(how, kind):
    case = draw(kind, np.random.default_rng(8))
    found = solve_quadratic_program(*case)
    assert optimality_error(*case, found) <= 1e-12
    assert optimality_error(*case, broken(found, how)) > 1e-10


def test_a_wanted_input_that_ignores_a_limit_is_found_out():
    case = draw("feasible", np.random.default_rng(8))
    free = QuadraticSolution(case[1], np.zeros(len(case[3])), (), OPTIMAL, 0.0, 0)
    assert optimality_error(*case, free) > 1e-3


I2, W2 = np.eye(2), np.ones((3, 2))


@pytest.mark.parametrize(
    ("H", "u0", "W", "l", "message"),
    [
        (np.ones((2, 3)), [0, 0], W2, [0, 0, 0], r"H .* has shape \(2, 3\). It is a square matrix"),
        (3.0, [0, 0], W2, [0, 0, 0], r"H .* has shape \(\). It is a square matrix"),
        (I2, [0, 0], np.ones((3, 4)), [0, 0, 0], r"W .* has shape \(3, 4\), H has shape \(2, 2\)"),
        (I2, [0, 0, 0], W2, [0, 0, 0], r"u0 of a quadratic programme must have shape \(2,\)"),
        (I2, [0, 0], W2, [0, 0], r"l of a quadratic programme must have shape \(3,\)"),
        ([[1, 2], [0, 1]], [0, 0], W2, [0, 0, 0], r"not symmetric: H\[0, 1\] = 2, H\[1, 0\] = 0"),
        ([[1, 2], [2, 1]], [0, 0], W2, [0, 0, 0], r"not positive definite: its eigenvalues lie between -1 and 3"),
        ([[1, np.nan], [2, 1]], [0, 0], W2, [0, 0, 0], r"H of a quadratic programme must be finite"),
        (I2, [0, 0], np.full((3, 2), np.inf), [0, 0, 0], r"W of a quadratic programme must be finite"),
        (I2, [0, np.nan], W2, [0, 0, 0], r"u0 of a quadratic programme must be finite"),
        (I2, np.array([0, np.nan]), W2, [0, 0, 0], r"u0 of a quadratic programme must be finite"),
        (I2, [0, 0], W2, [0, np.nan, 0], r"l of a quadratic programme has nan in row 1"),
        (I2, [0, 0], W2, np.array([0, 0, -np.inf]), r"l of a quadratic programme has -inf in row 2"),
        (I2, [1e200, 0], 1e200 * W2, [0, 0, 0], r"numbers whose squares overflow: u0 has 1e\+200"),
    ],
)
def test_what_is_no_programme_is_refused_by_name(H, u0, W, l, message):
    with pytest.raises(ModelError, match=message):
        solve_quadratic_program(H, u0, W, l)


def test_rows_to_start_from_are_whole_numbers():
    with pytest.raises(ModelError, match="rows to start a quadratic programme from are whole numbers"):
        QuadraticProgram(I2, W2).solve([0, 0], [0, 0, 0], active=[0.5])


def test_a_program_knows_its_size():
    program = QuadraticProgram(I2, W2)
    assert (program.inputs, program.rows) == (2, 3)
