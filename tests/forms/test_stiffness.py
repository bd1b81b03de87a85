import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.forms.rigid.moments import Moments, smallest_eigenvalue
from visviva.forms.rigid.stiffness import Stiffness
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3


def brute_force(k, p, h, X, V):
    """Energy, gradient in body twists (ω; v), and rate of the gradient at the twist V, spring by spring."""
    gaps = X.r + h @ X.R.T - p
    local = gaps @ X.R  # Rᵀ (r + R h - p)
    rates = V[3:] + np.cross(V[:3], h) - np.cross(V[:3], local)
    energy = (k @ (gaps**2).sum(axis=1)) / 2
    force, rate = ((k[:, None] * part) for part in (local, rates))
    return (
        energy,
        np.concatenate([np.cross(h, force).sum(axis=0), force.sum(axis=0)]),
        np.concatenate([np.cross(h, rate).sum(axis=0), rate.sum(axis=0)]),
    )


def test_four_springs_of_one_rest_pose():
    """Numbers by hand: springs that all relax at one pose keep K' = Σ k (h; 1)(h; 1)ᵀ."""
    k, h = np.array([1.0, 2.0, 3.0, 4.0]), np.vstack([np.eye(3), np.zeros(3)])
    X0 = SE3(SO3.exp([0, 0, np.pi / 2]).R, np.array([1.0, 2.0, 3.0]))
    springs = Stiffness.of_springs("ground", "body", k, h @ X0.R.T + X0.r, h)
    assert springs.moments.total == pytest.approx(10)
    assert_allclose(springs.moments.first, [1, 2, 3], atol=1e-14)
    assert_allclose(springs.rest.matrix, X0.matrix, atol=1e-14)
    assert_allclose(springs.moments.spatial()[:3, :3], np.diag([5, 4, 3]), atol=1e-14)
    assert_allclose(springs.moments.matrix, Moments.from_points(k, h).matrix, atol=1e-14)
    assert pytest.approx(0, abs=1e-28) == springs.V_0
    assert springs.energy(SE3.identity()) == pytest.approx(68)
    assert_allclose(springs.wrench(SE3.identity()), [0, 0, -3, -7, -19, -30], atol=1e-13)
    # Π about the centre of stiffness
    c = springs.moments.first / 10
    about = springs.moments.spatial()[:3, :3] - 10 * ((c @ c) * np.eye(3) - np.outer(c, c))
    assert_allclose(about, [[3.7, 0.2, 0.3], [0.2, 3, 0.6], [0.3, 0.6, 2.5]], atol=1e-14)


@pytest.mark.parametrize("count", range(1, 8))
def test_any_springs_are_seventeen_numbers(count):
    """Konz (3.70), (3.71): exact at every pose, also where rest poses are many (one or two springs)."""
    rng = np.random.default_rng(count)
    k, p, h = rng.uniform(0.5, 2, count), rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    springs = Stiffness.of_springs("ground", "body", k, p, h)
    for _ in range(5):
        X, V = SE3.exp(rng.normal(size=6)), rng.normal(size=6)
        energy, wrench, rate = brute_force(k, p, h, X, V)
        assert springs.energy(X) == pytest.approx(energy, abs=1e-12)
        assert_allclose(springs.wrench(X), wrench, atol=1e-12)
        assert_allclose(springs.derivative(X, V), rate, atol=1e-12)
    assert_allclose(springs.wrench(springs.rest), 0, atol=1e-13)


def test_the_rest_pose_is_the_global_minimum():
    rng = np.random.default_rng(3)
    springs = Stiffness.of_springs("a", "b", rng.uniform(0.5, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=(5, 3)))
    for _ in range(500):
        R = SO3.exp(np.pi * rng.uniform(-1, 1, 3)).R
        r = springs.rest.r + rng.normal(size=3)
        assert springs.energy(SE3(R, r)) > springs.V_0 > 0


def test_the_moments_of_springs_under_load_are_not_those_of_their_points():
    """Konz (3.91c) holds where all springs relax at one pose; else K' may be indefinite, and V needs V_0."""
    k = np.ones(4)
    h = np.array([[1.0, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0], [0, 0, 1.0]])
    p = h * [1, -1, 1]  # a mirror image: no rotation brings h to p
    springs = Stiffness.of_springs("a", "b", k, p, h)
    printed = Moments.from_points(k, h).matrix
    X = SE3.exp([0.3, -0.2, 0.5, 0.1, 0.2, 0.3])
    gap = (X.matrix - springs.rest.matrix)[:3]
    energy = brute_force(k, p, h, X, np.zeros(6))[0]
    assert springs.energy(X) == pytest.approx(energy)
    assert abs(np.einsum("ij,jk,ik->", gap, printed, gap) / 2 + springs.V_0 - energy) > 0.1
    assert smallest_eigenvalue(springs.moments.matrix) < -0.1


def test_springs_of_both_directions_are_the_same():
    rng = np.random.default_rng(5)
    k, p, h = rng.uniform(0.5, 2, 4), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    there, back = Stiffness.of_springs("a", "b", k, p, h), Stiffness.of_springs("b", "a", k, h, p)
    X = SE3.exp(rng.normal(size=6))
    assert there.energy(X) == pytest.approx(back.energy(X.inverse()))
    assert_allclose(back.wrench(X.inverse()), -X.coAd() @ there.wrench(X), atol=1e-12)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: Stiffness("a", "a", Moments(np.eye(4))), "'a' and itself"),
        (
            lambda: Stiffness("a", "b", Moments(np.eye(4)), 2 * np.eye(4)),
            "rest pose of the springs between 'a' and 'b'",
        ),
        (lambda: Stiffness.of_springs("a", "b", [1, 2], [[0, 0, 0]], [[0, 0, 0]]), "2 stiffnesses"),
        (lambda: Stiffness.of_springs("a", "b", [-1], [[0, 0, 0]], [[0, 0, 0]]), "must not be negative"),
        (lambda: Stiffness.of_springs("a", "b", [0], [[0, 0, 0]], [[0, 0, 0]]), "must be positive"),
    ],
)
def test_wrong_springs_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
