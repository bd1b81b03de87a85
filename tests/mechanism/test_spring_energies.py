"""Energies of springs: what they say of poses, their gradients and secants, and dampers between frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from spring_models import K6, quartic

from visviva.compiler.traced import energy_of
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.mechanism import energies
from visviva.mechanism.dampers import bushing_damping, point_damping

G = np.diag([1.0, 2.0, 3.0]) + 0.2
K3 = np.diag([10.0, 20.0, 30.0]) - 2.0
D6 = np.diag([0.1, 0.2, 1.0, 1.0, 2.0, 3.0])
RNG = np.random.default_rng(5)
POINTS = RNG.uniform(-1, 1, (4, 3)), RNG.uniform(-1, 1, (4, 3))
STIFFNESS = np.array([1.0, 2.0, 0.5, 4.0])


def storage_of(energy):
    ((name, port),) = energy.interface.items()
    return energy_of("s", f"s.{name}", energy.H, port, 300.0)


def pose(seed, size=1.0):
    return SE3.exp(size * np.random.default_rng(seed).uniform(-1, 1, 6) * [1.2, 1.2, 1.2, 1, 1, 1])


def y_of(X):
    return np.concatenate([X.R.ravel(), X.r])


def points_y(X):
    """(½ d·d, Pᵀd, Cᵀd, PᵀC) with the parent's frame at the origin."""
    return np.concatenate([[0.5 * X.r @ X.r], X.r, X.R.T @ X.r, X.R.ravel()])


def point_sum(X):
    gaps = X.r + POINTS[1] @ X.R.T - POINTS[0]
    return 0.5 * STIFFNESS @ (gaps**2).sum(-1)


BUSHING = storage_of(energies.bushing_energy(K6))
TRACE = storage_of(energies.trace_energy(G, K3))
CONSTELLATION = storage_of(energies.point_energy(STIFFNESS, *POINTS))
BETWEEN = {
    "bushing": (BUSHING, y_of, lambda X: 0.5 * X.log() @ K6 @ X.log()),
    "trace": (TRACE, y_of, lambda X: np.trace(G @ (np.eye(3) - X.R)) + 0.5 * X.r @ K3 @ X.r),
    "points": (CONSTELLATION, points_y, point_sum),
}


@pytest.mark.parametrize("kind", BETWEEN)
@given(seed=st.integers(0, 99))
def test_energies_of_poses_are_what_their_formulas_say(kind, seed):
    storage, y, expected = BETWEEN[kind]
    X = pose(seed)
    assert float(storage.H(y(X))) == pytest.approx(expected(X), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("kind", BETWEEN)
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6, 0.0])
def test_secants_of_poses_are_exact(kind, size):
    storage, y, _ = BETWEEN[kind]
    for seed in range(10):
        y0, y1 = y(pose(seed)), y(pose(seed) @ pose(seed + 50, size))
        e, gain = storage.mean_effort(y0, y1), storage.H(y1) - storage.H(y0)
        assert abs(e @ (y1 - y0) - gain) <= 1e-13 * (1.0 + abs(float(storage.H(y0))))


@pytest.mark.parametrize("kind", BETWEEN)
def test_gradients_of_poses_are_derivatives(kind):
    storage, y, _ = BETWEEN[kind]
    y0 = y(pose(3, 0.6))
    steps = 1e-6 * np.eye(len(y0))
    slope = (storage.H(y0 + steps) - storage.H(y0 - steps)) / 2e-6
    assert_allclose(storage.dH(y0), slope, atol=1e-6)
    assert_allclose(storage.mean_effort(y0, y0), slope, atol=1e-6)


def test_a_bushing_at_rest_has_no_force_and_the_stiffness_it_was_given():
    rest = y_of(SE3.exp(np.zeros(6)))
    assert_allclose(BUSHING.mean_effort(rest, rest), 0, atol=1e-15)
    twists = 1e-4 * np.eye(6)
    energy = [[float(BUSHING.H(y_of(SE3.exp(a + b)))) for a in twists] for b in twists]
    single = np.array([float(BUSHING.H(y_of(SE3.exp(a)))) for a in twists])
    assert_allclose((np.array(energy) - single - single[:, None]) / 1e-8, K6, atol=1e-6)


