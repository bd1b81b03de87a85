"""SE(2), SE(3) and SO(3) × R³: published numbers, screws, the two Cayley maps, SciPy, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import RigidTransform

from visviva.errors import ModelError
from visviva.geometry import SE2, SE3, SO3, LogBranch, Product, Rn, SO3xR3
from visviva.geometry.linear import apply, transpose

QUARTER_TURN = SE3.from_parts([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3])
T = np.array([1.0, 2, 3, 4, 5, 6])
F = np.array([1.0, -1, 2, 3, 0, -2])


def twists(n, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (n, 6))


def test_adjoints_of_a_quarter_turn():
    Ad = QUARTER_TURN.Ad()
    assert_allclose(Ad @ T, [-2, 1, 3, -2, -5, 11])
    assert_allclose(transpose(Ad) @ F, [-12, -5, 8, 0, -3, -2])
    assert_allclose(QUARTER_TURN.coAd() @ F, [-12, 3, 5, 0, 3, -2])


def test_bracket_of_two_twists():
    assert_allclose(SE3.ad(T) @ [0, 1, -1, 2, 0, 1], [-5, 1, 1, -9, 9, 0])


def test_coad_moves_a_free_body():
    """dp/dt = coad(T) p = (p_ω × ω + p_v × v; p_v × ω)."""
    p = F
    expected = np.concatenate([np.cross(p[:3], T[:3]) + np.cross(p[3:], T[3:]), np.cross(p[3:], T[:3])])
    assert_allclose(SE3.coad(T) @ p, expected)


def test_exp_of_a_screw():
    X = SE3.exp([0, 0, np.pi / 2, 0, 0, 1])
    assert_allclose(X.act([1, 0, 0]), [0, 1, 1], atol=1e-15)


def test_log_of_a_half_turn_names_the_branch_and_keeps_the_translation():
    X = SE3(np.diag([-1.0, -1.0, 1.0]), np.array([2.0, 0.0, 3.0]))
    xi, branch = X.log_with_branch()
    assert branch == LogBranch.HALF_TURN
    assert_allclose(xi[:3], [0, 0, np.pi])
    assert_allclose(SE3.exp(xi).matrix, X.matrix, atol=1e-15)


def test_a_product_is_a_half_turn_where_any_factor_is():
    G = Product(SO3, SE2)
    xi = np.zeros((3, 6))
    xi[1, 0], xi[2, 3] = np.pi, np.pi
    assert G.exp(xi).log_with_branch()[1].tolist() == [0, 1, 1]


def test_the_two_cayley_maps_differ_by_a_shift_along_the_screw_axis():
    xi = twists(50)
    w, v = xi[:, :3], xi[:, 3:]
    homogeneous, adjoint = SE3.cay(xi), SE3.cay_ad(xi)
    wv, ww = (w * v).sum(-1, keepdims=True), (w * w).sum(-1, keepdims=True)
    assert_allclose(homogeneous.R, adjoint.R)
    assert_allclose(homogeneous.r - adjoint.r, w * wv / (4 + ww), atol=1e-15)
    assert np.abs(homogeneous.r - adjoint.r).max() > 0.05


def test_the_two_cayley_maps_agree_on_plane_motions():
    xi = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    spatial = np.zeros((20, 6))
    spatial[:, 2:5] = xi
    for cay in (SE3.cay, SE3.cay_ad):
        assert_allclose(cay(spatial).r[:, :2], SE2.cay(xi).r, atol=1e-15)


def test_a_midpoint_step_with_the_adjoint_cayley_map_keeps_momentum():
    """p1 - p0 = coad(ξ)(p0 + p1)/2 and X = cay_ad ξ give coAd(X) p1 = p0; the homogeneous map does not."""
    xi, half = twists(20), SE3.coad(twists(20)) / 2
    p0 = twists(20, seed=1)
    p1 = np.linalg.solve(np.eye(6) - half, apply(np.eye(6) + half, p0)[..., None])[..., 0]
    assert_allclose(apply(SE3.cay_ad(xi).coAd(), p1), p0, atol=1e-14)
    assert np.abs(apply(SE3.cay(xi).coAd(), p1) - p0).max() > 0.01


def test_adjoint_cayley_map_and_inverse():
    xi = twists(50)
    assert_allclose(SE3.cay_ad(xi).cay_ad_inv(), xi, atol=1e-14)
    assert_allclose(SE3.dcay_ad(xi) @ SE3.dcay_ad_inv(xi), np.broadcast_to(np.eye(6), (50, 6, 6)), atol=1e-14)


def test_plane_displacements_are_a_subgroup_of_the_spatial_ones():
    xi = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    spatial = np.zeros((20, 6))
    spatial[:, 2:5] = xi
    plane = np.ix_([2, 3, 4], [2, 3, 4])
    for name in ("dexp", "dexp_inv", "ad"):
        assert_allclose(getattr(SE2, name)(xi), getattr(SE3, name)(spatial)[(..., *plane)], atol=1e-15)
    assert_allclose(SE2.dcay(xi), SE3.dcay_ad(spatial)[(..., *plane)], atol=1e-15)


def test_scipy_both_ways():
    xi = twists(5)
    X = SE3.exp(xi)
    assert_allclose(X.matrix, RigidTransform.from_exp_coords(xi).as_matrix(), atol=1e-14)
    assert_allclose(X.as_scipy().as_exp_coords(), X.log(), atol=1e-14)
    assert_allclose(SE3.from_scipy(X.as_scipy()).matrix, X.matrix, atol=1e-15)


def test_the_direct_product_composes_translations_in_the_reference_frame():
    A = SO3xR3.from_parts(SO3.exp([0, 0, 1]).matrix, [1, 2, 3])
    B = SO3xR3.from_parts(SO3.exp([1, 0, 0]).matrix, [4, 5, 6])
    assert_allclose((A @ B).R, A.R @ B.R)
    assert_allclose((A @ B).r, [5, 7, 9])
    assert_allclose(A.pose().act([1, 0, 0]), A.r + A.R[:, 0])
    assert_allclose(A.Ad(), np.block([[A.R, np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3)]]))


def test_rates_in_the_two_products_are_related_by_the_rotation():
    X, rate, h = SE3.exp(T / 10), np.arange(6.0), 1e-6
    direct = np.concatenate([rate[:3], X.R @ rate[3:]])
    start = SO3xR3.from_parts(X.R, X.r)
    semidirect = (X @ SE3.exp(h * rate)).matrix
    assert_allclose((start @ SO3xR3.exp(h * direct)).pose().matrix, semidirect, atol=1e-10)


def test_points_and_vectors_of_a_flat_group():
    assert_allclose(Rn(2).exp([1, 2]).act([[1, 1], [0, 0]]), [[2, 3], [1, 2]])
    assert Rn(3) is Rn(3)
    assert Product(SO3, Rn(3)) is Product(SO3, Rn(3))


@pytest.mark.parametrize("group", [Rn(2), SE2, SE3, SO3xR3, Product(SO3, Rn(2))], ids=lambda g: g.__name__)
def test_elements_can_be_pickled(group):
    X = group.exp(np.linspace(0.1, 0.5, group.dim))
    again = pickle.loads(pickle.dumps(X))
    assert type(again) is group
    assert_allclose(again.matrix, X.matrix)


def test_from_matrix_and_from_parts_accept_what_exp_makes():
    for group, n in ((SE2, 2), (SE3, 3)):
        X = group.exp(np.random.default_rng(0).uniform(-1, 1, (4, group.dim)))
        assert_allclose(group.from_matrix(X.matrix).matrix, X.matrix)
        assert_allclose(group.from_parts(np.eye(n), np.ones((4, n))).R, np.tile(np.eye(n), (4, 1, 1)))
        assert_allclose(X.act(np.ones(n)), apply(X.R, np.ones(n)) + X.r)


TRANSPOSED = np.eye(4)
TRANSPOSED[3, 0] = 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SE3.from_matrix(TRANSPOSED, name="X_WB"),
            r"X_WB has the last row \[1.0, 0.0, 0.0, 1.0\].*\n.*transpose",
        ),
        (lambda: SE3.from_matrix(np.diag([1.0, 1, 2, 1]), name="X_WB"), "rotation of X_WB is not a rotation"),
        (lambda: SE3.from_matrix(np.full((4, 4), np.inf)), "pose must be finite"),
        (lambda: SE3.from_matrix(np.eye(3)), r"pose must have shape \(4, 4\), got \(3, 3\)"),
        (lambda: SE3.from_parts(np.eye(3), [1, 2]), r"position of pose must have shape \(3,\)"),
        (lambda: SE2.from_parts(np.diag([1.0, -1.0]), [1, 2]), "rotation of pose is a reflection"),
        (lambda: SE2.from_parts(np.eye(2), [np.nan, 2]), "position of pose must be finite"),
        (lambda: SO3xR3.from_parts(np.eye(2), [0, 0, 0]), r"rotation of pose must have shape \(3, 3\)"),
        (lambda: Rn(0), "Rn takes a dimension of at least 1, got 0"),
        (lambda: Product(), "Product takes at least one group"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
