import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import central_difference, hinge_chain, particle, tree

from visviva.errors import AssemblyError, ModelError
from visviva.forms import coordinates
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.inertia import Inertia

SYSTEM, Q, XI = tree()
P = SYSTEM.parameterisation


def test_forces_of_potentials_are_their_gradients():
    terms = SYSTEM.terms(Q, XI)
    assert_allclose(terms.f_K, central_difference(lambda q: SYSTEM.terms(q, XI).V_K, P, Q), atol=1e-7)
    assert_allclose(terms.f_G, central_difference(lambda q: SYSTEM.terms(q, XI).V_G, P, Q), atol=1e-7)


def test_gravity_as_printed_has_the_wrong_sign():
    """Konz (3.112), (3.113) lack the minus that (3.90g), (3.123e) have."""
    frames = SYSTEM.instant(Q, XI).frames
    alpha = np.concatenate([np.zeros(3), SYSTEM.gravity])
    printed = sum(
        frames[b].J.T @ moments.spatial() @ frames[b].X.inverse().Ad() @ alpha for b, moments in SYSTEM.bodies.items()
    )
    assert_allclose(SYSTEM.terms(Q, XI).f_G, -printed, atol=1e-12)
    assert np.abs(printed).max() > 1


def test_energies_are_those_of_the_points():
    """T, V of bodies against particles carried by their frames; M by the same twists."""
    rng = np.random.default_rng(4)
    m, h = rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    system = RigidSystem(P, bodies={"c": Moments.from_points(m, h)}, gravity=(0, 0, -9.8))
    terms, step = system.terms(Q, XI), 1e-6

    def places(q):
        X = system.frames(q)["c"]
        return h @ X.R.T + X.r

    q_dot = P.A(Q) @ XI
    speeds = (places(Q + step * q_dot) - places(Q - step * q_dot)) / (2 * step)
    assert pytest.approx((m @ (speeds**2).sum(axis=1)) / 2, rel=1e-8) == terms.T
    assert pytest.approx(9.8 * m @ places(Q)[:, 2]) == terms.V_G
    assert pytest.approx(XI @ terms.M @ XI / 2) == terms.T


def test_the_inertia_force_needs_the_dots_of_the_jacobians():
    """Konz (3.110), (3.111), (3.123b) print J for J̇ in c."""
    frames, c, wrong = SYSTEM.instant(Q, XI).frames, SYSTEM.terms(Q, XI).c, np.zeros(P.n)
    right = np.zeros(P.n)
    for b, moments in SYSTEM.bodies.items():
        body, inertia = frames[b], moments.spatial()
        turn = type(body.X).ad(body.V).T @ inertia @ body.V
        wrong += body.J.T @ (inertia @ body.V - turn)
        right += body.J.T @ (inertia @ body.B - turn)
    assert_allclose(right, c, atol=1e-12)
    assert np.abs(wrong - c).max() > 1


def test_energy_changes_by_what_is_supplied_and_dissipated():
    f = np.linspace(-1, 1, P.n)
    xi_dot, h = SYSTEM.accelerations(Q, XI, f), 1e-5
    instant = SYSTEM.instant(Q, XI)
    second = instant.A @ xi_dot + instant.q_ddot

    def energy(t):
        return SYSTEM.terms(Q + t * instant.q_dot + t * t / 2 * second, XI + t * xi_dot).H

    rate = (energy(h) - energy(-h)) / (2 * h)
    terms = SYSTEM.terms(Q, XI, f)
    assert rate == pytest.approx(float(XI @ (f - terms.f_D)), rel=1e-7)
    assert_allclose(terms.f_D, terms.D @ XI, atol=1e-12)
    assert np.linalg.eigvalsh(terms.D)[0] > -1e-12


def test_inverse_dynamics_undo_forward_dynamics():
    f = np.linspace(-2, 1, P.n)
    assert_allclose(SYSTEM.inverse_dynamics(Q, XI, SYSTEM.accelerations(Q, XI, f)), f, atol=1e-10)


def test_a_wrench_acts_with_its_power():
    wrench = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 0.5])
    f = SYSTEM.generalised(Q, {"c": wrench})
    assert f @ XI == pytest.approx(wrench @ SYSTEM.instant(Q, XI).frames["c"].V)


def test_damping_pairs_are_ordered_and_spring_pairs_are_not():
    """Konz (3.117): drag sits on points of the second frame."""
    moments = Moments.from_points([1.0, 2.0], [[1, 0, 0], [0, 1, 0]])

    def f_D(a, b):
        return RigidSystem(P, bodies=SYSTEM.bodies, dampers=[Damping(a, b, moments)]).terms(Q, XI).f_D

    assert np.abs(f_D("a", "c") - f_D("c", "a")).max() > 0.1
    k, p, h = [1.0, 2.0], [[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0.5, 0, 0]]
    forth, back = Stiffness.of_springs("a", "c", k, p, h), Stiffness.of_springs("c", "a", k, h, p)
    f_K = [RigidSystem(P, bodies=SYSTEM.bodies, springs=[spring]).terms(Q, XI).f_K for spring in (forth, back)]
    assert_allclose(f_K[0], f_K[1], atol=1e-12)


