"""Forms that no displacement changes, the products of screws, twists as wrenches; what is misprinted there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import ModelError
from visviva.geometry import SE3, Pose, Twist, Wrench, power
from visviva.geometry.linear import apply, dot

S = vv.screws
N = 200
T = np.array([1.0, 2, 3, 4, 5, 6])
T2 = np.array([0.0, 1, -1, 2, 0, 1])


def draws(seed=0):
    rng = np.random.default_rng(seed)
    return SE3.exp(rng.normal(size=(N, 6))), *rng.normal(size=(3, N, 6))


def test_products_of_fixed_numbers():
    assert S.reciprocal(T, T2) == 4
    assert S.perpendicular(T, T2) == -1
    assert_allclose(S.bracket(T, T2), [-5, 1, 1, -9, 9, 0])
    assert_allclose(S.bracket(T, T2), SE3.ad(T) @ T2)
    assert_allclose(S.polar(T), [0, 0, 0, 1, 2, 3])


def test_both_forms_are_invariant_under_displacements():
    X, s, t, r = draws()
    Ad = X.Ad()
    for product in (S.reciprocal, S.perpendicular):
        assert_allclose(product(apply(Ad, s), apply(Ad, t)), product(s, t), atol=1e-11)
        assert_allclose(product(S.bracket(r, s), t) + product(s, S.bracket(r, t)), 0, atol=1e-11)
    for form in (S.KLEIN, S.PERPENDICULAR, S.bi_invariant(0.7, -0.3)):
        assert_allclose(np.swapaxes(Ad, 1, 2) @ form @ Ad, np.broadcast_to(form, Ad.shape), atol=1e-11)


def test_the_killing_form_is_a_trace():
    _, s, t, _ = draws()
    assert_allclose(np.trace(SE3.ad(s) @ SE3.ad(t), axis1=1, axis2=2), dot(s @ S.KILLING, t), atol=1e-12)


def test_there_are_no_other_invariant_forms():
    """B(ad_r s, t) + B(s, ad_r t) = 0 for all basis vectors r: 36 unknowns, two solutions, both symmetric."""
    conditions = [
        np.kron(SE3.ad(e).T, np.eye(6)) + np.kron(np.eye(6), SE3.ad(e).T)  # adᵀ B + B ad, row by row
        for e in np.eye(6)
    ]
    s = np.linalg.svd(np.concatenate(conditions))[1]
    assert (s < 1e-12).sum() == 2
    for form in (S.HYPERBOLIC, S.KILLING):
        assert_allclose(np.concatenate(conditions) @ form.ravel(), 0)


def test_the_kernel_is_trivial_unless_the_form_is_that_of_killing():
    Z = S.kernel(0.0, 0.4)
    assert_allclose(Z[:3], 0)
    assert Z.shape == (6, 3)
    assert S.kernel(1e-6, 1.0).shape == (6, 0)
    assert S.kernel(1.0, 0.0).shape == (6, 0)
    assert S.kernel(0.0, 0.0).shape == (6, 6)


def test_two_members_are_involutive_not_just_one():
    assert S.is_involutive(2.0, 0.0)
    assert S.is_involutive(-2.0, 0.0)
    grid = [(h, k) for h in (-2, -1, 0, 1, 2, 4) for k in (-0.25, -0.1, 0, 0.1, 0.25)]
    assert [(h, k) for h, k in grid if S.is_involutive(h, k)] == [(-2, 0), (2, 0)]
    assert_allclose(S.KLEIN, S.bi_invariant(2, 0))
    assert_allclose(S.PERPENDICULAR, S.bi_invariant(0, -0.25))


def test_the_adjoint_is_its_own_contragredient():
    X, s, t, _ = draws()
    assert_allclose(S.KLEIN @ X.Ad() @ S.KLEIN, X.coAd(), atol=1e-12)
    assert_allclose(S.as_wrench(apply(X.Ad(), s)), apply(X.coAd(), S.as_wrench(s)), atol=1e-11)
    assert_allclose(dot(S.as_wrench(s), t), S.reciprocal(s, t), atol=1e-13)
    assert_allclose(S.as_twist(S.as_wrench(s)), s)


def test_the_reciprocal_product_is_power():
    X, s, t, _ = draws()
    F = Wrench(S.as_wrench(t), on="b", frame="b")
    V = Twist(s, of="b", wrt="w", frame="b")
    pose = Pose(X, src="b", dst="w")
    assert_allclose(power(F, V), S.reciprocal(s, t), atol=1e-12)
    assert_allclose(power(F.in_frame(pose), V.in_frame(pose)), S.reciprocal(s, t), atol=1e-11)


def test_wrenches_are_pulled_back_by_the_adjoint_of_the_whole_pose():
    """W^i = Ad_{H_i^j}ᵀ W^j, where the upper index is lost in print: with Ad of the rotation alone power changes."""
    X, s, F, _ = draws()
    pulled = apply(np.swapaxes(X.Ad(), 1, 2), F)
    assert_allclose(dot(pulled, s), dot(F, apply(X.Ad(), s)), atol=1e-11)
    turned = apply(np.swapaxes(SE3(X.R, np.zeros((N, 3))).Ad(), 1, 2), F)
    assert (np.abs(dot(turned, s) - dot(F, apply(X.Ad(), s))) > 1e-6).all()


def test_the_bracket_is_a_lie_bracket():
    X, r, s, t = draws()
    b = S.bracket
    assert_allclose(b(s, t), -b(t, s), atol=1e-13)
    assert_allclose(b(r, b(s, t)) + b(s, b(t, r)) + b(t, b(r, s)), 0, atol=1e-12)
    assert_allclose(apply(X.Ad(), b(s, t)), b(apply(X.Ad(), s), apply(X.Ad(), t)), atol=1e-11)


def test_the_printed_bracket_is_not_antisymmetric():
    def printed(s, t):
        s, t = np.split(s, 2), np.split(t, 2)
        return np.concatenate([np.cross(s[0], t[0]), np.cross(s[0], t[1]) + np.cross(t[0], s[1])])

    assert_allclose(printed(T, T2)[3:], [13, 1, -8])
    assert np.abs(printed(T, T2) + printed(T2, T)).max() > 1
    jacobi = printed(T, printed(T2, T[::-1])) + printed(T2, printed(T[::-1], T)) + printed(T[::-1], printed(T, T2))
    assert np.abs(jacobi).max() > 1


def test_the_polar_map_commutes_with_displacements():
    X, s, F, _ = draws()
    assert_allclose(S.polar(apply(X.Ad(), s)), apply(X.Ad(), S.polar(s)), atol=1e-12)
    assert_allclose(S.polar_wrench(apply(X.coAd(), F)), apply(X.coAd(), S.polar_wrench(F)), atol=1e-12)
    assert_allclose(S.polar(s), s @ (np.linalg.inv(S.KLEIN) @ S.PERPENDICULAR).T)
    assert_allclose(S.polar_wrench(F), F @ (S.PERPENDICULAR @ np.linalg.inv(S.KLEIN)).T)


def test_without_bars_the_products_disagree_with_the_polar_map():
    """◇ and s' are printed with 𝔎 for K̄: -4 times what the polar map p gives."""
    printed = np.linalg.inv(S.KLEIN) @ S.KILLING @ T
    assert_allclose(printed, -4 * S.polar(T))
    assert -4 * S.perpendicular(T, T2) == T @ S.KILLING @ T2


