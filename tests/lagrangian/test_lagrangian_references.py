"""Lagrangian systems against closed forms, DOP853 on equations derived by hand, and the Mechanism; measured orders."""

from __future__ import annotations

import numpy as np
import pytest
from lagrangian_systems import (
    GRAVITY,
    bead,
    charged_particle,
    double_pendulum,
    pendulum,
    pendulum_in_space,
    quaternion_top,
)
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.integrate import PHMP, PHMPGGL, Suzuki4

NUMPY = PHMP(compiled=False)


def solution(f, y0, t):
    found = solve_ivp(f, (0.0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    return found.y.T


def errors(make, steps, t_end, exact, scheme):
    """Errors of given quantities at the end of the run, one column each, for several numbers of steps."""
    runs = [vv.simulate(make(), t_end=t_end, h=t_end / n, integrator=scheme) for n in steps]
    return np.array([[np.abs(run[what][-1] - value).max() for what, value in exact.items()] for run in runs])


def order(found, steps):
    return (np.diff(np.log(found), axis=0).T / -np.diff(np.log(steps))).T


# -- motions derived by hand


def swing(t, y):
    """θ'' = -(γ/l) sin θ from the downward vertical."""
    return [y[1], -GRAVITY / 0.8 * np.sin(y[0])]


def two_arms(t, y):
    a, b, u, w = y
    c, s = np.cos(a - b), np.sin(a - b)
    M = np.array([[2.0, c], [c, 1.0]])
    f = np.array([-s * w**2 - 2 * GRAVITY * np.sin(a), s * u**2 - GRAVITY * np.sin(b)])
    return [u, w, *np.linalg.solve(M, f)]


def wire(z):
    """The wire with its first and second derivatives by z."""
    e = np.exp(-(z**2))
    c, s = np.cos(3 * z), np.sin(3 * z)
    r = np.array([c * e, s, z])
    d = np.array([e * (-3 * s - 2 * z * c), 3 * c, 1.0])
    dd = np.array([e * (-9 * c + 12 * z * s - 2 * c + 4 * z**2 * c), -9 * s, 0.0])
    return r, d, dd


def circle_round(t, y):
    """θ'' = φ'² sin θ cos θ - γ sin θ,  φ' sin² θ constant."""
    theta, _, u, w = y
    return [u, w, w**2 * np.sin(theta) * np.cos(theta) - GRAVITY * np.sin(theta), -2 * u * w / np.tan(theta)]


def space_pendulum_at(t):
    theta, phi, u, w = solution(circle_round, [1.0, 0.0, 0.3, 2.0], np.array([t]))[-1]
    (s, c), (a, b) = (np.sin(theta), np.cos(theta)), (np.cos(phi), np.sin(phi))
    return np.array([s * a, s * b, -c]), np.array([u * c * a - w * s * b, u * c * b + w * s * a, u * s])


def slide(t, y):
    """z'' |r'|² + r'·r'' ż² = -γ."""
    _, d, dd = wire(y[0])
    return [y[1], -(d @ dd * y[1] ** 2 + GRAVITY) / (d @ d)]


def gyrate(t, y):
    """Force v x B with B = 1 + x², and -x³."""
    x, _, u, w = y
    return [u, w, (1 + x**2) * w - x**3, -(1 + x**2) * u]


def pendulum_at(t):
    theta, rate = solution(swing, [np.pi / 2, -1.25], np.array([t]))[-1]
    return 0.8 * np.array([np.sin(theta), -np.cos(theta)]), 0.8 * rate * np.array([np.cos(theta), np.sin(theta)])


def bead_at(t):
    _, d, _ = wire(0.0)
    z, rate = solution(slide, [0.0, d @ np.array([0.0, 3.0, 1.0]) / (d @ d)], np.array([t]))[-1]
    r, d, _ = wire(z)
    return r, d * rate


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [NUMPY, PHMPGGL(compiled=False)], ids=["PHMP", "PHMPGGL"])
@pytest.mark.parametrize(
    ("make", "reference"),
    [
        (pendulum, lambda: pendulum_at(0.4)),
        (bead, lambda: bead_at(0.4)),
        (pendulum_in_space, lambda: space_pendulum_at(0.4)),
        (double_pendulum, lambda: np.split(solution(two_arms, [1.0, 2.0, 0.5, -1.0], np.array([0.4]))[-1], 2)),
        (charged_particle, lambda: np.split(solution(gyrate, [1.0, 0.0, 0.2, 0.5], np.array([0.4]))[-1], 2)),
    ],
    ids=["pendulum", "bead", "pendulum in space", "double pendulum", "charged particle"],
)
def test_order_two_towards_motions_derived_by_hand(make, reference, scheme):
    q, v = reference()
    steps = np.array([12, 24, 48])
    found = errors(make, steps, 0.4, {"q": q, "v": v}, scheme)
    assert_allclose(order(found, steps), 2.0, atol=0.25)
    assert found[-1].max() < 5e-3


@pytest.mark.slow
@pytest.mark.parametrize("inner", [NUMPY, PHMPGGL(compiled=False)], ids=["PHMP", "PHMPGGL"])
@pytest.mark.parametrize(("make", "reference"), [(bead, bead_at), (pendulum, pendulum_at)], ids=["bead", "pendulum"])
def test_order_four_of_the_composition(make, reference, inner):
    steps = np.array([6, 12, 24])  # even: the constant of the error differs for odd ones
    found = errors(make, steps, 0.4, {"q": reference(0.4)[0]}, Suzuki4(inner))
    assert (order(found, steps) > 3.6).all()


def rod_forces(run, t):
    """λ of the pendulum with M r'' = -∇V - λ r: m (v² - γ y)/l²."""
    theta, rate = solution(swing, [np.pi / 2, -1.25], np.concatenate([[0.0], t]))[1:].T
    return 2.0 * ((0.8 * rate) ** 2 + 0.8 * GRAVITY * np.cos(theta)) / 0.64


@pytest.mark.parametrize(("scheme", "least"), [(NUMPY, 1.0), (PHMPGGL(compiled=False), 1.9)], ids=["PHMP", "PHMPGGL"])
def test_order_of_multipliers(scheme, least):
    found, nodal, steps = [], [], np.array([16, 32, 64])
    for n in steps:
        run = vv.simulate(pendulum(), t_end=0.4, h=0.4 / n, integrator=scheme)
        found.append(np.abs(run["lam_mid"][:, 0] - rod_forces(run, run.t_mid)).max())
        nodal.append(np.abs(run["rod.lam"][1:, 0] - rod_forces(run, run.t[1:])).max())
    assert (order(np.array(found), steps) > least - 0.1).all()
    assert_allclose(order(np.array(nodal), steps), 2.0, atol=0.2)


# -- closed forms


def test_a_charge_in_a_uniform_field_goes_round():
    charge = vv.lagrangian(
        "charge", q=("x", "y"), L=lambda q, v, b: 0.5 * (v.x**2 + v.y**2) + b * q.x * v.y, parameters={"b": 2.0}
    )
    run = vv.simulate(charge, 1.0, 0.01, integrator=NUMPY, initial={"q": (0.5, 0.0), "v": (0.0, -1.0)})
    # radius v/b = ½ about the origin, clockwise for a positive charge in a field towards the observer
    turned = 2.0 * run.t
    assert_allclose(run["q"], 0.5 * np.stack([np.cos(turned), -np.sin(turned)], -1), atol=1e-4)
    assert np.ptp(run["p"][:, 1]) <= 1e-14
    assert_allclose(np.linalg.norm(run["v"], axis=1), 1.0, atol=1e-14)


def test_a_relativistic_charge_in_a_uniform_field_never_reaches_the_speed_of_light():
    c, F = 3.0, 2.0
    charge = vv.lagrangian(
        "charge",
        q="x",
        L=lambda q, v, c, F: -(c**2) * np.sqrt(1 - v.x**2 / c**2) + F * q.x,
        parameters={"c": c, "F": F},
        q0=[0.0],
    )
    run = vv.simulate(charge, 4.0, 0.1, integrator=NUMPY)
    assert_allclose(run["p"][:, 0], F * run.t, atol=1e-12)  # exact: the force is constant
    assert_allclose(run["x.rate"], F * run.t / np.sqrt(1 + (F * run.t / c) ** 2), atol=1e-12)
    assert_allclose(run["x"], c**2 / F * (np.sqrt(1 + (F * run.t / c) ** 2) - 1), atol=1e-12)  # ΔH = F Δx


def test_an_oscillator_is_that_of_the_midpoint_rule():
    """Constant M and quadratic V: the Cayley transform, with the frequency (2/h) arctan(ω h/2)."""
    model = vv.lagrangian("oscillator", q="x", M=2.0, V=lambda q: 4.0 * q.x**2, q0=[1.0])
    run = vv.simulate(model, 5.0, 0.1, integrator=NUMPY)
    frequency = 2 / 0.1 * np.arctan(2.0 * 0.1 / 2)
    assert_allclose(run["x"], np.cos(frequency * run.t), atol=1e-13)


# -- the same body by other means


def top_mechanism():
    m = vv.Mechanism("top", gravity=(0, 0, -GRAVITY))
    turn = vv.geometry.SO3.exp([0.6, 0, 0])
    top = m.body(
        "top", mass=1.5, inertia=(0.02, 0.02, 0.03), com=(0, 0, 0.3), rotation=turn, twist=(0.2, 0.5, 12.0, 0, 0, 0)
    )
    m.spherical("tip", m.ground, top, at=(0, 0, 0))
    return m


def top_in_euler_angles():
    """Precession φ, nutation θ, spin ψ (z-x-z): ω = (θ', φ' sin θ, ψ' + φ' cos θ) about axes that do not spin."""

    def L(q, v, A, C, mgl):
        spin = v.psi + v.phi * np.cos(q.theta)
        return 0.5 * A * (v.theta**2 + (v.phi * np.sin(q.theta)) ** 2) + 0.5 * C * spin**2 - mgl * np.cos(q.theta)

    rate = 0.5 / np.sin(0.6)
    return vv.lagrangian(
        "top in Euler angles",
        q=("phi", "theta", "psi"),
        L=L,
        parameters={"A": 0.02 + 1.5 * 0.09, "C": 0.03, "mgl": 1.5 * GRAVITY * 0.3},
        q0=(0.0, 0.6, 0.0),
        v0=(rate, 0.2, 12.0 - rate * np.cos(0.6)),
    )


@pytest.mark.slow
def test_a_heavy_top_in_euler_angles_moves_as_the_mechanism():
    angles = vv.simulate(top_in_euler_angles(), 0.5, 0.005, integrator=Suzuki4(NUMPY))
    mechanism = vv.simulate(top_mechanism(), 0.5, 0.005, integrator=Suzuki4())
    phi, theta = angles["phi"], angles["theta"]
    axis = np.stack([np.sin(theta) * np.sin(phi), -np.sin(theta) * np.cos(phi), np.cos(theta)], -1)
    assert_allclose(mechanism["top.R"][..., 2], axis, atol=2e-7)
    assert_allclose(np.diff(angles["energy"]), 0.0, atol=1e-13 * angles.energy_scale)
    assert np.ptp(angles["p"][:, [0, 2]], axis=0).max() <= 1e-13  # both cyclic
    assert np.ptp(theta) > 0.05


@pytest.mark.slow
def test_a_body_in_quaternions_moves_as_the_mechanism():
    """M(q) is singular; the energy 2 (w² - x² - y² + z²) is that of a weight whose moment is 2 N m."""
    run = vv.simulate(quaternion_top(), 0.4, 0.004, integrator=Suzuki4(NUMPY))
    q0, v0 = run["q"][0], run["v"][0]
    w, x, y, z = q0
    E = np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    m = vv.Mechanism("top", gravity=(0, 0, -20.0))
    moments = np.array([0.1, 0.2, 0.25]) - 0.01 * np.array([1.0, 1.0, 0.0])  # about the centre of mass
    top = m.body(
        "top",
        mass=1.0,
        inertia=tuple(moments),
        com=(0, 0, 0.1),
        rotation=vv.geometry.SO3.from_quat(q0),
        twist=(*(2 * E @ v0), 0, 0, 0),
    )
    m.spherical("tip", m.ground, top, at=(0, 0, 0))
    reference = vv.simulate(m, 0.4, 0.004, integrator=Suzuki4())
    w, x, y, z = run["q"].T
    axis = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), w**2 - x**2 - y**2 + z**2], -1)
    assert_allclose(reference["top.R"][..., 2], axis, atol=1e-5)


def test_an_explicit_right_hand_side_gives_the_same_motion():
    model = double_pendulum()
    f = vv.rhs(model)
    y = solve_ivp(f, (0.0, 0.6), model.pack({}), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    assert_allclose(y, solution(two_arms, [1.0, 2.0, 0.5, -1.0], np.array([0.6]))[-1], atol=1e-10)
