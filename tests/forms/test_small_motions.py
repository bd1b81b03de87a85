import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import G, central_difference, hinge_chain, particle, tree

from visviva.errors import AssemblyError, ModelError
from visviva.forms import coordinates
from visviva.forms.rigid.constraints import Geometric, Pfaffian
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.loops import Loop
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.small_motions import small_motions, stiffness
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.se3 import SE3


def test_stiffness_is_the_derivative_of_the_forces():
    """At any configuration, with springs between frames that both move."""
    system, q, xi = tree()

    def forces(q):
        terms = system.terms(q, 0 * xi)
        return terms.f_K + terms.f_G

    assert_allclose(stiffness(system, q), central_difference(forces, system.parameterisation, q), atol=1e-6)


def test_a_free_body_on_springs_has_the_matrices_of_its_values():
    rng = np.random.default_rng(1)
    p = coordinates.joined({("ground", "body"): coordinates.free("body")})
    mass, drag = (Moments.from_points(rng.uniform(1, 2, 4), rng.normal(size=(4, 3))) for _ in range(2))
    h = rng.normal(size=(5, 3))
    springs = Stiffness.of_springs("ground", "body", rng.uniform(1, 2, 5), h + np.array([1, 2, 3]), h)
    system = RigidSystem(p, bodies={"body": mass}, springs=[springs], dampers=[Damping("ground", "body", drag)])
    small = small_motions(system, (1, 2, 3, 1, 0, 0, 0))
    assert_allclose(small.M, mass.spatial(), atol=1e-13)
    assert_allclose(small.D, drag.spatial(), atol=1e-13)
    assert_allclose(small.K, springs.moments.spatial(), atol=1e-12)  # Konz (3.72)
    assert (small.eigenvalues().real < 0).all()


def test_a_double_pendulum_has_its_frequencies():
    small = small_motions(hinge_chain([1.0, 1.0]), (-np.pi / 2, 0))
    expected = np.sqrt(G * (3 + np.array([-1, 1]) * 6 / np.sqrt(7)))  # two equal rods
    found = np.sort(np.abs(small.eigenvalues().imag))[::2]
    assert_allclose(found, expected, rtol=1e-10)


def test_a_pendulum_by_a_constraint_is_a_pendulum():
    """The curvature of the circle carries all of the stiffness: V itself has none along it."""
    system = particle(2.0).constrain(Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 0.25) / 2], baumgarte=(3, 4)))
    small = small_motions(system, (0, -0.5))
    assert small.M.shape == (1, 1)
    assert_allclose(np.sort(small.eigenvalues().imag), [-np.sqrt(G / 0.5), np.sqrt(G / 0.5)], rtol=1e-10)


def test_a_swing_in_a_loop():
    """A parallelogram of two rods and a bar hanging down: all of it swings like a pendulum of one length."""
    at = np.eye(4)
    at[0, 3] = 1.0  # foot of the second rod, and length of rods and bar
    system = hinge_chain([1.0, 1.0, 1.0]).constrain(Loop("pin", "ground", "rod2", "revolute", at, at))
    small = small_motions(system, (-np.pi / 2, np.pi / 2, np.pi / 2))
    assert small.M.shape == (1, 1)
    # two rods 2 × m l²/3, the bar m l²; two rods m g l/2 each, the bar m g l
    assert np.abs(small.eigenvalues().imag).max() == pytest.approx(np.sqrt(G * 2 / (2 / 3 + 1)), rel=1e-9)


def test_an_upright_pendulum_falls():
    assert small_motions(hinge_chain([1.0]), [np.pi / 2]).eigenvalues().real.max() == pytest.approx(np.sqrt(1.5 * G))


def test_a_place_without_balance_is_refused():
    with pytest.raises(AssemblyError, match=r"no equilibrium: along 'theta0_rate' a force of -4\.9"):
        small_motions(hinge_chain([1.0]), [0.0])


@pytest.mark.parametrize(
    ("system", "found"),
    [
        (lambda: particle(force=lambda t, q, xi: [0, 0]), "without force="),
        (lambda: particle().constrain(Pfaffian("blade", [[0, 1]])), "constraint 'blade' is not geometric"),
        (
            lambda: particle(dampers=[Damping.in_stream("ground", "mass", Moments.from_parts(1.0), np.ones(6))]),
            "fluids at rest",
        ),
    ],
)
def test_what_has_no_linear_form_is_refused(system, found):
    with pytest.raises(ModelError, match=found):
        small_motions(system(), (0, 0))


def test_forces_in_balance_leave_a_stiffness_that_is_symmetric():
    p = coordinates.joined({("ground", "body"): coordinates.free("body", by="matrix")})
    rng = np.random.default_rng(2)
    h, k = rng.normal(size=(4, 3)), rng.uniform(5, 9, 4)
    body = Moments.from_parts(1.0, moment=(1, 1, 1))
    springs = Stiffness.of_springs("ground", "body", k, rng.normal(size=(4, 3)), h)
    system = RigidSystem(p, bodies={"body": body}, springs=[springs])
    X = springs.rest
    small = small_motions(system, np.concatenate([X.r, X.R.T.ravel()]))
    assert_allclose(small.K, small.K.T, atol=1e-12)
    off = X @ SE3.exp(0.3 * rng.normal(size=6))
    K = stiffness(system, np.concatenate([off.r, off.R.T.ravel()]))
    assert np.abs(K - K.T).max() > 0.1  # ∂_i ∂_j V commute at critical points only
