import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import central_difference, tree

from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.connection import connection_coefficients
from visviva.forms.rigid.inertia_forms import GAMMA_SE3, inertia_forms, jacobian_slopes
from visviva.geometry.se3 import SE3

SYSTEM, Q, XI = tree(springs=False, dampers=False)
P = SYSTEM.parameterisation
XI_DOT = np.linspace(-2, 3, P.n)
FORMS = inertia_forms(SYSTEM, Q)


def test_slopes_of_jacobians_are_exact():
    for frame, slope in jacobian_slopes(SYSTEM, Q).items():
        expected = central_difference(lambda q, frame=frame: SYSTEM.instant(q, XI).frames[frame].J, P, Q)
        assert_allclose(slope, expected, atol=1e-7)


@pytest.mark.parametrize("form", ["gibbs_appell", "hamel", "levi_civita"])
def test_every_form_has_the_same_force(form):
    expected = FORMS.bodies(XI, XI_DOT)
    assert_allclose(getattr(FORMS, form)(XI, XI_DOT), expected, rtol=1e-12, atol=1e-11)


def test_hamiltons_form_has_it_too():
    p, p_dot = FORMS.M @ XI, FORMS.momentum_rate(XI, XI_DOT)
    assert_allclose(FORMS.hamilton(p, p_dot), FORMS.bodies(XI, XI_DOT), rtol=1e-12, atol=1e-11)


def test_the_connection_is_metric_and_that_of_the_mass_matrix():
    """Konz (3.109) against (3.31) with its last sign corrected, and ∂_k M_ij = Γ_ijk + Γ_jik."""
    connection, slope = FORMS.connection(), FORMS.M_slope
    assert_allclose(slope, central_difference(lambda q: SYSTEM.terms(q, XI).M, P, Q), atol=1e-6)
    assert_allclose(connection + connection.transpose(1, 0, 2), slope, atol=1e-12)
    assert_allclose(connection, connection_coefficients(FORMS.M, slope, commutation(P, Q)), atol=1e-12)


def test_particles_have_the_same_force():
    """Σ m J_pᵀ r̈_p over the points of the bodies, by differences of their places."""
    h, at = 1e-4, SYSTEM.instant(Q, XI)
    second = at.A @ XI_DOT + at.q_ddot
    total = np.zeros(P.n)
    for body, moments in SYSTEM.bodies.items():
        values, vectors = np.linalg.eigh(moments.matrix)  # four points with these moments: X' = Σ λ v vᵀ
        for weight, v in zip(values, vectors.T, strict=True):

            def place(t, body=body, v=v):
                return SYSTEM.frames(Q + t * at.q_dot + t * t / 2 * second)[body].matrix[:3] @ v

            X, J = at.frames[body].X, at.frames[body].J
            columns = np.stack([X.matrix[:3] @ SE3.hat(column) @ v for column in J.T], axis=1)
            total += weight * columns.T @ (place(h) - 2 * place(0) + place(-h)) / h**2
    assert_allclose(total, FORMS.bodies(XI, XI_DOT), atol=1e-4)


def test_coefficients_of_the_group_are_brackets():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6))
    assert_allclose(np.einsum("ijk,i,j->k", GAMMA_SE3, a, b), SE3.ad(a) @ b, atol=1e-14)
    assert_allclose(np.einsum("ijk,j->ik", GAMMA_SE3, a), -SE3.ad(a).T, atol=1e-14)  # Konz (3.50)
