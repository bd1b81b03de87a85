"""Kinematics that return to φ = 0; T13 and the rate that the text misprints."""

from __future__ import annotations

import numpy as np
import pytest
from parameterisations import arm, circle, moved, rotation
from scipy.integrate import solve_ivp

from visviva import ModelError
from visviva.forms import Parameterisation
from visviva.forms.calculus.attitude import euler_acceleration
from visviva.forms.calculus.stabilisation import (
    independent_rows,
    nearest_configuration,
    projectors,
    restoring_rate,
    stabilised_rate,
)

W = np.array([0.3, -0.2, 0.5])


def end(rates, q0, t=1.0):
    return solve_ivp(lambda _, q: rates(q), (0, t), q0, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]


def test_a_stretched_rotation_shrinks_at_twice_the_rate():
    """Singular values s with ṡ = -s (s² - 1): 1.011954987 after a second; (A.12) says that RᵀR - I decays at Λ."""
    p = rotation("matrix")
    q = end(lambda q: restoring_rate(p, q, W, 1.0), 1.1 * np.eye(3).ravel())
    s = np.linalg.svd(q.reshape(3, 3), compute_uv=False)
    np.testing.assert_allclose(s, 1.011954987, atol=1e-9)
    np.testing.assert_allclose(s, (1 - (1 - 1 / 1.21) * np.exp(-2)) ** -0.5, atol=1e-10)
    small = end(lambda q: restoring_rate(p, q, W, 1.0), (1 + 1e-6) * np.eye(3).ravel())
    defect = np.linalg.norm(p.phi(small)) / np.linalg.norm(p.phi((1 + 1e-6) * np.eye(3).ravel()))
    assert defect == pytest.approx(np.exp(-2), rel=1e-4)  # in |RᵀR - I|, whichever way it turned
    assert defect != pytest.approx(np.exp(-1), rel=0.1)


@pytest.mark.parametrize("by", ["matrix", "quaternion"])
def test_conditions_decay_at_the_rate_that_is_given(by):
    """(A.10) with Ψ: φ̇ = -Λ φ, for small φ."""
    p, Lambda = rotation(by), 1.5
    q0 = moved(p) + 1e-6 * np.linspace(-1, 1, p.size_q)
    q = end(lambda q: stabilised_rate(p, q, np.zeros(3), Lambda), q0)
    np.testing.assert_allclose(p.phi(q), np.exp(-Lambda) * p.phi(q0), rtol=1e-4, atol=1e-12)


def test_unit_length_decays_exactly():
    """On a circle Ψ φ = φ q/(2 |q|²), and φ̇ = -Λ φ at any distance."""
    p = circle()
    q0 = np.array([1.5, 0.4])
    q = end(lambda q: stabilised_rate(p, q, np.array([2.0]), 0.7), q0)
    assert p.phi(q) == pytest.approx(np.exp(-0.7) * p.phi(q0), rel=1e-9)


def test_a_matrix_of_rates_acts_row_by_row():
    p = rotation("matrix")
    Lambda = np.diag([1.0, 2, 3, 4, 5, 6])
    q = moved(p) + 1e-7 * np.linspace(-1, 1, 9)
    phi_dot = p.Phi(q) @ stabilised_rate(p, q, np.zeros(3), Lambda)
    np.testing.assert_allclose(phi_dot, -Lambda @ p.phi(q), atol=1e-12)
    with pytest.raises(ModelError, match=r"rate must be a number or have shape \(6, 6\), got \(2, 2\)"):
        stabilised_rate(p, q, np.zeros(3), np.eye(2))


def with_determinant():
    """Rotations with the determinant as a seventh, redundant row."""
    nine = rotation("matrix")

    def phi(q):
        x, y, z = q[0:3], q[3:6], q[6:9]
        det = x @ np.array([y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]])
        return [x @ x - 1, x @ y, x @ z, y @ y - 1, y @ z, z @ z - 1, det - 1]

    names = [f"r{k}" for k in range(9)]
    return Parameterisation(names, ("a", "b", "c"), A=_rates, phi=phi, q0=nine.q0)


def _rates(q):
    x, y, z = q[0:3], q[3:6], q[6:9]
    zero = 0 * x
    return np.array([np.concatenate([zero, z, -y]), np.concatenate([-z, zero, x]), np.concatenate([y, -x, zero])]).T


def test_redundant_rows_are_left_out():
    """With the determinant Φ Ψ is not the identity, and Ψ of all rows would not give the rate; Konz (A.11)."""
    p = with_determinant()
    q = moved(rotation("matrix")) + 1e-6 * np.linspace(-1, 1, 9)
    assert len(p.phi(q)) == 7
    assert len(independent_rows(p, moved(rotation("matrix")))) == 6
    _, Psi = projectors(p, moved(rotation("matrix")))
    product = p.Phi(moved(rotation("matrix"))) @ Psi
    assert np.abs(product - np.eye(7)).max() > 0.1
    on = moved(rotation("matrix"))
    rows = independent_rows(p, on)
    np.testing.assert_allclose(p.Phi(on)[rows] @ np.linalg.pinv(p.Phi(on)[rows]), np.eye(6), atol=1e-13)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e-2])
