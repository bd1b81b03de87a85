"""c - tr(P R): all critical points with the numbers of T7, and the printed formulas that fail."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.geometry import SO3
from visviva.geometry.hat import skew
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor
from visviva.geometry.moments import axial2
from visviva.geometry.trace_function import TraceFunction

RNG = np.random.default_rng(7)


def with_eigenvalues(*lam):
    """P = X̄ Wed(Λ) Ȳᵀ with random rotations."""
    X, Y = SO3.exp(RNG.normal(size=(2, 3))).R
    return TraceFunction(X @ euler_tensor(np.diag(np.array(lam, float))) @ Y.T)


# shape, kind, V, eigenvalues of the Hessian: T7
CATALOGUE = {
    (1, 2, 4): [
        ("point", "minimum", -3.5, (1, 2, 4)),
        ("point", "saddle", -1.5, (-1, 1, 3)),
        ("point", "saddle", 0.5, (-2, -1, 2)),
        ("point", "maximum", 4.5, (-4, -3, -2)),
    ],
    (1, 1, 4): [
        ("point", "minimum", -3.0, (1, 1, 4)),
        ("circle", "saddle", -1.0, (-1, 0, 3)),
        ("point", "maximum", 5.0, (-4, -3, -3)),
    ],
    (1, 3, 3): [
        ("point", "minimum", -3.5, (1, 3, 3)),
        ("point", "saddle", -1.5, (-1, 2, 2)),
        ("circle", "maximum", 2.5, (-3, -2, 0)),
    ],
    (2, 2, 2): [("point", "minimum", -3.0, (2, 2, 2)), ("sphere", "maximum", 1.0, (-2, 0, 0))],
    (0, 2, 3): [
        ("circle", "minimum", -2.5, (0, 2, 3)),
        ("point", "saddle", 1.5, (-2, -2, 1)),
        ("point", "maximum", 3.5, (-3, -3, -1)),
    ],
    (0, 3, 3): [("circle", "minimum", -3.0, (0, 3, 3)), ("circle", "maximum", 3.0, (-3, -3, 0))],
    (0, 0, 3): [("sphere", "minimum", -1.5, (0, 0, 3)), ("point", "maximum", 4.5, (-3, -3, -3))],
    (0, 0, 0): [("everything", "constant", 0.0, (0, 0, 0))],
}


@pytest.mark.parametrize("lam", CATALOGUE)
def test_the_catalogue_of_critical_points(lam):
    V = with_eigenvalues(*lam)
    assert_allclose(V.eigenvalues, lam, atol=1e-13)
    found = V.critical_sets()
    assert [(s.shape, s.kind) for s in found] == [entry[:2] for entry in CATALOGUE[lam]]
    for critical, (_, _, value, curvatures) in zip(found, CATALOGUE[lam], strict=True):
        assert critical.value == pytest.approx(value, abs=1e-13)
        assert_allclose(critical.curvatures, curvatures, atol=1e-13)
        for _ in range(3):
            R = critical.rotation(RNG.normal(size=len(critical.basis)))
            assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
            assert V.value(R) == pytest.approx(value, abs=1e-13)
            assert_allclose(V.gradient(R), 0, atol=1e-13)
            assert_allclose(np.linalg.eigvalsh(V.hessian(R)), curvatures, atol=1e-12)
        assert critical.strict == (critical.shape == "point")


def test_nearly_equal_eigenvalues_are_equal_relative_to_the_largest():
    for scale in (1e-9, 1.0, 1e9):
        assert len(TraceFunction(scale * with_eigenvalues(1, 1 + 1e-13, 4).P).critical_sets()) == 3
        assert len(TraceFunction(scale * with_eigenvalues(1, 1 + 1e-6, 4).P).critical_sets()) == 4


def test_no_rotation_is_below_the_minimum_or_above_the_maximum():
    R = SO3.exp(3 * RNG.normal(size=(10_000, 3))).R
    for P in RNG.normal(size=(5, 3, 3)):
        V = TraceFunction(P)
        values = V.value(R)
        assert V.minimum().value <= values.min()
        assert values.max() <= V.maximum().value


def test_gradient_and_hessian_are_derivatives():
    V, R, w, h = TraceFunction(RNG.normal(size=(3, 3)), 2.0), SO3.exp(RNG.normal(size=3)), RNG.normal(size=3), 1e-5
    ahead, behind = (R @ SO3.exp(s * h * w) for s in (1, -1))
    assert (V.value(ahead.R) - V.value(behind.R)) / (2 * h) == pytest.approx(V.gradient(R.R) @ w, abs=1e-9)
    assert_allclose((V.gradient(ahead.R) - V.gradient(behind.R)) / (2 * h), V.hessian(R.R) @ w, atol=1e-9)
    assert np.abs(V.hessian(R.R) - V.hessian(R.R).T).max() > 0.1  # symmetric at critical points only


def test_a_vanishing_hessian_is_not_the_condition_for_critical_points():
    """The text asks for ∇²V = 0 below (2.65); it is ∇V = 0."""
    V = with_eigenvalues(1, 2, 4)
    R = V.minimum().rotation()
    assert_allclose(V.gradient(R), 0, atol=1e-14)
    assert np.abs(V.hessian(R)).max() > 1


# -- uses ------------------------------------------------------------------------------------------------------------


def test_attitude_from_directions():
    """Wahba's problem, weighted and noisy: no other rotation fits better, and exact directions give it exactly."""
    R = SO3.exp(RNG.normal(size=3)).R
    v = RNG.normal(size=(5, 3))
    assert_allclose(TraceFunction.wahba(v @ R.T, v).minimum().rotation(), R, atol=1e-14)
    u, w = v @ R.T + 0.1 * RNG.normal(size=v.shape), RNG.uniform(1, 2, 5)
    V = TraceFunction.wahba(u, v, w)
    others = SO3.exp(RNG.normal(size=(300, 3))).R
    direct = (w * ((u - np.einsum("rij,nj->rni", others, v)) ** 2).sum(-1)).sum(-1)
    assert_allclose(V.value(others), direct, atol=1e-12)
    assert V.minimum().value < direct.min()


