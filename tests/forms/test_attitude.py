"""Euler angles and angular velocities describe one rotation, until the angles fail; T1."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from visviva import ModelError
from visviva.forms.calculus.attitude import (
    angle_rates_matrix,
    attitude,
    euler_acceleration,
    euler_angle_acceleration,
    euler_angle_model,
)
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.geometry import skew, vee

THETA = np.array([1.0, 2.0, 3.0])
ANGLES, RATES = np.array([0.4, -0.7, 1.1]), np.array([0.3, -0.5, 0.8])


def test_rates_of_angles_give_the_angular_velocity():
    h = 1e-6
    R_dot = (attitude(ANGLES + h * RATES) - attitude(ANGLES - h * RATES)) / (2 * h)
    np.testing.assert_allclose(vee(attitude(ANGLES).T @ R_dot), angle_rates_matrix(ANGLES) @ RATES, atol=1e-9)
    assert np.linalg.det(angle_rates_matrix(ANGLES)) == pytest.approx(np.cos(ANGLES[1]))


def test_the_complete_model_is_lagranges():
    p = Parameterisation(("roll", "pitch", "yaw"), ("r", "p", "y"), A=np.eye(3), q0=(0, 0, 0))

    def L(q, xi):
        sa, ca, sb, cb = np.sin(q.roll), np.cos(q.roll), np.sin(q.pitch), np.cos(q.pitch)
        w = np.array([xi[0] - sb * xi[2], ca * xi[1] + sa * cb * xi[2], -sa * xi[1] + ca * cb * xi[2]])
        return 0.5 * (THETA * w) @ w

    system = Hamel(p, L)
    M, b = euler_angle_model(THETA, ANGLES, RATES)
    np.testing.assert_allclose(M, system.mass(ANGLES, RATES), atol=1e-14)
    np.testing.assert_allclose(b, system.bias(ANGLES, RATES), atol=1e-14)
    assert np.linalg.det(M) == pytest.approx(6 * np.cos(ANGLES[1]) ** 2)


def test_eulers_equations_in_angles_are_the_model():
    """Yᵀ times Θ ω̇ + ω × Θ ω = τ with ω = Y ȧ."""
    torque, h = np.array([0.3, 0.2, -0.5]), 1e-6
    acceleration = euler_angle_acceleration(THETA, ANGLES, RATES, torque)
    Y = angle_rates_matrix(ANGLES)
    Y_dot = (angle_rates_matrix(ANGLES + h * RATES) - angle_rates_matrix(ANGLES - h * RATES)) / (2 * h)
    w_dot = euler_acceleration(THETA, Y @ RATES, torque)
    np.testing.assert_allclose(Y @ acceleration + Y_dot @ RATES, w_dot, atol=1e-9)
    np.testing.assert_allclose(euler_acceleration(np.diag(THETA), Y @ RATES, torque), w_dot, atol=1e-14)


def test_angular_velocities_pass_where_angles_fail():
    """ω = (0, 1, 0): R = Ry(t), and at t = π/2 the mass matrix of the angles is singular."""
    np.testing.assert_allclose(euler_acceleration(THETA, (0, 1, 0)), 0, atol=1e-15)
    M, _ = euler_angle_model(THETA, (0, 0.5, 0), (0, 1, 0))
    assert np.linalg.det(M) == pytest.approx(6 * np.cos(0.5) ** 2)
    np.testing.assert_allclose(euler_angle_acceleration(THETA, (0, 1.5, 0), (0, 1, 0)), 0, atol=1e-12)
    with pytest.raises(ModelError, match=r"Euler angles are singular at a pitch of 90°: .*\n.*angular velocities"):
        euler_angle_acceleration(THETA, (0, np.pi / 2, 0), (0, 1, 0))


def test_both_models_move_together():
    start, angles = np.array([1.0, 1.0, 1.0]), np.zeros(3)

    def by_angles(_, x):
        return np.concatenate([x[3:], euler_angle_acceleration(THETA, x[:3], x[3:])])

    def by_velocities(_, x):
        R, w = x[:9].reshape(3, 3), x[9:]
        return np.concatenate([(R @ skew(w)).ravel(), euler_acceleration(THETA, w)])

    options = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
    first = np.concatenate([angles, np.linalg.solve(angle_rates_matrix(angles), start)])
    a = solve_ivp(by_angles, (0, 1), first, **options).y[:, -1]
    b = solve_ivp(by_velocities, (0, 1), np.concatenate([np.eye(3).ravel(), start]), **options).y[:, -1]
    np.testing.assert_allclose(attitude(a[:3]), b[:9].reshape(3, 3), atol=1e-8)
    np.testing.assert_allclose(angle_rates_matrix(a[:3]) @ a[3:], b[9:], atol=1e-8)