def test_a_stream_pushes_what_rests_in_it():
    drag = Damping.in_stream("ground", "mass", Moments.from_parts(2.0), (0, 0, 0, 3.0, 0, 0))
    system = particle(gravity=(0, 0, 0), dampers=[drag])
    assert_allclose(system.accelerations((1, 2), (0, 0)), [6, 0])
    assert_allclose(system.accelerations((1, 2), (3, 0)), [0, 0], atol=1e-15)
    assert_allclose(system.accelerations((1, 2), (0, 1)), [6, -2])


def test_a_double_pendulum_has_the_textbook_equations():
    system, (a, b), (u, v) = hinge_chain([1.0, 0.7], [2.0, 3.0]), (0.4, -0.9), (1.3, -0.6)
    m1, m2, l1, l2 = 2.0, 3.0, 1.0, 0.7
    c2, s2 = np.cos(b), np.sin(b)
    I1, I2, d = m1 * l1**2 / 3, m2 * l2**2 / 3, m2 * l1 * l2 / 2
    M = np.array([[I1 + m2 * l1**2 + I2 + 2 * d * c2, I2 + d * c2], [I2 + d * c2, I2]])
    c = np.array([-d * s2 * v * (2 * u + v), d * s2 * u**2])
    far = m2 * 9.8 * l2 / 2 * np.cos(a + b)
    f_G = np.array([(m1 / 2 + m2) * 9.8 * l1 * np.cos(a) + far, far])
    terms = system.terms((a, b), (u, v))
    assert_allclose(terms.M, M, atol=1e-13)
    assert_allclose(terms.c, c, atol=1e-13)
    assert_allclose(terms.f_G, f_G, atol=1e-13)


def test_an_inertia_value_and_its_moments_are_the_same_body():
    body = Inertia(2.0, (0.3, 0.4, 0.5), (0.1, 0.2, 0.3))
    p = coordinates.joined({("ground", "body"): coordinates.free("body")})
    systems = [RigidSystem(p, bodies={"body": b}) for b in (body, Moments.from_inertia(body).matrix)]
    xi = np.arange(6.0)
    np.testing.assert_array_equal(systems[0].terms(p.q0, xi).M, systems[1].terms(p.q0, xi).M)
    assert_allclose(systems[0].terms(p.q0, xi).M, body.matrix(), atol=1e-15)


def test_forces_of_the_system_and_of_the_call_add():
    system = particle(force=lambda t, q, xi: [t, q[0]])
    assert_allclose(system.terms((2, 0), (0, 0), (1, 1), 5.0).f_E, [6, 3])


def test_a_velocity_that_moves_no_mass_is_named():
    joints = {
        ("ground", "arm"): coordinates.revolute("swing"),
        ("arm", "tip"): coordinates.revolute("twist", axis=(1, 0, 0)),
    }
    system = RigidSystem(coordinates.joined(joints), bodies={"arm": Moments.from_parts(1.0, (1, 0, 0), (0, 1, 1))})
    with pytest.raises(AssemblyError, match="the velocity 'twist_rate' has no inertia"):
        system.accelerations((0, 0), (0, 0))


def test_a_reflection_is_no_configuration():
    p = coordinates.joined({("ground", "top"): coordinates.spherical("turn", by="matrix")})
    system = RigidSystem(p, bodies={"top": Moments.from_parts(1.0, moment=(1, 2, 3))})
    mirrored = np.diag([1.0, 1.0, -1.0]).ravel()
    assert np.abs(p.phi(mirrored)).max() == 0.0  # the conditions of a rotation matrix cannot tell
    for found in (system.accelerations, system.terms):
        with pytest.raises(ModelError, match="the pose 'ground' -> 'top' is a reflection, not a rotation"):
            found(mirrored, (0.1, 0.2, 0.3))


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: RigidSystem(P, bodies={"d": SYSTEM.bodies["a"]}), "a body is on 'd', which no edge leads to"),
        (
            lambda: RigidSystem(P, bodies={}, springs=[Stiffness("a", "x", SYSTEM.bodies["a"])]),
            "a spring is on 'x'",
        ),
        (lambda: RigidSystem(P, bodies={}, dampers=[Damping("y", "a", SYSTEM.bodies["a"])]), "a damper is on 'y'"),
        (lambda: RigidSystem(P, bodies={"a": np.eye(3)}), r"must have shape \(4, 4\)"),
        (lambda: RigidSystem(P, bodies={"a": np.diag([1.0, -2, 0, 1])}), "body 'a' has motions of negative"),
        (lambda: RigidSystem(P, bodies={}, gravity=(1, 2)), "gravity"),
        (lambda: SYSTEM.terms(Q[1:], XI), "q must have shape"),
        (lambda: SYSTEM.terms(Q, XI[1:]), "xi must have shape"),
        (lambda: SYSTEM.terms(Q, XI, [1.0]), "f must have shape"),
        (lambda: SYSTEM.terms(Q, XI * np.nan), "xi must be finite"),
        (lambda: SYSTEM.generalised(Q, {"z": np.zeros(6)}), "a wrench is on 'z'"),
        (lambda: particle(force=lambda t, q, xi: [1.0]).accelerations((0, 0), (0, 0)), "force must have shape"),
    ],
)
def test_wrong_systems_and_states_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
