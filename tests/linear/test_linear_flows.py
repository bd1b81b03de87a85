"""Rigid systems, Lagrangians and equations by hand, against exact derivatives."""

import numpy as np
import pytest
from linear_models import rods
from numpy.testing import assert_allclose
from rigid_models import G, hinge_chain, particle

import visviva as vv
from visviva.forms import Geometric, Hamel, Pfaffian, TreeDynamics, coordinates, linearised
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness


def floating():
    """A body on springs in its minimum, with drag."""
    rng = np.random.default_rng(1)
    p = coordinates.joined({("ground", "body"): coordinates.free("body")})
    mass, drag = (Moments.from_points(rng.uniform(1, 2, 4), rng.normal(size=(4, 3))) for _ in range(2))
    h = rng.normal(size=(5, 3))
    springs = Stiffness.of_springs("ground", "body", rng.uniform(1, 2, 5), h + np.array([1, 2, 3]), h)
    return vv.RigidSystem(p, bodies={"body": mass}, springs=[springs], dampers=[Damping("ground", "body", drag)])


def test_a_rigid_system_has_the_matrices_of_its_exact_small_motions():
    system, q = floating(), np.array([1.0, 2, 3, 1, 0, 0, 0])
    lin, exact = vv.linearise(system, at=(q, np.zeros(6))), system.small_motions(q)
    assert_allclose(lin.M, exact.M, atol=1e-12)
    assert_allclose(lin.mechanics.D, exact.D, atol=1e-9)
    assert_allclose(lin.K, exact.K, atol=1e-9)
    assert_allclose(lin.A[6:, :6], -np.linalg.solve(exact.M, exact.K), atol=1e-9)


def test_constraints_of_a_rigid_system_bend_its_stiffness():
    """A mass on a circle by a constraint: the curvature of the circle times the reaction is all the stiffness there is."""
    circle = Geometric("circle", lambda q: [q.x**2 + q.y**2 - 4.0])
    system = particle(constraints=[circle])
    lin = vv.linearise(system, at=([0.0, -2.0], [0.0, 0.0]))
    assert lin.states == ("x", "vx")
    assert_allclose(np.abs(lin.poles().imag), np.sqrt(9.8 / 2.0), rtol=1e-10)
    assert lin.mechanics.conservative


def test_conditions_on_velocities_of_a_rigid_system_leave_more_coordinates():
    blade = Pfaffian("blade", lambda q: [[0.0, 1.0]])
    lin = vv.linearise(particle(gravity=(0, 0, 0), constraints=[blade]), at=([1.0, 2.0], [0.0, 0.0]))
    assert lin.states == ("x", "y", "vx")
    assert lin.mechanics.K.shape == (1, 2)


def test_a_lagrangian_on_a_sphere_is_linearised_as_by_jets():
    p = Parameterisation(("th", "ph"), ("a", "b"), A=lambda q: [[1, 0], [0, 1 / np.sin(q.th)]], q0=(1.0, 0.0))
    system = Hamel(p, lambda q, xi: 0.5 * (xi.a**2 + xi.b**2) - 9.81 * np.cos(q.th))
    spin = np.sqrt(9.81 * np.sin(2.0) * -np.tan(2.0))  # conical pendulum
    q, xi = np.array([2.0, 0.3]), np.array([0.0, spin])
    assert_allclose(system.acceleration(q, xi), 0.0, atol=1e-12)
    lin = vv.linearise(system, at=(q, xi), steady=True)

    def left(q, xi, xi_dot):
        along = xi_dot.a_dot - xi.b**2 / np.tan(q.th) - 9.81 * np.sin(q.th)
        return [along, xi_dot.b_dot + xi.a * xi.b / np.tan(q.th)]

    exact = linearised(p, left, q, xi)
    S = lin.mechanics
    assert_allclose([S.M, S.D, S.K], [exact.F2, exact.F1, exact.F0], atol=1e-9)


def test_equations_by_hand_have_their_jacobian():
    flow = vv.HandFlow(lambda t, q, xi: [-4.0 * np.sin(q[0]) - 0.3 * xi[0]], n=1, names=("q", "v"), name="hand")
    lin = vv.linearise(flow, at=([0.0], [0.0]), outputs=["q"])
    assert_allclose(lin.A, [[0, 1], [-4.0, -0.3]], atol=1e-10)
    assert lin.mechanics is None
    turning = vv.HandFlow(lambda t, q, xi: np.zeros(3), configuration=["ball"], name="ball")
    spun = vv.linearise(turning, at=([1.0, 0, 0, 0], [0, 0, 2.0]), steady=True)
    turn = np.array([[0, -2.0, 0], [2.0, 0, 0], [0, 0, 0]])  # δω = ε̇ + ω x ε
    assert_allclose(spun.A[:3], np.hstack([-turn, np.eye(3)]), atol=1e-10)


def test_a_tree_has_its_analytic_derivatives():
    """Six rods in any motion, against the derivatives of the compiled recursion."""
    m = rods(4, friction=0.3)
    form = vv.analytical(m)
    rng = np.random.default_rng(3)
    q, xi = rng.normal(size=4), rng.normal(size=4)
    by_q, by_xi, _ = TreeDynamics(form.tree, damping=np.full(4, 0.3)).derivatives(q, xi)
    lin = vv.linearise(form, at=(q, xi), residual_ok=True)
    assert_allclose(lin.A[4:, :4], by_q, rtol=1e-9, atol=1e-9)
    assert_allclose(lin.A[4:, 4:], by_xi, rtol=1e-9, atol=1e-9)


def test_a_rigid_chain_and_a_mechanism_have_the_same_modes():
    chain = vv.linearise(hinge_chain([1.0, 1.0]), at=([-np.pi / 2, 0.0], [0.0, 0.0]))
    assert_allclose(chain.poles() / np.sqrt(G / 9.81), vv.linearise(rods(2)).poles(), atol=1e-9)


def test_errors_of_flows():
    with pytest.raises(vv.ModelError, match=r"give at=\(q, xi\)"):
        vv.linearise(floating())
    with pytest.raises(vv.ModelError, match="has no 'speed'"):
        vv.linearise(floating(), at=([1.0, 2, 3, 1, 0, 0, 0], np.zeros(6)), outputs=["speed"])
    with pytest.raises(vv.ModelError, match="has no operating="):
        vv.linearise(floating(), operating={"a": 1.0})
    with pytest.raises(vv.AssemblyError, match="no equilibrium of 'rigid system': along"):
        vv.linearise(floating(), at=([1.0, 2, 3.5, 1, 0, 0, 0], np.zeros(6)))