def test_redundant_rows_are_left_out_off_the_conditions_too(size):
    """The length of a row of R follows from those of its columns on φ = 0 only; off it that is a seventh gradient."""

    def phi(q):
        x, y, z = q[0:3], q[3:6], q[6:9]
        row = x[0] ** 2 + y[0] ** 2 + z[0] ** 2 - 1
        return [x @ x - 1, x @ y, x @ z, row, y @ y - 1, y @ z, z @ z - 1]

    p = Parameterisation([f"r{k}" for k in range(9)], ("a", "b", "c"), A=_rates, phi=phi, q0=rotation("matrix").q0)
    q = moved(rotation("matrix")) + size * np.linspace(-1, 1, 9)
    assert np.linalg.matrix_rank(p.Phi(q), tol=0.01 * size) == 7
    rows = independent_rows(p, q)
    assert len(rows) == 6
    phi_dot = p.Phi(q) @ stabilised_rate(p, q, np.zeros(3), 1.5)
    np.testing.assert_allclose(phi_dot[rows], -1.5 * p.phi(q)[rows], atol=1e-13)
    np.testing.assert_allclose(phi_dot, -1.5 * p.phi(q), atol=300 * size**2)


def test_rows_that_are_nearly_parallel_are_kept():
    """A circle as the meeting of two spheres of centres 0.02 apart: gradients at an angle of one degree."""
    p = Parameterisation(
        ("x", "y", "z"),
        ("w",),
        A=lambda q: [[-q.y], [q.x], [0 * q.z]],
        phi=lambda q: [q.x**2 + q.y**2 + q.z**2 - 1, 2 * (q.x**2 + q.y**2 + q.z**2 - 1),
                       q.x**2 + q.y**2 + (q.z - 0.02) ** 2 - 1 - 0.02**2],
        q0=(1, 0, 0),
    )  # fmt: skip
    assert independent_rows(p, np.array([1.0, 0.0, 0.0])) == [0, 2]
    q = np.array([1.0, 0.0, 1e-4])
    phi_dot = p.Phi(q) @ stabilised_rate(p, q, np.array([0.7]), 2.0)
    np.testing.assert_allclose(phi_dot, -2.0 * p.phi(q), atol=1e-12)


def test_off_the_conditions_motions_change_them():
    """Φ A is of the size of φ there, so that the rate holds to first order only; for rotations |φ| is unchanged."""
    p = rotation("matrix")
    q = moved(p) + 1e-3 * np.linspace(-1, 1, 9)
    drift = p.Phi(q) @ p.A(q)
    assert 1e-5 < np.abs(drift).max() < 1e-1
    R = q.reshape(3, 3).T
    E = R.T @ R - np.eye(3)
    weights = np.array([1, 2, 2, 1, 2, 1])  # off-diagonal entries of E appear twice
    assert p.phi(q) @ (weights * (drift @ W)) == pytest.approx(0.0, abs=1e-15)
    assert p.phi(q) @ (weights * p.phi(q)) == pytest.approx(np.sum(E**2))


@pytest.mark.slow
@pytest.mark.parametrize(("h", "free", "held"), [(0.1, 6.3e-4, 1.5e-5), (0.02, 2.0e-7, 1.9e-8)])
def test_drift_of_a_top_is_held_down(h, free, held):
    """T13: Runge-Kutta of order 4 over 100 s, |RᵀR - I| without and with Λ = 1."""
    p, Theta = rotation("matrix"), np.array([1.0, 2.0, 3.0])

    def defect(Lambda):
        def rates(x):
            return np.concatenate([restoring_rate(p, x[:9], x[9:], Lambda), euler_acceleration(Theta, x[9:])])

        x = np.concatenate([p.q0, np.ones(3)])
        for _ in range(round(100 / h)):
            k1 = rates(x)
            k2 = rates(x + h / 2 * k1)
            k3 = rates(x + h / 2 * k2)
            k4 = rates(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        R = x[:9].reshape(3, 3).T
        return np.linalg.norm(R.T @ R - np.eye(3))

    assert defect(0.0) == pytest.approx(free, rel=0.05)
    assert defect(1.0) == pytest.approx(held, rel=0.05)


def test_the_nearest_configuration_of_joints():
    p = arm()
    q = moved(p)
    off = q + 1e-3 * np.linspace(-1, 1, len(q))
    near = nearest_configuration(p, off)
    np.testing.assert_allclose(p.phi(near), 0, atol=1e-13)
    assert np.abs(near - off).max() < 5e-3
    changed = p.with_velocities([f"u{k}" for k in range(p.n)], 2 * np.eye(p.n))
    np.testing.assert_array_equal(nearest_configuration(changed, off), near)
    np.testing.assert_allclose(
        restoring_rate(changed, off, np.ones(p.n), 1.0), restoring_rate(p, off, 2 * np.ones(p.n), 1.0), atol=1e-13
    )


def test_closed_forms_are_for_joints():
    p = Parameterisation(("x",), ("u",), A=[[1]], edges={("ground", "box"): np.eye(4)}, q0=(0,))
    with pytest.raises(ModelError, match="edge 'ground' -> 'box' is no joint with ready-made coordinates"):
        restoring_rate(p, np.zeros(1), np.zeros(1), 1.0)