def test_a_trace_spring_is_stiff_by_the_trace_less_the_matrix():
    """Small-angle stiffness tr(G) I - G, torque 2 vee(skew(G R)) on the child: C16a."""
    w = np.array([0.3, -0.4, 0.2])
    R = SO3.exp(1e-5 * w).R
    energy = float(TRACE.H(np.concatenate([R.ravel(), np.zeros(3)])))
    assert energy == pytest.approx(0.5e-10 * w @ (np.trace(G) * np.eye(3) - G) @ w, rel=1e-4)


@pytest.mark.parametrize(("k", "length"), [(3.0, 0.7), (3.0, 0.0)])
def test_linear_springs_store_half_k_times_the_square_of_the_stretch(k, length):
    storage = storage_of(energies.linear_in_length(k, length))
    l0, l1 = 0.4, 1.3
    y0, y1 = np.array([0.5 * l0**2]), np.array([0.5 * l1**2])
    assert float(storage.H(y1)) == pytest.approx(0.5 * k * (l1 - length) ** 2)
    assert_allclose(storage.mean_effort(y0, y1) * (l0 + l1) / 2, k * ((l0 + l1) / 2 - length), rtol=1e-14)


def test_given_energies_are_those_of_length_and_angle():
    of_length, of_angle = (make(quartic, "spring 's'") for make in (energies.of_length, energies.of_angle))
    assert float(storage_of(of_length).H(np.array([0.5 * 0.8**2]))) == pytest.approx(quartic(0.8))
    assert float(storage_of(of_angle).H(np.array([-0.8]))) == pytest.approx(quartic(-0.8))


def test_a_torsion_spring_is_relaxed_at_its_angle():
    storage = storage_of(energies.linear_in_angle(2.0, 0.3))
    assert float(storage.H(np.array([0.3]))) == 0
    assert float(storage.H(np.array([1.3]))) == pytest.approx(1.0)
    assert float(storage_of(energies.linear_in_angle(2.0, 0.0)).H(np.array([1.0]))) == pytest.approx(1.0)


def test_springs_of_one_kind_share_their_law():
    first, second = (storage_of(energies.linear_in_length(k, 0.5 * k)) for k in (1.0, 7.0))
    assert first.law is second.law
    assert storage_of(energies.trace_energy(2 * G, K3)).law is TRACE.law


def rates(X, w, v):
    """Ṙ = R ŵ and ṗ."""
    return np.concatenate([(X.R @ skew(w)).ravel(), v])


def matrices():
    coupled = D6.copy()
    coupled[0, 3] = coupled[3, 0] = 0.2
    random = RNG.normal(size=(6, 6))
    return {"unequal": D6, "equal": np.diag([1.0, 1, 1, 2, 2, 2]), "coupled": coupled, "full": random @ random.T}


@pytest.mark.parametrize("name", matrices())
def test_a_bushing_damps_the_relative_twist_at_rest(name):
    D = matrices()[name]
    D_y = bushing_damping(D)
    assert np.linalg.eigvalsh(D_y).min() > -1e-14 * np.abs(D_y).max()
    for w, v in RNG.uniform(-1, 1, (8, 2, 3)):
        y_dot, twist = rates(SE3.exp(np.zeros(6)), w, v), np.concatenate([w, v])
        assert y_dot @ D_y @ y_dot == pytest.approx(twist @ D @ twist, rel=1e-13)


def test_dampers_without_a_dominant_axis_are_exact_at_any_rotation():
    D_y = bushing_damping(np.diag([2.0, 3.0, 4.0, 0, 0, 0]))
    w = np.array([0.3, -0.5, 0.7])
    for seed in range(8):
        y_dot = rates(pose(seed), w, np.zeros(3))
        assert y_dot @ D_y @ y_dot == pytest.approx(w @ (np.array([2.0, 3.0, 4.0]) * w), rel=1e-13)


def test_point_dampers_feel_points_of_the_child_as_seen_from_the_parent():
    X, w, v = pose(1), np.array([0.3, -0.5, 0.7]), np.array([1.0, 0.2, -0.4])
    R_dot, c = X.R @ skew(w), np.array([1.0, 2.0, 0.0, 3.0])
    y_dot = np.concatenate([[X.r @ v], v, R_dot.T @ X.r + X.R.T @ v, R_dot.ravel()])
    speeds = v + POINTS[1] @ R_dot.T
    assert y_dot @ point_damping(c, POINTS[1]) @ y_dot == pytest.approx(c @ (speeds**2).sum(-1), rel=1e-13)
