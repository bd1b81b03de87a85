"""Systems of particles: one set of equations from all principles; items 16-23, with the misprints of their signs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from parameterisations import moved, rotation
from scipy.integrate import solve_ivp

from visviva import ModelError
from visviva.forms import Parameterisation, coordinates
from visviva.forms.calculus.commutation import commutation
from visviva.forms.calculus.connection import Metric
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.particles import ParticleSystem, Tie
from visviva.forms.calculus.tracking import particle_tracking_force

RNG = np.random.default_rng(2)
G = np.array([0.0, 0.3, -9.8])


def spun(t):
    """A ring that turns in a way given in time."""
    return 0.4 * t + 0.1 * t**2


def rheonomic():
    """Two particles: on a ring that turns about z, and on a slide, with velocities that are not integrable."""
    p = Parameterisation(
        ("c", "s", "x", "y"),
        ("w", "a", "b"),
        A=lambda q: [[-q.s, 0, 0], [q.c, 0, 0], [0, q.c, -q.s], [0, q.s, q.c]],
        phi=lambda q: [q.c**2 + q.s**2 - 1],
        q0=(1, 0, 0.5, 0.2),
    )

    def first(q, t):
        return [q.c * np.cos(spun(t)), q.c * np.sin(spun(t)), q.s]

    def second(q, t):
        return [q.x + 0.2 * np.sin(t), q.y * np.cos(t), q.x * q.y]

    ties = [
        Tie("first", "second", k=3.0, length=0.4, d=0.2),
        Tie("second", (1, 0, 0), k=2.0, d=0.1, drift=(0.3, 0, -0.2)),
    ]
    return ParticleSystem(p, {"first": (1.5, first), "second": (0.7, second)}, gravity=G, ties=ties)


SYSTEM = rheonomic()
P = SYSTEM.p
Q, XI, T = np.array([0.8, 0.6, 0.3, -0.4]), np.array([0.7, -0.3, 0.9]), 0.6


def along(xi_dot, s):
    """The state after a short time s, to second order in q."""
    q_ddot = P.q_ddot(Q, XI, xi_dot)
    return Q + s * P.q_dot(Q, XI) + s * s / 2 * q_ddot, XI + s * xi_dot, T + s


def forces_by_hand(motion):
    """All that acts on the particles, from the numbers of the ties."""
    r, v = motion.r, motion.r_dot
    d = r["first"] - r["second"]
    pull = 3.0 * (1 - 0.4 / np.linalg.norm(d)) * d + 0.2 * (v["first"] - v["second"])
    ground = 2.0 * (r["second"] - [1, 0, 0]) + 0.1 * (v["second"] - [0.3, 0, -0.2])
    return {"first": 1.5 * G - pull, "second": 0.7 * G + pull - ground}


def test_velocities_and_accelerations_are_those_of_the_positions():
    xi_dot, h = RNG.normal(size=3), 1e-4
    motion = SYSTEM.motion(Q, XI, T)
    places = [SYSTEM.motion(*along(xi_dot, s)).r for s in (-h, 0, h)]
    for name in SYSTEM.mass:
        behind, here, ahead = (place[name] for place in places)
        np.testing.assert_allclose(motion.r_dot[name], (ahead - behind) / (2 * h), atol=1e-7)
        second = motion.bias[name] + motion.J[name] @ xi_dot
        np.testing.assert_allclose(second, (ahead - 2 * here + behind) / h**2, atol=1e-6)


def test_velocities_and_accelerations_have_one_jacobian():
    """(3.14) corrected: ∂_i r = ∂ṙ/∂ξⁱ = ∂r̈/∂ξ̇ⁱ, where ∂ṙ/∂ξ̇ⁱ is printed."""
    motion = SYSTEM.motion(Q, XI, T)
    for i, e in enumerate(np.eye(3)):
        moved_on = SYSTEM.motion(Q, XI + e, T)
        for name in SYSTEM.mass:
            np.testing.assert_allclose(moved_on.r_dot[name] - motion.r_dot[name], motion.J[name][:, i], atol=1e-14)


def test_velocities_commute_by_gamma():
    """(3.15): ∂_i ṙ - d/dt ∂_i r = γ_ij^k ∂_k r ξʲ."""
    h, gamma = 1e-5, commutation(P, Q)
    motion = SYSTEM.motion(Q, XI, T)
    rate = {name: np.zeros((3, 3)) for name in SYSTEM.mass}
    ahead, behind = (SYSTEM.motion(*along(np.zeros(3), s)).J for s in (h, -h))
    for i, direction in enumerate(P.A(Q).T):
        moved_on, moved_back = (SYSTEM.motion(Q + s * h * direction, XI, T).r_dot for s in (1, -1))
        for name in SYSTEM.mass:
            rate[name][:, i] = (moved_on[name] - moved_back[name]) / (2 * h)
    for name in SYSTEM.mass:
        left = rate[name] - (ahead[name] - behind[name]) / (2 * h)
        np.testing.assert_allclose(left, np.einsum("ijk,ak,j->ai", gamma, motion.J[name], XI), atol=1e-8)


def test_newton_and_dalembert():
    """The acceleration leaves nothing of F - m r̈ along any ∂_i r, with forces written out by hand."""
    xi_dot = SYSTEM.acceleration(Q, XI, T)
    motion = SYSTEM.motion(Q, XI, T)
    F = forces_by_hand(motion)
    left = sum(
        motion.J[name].T @ (F[name] - m * (motion.bias[name] + motion.J[name] @ xi_dot))
        for name, m in SYSTEM.mass.items()
    )
    np.testing.assert_allclose(left, 0, atol=1e-13)


def test_gauss_no_other_acceleration_has_less_compulsion():
    xi_dot = SYSTEM.acceleration(Q, XI, T)
    least = SYSTEM.compulsion(Q, XI, xi_dot, T)
    for step in RNG.normal(size=(20, 3)):
        more = SYSTEM.compulsion(Q, XI, xi_dot + step, T)
        assert more - least == pytest.approx(0.5 * step @ SYSTEM.mass_matrix(Q, T) @ step)


def test_gibbs_and_appell():
    """f^M = +∂S/∂ξ̇; (3.26) prints a minus sign."""
    xi_dot, h = RNG.normal(size=3), 1e-4
    slope = [
        (SYSTEM.gibbs(Q, XI, xi_dot + h * e, T) - SYSTEM.gibbs(Q, XI, xi_dot - h * e, T)) / (2 * h) for e in np.eye(3)
    ]
    force = SYSTEM.forces(Q, XI, xi_dot, T)["inertia"]
    np.testing.assert_allclose(force, slope, atol=1e-8)
    assert np.abs(force + slope).max() > 1


@pytest.mark.slow
def test_hamel_gives_the_same_acceleration():
    """L = T - V of the traced positions, with the dissipation as forces; also Hamilton's principle."""
    L = SYSTEM.lagrangian()
    system = Hamel(P, L)
    outer = np.array([0.3, -0.2, 0.1])
    loss = SYSTEM.forces(Q, XI, np.zeros(3), T)["dissipation"]
    expected = system.acceleration(Q, XI, T, extra=outer - loss)
    np.testing.assert_allclose(SYSTEM.acceleration(Q, XI, T, outer), expected, atol=1e-11)
    assert float(L.subs(dict(zip(sympy.symbols("c s x y w a b t", real=True), (*Q, *XI, T), strict=True)))) == (
        pytest.approx(SYSTEM.kinetic(Q, XI, T) - SYSTEM.potential(Q, T))
    )
    assert system.energy(Q, XI, T) == pytest.approx(SYSTEM.energy(Q, XI, T))