def test_sets_of_screws():
    line, couple, screw = np.array([0, 0, 1, 0, -1, 0.0]), np.array([0, 0, 0, 1, 2, 3.0]), T
    batch = np.stack([line, couple, screw])
    assert S.is_line_vector(batch).tolist() == [True, True, False]
    assert S.is_free(batch).tolist() == [False, True, False]
    assert S.is_bound_line(batch).tolist() == [True, False, False]
    assert [S.kind(s) for s in (*batch, np.zeros(6))] == ["bound line vector", "free vector", "screw", "zero"]


def test_bound_lines_are_no_subspace_but_free_vectors_are():
    """Definition 4 calls L a sub-space; the sum of two skew lines is not in it, nor is l - l."""
    k, l = np.array([0, 0, 1, 0, 0, 0.0]), np.array([0, 1, 0, 0, 0, 1.0])
    assert S.is_bound_line(np.stack([k, l])).all()
    assert not S.is_bound_line(k + l)
    assert not S.is_bound_line(k - k)
    a, b = np.array([[0, 0, 0, 1, 2, 3], [0, 0, 0, -1, 0, 1.0]])
    assert S.is_free(a + 2 * b)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: S.reciprocal(T, np.ones(5)), r"screw must have shape \(6,\)"),
        (lambda: S.polar_wrench([np.nan] * 6), "wrench must be finite"),
        (lambda: S.bi_invariant(np.inf, 1), "factor h must be finite"),
    ],
)
def test_bad_screws_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
