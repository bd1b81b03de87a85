"""Examples of Konz, section 4.8, with fewer inputs than velocities: two masses, PVTOL, quadcopter, bicopter."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from plants import G, c, random_state

from visviva.errors import ModelError
from visviva.geometry import SO3

APPROACHES = ("particle", "body", "energy")


def aligned(matching, law, q):
    """Λ with the printed complement in place of our orthonormal one is zero with it as well: largest entries."""
    return max(np.abs(matching.Lambda_D).max(), np.abs(matching.Lambda_K).max())


# -- E7, two masses (4.8.1) -------------------------------------------------------------------------------------------


def test_gains_of_two_masses_from_poles():
    found = c.matching.two_masses((-1, -2, -3, -4), k=10.0, m2=1.0)
    wanted = {"k01": 4.8, "d01": 10, "m01": 1, "m02": 2.02, "k12": 55.2, "k02": -2.4, "d12": 10, "d02": -5, "m12": 1}
    for name, value in wanted.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("approach", APPROACHES)
def test_two_masses_have_the_poles_and_match(approach):
    found = c.matching.two_masses((-1, -2, -3, -4), k=10.0, m2=1.0)
    law = c.tracking(plants.two_masses(), found.gains("ground", "one", "two"), approach)
    match = law.matching()
    assert_allclose(np.sort(match.poles.real), [-4, -3, -2, -1], atol=1e-8)
    assert aligned(match, law, None) < 1e-9
    M, D, K = law.template.linear(np.array(law.d.q_built))
    assert_allclose(np.linalg.eigvalsh(M), (1.387, 3.633), atol=1e-3)
    assert_allclose(np.linalg.eigvalsh(D), (0, 25), atol=1e-9)
    assert_allclose(np.linalg.eigvalsh(K), (1.083, 111.7), atol=0.05)


def test_two_masses_follow_their_flat_output():
    """z1R = z2R + z̈2R/ϖ, not z2R - z̈2R/ϖ as (4.124) is printed."""
    law = c.tracking(
        plants.two_masses(), c.matching.two_masses((-1, -2, -3, -4), k=10.0, m2=1.0).gains("ground", "one", "two")
    )
    z2 = Polynomial([0.1, -0.3, 0.7, 0.2, -0.4, 0.05])
    for sign in (1, -1):
        z1 = z2 + sign * z2.deriv(2) / 10.0
        t = 0.6
        q, v, a = (np.array([z1.deriv(n)(t), z2.deriv(n)(t)]) for n in (0, 1, 2))
        off = np.abs(law.feasibility(q, v, a)).max()
        lam = np.abs(law.evaluate(q + np.array([0.2, -0.1]), v + np.array([0.3, 0.4]), q, v, a).lam).max()
        assert (off < 1e-10 and lam < 1e-10) == (sign == 1)


def test_scale_of_two_masses_has_the_sign_of_N():
    with pytest.raises(ModelError, match="must have the sign of N"):
        c.matching.two_masses((-1, -2, -3, -4), k=10.0, m2=1.0, m12=-1.0)
    with pytest.raises(ModelError, match="negative real parts"):
        c.matching.two_masses((-1, -2, -3, 4), k=10.0, m2=1.0)
    with pytest.raises(ModelError, match="four poles"):
        c.matching.pvtol((-1, -2, -3))


# -- E8, PVTOL (4.8.2) ------------------------------------------------------------------------------------------------

POLES = (-3, -4, -5, -6)


def pvtol(approach):
    m, actuators, eps = plants.pvtol()
    own = c.matching.pvtol(POLES, epsilon=eps, mass=1.7, g=G)
    return c.tracking(m, {("ground", "craft"): own.gains()}, approach, actuators=actuators), own, eps


def test_gains_of_a_pvtol_from_poles():
    law, own, eps = pvtol("body")
    assert eps == pytest.approx(0.0214359, abs=1e-7)
    found = own.stiffness, own.damping, own.s, own.h, own.Theta[2], own.Pi[2]
    assert_allclose(found, (6.11678, 5.81094, 0.119484, 0.537752, 0.0697178, 6.97545), rtol=1e-5)
    match = law.matching()
    assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-11
    pair = 1.7091, 0.8228
    wanted = [-6, -5, -4, -3, -pair[0] - 1j * pair[1], -pair[0] + 1j * pair[1]]
    assert_allclose(np.sort_complex(match.poles), np.sort_complex(wanted), atol=1e-4)
    assert_allclose(np.sort_complex(match.template_poles), np.sort_complex(wanted), atol=1e-4)


def test_the_printed_stiffness_moment_4_142_does_not_match():
    m, actuators, eps = plants.pvtol()
    own = c.matching.pvtol(POLES, epsilon=eps, mass=1.7, g=G)
    p = np.poly(POLES)[::-1]
    P = p[1] * p[2] - p[0] * p[3]
    printed = 1.7 * G**2 * (p[1] * p[2] * p[3] - p[1] ** 2 - p[0] * p[3]) / (p[1] * P)
    wrong = own._replace(Pi=np.array([0, 0, printed]))
    law = c.tracking(m, {("ground", "craft"): wrong.gains()}, actuators=actuators)
    assert np.abs(law.matching().Lambda_K).max() > 1.0


def pvtol_reference(t, eps, sign=1.0):
    """(r, α) and two derivatives by the flat output; sign: -1 for the printed (4.133)."""

    def at(t):
        y = np.array([0.8 * np.sin(1.3 * t), 0.5 * np.cos(0.9 * t)])
        dd = np.array([-0.8 * 1.3**2 * np.sin(1.3 * t), -0.5 * 0.9**2 * np.cos(0.9 * t) + G])
        alpha = np.arctan2(-sign * dd[0], dd[1])
        return np.array([*(y + eps * np.array([np.sin(alpha), -np.cos(alpha)])), alpha])

    h = 1e-3
    x = {s: at(t + s * h) for s in (-3, -2, -1, 0, 1, 2, 3)}
    d1 = (45 * (x[1] - x[-1]) - 9 * (x[2] - x[-2]) + (x[3] - x[-3])) / (60 * h)
    d2 = (270 * (x[1] + x[-1]) - 27 * (x[2] + x[-2]) + 2 * (x[3] + x[-3]) - 490 * x[0]) / (180 * h**2)
    return x[0], d1, d2


def pvtol_state(d, x, dx, ddx):
    """(q, v, a) of position and angle in the world's axes: those of the planar joint are its own."""
    q = d.solve_pose({"craft": (SO3.exp([0, 0, x[2]]).R, np.array([x[0], x[1], 0.0]))}, near=d.q_built)
    J = d.jacobian("craft", q)[[3, 4, 2]]
    v = np.linalg.solve(J, dx)
    return q, v, np.linalg.solve(J, ddx - d.bias_acceleration("craft", q, v)[[3, 4, 2]])