def test_forces_are_gradients_of_the_energies():
    """f^G + f^K = +∂_i V on the left side; (3.32) has Σ m ∂_i r·a_G = +∂_i V, which is -∂_i V."""
    h = 1e-6
    slope = np.array([(SYSTEM.potential(Q + h * a, T) - SYSTEM.potential(Q - h * a, T)) / (2 * h) for a in P.A(Q).T])
    forces = SYSTEM.forces(Q, XI, np.zeros(3), T)
    np.testing.assert_allclose(forces["gravity"] + forces["stiffness"], slope, atol=1e-7)
    loss = [(SYSTEM.dissipation(Q, XI + h * e, T) - SYSTEM.dissipation(Q, XI - h * e, T)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(forces["dissipation"], loss, atol=1e-8)
    motion = SYSTEM.motion(Q, XI, T)
    applied = sum(m * motion.J[name].T @ G for name, m in SYSTEM.mass.items())
    weight = ParticleSystem(P, {n: (m, SYSTEM.positions[n].function) for n, m in SYSTEM.mass.items()}, gravity=G)
    gradient = [(weight.potential(Q + h * a, T) - weight.potential(Q - h * a, T)) / (2 * h) for a in P.A(Q).T]
    np.testing.assert_allclose(applied, -np.array(gradient), atol=1e-7)
    assert np.abs(applied - gradient).max() > 1


def test_energy_balance_with_positions_that_depend_on_time():
    """Ḣ = ξ·(f^E - f^D) - ∂L/∂t, with H ≠ T + V; (3.38)-(3.44)."""
    outer, h = np.array([0.3, -0.2, 0.1]), 1e-5
    xi_dot = SYSTEM.acceleration(Q, XI, T, outer)
    loss = SYSTEM.forces(Q, XI, xi_dot, T)["dissipation"]

    def L(s):
        return SYSTEM.kinetic(Q, XI, T + s) - SYSTEM.potential(Q, T + s)

    power = XI @ (outer - loss) - (L(h) - L(-h)) / (2 * h)
    rate = (SYSTEM.energy(*along(xi_dot, h)) - SYSTEM.energy(*along(xi_dot, -h))) / (2 * h)
    assert rate == pytest.approx(power, abs=1e-7)
    assert SYSTEM.energy(Q, XI, T) != pytest.approx(SYSTEM.kinetic(Q, XI, T) + SYSTEM.potential(Q, T), rel=1e-3)


def cloud():
    """Four particles fixed in a body that moves freely: M and forces are those of the rigid body."""
    p = coordinates.joined({("ground", "body"): coordinates.free("b", by="matrix")})
    points = RNG.normal(size=(4, 3))

    def place(h):
        return lambda q: q[0:3] + h[0] * q[3:6] + h[1] * q[6:9] + h[2] * q[9:12]

    masses = np.array([1.0, 2.0, 0.5, 0.7])
    particles = {f"p{k}": (m, place(h)) for k, (m, h) in enumerate(zip(masses, points, strict=True))}
    return p, masses, points, ParticleSystem(p, particles, gravity=G)


def test_particles_of_a_body_are_the_body():
    """Items 24-26: 𝓘 is constant, f^M = 𝓘 ξ̇ - ad(ξ)ᵀ 𝓘 ξ, f^G = -𝓘 Ad⁻¹ (0; a_G), Γ_ijk antisymmetric in i, j."""
    from visviva.geometry import SE3
    from visviva.geometry.moments import matrix_of_moments, moment_matrix, moment_wrench

    p, masses, points, system = cloud()
    moments = moment_matrix(masses, points)
    M, q, xi, xi_dot = matrix_of_moments(moments), moved(p), RNG.normal(size=6), RNG.normal(size=6)
    np.testing.assert_allclose(system.mass_matrix(q), M, atol=1e-12)
    forces = system.forces(q, xi, xi_dot)
    np.testing.assert_allclose(forces["inertia"], M @ xi_dot - SE3.ad(xi).T @ M @ xi, atol=1e-12)
    X = p.edges[0].pose(q)
    alpha = np.concatenate([np.zeros(3), G])
    np.testing.assert_allclose(forces["gravity"], -M @ SE3.from_matrix(X).inverse().Ad() @ alpha, atol=1e-12)
    np.testing.assert_allclose(forces["gravity"], moment_wrench(X.T @ SE3.hat(-alpha) @ moments), atol=1e-12)
    Gamma = Metric(p, M).connection(q)
    np.testing.assert_allclose(Gamma, -Gamma.swapaxes(0, 1), atol=1e-12)
    np.testing.assert_allclose(Gamma @ xi @ xi, -SE3.ad(xi).T @ M @ xi, atol=1e-12)
    assert (np.abs(Metric(p, matrix_of_moments(moments)).connection(q)) > 1e-9).sum() == 48
    second = SE3.hat(xi_dot) + SE3.hat(xi) @ SE3.hat(xi)  # X⁻¹ Ẍ
    assert system.gibbs(q, xi, xi_dot) == pytest.approx(0.5 * np.trace(second @ moments @ second.T))


def test_a_pendulum_has_its_period():
    """From horizontal at rest, length 1, g = 9.8: 2.369049722 s, in (c, s) without any angle."""
    p = coordinates.joined({("ground", "arm"): coordinates.revolute("h", by="pair")})
    system = ParticleSystem(p, {"bob": (2.0, lambda q: [q.h_c, 0, q.h_s])}, gravity=(0, 0, -9.8))

    def rates(t, x):
        return np.concatenate([p.q_dot(x[:2], x[2:]), system.acceleration(x[:2], x[2:], t)])

    half = solve_ivp(rates, (0, 2.369049722 / 2), [1, 0, 0], method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    np.testing.assert_allclose(half, [-1, 0, 0], atol=1e-7)


def test_a_tracked_particle_has_the_wanted_error_dynamics():
    """(3.7) corrected; the printed law counts gravity twice and takes d̄ for the plant's d."""
    m, k, d, k_bar, d_bar = 2.0, 3.0, 0.5, 8.0, 1.5
    r0, v0 = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.0, -0.1])
    reference = tuple(RNG.normal(size=(3, 3)))
    r, v = RNG.normal(size=(2, 3))
    F = particle_tracking_force(
        reference, r, v, mass=m, gravity=G, spring=(k, r0), damper=(d, v0), gains=(k_bar, d_bar)
    )
    r_R, v_R, a_R = reference

    def error_of(force):
        a = G + (force - d * (v - v0) - k * (r - r0)) / m  # (3.5)
        return m * (a - a_R) + d_bar * (v - v_R) + k_bar * (r - r_R)

    np.testing.assert_allclose(error_of(F), 0, atol=1e-13)
    printed = m * (a_R - G) + d_bar * (v - v0) + k * (r - r0) - d_bar * (v - v_R) - k_bar * (r - r_R) - m * G
    assert np.abs(error_of(printed)).max() > 1


def test_hamiltons_principle_needs_a_plus_sign():
    """(3.12): δT + δ'W = 0 along a motion; with the printed minus sign a free fall is no motion."""
    t = np.linspace(0, 1, 2001)
    v = -9.8 * t
    for bump in (np.sin(np.pi * t), t**2 * (1 - t)):
        slope = np.gradient(bump, t, edge_order=2)
        kinetic, work = (np.sum((f[1:] + f[:-1]) / 2 * np.diff(t)) for f in (v * slope, -9.8 * bump))
        assert kinetic + work == pytest.approx(0.0, abs=1e-4)
        assert abs(kinetic - work) > 1


@pytest.mark.parametrize(
    ("particles", "ties", "message"),
    [
        ({"a": (-1.0, [0, 0, 0])}, [], "mass of 'a' must be positive"),
        ({"a": (1.0, [0, 0])}, [], r"position of 'a' must have shape \(3\)|position of 'a' must have shape \(3,\)"),
        ({"a": (1.0, lambda q: [q.x, 0, 0])}, [Tie("b", (0, 0, 0))], "a tie names the particle 'b'; there are a"),
        ({"a": (1.0, lambda q: [q.x, 0, 0])}, [Tie("a", (0, 0))], "end of the tie of 'a' must"),
        ({"a": (1.0, lambda q: [q.x, 0, 0])}, [Tie("a", (0, 0, 0), k=-1.0)], "k of the tie of 'a' must be at least 0"),
    ],
)
def test_wrong_particles_are_refused(particles, ties, message):
    p = Parameterisation(("x",), ("u",), A=[[1]], q0=(1,))
    with pytest.raises(ModelError, match=message):
        ParticleSystem(p, particles, ties=ties)


def test_velocities_without_inertia_are_named():
    p = Parameterisation(("x", "y"), ("u", "v"), A=np.eye(2), q0=(1, 1))
    system = ParticleSystem(p, {"a": (1.0, lambda q: [q.x, 0 * q.y, 0])})
    with pytest.raises(ModelError, match="no inertia resists the velocity 'v'"):
        system.acceleration(np.ones(2), np.ones(2))


def test_a_spring_at_a_point_has_no_direction():
    p = Parameterisation(("x",), ("u",), A=[[1]], q0=(1,))
    system = ParticleSystem(p, {"a": (1.0, lambda q: [q.x, 0, 0])}, ties=[Tie("a", (0, 0, 0), k=1.0, length=0.5)])
    with pytest.raises(ModelError, match="the spring of 'a' has its ends at one point"):
        system.acceleration(np.zeros(1), np.zeros(1))


def test_quaternions_move_particles_too():
    """The same body by quaternion: M of a cloud that turns about a point."""
    p = rotation("quaternion")
    h = np.array([0.3, -0.5, 0.7])

    def place(q):
        w, u = q[0], q[1:4]
        u_hat = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        return h + 2 * w * (u_hat @ h) + 2 * (u_hat @ (u_hat @ h))

    system = ParticleSystem(p, {"tip": (2.0, place)})
    expected = 2.0 * (h @ h * np.eye(3) - np.outer(h, h))
    np.testing.assert_allclose(system.mass_matrix(moved(p)), expected, atol=1e-13)
