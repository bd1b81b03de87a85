import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import AssemblyError, ModelError
from visviva.forms.rigid.gauss import least_constraint

METHODS = ("auto", "null space", "kkt", "range space")


def problem(seed, n=6, c=3):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + np.eye(n), rng.normal(size=n), rng.normal(size=(c, n)), rng.normal(size=c)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_and_minimise_the_constraint(seed, method):
    """Konz (3.126)-(3.132)."""
    M, b, Z, z = problem(seed)
    found = least_constraint(M, b, Z, z, method)
    reference = least_constraint(M, b, Z, z, "kkt")
    assert_allclose(found.xi_dot, reference.xi_dot, atol=1e-12)
    assert_allclose(found.lam, reference.lam, atol=1e-11)
    assert_allclose(Z @ found.xi_dot, z, atol=1e-12)
    allowed = np.linalg.svd(Z)[2][3:]
    G = lambda a: a @ M @ a / 2 - a @ b  # noqa: E731
    for direction in (*allowed, *-allowed):
        assert G(found.xi_dot + 1e-3 * direction) > G(found.xi_dot)


def test_reactions_are_minus_the_transposed_rows_times_the_multipliers():
    """Below Konz (3.130) the print has +Zᵀλ."""
    M, b, Z, z = problem(0)
    found = least_constraint(M, b, Z, z)
    assert_allclose(M @ found.xi_dot, b - Z.T @ found.lam, atol=1e-12)
    assert np.abs(M @ found.xi_dot - (b + Z.T @ found.lam)).max() > 0.1


def test_the_reduced_problem_has_half_of_the_particular_solution():
    """Konz (3.128) lacks ½ in G₀ᶜ = ½ wᵀMw - wᵀb, and W has n - c columns, not c."""
    M, b, Z, z = problem(1, n=6, c=2)
    W, w = np.linalg.svd(Z)[2][2:].T, np.linalg.pinv(Z) @ z
    assert W.shape == (6, 6 - 2)
    alpha = np.random.default_rng(0).normal(size=4)
    a = W @ alpha + w
    G = a @ M @ a / 2 - a @ b
    reduced = alpha @ W.T @ M @ W @ alpha / 2 - alpha @ W.T @ (b - M @ w)
    assert reduced + w @ M @ w / 2 - w @ b == pytest.approx(G)
    assert abs(reduced + w @ M @ w - w @ b - G) > 0.01


def test_without_constraints_the_motion_is_free():
    M, b, *_ = problem(2)
    found = least_constraint(M, b, np.zeros((0, 6)), np.zeros(0))
    assert_allclose(M @ found.xi_dot, b, atol=1e-12)
    assert found.lam.shape == (0,)


@pytest.mark.parametrize("method", ["auto", "null space"])
def test_redundant_rows_do_not_disturb(method):
    M, b, Z, z = problem(3)
    again = np.array([2.0, -1.0, 0.5])
    found = least_constraint(M, b, np.vstack([Z, again @ Z]), np.append(z, again @ z), method)
    assert_allclose(found.xi_dot, least_constraint(M, b, Z, z).xi_dot, atol=1e-10)
    assert_allclose(M @ found.xi_dot, b - np.vstack([Z, again @ Z]).T @ found.lam, atol=1e-10)


@pytest.mark.parametrize("method", ["kkt", "range space"])
def test_methods_for_independent_rows_refuse_others_by_name(method):
    M, b, Z, z = problem(3)
    with pytest.raises(AssemblyError, match=r"independent constraints \(left, again\).*"):
        least_constraint(M, b, np.vstack([Z, Z[0]]), np.append(z, z[0]), method, ["left", "middle", "right", "again"])


def test_contradictions_are_refused_by_name():
    M, b, Z, z = problem(4)
    with pytest.raises(AssemblyError, match=r"contradict each other: left, again\."):
        least_constraint(
            M, b, np.vstack([Z, Z[0]]), np.append(z, z[0] + 1), "auto", ["left", "middle", "right", "again"]
        )


def test_more_rows_than_velocities_may_still_agree():
    M, b, _, _ = problem(5, n=2)
    Z, a = np.random.default_rng(0).normal(size=(5, 2)), np.array([1.0, 2.0])
    assert_allclose(least_constraint(M, b, Z, Z @ a).xi_dot, a, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_a_velocity_without_inertia_is_named(method):
    M, b = np.diag([1.0, 0.0, 2.0]), np.ones(3)
    Z, z = np.array([[1.0, 0.0, 1.0]]), np.zeros(1)
    error, found = (AssemblyError, "positive definite") if method == "range space" else (AssemblyError, "velocity 'b'")
    with pytest.raises(error, match=found):
        least_constraint(M, b, Z, z, method, ["row"], ["a", "b", "c"])


def test_a_massless_velocity_may_be_held_by_constraints():
    M, b = np.diag([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 3.0])
    found = least_constraint(M, b, np.array([[0.0, 1.0, 0.0]]), np.array([4.0]))
    assert_allclose(found.xi_dot, [1, 4, 1.5])
    assert_allclose(found.lam, [2.0])


def test_rows_of_any_size_count_alike():
    M, b, Z, z = problem(6)
    scale = np.array([1e-7, 1.0, 1e7])
    found, reference = least_constraint(M, b, scale[:, None] * Z, scale * z), least_constraint(M, b, Z, z)
    assert_allclose(found.xi_dot, reference.xi_dot, atol=1e-10)
    assert_allclose(found.lam * scale, reference.lam, atol=1e-10)


def test_rows_that_are_rounding_ask_for_nothing():
    M, b, Z, z = problem(7)
    noise = 1e-17 * np.ones((1, 6))
    found = least_constraint(M, b, np.vstack([Z, noise]), np.append(z, 1e-17))
    assert_allclose(found.xi_dot, least_constraint(M, b, Z, z).xi_dot, atol=1e-11)
    alone = least_constraint(M, b, noise, np.array([-2e-17]))
    assert_allclose(M @ alone.xi_dot, b, atol=1e-12)


def test_an_unknown_method_is_refused():
    with pytest.raises(ModelError, match="method must be one of 'auto'"):
        least_constraint(np.eye(1), np.ones(1), np.ones((1, 1)), np.ones(1), "magic")
