"""The tricopter with a suspended load: every term of its equations, and its flight.

Velocities and forces of the dissertation are (v; ω): `KONZ` takes ours to its order.
Frames, coordinates and velocities: Konz, dissertation, examples 6 and 7.
"""

import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose

from visviva.demo.tricopter import tricopter
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.connection import connection_coefficients
from visviva.forms.rigid.inertia_forms import inertia_forms
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3

KONZ = [3, 4, 5, 0, 1, 2, *range(6, 15)]  # places of our velocities in the order (v; ω)
SYSTEM = tricopter()
P = SYSTEM.parameterisation


def turn(axis, angle):
    return SO3.exp(angle * np.eye(3)["xyz".index(axis)]).R


R_01 = turn("z", 0.3) @ turn("y", -0.2) @ turn("x", 0.1)
R_12 = turn("x", 0.4) @ turn("y", 0.2)
SPINS = np.array([0.5, 1.0, 1.5])
Q = np.concatenate(
    [
        [1, 2, 3],
        R_01.T.ravel(),
        R_12.T.ravel(),
        [0.1, -0.2, 0.3],
        np.column_stack([np.cos(SPINS), np.sin(SPINS)]).ravel(),
    ]
)
XI = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6, -0.7, 0.8, 0.9, 1, 1.1, -1.2, 10, -20, 30])[KONZ]


def test_the_configuration_space():
    """SE(3) × SO(3) × R³ × (S¹)³, Konz (3.100): 30 coordinates, 15 conditions, 15 velocities."""
    assert (P.size_q, P.n, len(P.frames)) == (30, 15, 9)
    assert np.linalg.matrix_rank(P.Phi(Q)) == 15
    P.check(Q)
    A = P.A(Q)
    # the load's own matrix is moved by ω of load and centre: 2 each, hence 4 for the centre's ω
    assert_allclose(np.diag(A.T @ A)[KONZ], [1, 1, 1, 4, 4, 4, *[2] * 3, *[1] * 6], atol=1e-13)


def test_the_velocity_of_the_load_is_absolute():
    """ω of the load in its joint is ω_2 - R_12ᵀ ω_1; the indices of Konz (3.106a) in print give something else."""
    frames = SYSTEM.instant(Q, XI).frames
    assert_allclose(frames["load"].V[:3], XI[6:9], atol=1e-14)
    edge = next(edge for edge in P.edges if edge.b == "load")
    V = edge.jacobian(Q) @ XI
    assert_allclose(V[:3], XI[6:9] - R_12.T @ XI[:3], atol=1e-14)
    assert np.abs(V[:3] - (XI[6:9] - R_12 @ XI[6:9])).max() > 0.1


def test_propellers_turn_in_circles():
    """ċ = -s ϖ, ṡ = c ϖ; in (3.105) the left-hand side is printed ϖ̇."""
    rates = (P.A(Q) @ XI)[24:].reshape(3, 2)
    assert_allclose(rates, XI[12:, None] * np.column_stack([-np.sin(SPINS), np.cos(SPINS)]), atol=1e-13)


def test_commutation_coefficients_are_those_of_the_groups():
    """SE(3) of the centre, SO(3) of the load, and zeros: constant although ω of the load is not the joint's."""
    gamma, expected = commutation(P, Q), np.zeros((15, 15, 15))
    expected[:6, :6, :6] = np.stack([SE3.ad(e).T for e in np.eye(6)])
    expected[6:9, 6:9, 6:9] = np.stack([SO3.ad(e).T for e in np.eye(3)])
    assert_allclose(gamma, expected, atol=1e-12)


