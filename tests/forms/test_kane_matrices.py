"""Kane's matrices of bodies on random trees of screws, against differences and against the equations (16), (56)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from visviva.forms.kane.matrices import generalised_force, hat, kane_matrices

BODIES, N = 3, 4


def adjoint(R, r):
    return np.block([[R, np.zeros((3, 3))], [hat(r) @ R, R]])


def screw_exp(s, q):
    X = np.zeros((4, 4))
    X[:3, :3], X[:3, 3] = hat(s[:3]), s[3:]
    return expm(X * q)


class Chain:
    """N joints with random screws; body b hangs on joint b + 1 and all before. V_b = S_b(q) ξ in axes of the body."""

    def __init__(self, seed, *, com=True):
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.screws = rng.normal(size=(N, 6))
        self.masses = rng.uniform(0.5, 2.0, BODIES)
        c = rng.normal(size=(BODIES, 3)) * com
        L = rng.normal(size=(BODIES, 3, 3))
        euler = L @ L.swapaxes(1, 2)  # ∫ r rᵀ dm about the centre of mass
        self.central = np.trace(euler, axis1=1, axis2=2)[:, None, None] * np.eye(3) - euler
        self.com = c
        m = self.masses[:, None, None]
        inertia = self.central - m * hat(c) @ hat(c)
        self.inertias = np.concatenate(
            [np.concatenate([inertia, m * hat(c)], -1), np.concatenate([-m * hat(c), m * np.eye(3)], -1)], -2
        )

    def pose(self, q, b):
        X = np.eye(4)
        for k in range(b + 2):
            X = X @ screw_exp(self.screws[k], q[k])
        return X

    def S(self, q):
        """Column k of body b is the screw k seen from the body."""
        S = np.zeros((BODIES, 6, N))
        for b in range(BODIES):
            X = np.eye(4)
            for k in reversed(range(b + 2)):
                inverse = np.linalg.inv(X)
                S[b, :, k] = adjoint(inverse[:3, :3], inverse[:3, 3]) @ self.screws[k]
                X = screw_exp(self.screws[k], q[k]) @ X
        return S

    def state(self):
        q, xi = self.rng.normal(size=N), self.rng.normal(size=N)
        S, S_dot = self.S(q), rate(self.S, q, xi)
        return q, xi, S, S_dot, S @ xi


def rate(f, q, xi, h=1e-3):
    """Along q̇ = ξ, by a central difference of order 6."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return sum(w * (f(q + k * h * xi) - f(q - k * h * xi)) for k, w in weights.items()) / h


@pytest.mark.parametrize("seed", range(3))
def test_rate_of_the_mass_matrix_is_the_gyrator_and_its_transpose(seed):
    chain = Chain(seed)
    q, xi, S, S_dot, V = chain.state()
    k = kane_matrices(S, S_dot, V, chain.inertias)
    A_dot = rate(lambda q: kane_matrices(chain.S(q), S_dot, V, chain.inertias).A, q, xi)
    assert_allclose(k.D + k.D.T, A_dot, rtol=0, atol=1e-9 * np.abs(A_dot).max())
    assert_allclose(k.A_dot, k.D + k.D.T, rtol=0, atol=1e-13 * np.abs(A_dot).max())
    assert_allclose(k.p, k.A @ xi, rtol=1e-13, atol=1e-13)
    assert_allclose(k.gyration, k.D.T @ xi, rtol=0, atol=1e-12 * np.abs(k.D).max())


@pytest.mark.parametrize("seed", range(3))
def test_gyrator_is_that_of_equation_56_at_centres_of_mass(seed):
    """m Vᵀ V° + Wᵀ I W° + Wᵀ ω̂ I W, whose rates V°, W° are those seen from inertial space."""
    chain = Chain(seed, com=False)
    _, _, S, S_dot, V = chain.state()
    D = np.zeros((N, N))
    for b in range(BODIES):
        W, U, spin, I = S[b, :3], S[b, 3:], hat(V[b, :3]), chain.central[b]
        D += chain.masses[b] * U.T @ (S_dot[b, 3:] + spin @ U)
        D += W.T @ I @ (S_dot[b, :3] + spin @ W) + W.T @ spin @ I @ W
    assert_allclose(kane_matrices(S, S_dot, V, chain.inertias).D, D, rtol=0, atol=1e-12 * np.abs(D).max())


