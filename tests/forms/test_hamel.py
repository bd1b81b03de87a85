"""Hamel's, Hamilton's and Levi-Civita's forms of one motion; T1, T5, T6, T11 and the misprints of these sections."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from parameterisations import LEVI_CIVITA, circle, euler_angles, rotation
from scipy.integrate import solve_ivp

import visviva as vv
from visviva import ConvergenceError, ModelError
from visviva.forms import Parameterisation
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.connection import Metric
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.hamel_flow import HamelFlow
from visviva.forms.calculus.hamel_symbols import symbolic_equations, symbolic_hamilton
from visviva.forms.calculus.hamilton import Hamiltonian, Legendre, hamilton_rates
from visviva.forms.calculus.tracking import computed_torque
from visviva.geometry import skew

RNG = np.random.default_rng(11)
THETA = np.array([1.0, 2.0, 3.0])


def top(by="matrix"):
    return Hamel(rotation(by), lambda xi: 0.5 * (THETA * xi) @ xi)


# -- rotations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["matrix", "quaternion"])
def test_the_top_obeys_eulers_equations(by):
    system, w, w_dot = top(by), RNG.normal(size=3), RNG.normal(size=3)
    q = system.p.q0
    expected = THETA * w_dot + np.cross(w, THETA * w)
    np.testing.assert_allclose(system.force(q, w, w_dot), expected, atol=1e-14)
    np.testing.assert_allclose(system.force(q, w, system.acceleration(q, w)), 0, atol=1e-14)
    momentum = THETA * w
    q_dot, p_dot = hamilton_rates(Legendre(system), q, momentum)
    np.testing.assert_allclose(p_dot, -np.cross(w, momentum), atol=1e-14)
    np.testing.assert_allclose(q_dot, system.p.q_dot(q, w), atol=1e-14)


@pytest.mark.slow
def test_the_top_in_symbols_is_eulers_equation():
    equations = symbolic_equations(Hamel(euler_angles(), lambda xi: 0.5 * (THETA * xi) @ xi))
    a, b, c = equations.xi
    np.testing.assert_array_equal(np.vectorize(float)(equations.gamma), LEVI_CIVITA)
    assert equations.mass == sympy.diag(1, 2, 3)
    assert list(equations.bias) == [b * c, -2 * a * c, a * b]


@pytest.mark.slow
def test_the_top_of_the_text_after_ten_seconds():
    """T1: ω, energy, momentum in space and the first row of R."""
    system = top()

    def rates(_, x):
        return np.concatenate([system.p.q_dot(x[:9], x[9:]), system.acceleration(x[:9], x[9:])])

    start = np.concatenate([np.eye(3).ravel(), np.ones(3)])
    end = solve_ivp(rates, (0, 10), start, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    R, w = end[:9].reshape(3, 3).T, end[9:]
    np.testing.assert_allclose(w, [-0.603470423, -1.278993139, 0.887726788], atol=1e-7)
    assert system.energy(end[:9], w) == pytest.approx(3.0, abs=1e-7)
    np.testing.assert_allclose(R @ (THETA * w), [1, 2, 3], atol=1e-7)
    np.testing.assert_allclose(R[0], [-0.374490264, -0.796613130, -0.474515083], atol=1e-7)


def test_at_the_singularity_of_angles_the_equations_are_refused():
    """Mass in rates of Euler angles, at a pitch of 90°: no inertia resists roll against yaw."""

    def L(q, xi):
        sa, ca, sb, cb = np.sin(q.roll), np.cos(q.roll), np.sin(q.pitch), np.cos(q.pitch)
        w = np.array([xi[0] - sb * xi[2], ca * xi[1] + sa * cb * xi[2], -sa * xi[1] + ca * cb * xi[2]])
        return 0.5 * (THETA * w) @ w

    names = ("roll", "pitch", "yaw")
    p = Parameterisation(names, ("r", "p", "y"), A=np.eye(3), q0=(0, 0, 0))
    with pytest.raises(ModelError, match=r"no inertia resists the velocity '[ry]'"):
        Hamel(p, L).acceleration(np.array([0.3, np.pi / 2, 0.1]), np.array([0.1, 1.0, 0.2]))


def test_a_chart_at_its_singularity_is_refused():
    p = euler_angles()
    p.check((0.3, 1.5, 0.0))
    with pytest.raises(ModelError, match=r"A has rank [12] for 3 velocities: .*\n.*at a singularity of a chart"):
        p.check((0.3, np.pi / 2, 0.0))


# -- against Lagrange in minimal coordinates -----------------------------------------------------------------------


def rotating_bead():
    """A bead on a plane with everything: M(q, t), b(q, t), c(q, t) in L = ½ ẋ·M ẋ + b·ẋ + c."""

    def M(q, t):
        off = 0.3 * np.sin(q[0] * t)
        return np.array([[2 + np.cos(q[1]) * t, off], [off, 3 + q[0] ** 2 + t]])

    def b(q, t):
        return np.array([q[1] ** 2 * t, q[0] * q[1] - t])

    def c(q, t):
        return -(q[0] ** 4) - q[0] * q[1] * t

    return M, b, c


def mixed_velocities(q):
    """ẋ = A ξ with γ ≠ 0."""
    return np.array([[1 + q[1] ** 2, q[0]], [np.sin(q[0]), 2 + 0 * q[0]]])


def both():
    """One system in rates ẋ and in other velocities."""
    M, b, c = rotating_bead()

    def L_rates(q, xi, t):
        return 0.5 * xi @ M(q, t) @ xi + b(q, t) @ xi + c(q, t)

    def L_mixed(q, xi, t):
        return L_rates(q, mixed_velocities(q) @ xi, t)

    rates = Parameterisation(("x", "y"), ("u", "v"), A=np.eye(2), q0=(0.2, 0.3))
    mixed = Parameterisation(("x", "y"), ("a", "b"), A=mixed_velocities, q0=(0.2, 0.3))
    return Hamel(rates, L_rates), Hamel(mixed, L_mixed)


Q, XI, XI_DOT, T = np.array([0.4, -0.7]), np.array([0.3, 1.1]), np.array([-0.5, 0.2]), 0.6


def test_hamels_equations_are_lagranges_times_the_kinematics():
    rates, mixed = both()
    A = mixed.p.A(Q)
    force = rates.force(Q, A @ XI, mixed.p.q_ddot(Q, XI, XI_DOT), T)
    np.testing.assert_allclose(mixed.force(Q, XI, XI_DOT, T), A.T @ force, atol=1e-12)


def test_lagranges_equations_are_those_of_differences():
    """d/dt ∂L/∂ẋ - ∂L/∂x of L alone, differentiated by differences along a curve."""
    rates, _ = both()
    M, b, c = rotating_bead()
    h = 1e-5

    def momentum(s):
        q, v, t = Q + s * XI + s * s / 2 * XI_DOT, XI + s * XI_DOT, T + s
        return M(q, t) @ v + b(q, t)

    def L(q):
        return 0.5 * XI @ M(q, T) @ XI + b(q, T) @ XI + c(q, T)

    slope = [(L(Q + h * e) - L(Q - h * e)) / (2 * h) for e in np.eye(2)]
    expected = (momentum(h) - momentum(-h)) / (2 * h) - slope
    np.testing.assert_allclose(rates.force(Q, XI, XI_DOT, T), expected, atol=1e-8)


def test_energy_changes_by_the_power():
    _, mixed = both()
    forced = Hamel(mixed.p, mixed.L.function, f=lambda q, xi, t: [q.x * t, -xi[1]])
    xi_dot, h = forced.acceleration(Q, XI, T), 1e-5
    q_dot, q_ddot = forced.p.q_dot(Q, XI), forced.p.q_ddot(Q, XI, xi_dot)

    def energy(s):
        return forced.energy(Q + s * q_dot + s * s / 2 * q_ddot, XI + s * xi_dot, T + s)

    assert (energy(h) - energy(-h)) / (2 * h) == pytest.approx(forced.power(Q, XI, T), abs=1e-7)


def test_hamiltons_equations_are_hamels():
    _, mixed = both()
    h = Legendre(mixed)
    momentum = mixed.momentum(Q, XI, T)
    np.testing.assert_allclose(h.velocity(Q, momentum, T), XI, atol=1e-13)
    assert h.H(Q, momentum, T) == pytest.approx(mixed.energy(Q, XI, T))
    q_dot, p_dot = hamilton_rates(h, Q, momentum, T)
    np.testing.assert_allclose(q_dot, mixed.p.q_dot(Q, XI), atol=1e-13)
    xi_dot, e = mixed.acceleration(Q, XI, T), 1e-5
    moved = [
        mixed.momentum(Q + s * e * q_dot + e * e / 2 * mixed.p.q_ddot(Q, XI, xi_dot), XI + s * e * xi_dot, T + s * e)
        for s in (1, -1)
    ]
    np.testing.assert_allclose(p_dot, (moved[0] - moved[1]) / (2 * e), atol=1e-7)


def test_a_given_hamiltonian_moves_as_its_lagrangian():
    _, mixed = both()
    M, b, c = rotating_bead()

    def H(q, p, t):
        A = mixed_velocities(q)
        mass, shift = A.T @ M(q, t) @ A, p - A.T @ b(q, t)
        det = mass[0, 0] * mass[1, 1] - mass[0, 1] * mass[1, 0]
        inverse = np.array([[mass[1, 1], -mass[0, 1]], [-mass[1, 0], mass[0, 0]]]) / det
        return 0.5 * shift @ inverse @ shift - c(q, t)

    momentum = mixed.momentum(Q, XI, T)
    given, derived = Hamiltonian(mixed.p, H), Legendre(mixed)
    assert given.H(Q, momentum, T) == pytest.approx(derived.H(Q, momentum, T))
    for a, b_ in zip(hamilton_rates(given, Q, momentum, T), hamilton_rates(derived, Q, momentum, T), strict=True):
        np.testing.assert_allclose(a, b_, atol=1e-12)
    assert given.slopes(Q, momentum, T)[2] == pytest.approx(derived.slopes(Q, momentum, T)[2])


def test_a_lagrangian_that_is_not_quadratic_has_a_hamiltonian_too():
    """A relativistic particle: H = √(1 + p²)."""
    p = Parameterisation(("x",), ("v",), A=[[1]], q0=(0,))
    h = Legendre(Hamel(p, lambda xi: -np.sqrt(1 - xi[0] ** 2)))
    momentum = np.array([0.4])
    assert h.H(np.zeros(1), momentum) == pytest.approx(np.sqrt(1.16), rel=1e-14)


def test_a_momentum_that_no_velocity_has_is_refused():
    """L = log cosh v has momenta tanh v, between -1 and 1."""
    p = Parameterisation(("x",), ("v",), A=[[1]], q0=(0,))
    h = Legendre(Hamel(p, lambda xi: np.log(np.cosh(xi[0]))))
    assert h.velocity(np.zeros(1), np.array([0.5])) == pytest.approx(np.arctanh(0.5))
    with pytest.raises(ConvergenceError, match=r"no velocity was found that has the momentum \[2.0\]"):
        h.velocity(np.zeros(1), np.array([2.0]))


def test_levi_civita_gives_the_same_force():
    """T11: M ξ̇ + Γ ξ ξ of the kinetic energy alone."""
    M, _, _ = rotating_bead()

    def mass(q):
        A = mixed_velocities(q)
        return A.T @ M(q, 0.5) @ A

    p = both()[1].p
    system = Hamel(p, lambda q, xi: 0.5 * xi @ mass(q) @ xi)
    force = Metric(p, mass).inertia_force(Q, XI, XI_DOT)
    np.testing.assert_allclose(force, system.force(Q, XI, XI_DOT), atol=1e-12)


def test_symbols_and_jets_give_one_equation():
    """A pendulum in (c, s) with symbols, against jets."""
    x, y, w = sympy.symbols("x y w", real=True)
    by_jets = Hamel(circle(), lambda q, xi: 0.5 * xi[0] ** 2 * (q.x**2 + q.y**2) - 9.8 * q.x)
    by_symbols = Hamel(circle(), w**2 * (x**2 + y**2) / 2 - sympy.Rational(98, 10) * x)
    q, xi = np.array([0.6, 0.8]), np.array([1.7])
    np.testing.assert_allclose(by_jets.acceleration(q, xi), by_symbols.acceleration(q, xi), atol=1e-13)
    np.testing.assert_allclose(by_jets.acceleration(q, xi), [9.8 * 0.8], atol=1e-13)
    equations = symbolic_equations(by_symbols)
    value = equations.left[0].subs(
        dict(zip((*equations.q, *equations.xi, *equations.xi_dot), (0.6, 0.8, 1.7, 0.3), strict=True))
    )
    assert float(value) == pytest.approx(by_jets.force(q, xi, np.array([0.3]))[0])


def test_computed_torque_makes_the_error_decay():
    p = Parameterisation(("a", "b"), ("u", "v"), A=np.eye(2), q0=(0, 0))
    system = Hamel(
        p,
        lambda q, xi: 0.5 * (2 + np.cos(q.b)) * xi.u**2 + np.cos(q.b) * xi.u * xi.v + 0.5 * xi.v**2 + 9.8 * np.cos(q.a),
        f=lambda xi: -0.3 * xi,
    )
    B, q, xi = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([0.3, 0.8]), np.array([0.2, -0.4])
    reference = ([0.1, 0.2], [0.3, 0.1], [-0.2, 0.5])
    u = computed_torque(system, B, reference, (25.0, 10.0), q, xi)
    e, e_dot = q - reference[0], xi - reference[1]
    e_ddot = system.acceleration(q, xi, extra=B @ u) - reference[2]
    np.testing.assert_allclose(e_ddot + 10 * e_dot + 25 * e, 0, atol=1e-12)
    with pytest.raises(ModelError, match="A = I"):
        computed_torque(
            Hamel(circle(), lambda xi: xi[0] ** 2), [[1]], ([0], [0], [0]), (1, 1), np.array([1.0, 0]), np.ones(1)
        )


# -- misprints -----------------------------------------------------------------------------------------------------


def quadratic():
    """M, b, c and their derivatives along the velocities of the mixed system, at one place."""
    M, b, c = rotating_bead()
    p = both()[1].p

    def parts(q, t):
        A = mixed_velocities(q)
        return A.T @ M(q, t) @ A, A.T @ b(q, t), c(q, t)

    A, h = p.A(Q), 1e-6
    along = [[(x - y) / (2 * h) for x, y in zip(parts(Q + h * a, T), parts(Q - h * a, T), strict=True)] for a in A.T]
    dM, db, dc = (np.array([row[k] for row in along]) for k in range(3))  # direction first
    in_time = [(x - y) / (2 * h) for x, y in zip(parts(Q, T + h), parts(Q, T - h), strict=True)]
    return parts(Q, T), (dM, db, dc), in_time, commutation(p, Q)


def test_the_quadratic_lagrangian_needs_the_curl_of_b():
    """(2.44b): the bracket of ξʲ lacks ∂_j b_i - ∂_i b_j; T6."""
    (M, b, _), (dM, db, dc), (M_t, b_t, _), gamma = quadratic()
    square = np.einsum("kij,j,k->i", dM, XI, XI) + np.einsum("ijl,lk,j,k->i", gamma, M, XI, XI)
    square -= 0.5 * np.einsum("ikj,j,k->i", dM, XI, XI)
    printed = M @ XI_DOT + square + (M_t + np.einsum("ijk,k->ij", gamma, b)) @ XI + b_t - dc
    corrected = printed + (db.T - db) @ XI  # db[j, i] = ∂_j b_i
    force = both()[1].force(Q, XI, XI_DOT, T)
    np.testing.assert_allclose(corrected, force, atol=1e-7)
    assert np.abs(printed - force).max() > 0.1


def test_the_hamiltonian_of_a_quadratic_lagrangian_has_minus_c():
    """(2.43b): the last term is -∂_i c."""
    (M, b, _), (dM, db, dc), _, gamma = quadratic()
    inverse = np.linalg.inv(M)
    momentum = M @ XI + b
    d_inverse = -np.einsum("ab,ibc,cd->iad", inverse, dM, inverse)
    bracket = np.einsum("ilk,lj,k->ij", gamma, inverse, momentum)
    bracket += 0.5 * np.einsum("ikj,k->ij", d_inverse, momentum - b) - np.einsum("kj,ik->ij", inverse, db)
    corrected, printed = (-(bracket @ (momentum - b) + sign * dc) for sign in (-1, 1))
    p_dot = hamilton_rates(Legendre(both()[1]), Q, momentum, T)[1]
    np.testing.assert_allclose(corrected, p_dot, atol=1e-7)
    assert np.abs(printed - p_dot).max() > 0.1


def test_momentum_belongs_to_velocities_not_to_rates_of_coordinates():
    """(2.34) prints p = ∂L/∂ẋ, which has nine entries here; ∂L/∂ω = Θ ω has three."""
    system, w = top(), np.array([0.2, 0.5, -0.4])
    np.testing.assert_allclose(system.momentum(system.p.q0, w), THETA * w)
    euler = np.diag(THETA.sum() / 2 - THETA)  # T = ½ tr(Ṙ E Ṙᵀ)
    by_rates = skew(w) @ euler
    np.testing.assert_allclose(system.p.A(system.p.q0).T @ by_rates.T.ravel(), THETA * w, atol=1e-15)


# -- symbols, and runs ---------------------------------------------------------------------------------------------


def polar(L):
    """A particle in the plane, in polar coordinates and the velocities along and across."""
    return Hamel(Parameterisation(("r", "a"), ("u", "v"), A=lambda q: [[1, 0], [0, 1 / q.r]], q0=(1, 0)), L)


def test_hamiltons_equations_in_symbols_are_those_of_numbers():
    system = polar(lambda q, xi, t: 0.5 * (xi[0] ** 2 + 2 * xi[1] ** 2) + q.r * xi[1] * t - q.r**2)
    equations = symbolic_hamilton(system)
    q, momentum, t = np.array([1.3, 0.4]), np.array([0.7, -0.2]), 0.6
    at = dict(zip((*equations.q, *equations.p, equations.t), (*q, *momentum, t), strict=True))
    h = Legendre(system)
    assert float(equations.H.subs(at)) == pytest.approx(h.H(q, momentum, t))
    for symbolic, numeric in zip((equations.q_dot, equations.p_dot), hamilton_rates(h, q, momentum, t), strict=True):
        np.testing.assert_allclose([float(entry.subs(at)) for entry in symbolic], numeric, atol=1e-13)


def test_forces_and_time_are_in_the_symbols_too():
    """Left sides, f and ṗ of a system in which everything depends on time, against numbers by jets."""
    system = polar(lambda q, xi, t: 0.5 * (xi[0] ** 2 + (2 + t) * xi[1] ** 2) + q.r * xi[1] * t - q.r**2)
    forced = Hamel(system.p, system.L.function, f=lambda q, xi, t: [t * q.r - xi[1], xi[0] * q.r])
    q, xi, xi_dot, t = np.array([1.3, 0.4]), np.array([0.7, -0.2]), np.array([0.3, 1.1]), 0.6
    equations = symbolic_equations(forced)
    names = (*equations.q, *equations.xi, *equations.xi_dot, equations.t)
    at = dict(zip(names, (*q, *xi, *xi_dot, t), strict=True))
    np.testing.assert_allclose([float(e.subs(at)) for e in equations.left], forced.force(q, xi, xi_dot, t), atol=1e-13)
    np.testing.assert_allclose([float(e.subs(at)) for e in equations.f], [t * 1.3 + 0.2, 0.7 * 1.3], atol=1e-13)
    by_momenta, momentum = symbolic_hamilton(forced), forced.momentum(q, xi, t)
    at = dict(zip((*by_momenta.q, *by_momenta.p, by_momenta.t), (*q, *momentum, t), strict=True))
    _, p_dot = hamilton_rates(Legendre(forced), q, momentum, t)
    np.testing.assert_allclose([float(e.subs(at)) for e in by_momenta.p_dot], p_dot, atol=1e-13)


def test_symbols_of_hamilton_need_a_quadratic_lagrangian():
    with pytest.raises(ModelError, match="L is not quadratic in the velocities"):
        symbolic_hamilton(polar(lambda xi: xi[0] ** 4 + xi[1] ** 2))


def test_a_hand_given_lagrangian_runs():
    """A pendulum in (x, y) from horizontal: after half a period of 2.369049722 s it is on the other side."""
    system = Hamel(circle(), lambda q, xi: 0.5 * xi[0] ** 2 * (q.x**2 + q.y**2) - 9.8 * q.y)
    flow = HamelFlow(system)
    assert flow.has_energy
    run = vv.simulate(
        flow,
        t_end=2.369049722 / 2,
        h=2.369049722 / 12,
        initial=([1.0, 0.0], [0.0]),
        integrator=vv.DOP853(tolerance=1e-7),
    )
    np.testing.assert_allclose(run["q"][-1], [-1, 0], atol=1e-5)
    assert np.abs(run["q"] ** 2 @ np.ones(2) - 1).max() < 1e-13
    assert np.ptp(run["energy"]) < 1e-5


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps that are divided are said
def test_steps_that_local_coordinates_do_not_reach_are_shortened():
    """On a circle by hand they end at a quarter turn; the steps asked for are eight radians."""
    flow = HamelFlow(Hamel(circle(), lambda xi: 0.5 * xi[0] ** 2))
    start = ([1.0, 0.0], [8.0])
    adaptive = vv.simulate(flow, 1.0, 1.0, initial=start, integrator=vv.DOP853(tolerance=1e-6))
    np.testing.assert_allclose(adaptive["q"][-1], [np.cos(8), np.sin(8)], atol=1e-5)
    divided = vv.simulate(flow, 1.0, 1.0, initial=start, integrator=vv.RK4())
    np.testing.assert_allclose(divided["q"][-1], [np.cos(8), np.sin(8)], atol=0.3)
    assert "divided into smaller ones" in divided.notes[0]


def test_where_time_enters_the_lagrangian_there_is_no_energy_to_keep():
    x, y, w, t = sympy.symbols("x y w t", real=True)
    for L in (lambda xi, t: (1 + t) * xi[0] ** 2, (1 + t) * w**2):
        flow = HamelFlow(Hamel(circle(), L))
        assert not flow.has_energy
        with pytest.raises(ModelError, match="L of 'lagrangian' depends on time"):
            flow.energy(np.array([1.0, 0.0]), np.ones(1), np.zeros(0))
    assert HamelFlow(Hamel(circle(), w**2 - x * y)).has_energy


@pytest.mark.slow
def test_the_determinant_of_the_masses_of_angles():
    """T1: det M = Θx Θy Θz cos² pitch, in symbols."""

    def L(q, xi):
        sa, ca, sb, cb = np.sin(q.roll), np.cos(q.roll), np.sin(q.pitch), np.cos(q.pitch)
        w = np.array([xi[0] - sb * xi[2], ca * xi[1] + sa * cb * xi[2], -sa * xi[1] + ca * cb * xi[2]])
        return 0.5 * (THETA * w) @ w

    p = Parameterisation(("roll", "pitch", "yaw"), ("r", "p", "y"), A=np.eye(3), q0=(0, 0, 0))
    equations = symbolic_equations(Hamel(p, L))
    difference = sympy.expand(sympy.expand_trig(equations.mass.det() - 6 * sympy.cos(equations.q[1]) ** 2))
    squares = {sympy.sin(x) ** 2: 1 - sympy.cos(x) ** 2 for x in equations.q}
    quartics = {sympy.sin(x) ** 4: (1 - sympy.cos(x) ** 2) ** 2 for x in equations.q}
    assert sympy.expand(difference.subs(quartics).subs(squares)) == 0
