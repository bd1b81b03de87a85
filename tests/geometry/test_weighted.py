"""The weighted product of matrices: axioms, energies as norms, nearest rotations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.forms.rigid.moments import Moments
from visviva.geometry import SE3, SO3
from visviva.geometry.moments import matrix_of_moments
from visviva.geometry.weighted import WeightedProduct

RNG = np.random.default_rng(4)
F = RNG.normal(size=(4, 4))
PRODUCT = WeightedProduct(F @ F.T + np.eye(4))


def test_it_is_an_inner_product_and_its_distance_a_metric():
    A, B, C = RNG.normal(size=(3, 50, 4, 3))
    assert_allclose(PRODUCT.inner(A, B), PRODUCT.inner(B, A), rtol=1e-12)
    assert_allclose(PRODUCT.inner(2 * A + C, B), 2 * PRODUCT.inner(A, B) + PRODUCT.inner(C, B), rtol=1e-10)
    assert (np.abs(PRODUCT.inner(A, B)) <= PRODUCT.norm(A) * PRODUCT.norm(B)).all()
    assert (PRODUCT.distance(A, C) <= PRODUCT.distance(A, B) + PRODUCT.distance(B, C)).all()
    assert (PRODUCT.distance(A, B) > 0).all()
    assert PRODUCT.is_metric


def test_the_identity_gives_frobenius_and_the_dot_product():
    A, a, b = RNG.normal(size=(5, 2)), *RNG.normal(size=(2, 5))
    plain = WeightedProduct(np.ones(5))
    assert plain.norm(A) == pytest.approx(np.linalg.norm(A))
    assert plain.inner(a[:, None], b[:, None]) == pytest.approx(a @ b)


def test_energies_of_a_body_are_norms():
    """Konz (3.90): ½ |Ẋᵀ|²_M' = ½ ξ·M ξ for the pose X and its body twist ξ; Ẋ has the rows of (R, r)."""
    mass = Moments.from_points(RNG.uniform(1, 2, 6), RNG.normal(size=(6, 3)))
    X, xi = SE3.exp(RNG.normal(size=6)), RNG.normal(size=6)
    X_dot = (X.matrix @ SE3.hat(xi))[:3]
    energy = 0.5 * WeightedProduct(mass.matrix).norm(X_dot.T) ** 2
    assert energy == pytest.approx(0.5 * xi @ matrix_of_moments(mass.matrix) @ xi)


def test_a_weight_without_some_directions_is_no_metric():
    flat = WeightedProduct([1.0, 0.0])
    assert not flat.is_metric
    assert flat.distance([[0.0], [1.0]], [[0.0], [3.0]]) == 0


def test_no_rotation_is_nearer_than_the_nearest():
    weight, Q = WeightedProduct([3.0, 1.0, 0.5]), RNG.normal(size=(3, 3))
    best = weight.nearest_rotations(Q)
    least = weight.distance(Q, best.rotation())
    assert best.strict
    assert best.value == pytest.approx(0.5 * least**2)
    others = SO3.exp(RNG.normal(scale=2.0, size=(2000, 3))).R
    assert (weight.distance(np.broadcast_to(Q, others.shape), others) >= least).all()


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: WeightedProduct(np.diag([1.0, -1.0])), "weight K must be positive semidefinite"),
        (lambda: WeightedProduct([[1.0, 2.0], [0.0, 1.0]]), "weight K must be symmetric"),
        (lambda: WeightedProduct(2.0), r"must be a matrix \(n, n\) or its diagonal"),
        (lambda: WeightedProduct([1.0, 1.0]).norm([1.0, 2.0, 3.0]), "a matrix of the weighted product must have shape"),
        (lambda: WeightedProduct([1.0, 1.0]).nearest_rotations(np.eye(3)), r"rotations of space are \(3, 3\)"),
    ],
)
def test_wrong_weights_are_refused(call, found):
    with pytest.raises(ModelError, match=found):
        call()