def test_the_printed_function_of_wahba_lacks_a_factor():
    """(2.58): with P = Σ v uᵀ instead of twice that, the sum of squares comes out wrong."""
    u, v, R = *RNG.normal(size=(2, 4, 3)), SO3.exp(RNG.normal(size=3)).R
    direct = ((u - v @ R.T) ** 2).sum()
    V = TraceFunction.wahba(u, v)
    printed = TraceFunction(V.P / 2, V.constant)
    assert V.value(R) == pytest.approx(direct)
    assert abs(printed.value(R) - direct) > 0.1


def test_two_directions_determine_a_rotation_and_one_does_not():
    assert TraceFunction.wahba(np.eye(3)[:2], np.eye(3)[:2]).minimum().strict
    one = TraceFunction.wahba([1, 0, 0], [0, 1, 0]).minimum()
    assert not one.strict
    for direction in np.eye(len(one.basis)):
        assert_allclose(one.rotation(direction) @ [0, 1, 0], [1, 0, 0], atol=1e-14)


def test_navigation_function_and_nearest_rotation():
    K, R_R, R = np.diag([1.0, 2, 3]), SO3.exp([0.3, -1, 0.4]).R, SO3.exp(RNG.normal(size=3)).R
    V = TraceFunction.navigation(K, R_R)
    assert V.value(R) == pytest.approx(np.trace(K @ (np.eye(3) - R_R.T @ R)))
    assert_allclose(V.minimum().rotation(), R_R, atol=1e-14)
    assert V.minimum().value == pytest.approx(0, abs=1e-14)
    Q = RNG.normal(size=(3, 3))
    near = TraceFunction.nearest(Q, K)
    assert near.value(R) == pytest.approx(np.trace((Q - R).T @ K @ (Q - R)) / 2)
    assert_allclose(TraceFunction.nearest(R + 1e-3 * Q).minimum().rotation(), SO3.nearest(R + 1e-3 * Q).R, atol=1e-13)


# -- what the print has wrong ----------------------------------------------------------------------------------------


