"""Moment matrices and the operators on them; Konz (2.51)-(2.57), (3.77)-(3.91)."""

from __future__ import annotations

import numpy as np
import pytest

from visviva import ModelError
from visviva.geometry import SE3, skew
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor
from visviva.geometry.moments import (
    axial2,
    body_moments,
    matrix_of_moments,
    moment_matrix,
    moment_wrench,
    moments_of_matrix,
)

RNG = np.random.default_rng(3)
M3, w, eta = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
X4, V, U = RNG.normal(size=(4, 4)), RNG.normal(size=6), RNG.normal(size=6)


def test_operators_on_matrices_without_symmetry():
    assert np.trace(M3 @ skew(w).T) == pytest.approx(w @ axial2(M3))
    assert np.trace(skew(w) @ M3 @ skew(eta).T) == pytest.approx(eta @ inertia_tensor(M3) @ w)
    np.testing.assert_allclose(axial2(skew(w) @ M3), inertia_tensor(M3) @ w, atol=1e-14)
    np.testing.assert_allclose(axial2(M3 @ skew(w)), inertia_tensor(M3).T @ w, atol=1e-14)
    np.testing.assert_allclose(inertia_tensor(euler_tensor(M3)), M3, atol=1e-14)


def test_operators_on_moment_matrices():
    assert np.trace(X4 @ SE3.hat(V).T) == pytest.approx(V @ moment_wrench(X4))
    assert np.trace(SE3.hat(V) @ X4 @ SE3.hat(U).T) == pytest.approx(U @ matrix_of_moments(X4) @ V)
    np.testing.assert_allclose(moment_wrench(SE3.hat(V) @ X4), matrix_of_moments(X4) @ V, atol=1e-14)
    np.testing.assert_allclose(moments_of_matrix(matrix_of_moments(X4)), X4, atol=1e-14)


def test_a_cloud_of_points_has_the_inertia_of_its_points():
    weights, points = np.array([1.0, 2.0, 0.5]), RNG.normal(size=(3, 3))
    matrix = matrix_of_moments(moment_matrix(weights, points))
    lever = np.concatenate([-skew(points), np.broadcast_to(np.eye(3), (3, 3, 3))], axis=2)  # velocity of a point
    brute = np.einsum("p,pai,paj->ij", weights, lever, lever)
    np.testing.assert_allclose(matrix, brute, atol=1e-14)
    mass, com = weights.sum(), weights @ points / weights.sum()
    np.testing.assert_allclose(body_moments(mass, com, brute[:3, :3]), moment_matrix(weights, points), atol=1e-14)


def test_the_transport_of_velocities():
    """Ad(XY) = Ad(X) Ad(Y), and d/dt Ad(X) = Ad(X) ad(V)."""
    X, h = SE3.exp(V), 1e-6
    np.testing.assert_allclose((X @ SE3.exp(U)).Ad(), X.Ad() @ SE3.exp(U).Ad(), atol=1e-13)
    rate = ((X @ SE3.exp(h * U)).Ad() - (X @ SE3.exp(-h * U)).Ad()) / (2 * h)
    np.testing.assert_allclose(rate, X.Ad() @ SE3.ad(U), atol=1e-8)


def test_a_free_body_moves_by_its_moments():
    """T10: f = moment_wrench((ξ̇^ + ξ̂²) M') is 𝓘 ξ̇ - ad(ξ)ᵀ 𝓘 ξ, with the printed numbers, in (v; ω) there."""
    swap = [3, 4, 5, 0, 1, 2]
    moments = body_moments(2.0, (0.1, -0.2, 0.3), np.diag([0.5, 0.6, 0.7]))
    M = matrix_of_moments(moments)
    xi = np.array([0.4, 0.5, 0.6, 0.1, 0.2, 0.3])  # (ω; v)
    quadratic = -SE3.ad(xi).T @ M @ xi
    np.testing.assert_allclose(quadratic[swap], [0.002, 0.308, -0.258, 0.054, -0.036, 0.02], atol=1e-15)
    assert 0.5 * xi @ M @ xi == pytest.approx(0.333, abs=1e-12)
    rate = RNG.normal(size=6)
    force = moment_wrench((SE3.hat(rate) + SE3.hat(xi) @ SE3.hat(xi)) @ moments)
    np.testing.assert_allclose(force, M @ rate + quadratic, atol=1e-14)


def test_what_is_no_moment_matrix_is_refused():
    with pytest.raises(ModelError, match=r"differs from the structure"):
        moments_of_matrix(np.diag([1.0, 1, 1, 1, 2, 1]))