def test_flat_output_of_a_pvtol_gives_feasible_references():
    law, _, eps = pvtol("body")
    for sign in (1.0, -1.0):
        off = np.abs(law.feasibility(*pvtol_state(law.d, *pvtol_reference(0.7, eps, sign)))).max()
        assert (off < 1e-6) == (sign == 1.0)


@pytest.mark.parametrize("approach", APPROACHES)
def test_residual_of_a_pvtol(approach):
    """λ of (4.139) with its signs corrected, with B⊥ = (1, 0, -tan β/l_A)."""
    law, own, eps = pvtol(approach)
    d = law.d
    x_R, dx_R, ddx_R = pvtol_reference(0.7, eps)
    x, dx = x_R + np.array([0.2, -0.3, 0.5]), dx_R + np.array([0.4, 0.1, -0.6])
    q, v, _ = pvtol_state(d, x, dx, 0 * dx)
    e = law.evaluate(q, v, *pvtol_state(d, x_R, dx_R, ddx_R))

    def turn(a):
        return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

    R, R_R, w_R, dw_R = turn(x[2]), turn(x_R[2]), dx_R[2], ddx_R[2]
    al = x[2] - x_R[2]
    p = R.T @ (x[:2] - x_R[:2])  # in axes of the body
    v_body, v_R = R.T @ dx[:2], R_R.T @ dx_R[:2]
    S = np.array([[0.0, -1.0], [1.0, 0.0]])
    R_E = R_R.T @ R
    r_E = R_R.T @ (x[:2] - x_R[:2])
    v_E = v_body - R_E.T @ (v_R + w_R * S @ r_E)  # of Ad(G_E)⁻¹
    a_yR = (R_R.T @ ddx_R[:2])[1] + G * (np.cos(x_R[2]) - 1)
    m = 1.0
    wanted = {
        "particle": -m * (a_yR - eps * w_R**2) * np.sin(al),
        "body": -m * (a_yR * np.sin(al) - p[0] * w_R**2 - 2 * v_E[1] * w_R - (eps * (1 - np.cos(al)) + p[1]) * dw_R),
        "energy": -m * (a_yR * np.sin(al) - p[0] * w_R**2 - v_E[1] * w_R - (eps * (1 - np.cos(al)) + p[1]) * dw_R),
    }[approach]
    direction = own.mass * (own.h - own.s) / (m * (own.h - eps)) * wanted  # (4.138): b̃ = direction (1, 0, -ε)
    J = d.jacobian("craft", q, "body")[[3, 4, 2]]
    b_tilde = np.linalg.solve(J.T, e.b_tilde)  # along (v_x, v_y, ω_z) of the body
    assert_allclose(b_tilde, direction * np.array([1.0, 0.0, -eps]), atol=1e-6)


