"""The inner product with 21 parameters, T14; what (A.15) and (A.18c) of the print have wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.forms.rigid.moments import Moments
from visviva.forms.springs import ChordEnergy, ProductSE3
from visviva.geometry import SE3, skew
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor

RNG = np.random.default_rng(2)
A = RNG.normal(size=(6, 6))
K6 = A @ A.T + np.eye(6)


def printed(product, first, second):
    """(A.15) with Vee(K_R), as in the print."""
    gap = inertia_tensor(product.K_R) - euler_tensor(product.K_R)
    return product.inner(first, second) + np.trace(first[:3, :3] @ gap @ second[:3, :3].T)


def test_every_matrix_decomposes():
    """(A.14)."""
    product = ProductSE3(K6)
    H, K_r, K_R = product.H, product.K_r, product.K_R
    assert_allclose(np.block([[K_R + H @ K_r @ H.T, H @ K_r], [K_r @ H.T, K_r]]), K6, atol=1e-12)
    assert np.linalg.eigvalsh(K_R)[0] > 0


def test_on_twists_the_product_is_the_matrix():
    """(A.16); the printed Vee fails."""
    product = ProductSE3(K6)
    for xi, eta in RNG.normal(size=(5, 2, 6)):
        first, second = SE3.hat(xi), SE3.hat(eta)
        assert product.inner(first, second) == pytest.approx(xi @ K6 @ eta)
        assert product.inner(first[:3], second[:3]) == pytest.approx(xi @ K6 @ eta)
        assert abs(printed(product, first, second) - xi @ K6 @ eta) > 1e-2


def test_the_stiffness_of_points_is_a_special_case():
    """K_r = k I and H = ĥ: <Ξ1, Ξ2> = tr(Ξ1 K' Ξ2ᵀ), again with Wed only."""
    moments = Moments.from_points(RNG.uniform(1, 2, 5), RNG.normal(size=(5, 3)))
    product = ProductSE3(moments.spatial())
    assert_allclose(product.H, skew(moments.centre), atol=1e-13)
    X1, X2 = RNG.normal(size=(2, 3, 4))
    assert product.inner(X1, X2) == pytest.approx(np.trace(X1 @ moments.matrix @ X2.T))
    assert abs(printed(product, X1, X2) - np.trace(X1 @ moments.matrix @ X2.T)) > 0.1
    assert product.is_metric
    X, X_R = SE3.exp(RNG.normal(size=6)), SE3.exp(RNG.normal(size=6))
    assert product.distance(X.matrix, X_R.matrix) ** 2 / 2 == pytest.approx(
        ChordEnergy.of_moments(moments, X_R).energy(X)
    )


def test_a_positive_matrix_need_not_be_a_metric():
    """K_R = diag(1, 1.5, 4) > 0, but Wed(K_R) has the eigenvalue -0.75."""
    product = ProductSE3(np.diag([1, 1.5, 4, 1, 1, 1]))
    assert np.linalg.eigvalsh(euler_tensor(product.K_R))[0] == pytest.approx(-0.75)
    assert not product.is_metric
    bad = np.zeros((3, 4))
    bad[0, 2] = 1.0
    with pytest.raises(ModelError, match="Wed\\(K_R\\) is indefinite"):
        product.distance(bad, 0 * bad)
    assert ProductSE3(np.diag([1, 1.5, 2.4, 1, 1, 1])).is_metric


def test_the_energies_of_a_general_matrix():
    """(A.18a) and (A.19a): the distances of X and X_R, and of X_E and I; both have the wrench zero at rest."""
    product, X, X_R = ProductSE3(K6), SE3.exp(RNG.normal(size=6)), SE3.exp(RNG.normal(size=6))
    world, relative = ChordEnergy.general(K6, X_R, world_axes=True), ChordEnergy.general(K6, X_R)
    gap, X_E = X.matrix - X_R.matrix, (X_R.inverse() @ X).matrix - np.eye(4)
    assert world.energy(X) == pytest.approx(product.inner(gap, gap) / 2)
    assert relative.energy(X) == pytest.approx(product.inner(X_E, X_E) / 2)
    assert abs(world.energy(X) - relative.energy(X)) > 1e-2
    assert_allclose(world.wrench(X_R), 0, atol=1e-12)
    # turned together, the relative energy stays; moved together by a translation, the other as well
    Y = SE3.exp(RNG.normal(size=6))
    assert ChordEnergy.general(K6, Y @ X_R).energy(Y @ X) == pytest.approx(relative.energy(X))
    assert abs(ChordEnergy.general(K6, Y @ X_R, world_axes=True).energy(Y @ X) - world.energy(X)) > 1e-2


def test_of_second_rates_it_is_the_energy_of_accelerations():
    """(A.18c) with Ẍ is S, called T in print: ∂S/∂ξ̇ = M ξ̇ + …, while T = ½ ξ·M ξ is that of Ẋ."""
    M = Moments.from_points(RNG.uniform(1, 2, 5), RNG.normal(size=(5, 3)))
    product, X, xi, rate = ProductSE3(M.spatial()), SE3.exp(RNG.normal(size=6)), *RNG.normal(size=(2, 6))
    first = X.matrix @ SE3.hat(xi)

    def of_second_rates(rate):
        second = X.matrix @ (SE3.hat(rate) + SE3.hat(xi) @ SE3.hat(xi))
        return product.inner(second, second) / 2

    T = xi @ M.spatial() @ xi / 2
    assert product.inner(first, first) / 2 == pytest.approx(T)
    assert abs(of_second_rates(rate) - T) > 0.1
    h = 1e-6
    slope = [(of_second_rates(rate + h * e) - of_second_rates(rate - h * e)) / (2 * h) for e in np.eye(6)]
    assert_allclose(slope, M.spatial() @ rate - SE3.ad(xi).T @ M.spatial() @ xi, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: ProductSE3(np.eye(5)), r"K must have shape \(6, 6\)"),
        (lambda: ProductSE3(np.diag([1.0, 1, 1, 1, 1, 0])), "K must be positive definite"),
        (lambda: ProductSE3(np.triu(np.ones((6, 6)))), "K must be symmetric"),
        (lambda: ProductSE3(K6).inner(np.eye(3), np.eye(3)), r"must have shape \(3, 4\) or \(4, 4\)"),
    ],
)
def test_what_is_no_norm_is_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