@pytest.mark.parametrize("seed", range(3))
def test_any_admissible_gyrator_does_the_same(seed):
    """The sum over particles (16) is another matrix D than that of rigid bodies, with the same D ξ and Dᵀξ."""
    chain = Chain(seed)
    _, xi, S, S_dot, V = chain.state()
    k = kane_matrices(S, S_dot, V, chain.inertias)
    D = np.zeros((N, N))
    for b in range(BODIES):
        euler = np.trace(chain.central[b]) / 2 * np.eye(3) - chain.central[b]
        masses, axes = np.linalg.eigh(euler)
        m = chain.masses[b] / 6  # six particles on the principal axes have the same mass, centre and Euler tensor
        for place in np.concatenate([axes.T, -axes.T]) * np.sqrt(np.tile(masses, 2) / (2 * m))[:, None]:
            N_r = np.concatenate([-hat(chain.com[b] + place), np.eye(3)], axis=1)
            v, v_dot = N_r @ S[b], N_r @ S_dot[b] + hat(V[b, :3]) @ N_r @ S[b]
            D += m * v.T @ v_dot
    assert np.abs(D - k.D).max() > 1e-2
    assert_allclose(D + D.T, k.A_dot, rtol=0, atol=1e-12 * np.abs(D).max())
    assert_allclose(D @ xi, k.D @ xi, rtol=0, atol=1e-12 * np.abs(D).max())
    assert_allclose(D.T @ xi, k.gyration, rtol=0, atol=1e-12 * np.abs(D).max())


@pytest.mark.parametrize("seed", range(3))
def test_rate_of_the_momenta_is_that_of_the_particles(seed):
    """Momentum form (25) with no force is A ξ̇ + D ξ = 0: the sum of Newton's and Euler's equations on each motion."""
    chain = Chain(seed)
    _, xi, S, S_dot, V = chain.state()
    k = kane_matrices(S, S_dot, V, chain.inertias)
    xi_dot = -np.linalg.solve(k.A, k.D @ xi)
    residual = np.zeros(N)
    for b in range(BODIES):
        M, V_dot = chain.inertias[b], S[b] @ xi_dot + S_dot[b] @ xi
        P, w, v = M @ V[b], V[b, :3], V[b, 3:]
        bias = np.concatenate([np.cross(w, P[:3]) + np.cross(v, P[3:]), np.cross(w, P[3:])])
        residual += S[b].T @ (M @ V_dot + bias)
    assert_allclose(residual, 0, atol=1e-12 * np.abs(k.D).max())
    assert_allclose(k.A @ xi_dot + k.A_dot @ xi, k.gyration, rtol=0, atol=1e-12 * np.abs(k.D).max())


def test_inertia_that_is_no_rigid_bodys_has_kirchhoffs_equations():
    """A body in a fluid: M V̇ = ad_Vᵀ M V for any symmetric M, and energy stays."""
    rng = np.random.default_rng(5)
    L = rng.normal(size=(6, 6))
    M, V = L @ L.T, rng.normal(size=6)
    k = kane_matrices(np.eye(6)[None], np.zeros((1, 6, 6)), V[None], M[None])
    P, w, v = M @ V, V[:3], V[3:]
    assert_allclose(-k.D @ V, np.concatenate([np.cross(P[:3], w) + np.cross(P[3:], v), np.cross(P[3:], w)]), rtol=1e-12)
    assert_allclose(V @ k.D @ V, 0, atol=1e-12)


def test_generalised_force_does_the_power_of_the_wrenches():
    chain = Chain(0)
    _, xi, S, _, V = chain.state()
    F = chain.rng.normal(size=(BODIES, 6))
    assert_allclose(generalised_force(S, F) @ xi, np.sum(F * V), rtol=1e-13)
