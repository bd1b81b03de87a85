"""Errors of poses and the map that carries velocities of the reference: Konz (A.1)-(A.9), T14."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.forms.calculus.error_coordinates import ErrorCoordinates
from visviva.forms.springs import ChordEnergy
from visviva.geometry import SE3

RNG = np.random.default_rng(4)
FREE = vv.coordinates.joined({("ground", "b"): vv.coordinates.free("b", by="matrix")})
A = RNG.normal(size=(6, 6))
K6 = A @ A.T + np.eye(6)


def entries(X):
    """Coordinates of a pose: position, then the columns of R."""
    return np.concatenate([X.r, X.R.T.ravel()])


def parts(x):
    x = np.array(list(x))
    return x[3:].reshape(3, 3).T, x[:3]


def relative(q, q_R):
    """χ: the twelve entries of X_R⁻¹ X."""
    (R, r), (S, s) = parts(q), parts(q_R)
    return np.concatenate([(S.T @ R).ravel(), S.T @ (r - s)])


ERRORS = ErrorCoordinates(FREE, relative)


def test_the_transport_of_relative_poses_is_the_adjoint():
    """Q = Ad(X_E)⁻¹ from the pseudo-inverse, and ė = ∇χ ξ_E."""
    for xi, xi_R in RNG.normal(size=(3, 2, 6)):
        X, X_R = SE3.exp(RNG.normal(size=6)), SE3.exp(RNG.normal(size=6))
        q, q_R = entries(X), entries(X_R)
        X_E = X_R.inverse() @ X
        assert_allclose(ERRORS.transport(q, q_R), X_E.inverse().Ad(), atol=1e-12)
        xi_E = ERRORS.velocity(q, xi, q_R, xi_R)
        assert_allclose(xi_E, xi - X_E.inverse().Ad() @ xi_R, atol=1e-12)
        own, of_reference = ERRORS.slopes(q, q_R)
        assert_allclose(own @ xi + of_reference @ xi_R, own @ xi_E, atol=1e-12)
        # ė is the rate of X_E with the body twist ξ_E
        rate = (X_E.matrix @ SE3.hat(xi_E))[:3]
        assert_allclose(own @ xi_E, np.concatenate([rate[:, :3].ravel(), rate[:, 3]]), atol=1e-12)


def test_energies_of_the_error_push_both_alike():
    """(4.30): ∇_R V = -Qᵀ ∇V, for an energy with 21 parameters of X_R⁻¹ X."""
    X, X_R, h = SE3.exp(RNG.normal(size=6)), SE3.exp(RNG.normal(size=6)), 1e-5
    Q = ERRORS.transport(entries(X), entries(X_R))
    wrench = ChordEnergy.general(K6, X_R).wrench(X)
    moved = [
        (
            ChordEnergy.general(K6, X_R @ SE3.exp(h * e)).energy(X)
            - ChordEnergy.general(K6, X_R @ SE3.exp(-h * e)).energy(X)
        )
        / (2 * h)
        for e in np.eye(6)
    ]
    assert_allclose(moved, -Q.T @ wrench, atol=1e-6)


def test_the_last_term_of_A7_vanishes_with_its_own_order():
    """(Φ⁺ Φ ∇_R χ)ᵀ ∂V is zero; as printed, Φ⁺ Φ ∇_R χ ∂V, shapes (12, 6) and (12,) do not even multiply."""
    q, q_R = (entries(SE3.exp(RNG.normal(size=6))) for _ in range(2))
    own, of_reference = ERRORS.slopes(q, q_R)
    projector = np.eye(12) - own @ np.linalg.pinv(own)  # Φ⁺ Φ
    dV = RNG.normal(size=12)
    assert_allclose((projector @ of_reference).T @ dV, 0, atol=1e-12)
    with pytest.raises(ValueError, match="mismatch"):
        projector @ of_reference @ dV


def test_errors_that_do_not_tell_configurations_apart_are_refused():
    X = SE3.exp(RNG.normal(size=6))
    q = entries(X)
    with pytest.raises(ModelError, match="∇χ has rank 3, there are 6 velocities"):
        ErrorCoordinates(FREE, lambda q, q_R: np.array([q[k] - q_R[k] for k in range(3)])).transport(q, q)


def test_errors_off_one_manifold_are_refused():
    """Differences of matrices are not on one manifold of dimension six."""
    q, q_R = (entries(SE3.exp(RNG.normal(size=6))) for _ in range(2))
    difference = ErrorCoordinates(FREE, lambda q, q_R: np.array([q[k] - q_R[k] for k in range(12)]))
    with pytest.raises(ModelError, match="in ways that no velocity does"):
        difference.transport(q, q_R)
