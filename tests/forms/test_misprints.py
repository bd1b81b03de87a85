"""Equations of Konz's dissertation that fail as printed, beside those that hold; others are with their subject."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import tree
from test_particles import SYSTEM as PARTICLES
from test_particles import XI as RATES
from test_particles import G, T, forces_by_hand
from test_particles import Q as PLACE

from visviva.forms import Parameterisation
from visviva.forms.calculus.commutation import commutation
from visviva.forms.rigid.body_motion import between, edge_motion
from visviva.forms.rigid.inertia_forms import inertia_forms
from visviva.geometry import SE3, skew

SYSTEM, Q, XI = tree()
XI_DOT = np.linspace(-1, 2, SYSTEM.n)


def test_a_velocity_is_integrable_if_its_row_is_a_gradient():
    """(2.21): ∂Y_α/∂x^β = ∂Y_β/∂x^α, where the first is printed ∂Y_α/∂x^α. Here ξ⁰ = d/dt (x² y), ξ¹ = x ẏ."""

    def A(q):
        det = 2 * q.x * q.y * q.x
        return [[q.x / det, -(q.x**2) / det], [0, 2 * q.x * q.y / det]]  # inverse of Y = [[2 x y, x²], [0, x]]

    q = np.array([0.7, 1.3])
    gamma = commutation(Parameterisation(("x", "y"), ("u", "v"), A=A, q0=q), q)
    assert_allclose(gamma[:, :, 0], 0, atol=1e-14)
    assert abs(gamma[0, 1, 1]) > 0.1
    Y_x_by_y, Y_y_by_x, Y_x_by_x = 2 * q[0], 2 * q[0], 2 * q[1]
    assert Y_x_by_y == Y_y_by_x
    assert abs(Y_x_by_x - Y_y_by_x) > 0.1


def test_the_compulsion_is_quadratic_in_accelerations():
    """(3.21): ½ ξ̇·M ξ̇ - ξ̇·b + G₀, where velocities are printed; against ½ Σ m |r̈ - F/m|², particle by particle."""
    motion, xi_dot = PARTICLES.motion(PLACE, RATES, T), np.array([0.4, -1.2, 0.7])
    F = forces_by_hand(motion)

    def direct(a):
        gaps = {name: motion.bias[name] + motion.J[name] @ a - F[name] / m for name, m in PARTICLES.mass.items()}
        return sum(0.5 * m * float(gaps[name] @ gaps[name]) for name, m in PARTICLES.mass.items())

    def of(a):
        return PARTICLES.compulsion(PLACE, RATES, a, T) + direct(np.zeros(3))

    assert of(xi_dot) == pytest.approx(direct(xi_dot))
    assert abs(of(RATES) - direct(xi_dot)) > 0.1


def test_gravity_is_an_acceleration_of_the_frame():
    """(3.33), (3.34): S with r̈ - a_G for r̈ has f^M + f^G for its derivative."""
    motion, h = PARTICLES.motion(PLACE, RATES, T), 1e-4

    def S(a):
        fall = {name: motion.bias[name] + motion.J[name] @ a - G for name in PARTICLES.mass}
        return sum(0.5 * m * float(fall[name] @ fall[name]) for name, m in PARTICLES.mass.items())

    a = np.array([0.4, -1.2, 0.7])
    forces = PARTICLES.forces(PLACE, RATES, a, T)
    slope = [(S(a + h * e) - S(a - h * e)) / (2 * h) for e in np.eye(3)]
    assert_allclose(slope, forces["inertia"] + forces["gravity"], atol=1e-7)


def test_the_energy_of_accelerations_of_a_body():
    """(3.53): S = ½ ξ̇·𝓘 ξ̇ - ξ̇·ad(ξ)ᵀ 𝓘 ξ + S₀, with Θ' = ½ tr(Θ) I - Θ; Θ' is printed on both sides of that."""
    frames, forms = SYSTEM.instant(Q, XI).frames, inertia_forms(SYSTEM, Q)
    S, printed = 0.0, 0.0
    for name, moments in SYSTEM.bodies.items():
        body, inertia = frames[name], moments.spatial()
        V, V_dot = body.V, body.J @ XI_DOT + body.B
        w, v = V[:3], V[3:]
        W = skew(w)
        Theta = inertia[:3, :3]
        euler = np.trace(Theta) / 2 * np.eye(3) - Theta
        common = V_dot @ inertia @ V_dot / 2 - V_dot @ SE3.ad(V).T @ inertia @ V
        common += moments.total * np.sum(np.cross(w, v) ** 2) / 2 + v @ W @ W @ skew(moments.first) @ w
        S += common + np.trace(euler @ np.linalg.matrix_power(W, 4)) / 2
        printed += common + np.trace(np.trace(Theta) / 4 * np.linalg.matrix_power(W, 4)) / 2  # Θ' = ½ tr(Θ) I - Θ'
    assert forms.acceleration_energy(XI, XI_DOT) == pytest.approx(S)
    assert abs(printed - S) > 1


def test_the_moment_matrix_has_the_points_in_its_columns():
    """(3.88), (3.91): [[h hᵀ, h], [hᵀ, 1]]; the blocks hᵀ over h of the print do not fit together."""
    h = np.array([[0.3], [-0.5], [0.7]])
    good = np.block([[h @ h.T, h], [h.T, np.ones((1, 1))]])
    assert_allclose(good, np.vstack([h, [[1]]]) @ np.hstack([h.T, [[1]]]))
    with pytest.raises(ValueError, match="dimensions"):
        np.block([[h @ h.T, h.T], [h, np.ones((1, 1))]])


def test_the_inverse_edge_and_the_sum_along_a_path():
    """(3.96b) prints X_ba = X_ba⁻¹; (3.107a) leaves out what Ad carries over: J_02 = Ad(X_12)⁻¹ J_01 + J_12."""
    frames = SYSTEM.instant(Q, XI).frames
    there, back = between(frames["a"], frames["c"]), between(frames["c"], frames["a"])
    assert_allclose(back.X.matrix, np.linalg.inv(there.X.matrix), atol=1e-12)
    assert np.abs(back.X.matrix - np.linalg.inv(back.X.matrix)).max() > 0.1
    edge = next(edge for edge in SYSTEM.parameterisation.graph.tree if edge.b == "c")
    own, carrier = edge_motion(edge, Q, XI), frames[edge.a]
    assert_allclose(own.X.inverse().Ad() @ carrier.J + own.J, frames["c"].J, atol=1e-12)
    assert np.abs(carrier.J + own.J - frames["c"].J).max() > 0.1


def test_the_connection_multiplies_velocities_twice():
    """(3.111): c_i = Γ_ijk ξʲ ξᵏ, where one of them is printed ξ̇ʲ; (3.29a): ∂_k M_ij = Γ_ijk + Γ_jik."""
    forms = inertia_forms(SYSTEM, Q)
    c, Gamma = SYSTEM.terms(Q, XI).c, forms.connection()
    assert_allclose(Gamma @ XI @ XI, c, atol=1e-11)
    assert np.abs(np.einsum("ijk,j,k->i", Gamma, XI_DOT, XI) - c).max() > 1
    assert_allclose(forms.M_slope, Gamma + Gamma.swapaxes(0, 1), atol=1e-11)