def test_the_change_of_coordinates_has_the_rotation_not_the_singular_values():
    """(2.63): R = Ȳ R̄ X̄ᵀ; the printed Ȳ Σ̄ X̄ᵀ is no rotation."""
    V = with_eigenvalues(1, 2, 4)
    minimum = V.minimum()
    sigma = euler_tensor(np.diag([1.0, 2, 4]))
    assert_allclose(minimum.rotation(), minimum.left @ minimum.right.T, atol=1e-14)
    printed = minimum.left @ sigma @ minimum.right.T
    assert np.abs(printed.T @ printed - np.eye(3)).max() > 1


def test_the_sphere_of_half_turns():
    """(2.67g): entry (2, 2) is q_y² - q_x² - q_z², so that R̄ = 2 q qᵀ - I."""
    q = RNG.normal(size=3)
    x, y, z = q / np.linalg.norm(q)
    R = np.array(
        [
            [x * x - y * y - z * z, 2 * x * y, 2 * x * z],
            [2 * x * y, y * y - x * x - z * z, 2 * y * z],
            [2 * x * z, 2 * y * z, z * z - x * x - y * y],
        ]
    )
    assert_allclose(R, 2 * np.outer([x, y, z], [x, y, z]) - np.eye(3), atol=1e-15)
    V = TraceFunction(np.eye(3))  # λ = (2, 2, 2)
    assert V.value(R) == pytest.approx(1)
    printed = R.copy()
    printed[1, 1] = y * y - x * x + z * z
    assert np.abs(printed.T @ printed - np.eye(3)).max() > 0.1
    sphere = V.maximum()
    assert_allclose(sphere.left @ SO3.from_quat([0, *q]).R @ sphere.right.T, sphere.rotation(q), atol=1e-14)


def test_the_sphere_of_rotations_about_axes_in_a_plane():
    """(2.67i): entry (3, 1) is -2 q_w q_y."""
    w, x, y = np.array([2.0, -1, 3]) / np.sqrt(14)
    R = np.array(
        [
            [w * w + x * x - y * y, 2 * x * y, 2 * w * y],
            [2 * x * y, w * w - x * x + y * y, -2 * w * x],
            [-2 * w * y, 2 * w * x, w * w - x * x - y * y],
        ]
    )
    assert_allclose(R, SO3.from_quat([w, x, y, 0]).R, atol=1e-15)
    V = TraceFunction(euler_tensor(np.diag([0.0, 0, 3])))
    assert V.value(R) == pytest.approx(-1.5)
    assert_allclose(V.gradient(R), 0, atol=1e-15)
    printed = R.copy()
    printed[2, 0] = -2 * w * x
    assert np.abs(printed.T @ printed - np.eye(3)).max() > 0.05


def test_identities_of_the_operators():
    """(2.52)-(2.57)."""
    a, b, c = RNG.normal(size=(3, 3))
    assert_allclose(skew(a) @ b, axial2(np.outer(b, a)), atol=1e-15)
    assert_allclose(skew(a) @ skew(b), -inertia_tensor(np.outer(b, a)), atol=1e-15)
    cyclic = skew(a) @ skew(b) @ c + skew(b) @ skew(c) @ a + skew(c) @ skew(a) @ b
    assert_allclose(cyclic, 0, atol=1e-14)


# -- wrong input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: TraceFunction(np.eye(2)), r"P must have shape \(3, 3\)"),
        (lambda: TraceFunction(np.zeros((2, 3, 3))), r"P must have shape \(3, 3\)"),
        (lambda: TraceFunction(np.full((3, 3), np.nan)), "P must be finite"),
        (lambda: TraceFunction.wahba(np.eye(3), np.eye(3)[:2]), "as many of both"),
        (lambda: TraceFunction.wahba(np.zeros((0, 3)), np.zeros((0, 3))), "n at least 1"),
        (lambda: TraceFunction.wahba(np.eye(3), np.eye(3), [1, 1, -1]), "must not be negative"),
        (lambda: TraceFunction.navigation(np.eye(3), 2 * np.eye(3)), "R_R is not a rotation"),
        (lambda: TraceFunction.nearest(np.eye(3), np.triu(np.ones((3, 3)))), "K must be symmetric"),
        (lambda: TraceFunction(np.eye(3)).maximum().rotation([0, 0, 0]), "direction in a sphere is zero"),
        (lambda: TraceFunction(np.eye(3)).maximum().rotation([1, 0]), "direction in a sphere must have shape"),
    ],
)
def test_wrong_input_is_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