@pytest.mark.parametrize("approach", APPROACHES)
def test_a_pvtol_matches_exactly_at_constant_velocity(approach):
    law, _, _ = pvtol(approach)
    d = law.d
    x_R, dx_R = np.array([0.3, -0.2, 0.0]), np.array([1.5, 0.7, 0.0])
    q, v, _ = pvtol_state(d, x_R + np.array([0.2, -0.3, 1.1]), dx_R + np.array([0.4, 0.1, -0.6]), np.zeros(3))
    e = law.evaluate(q, v, *pvtol_state(d, x_R, dx_R, np.zeros(3)))
    assert np.abs(e.b_tilde).max() < 1e-10
    assert e.W_dot == pytest.approx(e.W_dot_template, rel=1e-9)


# -- E9, quadcopter (4.8.3) -------------------------------------------------------------------------------------------


def quadcopter(approach):
    m, actuators = plants.quadcopter()
    own = c.matching.quadcopter((-6, -7, -8, -9), heading=(5.0, 0.9))
    return c.tracking(m, {("ground", "craft"): own.gains()}, approach, actuators=actuators), own


def test_a_quadcopter_matches_and_hovers():
    law, own = quadcopter("body")
    match = law.matching()
    assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-10
    assert_allclose(match.u_R, 1.001 * G / 4, rtol=1e-10)
    assert_allclose(match.u_R, 2.455, atol=5e-4)
    poles = np.sort(match.poles[np.abs(match.poles.imag) < 1e-6].real)
    assert_allclose(poles, np.repeat([-9, -8, -7, -6], 2), atol=1e-5)
    assert own.Theta[2] == pytest.approx(0.1 * own.Theta[0])
    heading = np.roots([1.0, 2 * 0.9 * 5.0, 25.0])
    assert min(abs(match.poles - heading[0])) < 1e-7


@pytest.mark.parametrize("approach", APPROACHES)
def test_residual_of_a_quadcopter(approach):
    """(4.149) with the factor 1/h, for references of constant velocity that do not turn."""
    law, own = quadcopter(approach)
    rng = np.random.default_rng(5)
    q = plants.pose_coordinates(rng.normal(size=3), SO3.exp([0.5, -0.3, 0.8]).R)
    yaw = SO3.exp([0, 0, 0.4]).R
    q_R = plants.pose_coordinates(rng.normal(size=3), yaw)
    v, v_R = rng.normal(size=6), np.concatenate([np.zeros(3), rng.normal(size=3)])
    e = law.evaluate(q, v, q_R, v_R, np.zeros(6))
    R_E, w = yaw.T @ SO3.exp([0.5, -0.3, 0.8]).R, v[:3]
    wanted = np.zeros(6)
    for k in (0, 1):
        wanted[3 + k] = (own.Theta[2] * w[k] * w[2] - own.Pi[2] / 2 * (R_E[k, 2] + R_E[2, k])) / own.h
    assert_allclose(e.b_tilde, wanted, atol=1e-10)
    turning = law.evaluate(q, v, q_R, v_R + 0.5 * np.eye(6)[2], np.zeros(6))
    assert np.abs(turning.b_tilde - wanted).max() > 1e-3  # and only for these