def test_every_term_of_the_equations():
    terms = SYSTEM.terms(Q, XI)
    M = terms.M
    assert_allclose(
        np.diag(M)[KONZ],
        [1.76, 1.76, 1.76, 0.018775, 0.017702, 0.030986, 0.04, 0.041, 0.003, 0.000154, 0.000159, 0.000162, *[5e-5] * 3],
        atol=5e-7,
    )
    assert np.trace(M) == pytest.approx(5.432089329, abs=1e-9)
    assert np.linalg.slogdet(M)[1] == pytest.approx(-78.584369, abs=1e-6)
    idle = [0.0] * 6
    expected = {
        "c": [
            *(-0.377119272, -0.226714814, 0.306304921, -0.009473425, -0.007121871, 0.000171203),
            *(-0.025300834, 0.013577964, -0.00056, -0.000367143, -0.000529403, 0.000598235),
            *(2.3188e-5, -2.3079e-5, 1.7502e-5),
        ],
        "f_D": [0.009, 0.0192, 0.03, 0.00921, -0.018146, -0.011112, -0.009436, 0.020538, 0.002202, *idle],
        "f_K": [0, 0, 0, -0.076525, -0.05764, -0.009671, 0.07769, 0.056856, 0.001934, *idle],
        "f_G": [
            *(3.426649, 1.687603, 16.819738, 0.004311, -0.01361, 0.000487, 0.552566, -0.028031, 0),
            *(0.000197, 0.002271, -0.003914, 0, 0, 0),
        ],
    }
    for name, values in expected.items():
        assert_allclose(getattr(terms, name)[KONZ], values, atol=5.1e-10 if name == "c" else 5.1e-7, err_msg=name)
    assert pytest.approx(0.158446450, abs=1e-9) == terms.T
    assert pytest.approx(50.812488933, abs=1e-9) == terms.H
    xi_dot = SYSTEM.accelerations(Q, XI)
    expected_rate = [-1.894677476, -0.741141833, -9.655805481, 4.68947173, 5.633993475, 0.668359343, -2.207518019]
    expected_rate += [-2.721419996, -1.192076169, -3.61763825, 6.321383565, -2.200148878]
    expected_rate += [-1.252996263, 0.925836046, 1.044105965]
    assert_allclose(xi_dot[KONZ], expected_rate, atol=1e-9)
    assert_allclose(SYSTEM.inverse_dynamics(Q, XI, xi_dot), 0, atol=1e-14)


@pytest.mark.slow
def test_all_forms_of_the_inertia_force_agree():
    forms, xi_dot = inertia_forms(SYSTEM, Q), SYSTEM.accelerations(Q, XI)
    expected = forms.bodies(XI, xi_dot)
    for form in (forms.gibbs_appell, forms.hamel, forms.levi_civita):
        assert_allclose(form(XI, xi_dot), expected, atol=1e-13)
    momentum = forms.M @ XI
    assert_allclose(forms.hamilton(momentum, forms.momentum_rate(XI, xi_dot)), expected, atol=1e-13)
    connection = connection_coefficients(forms.M, forms.M_slope, forms.gamma)
    assert_allclose(forms.connection(), connection, atol=1e-14)


def flight(system):
    """The state after one second, and the work of friction until then."""

    def rate(t, y):
        q, xi = y[:30], y[30:45]
        terms = system.terms(q, xi)
        return np.concatenate([P.A(q) @ xi, np.linalg.solve(terms.M, terms.b), [xi @ terms.f_D]])

    start = np.concatenate([Q, XI, [0.0]])
    y = scipy.integrate.solve_ivp(rate, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    return y[:30], y[30:45], y[45]


def centre_of_mass(system, q):
    frames = system.frames(q)
    weighted = sum(frames[b].R @ moments.first + moments.total * frames[b].r for b, moments in system.bodies.items())
    return weighted / sum(moments.total for moments in system.bodies.values())


@pytest.mark.slow
def test_a_second_of_flight_without_friction():
    system = tricopter(damped=False)
    q, xi, heat = flight(system)
    assert heat == 0.0
    assert pytest.approx(system.terms(Q, XI).H, abs=1.3e-11) == system.terms(q, xi).H
    assert_allclose(q[:3], [0.956208232, 2.155449229, -1.583907954], atol=1e-9)
    total = sum(moments.total for moments in system.bodies.values())
    frames = system.instant(Q, XI).frames
    momentum = sum((frames[b].X.coAd() @ moments.spatial() @ frames[b].V)[3:] for b, moments in system.bodies.items())
    fall = centre_of_mass(system, Q) + momentum / total + np.array([0, 0, -9.8]) / 2
    assert_allclose(centre_of_mass(system, q), fall, atol=1e-10)
    assert_allclose(P.phi(q), 0, atol=1e-9)


@pytest.mark.slow
def test_a_second_of_flight_with_friction():
    q, xi, heat = flight(SYSTEM)
    assert pytest.approx(47.998956022, abs=1e-9) == SYSTEM.terms(q, xi).H
    assert heat == pytest.approx(2.813532911, abs=1e-9)
    assert_allclose(q[:3], [0.953136095, 2.15013107, -1.500376716], atol=1e-9)
