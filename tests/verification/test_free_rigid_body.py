"""A free rigid body with gravity, friction and springs: published formulas, golden numbers. Konz (3.92), (3.93)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.forms import coordinates
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.inertia_forms import inertia_forms
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.moments import moment_wrench
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3

KONZ = [3, 4, 5, 0, 1, 2]  # places of our twists (ω; v) in the order (v; ω)
XI = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])[KONZ]
X = SE3(
    SO3.exp([0, 0, 0.5]).R @ SO3.exp([0, -0.4, 0]).R @ SO3.exp([0.3, 0, 0]).R,
    np.array([1.0, 2.0, 3.0]),
)
REST = SE3(np.eye(3), np.array([0.5, 2.0, 2.5]))
MASS = Moments.from_parts(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))
DRAG = Moments.from_parts(0.3, (0, 0.1, 0), (0.05, 0.06, 0.07))
SPRINGS = Moments.from_parts(10.0, (0.2, 0, 0), (3, 4, 5))
Q = np.concatenate([X.r, X.R.T.ravel()])
SYSTEM = RigidSystem(
    coordinates.joined({("ground", "body"): coordinates.free("body", by="matrix")}),
    bodies={"body": MASS},
    springs=[Stiffness("ground", "body", SPRINGS, REST)],
    dampers=[Damping("ground", "body", DRAG)],
    gravity=(0, 0, -9.8),
)


def test_energies_and_forces():
    terms = SYSTEM.terms(Q, XI)
    assert pytest.approx(0.333) == terms.T
    assert pytest.approx(0.0469) == XI @ terms.D @ XI / 2
    assert pytest.approx(3.826453276, abs=1e-9) == terms.V_K
    assert pytest.approx(63.670215057, abs=1e-9) == terms.V_G
    assert_allclose(terms.c[KONZ], [0.002, 0.308, -0.258, 0.054, -0.036, 0.02], atol=1e-14)
    assert_allclose(terms.f_D[KONZ], [0.012, 0.06, 0.102, 0.029, 0.03, 0.039], atol=1e-14)
    expected = [6.372012912, -0.316056664, 3.845206273, 1.147595997, -1.638947924, 2.273364022]
    assert_allclose(terms.f_K[KONZ], expected, atol=1e-9)
    expected = [7.632599509, 5.334965852, 17.246494255, -5.049788607, 0.565130427, 2.060016487]
    assert_allclose(terms.f_G[KONZ], expected, atol=1e-9)


def test_accelerations_and_their_energy():
    xi_dot = SYSTEM.accelerations(Q, XI)
    expected = [-9.317655881, -4.881297001, -11.156961979, -7.144740765, 7.398364382, 0.444201777]
    assert_allclose(xi_dot[KONZ], expected, atol=1e-9)
    forms = inertia_forms(SYSTEM, Q)
    assert forms.acceleration_energy(XI, xi_dot) == pytest.approx(185.489740259, abs=1e-8)
    assert_allclose(forms.gibbs_appell(XI, xi_dot), SYSTEM.terms(Q, XI).b + SYSTEM.terms(Q, XI).c, atol=1e-11)


def test_forces_by_moment_matrices_are_those_by_adjoints():
    """Konz (3.92): vee2((ξ̇^ + ξ̂²) M') and vee2(Xᵀ (-α)^ M') = -M Ad⁻¹ α; in (3.92b) the print has ξ̇ for ξ."""
    xi_dot, M = np.linspace(-1, 2, 6), MASS.spatial()
    xi_hat = SE3.hat(XI)
    by_moments = moment_wrench((SE3.hat(xi_dot) + xi_hat @ xi_hat) @ MASS.matrix)
    assert_allclose(by_moments, M @ xi_dot - SE3.ad(XI).T @ M @ XI, atol=1e-13)
    alpha = np.array([0, 0, 0, 0, 0, -9.8])
    by_moments = moment_wrench(X.matrix.T @ SE3.hat(-alpha) @ MASS.matrix)
    assert_allclose(by_moments, SYSTEM.terms(Q, XI).f_G, atol=1e-12)
    f_D = moment_wrench(xi_hat @ DRAG.matrix)
    assert_allclose(f_D, SYSTEM.terms(Q, XI).f_D, atol=1e-14)
    assert np.abs(DRAG.spatial() @ xi_dot - f_D).max() > 0.1


def test_the_connection_has_the_published_coefficients():
    """Konz (3.58): Γ_ijk of a free body, 48 that are not zero."""
    connection = inertia_forms(SYSTEM, Q).connection()[np.ix_(KONZ, KONZ, KONZ)]
    m, (sx, sy, sz) = MASS.total, MASS.first / MASS.total
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = MASS.matrix[:3, :3]
    published = [
        (m, "324 135 216"),
        (m * sx, "254 364 515 616"),
        (m * sy, "424 145 365 626"),
        (m * sz, "434 535 146 256"),
        (xx, "654"),
        (yy, "465"),
        (zz, "546"),
        (xy, "464 655"),
        (xz, "544 656"),
        (yz, "545 466"),
    ]
    expected = np.zeros((6, 6, 6))
    for value, places in published:
        for place in places.split():
            i, j, k = (int(digit) - 1 for digit in place)
            expected[i, j, k], expected[j, i, k] = value, -value
    assert_allclose(connection, expected, atol=1e-13)