# -- E10, bicopter (4.8.4): algebra -----------------------------------------------------------------------------------


def bicopter(approach="body", **options):
    m, actuators = plants.bicopter()
    own = c.matching.bicopter((-8, -9, -10, -11), **plants.BICOPTER, heading=(6.0, 1.0))
    return c.tracking(m, {("ground", "craft"): own.gains()}, approach, actuators=actuators, **options), own


def test_gains_of_a_bicopter():
    law, own = bicopter()
    found = own.stiffness, own.damping, own.s, own.h, own.Theta[0], own.Theta[1]
    assert_allclose(found, (17.60, 7.515, 0.04394, 0.13236, 1.928e-3, 8.307e-3), rtol=3e-4)
    match = law.matching()
    assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-10
    for pole in (-8, -9, -10, -11):
        assert min(abs(match.poles - pole)) < 1e-6


def test_residual_of_a_bicopter_at_rest():
    """(4.155) with factor 1, ω_x ω_z in its first row and ω_y ω_z in its second."""
    law, own = bicopter()
    eps_x, eps_y = c.matching.bicopter_offsets(**plants.BICOPTER)
    rng = np.random.default_rng(5)
    R = SO3.exp([0.5, -0.3, 0.8]).R
    q, v, still = plants.pose_coordinates(rng.normal(size=3), R), rng.normal(size=6), np.zeros(6)
    e = law.evaluate(q, v, law.d.q_built, still, still)
    Tx, Ty, Tz = plants.BICOPTER["inertia"]
    w, h = v[:3], own.h
    lever = own.mass * (own.h - own.s)
    first = (own.Theta[2] - lever * ((Tx - Tz) / Ty * eps_x - eps_y)) * w[0] * w[2] - own.Pi[2] / 2 * (
        R[0, 2] + R[2, 0]
    )
    second = (own.Theta[2] - lever * ((Ty - Tz) / Tx * eps_y - eps_x)) * w[1] * w[2] - own.Pi[2] / 2 * (
        R[1, 2] + R[2, 1]
    )
    wanted = np.array([
        -eps_y / (h - eps_y) * second, eps_x / (h - eps_x) * first, 0.0, first / (h - eps_x), second / (h - eps_y), 0.0,
    ])  # fmt: skip
    assert_allclose(e.b_tilde, wanted, atol=1e-10)


def test_feasible_references_of_a_bicopter_are_4_152():
    law, _ = bicopter()
    eps_x, eps_y = c.matching.bicopter_offsets(**plants.BICOPTER)
    q, v, _, _, a = random_state(law.d, 3)
    (w, u), (dw, du) = (v[:3], v[3:]), (a[:3], a[3:])
    Tx, Ty, Tz = plants.BICOPTER["inertia"]
    R = plants.transform(q).R
    first = du[0] + u[2] * w[1] - u[1] * w[2] + eps_x * (dw[1] + (Tx - Tz) / Ty * w[0] * w[2]) + R[2, 0] * G
    second = du[1] + u[0] * w[2] - u[2] * w[0] - eps_y * (dw[0] + (Tz - Ty) / Tx * w[1] * w[2]) + R[2, 1] * G
    force = law.d.inverse(q, v, a)
    l_z, beta = plants.BICOPTER["l_z"], plants.BICOPTER["beta"]
    l = plants.BICOPTER["l_y"] * np.cos(beta) - l_z * np.sin(beta)
    perp = np.array([[0, -1, 0, l_z, 0, 0], [-np.sin(beta), 0, 0, 0, l, 0]])
    assert_allclose(perp @ law.actuation.matrix(q), 0, atol=1e-14)
    assert_allclose(perp @ force, [l_z * first, l * second], atol=1e-10)
