"""Energies of a pose: values by their formulas, wrenches and Hessians as derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.springs import ChordEnergy, GivenEnergy, LineEnergy, LogarithmEnergy, Spring
from visviva.forms.springs.logarithm import dexp_inv_slope
from visviva.geometry import SE3, SO3
from visviva.geometry.moments import axial2

RNG = np.random.default_rng(11)
G, K = np.diag([1.0, 2, 3]), np.diag([10.0, 20, 30])
A = RNG.normal(size=(6, 6))
K6 = A @ A.T + np.eye(6)
REST = SE3.exp([0.3, -0.2, 0.5, 1, 2, 3])
POINTS = RNG.uniform(0.5, 2, 5), *RNG.normal(size=(2, 5, 3))


def given(R, r):
    return np.sin(R[0, 1]) + (r @ r) ** 2 / 4 + R[2, 2] * r[0] + np.exp(R[1, 0] * r[2])


LAWS = {
    "trace": ChordEnergy.trace(G, K, REST),
    "seventeen": Stiffness.of_springs("a", "b", *POINTS),
    "seventeen as chord": ChordEnergy.of_moments(Moments.from_points(POINTS[0], POINTS[2]), REST, 0.7),
    "twenty-one": ChordEnergy.general(K6, REST),
    "twenty-one in world axes": ChordEnergy.general(K6, REST, world_axes=True),
    "logarithm": LogarithmEnergy(K6, REST),
    "line": LineEnergy(7.0, p=[0.1, 0.2, 0.3], h=[-1, 0.5, 0.2], length=0.8),
    "line without length": LineEnergy(7.0, p=[0.1, 0.2, 0.3], h=[-1, 0.5, 0.2]),
    "given": GivenEnergy(given),
    "between frames": Spring("a", "b", GivenEnergy(given)),
}


@pytest.mark.parametrize("name", LAWS)
def test_wrench_and_hessian_are_derivatives(name):
    """A11, to 1e-7 of the size, along every twist."""
    law, h = LAWS[name], 1e-5
    for _ in range(3):
        X = REST @ SE3.exp(RNG.normal(size=6))
        wrench, hessian = law.wrench(X), law.hessian(X)
        for i, e in enumerate(np.eye(6)):
            ahead, behind = X @ SE3.exp(h * e), X @ SE3.exp(-h * e)
            slope = (law.energy(ahead) - law.energy(behind)) / (2 * h)
            assert wrench[i] == pytest.approx(slope, abs=1e-7 * (1 + np.abs(wrench).max()))
            bend = (law.wrench(ahead) - law.wrench(behind)) / (2 * h)
            assert_allclose(hessian[:, i], bend, atol=1e-7 * (1 + np.abs(hessian).max()))
            assert_allclose(law.derivative(X, e), hessian[:, i], atol=1e-12 * np.abs(hessian).max())


@pytest.mark.parametrize("name", LAWS)
def test_the_skew_part_of_the_hessian_is_the_bracket(name):
    """H_ij - H_ji = w·[e_j, e_i]."""
    X = REST @ SE3.exp(RNG.normal(size=6))
    w, H = LAWS[name].wrench(X), LAWS[name].hessian(X)
    bracket = np.array([[w @ SE3.ad(ej) @ ei for ej in np.eye(6)] for ei in np.eye(6)])
    assert_allclose(H - H.T, bracket, atol=1e-10 * (1 + np.abs(H).max()))


def test_the_trace_spring_has_its_closed_form():
    """C16a: (2 vee(skew(G R)); RᵀK p), and tr(G) I - G at small angles."""
    X = SE3.exp(RNG.normal(size=6))
    law = ChordEnergy.trace(np.diag(G), np.diag(K))
    assert law.energy(X) == pytest.approx(np.trace(G @ (np.eye(3) - X.R)) + X.r @ K @ X.r / 2)
    assert_allclose(law.wrench(X), np.concatenate([axial2(G @ X.R), X.R.T @ K @ X.r]), atol=1e-13)
    expected = np.zeros((6, 6))
    expected[:3, :3], expected[3:, 3:] = np.trace(G) * np.eye(3) - G, K
    assert_allclose(law.hessian(SE3.identity()), expected, atol=1e-14)


def test_an_asymmetric_form_of_the_same_energy_by_jets():
    """The laws with formulas agree with plain functions differentiated by jets."""
    X_R, X = REST.inverse(), REST @ SE3.exp(RNG.normal(size=6))
    S, t = X_R.R, X_R.r

    def trace(R, r):
        p = t + S @ r
        return np.trace(G @ (np.eye(3) - S @ R)) + 0.5 * (p @ (K @ p))

    def line(R, r):
        d = r + R @ np.array([-1, 0.5, 0.2]) - np.array([0.1, 0.2, 0.3])
        return 3.5 * (np.sqrt(d @ d) - 0.8) ** 2

    for name, function in (("trace", trace), ("line", line)):
        law, jets = LAWS[name], GivenEnergy(function)
        assert law.energy(X) == pytest.approx(jets.energy(X))
        assert_allclose(law.wrench(X), jets.wrench(X), atol=1e-12)
        assert_allclose(law.hessian(X), jets.hessian(X), atol=1e-11)


def test_a_bushing_is_stiff_by_its_matrix_at_rest():
    law = LAWS["logarithm"]
    assert_allclose(law.hessian(REST), K6, atol=1e-12)
    assert_allclose(LAWS["twenty-one"].hessian(REST), K6, atol=1e-12)
    xi = np.array([0.4, -0.3, 0.9, 1, 2, 3])
    assert law.energy(REST @ SE3.exp(xi)) == pytest.approx(xi @ K6 @ xi / 2)
    # along one screw the wrench is K ξ, since dexp⁻¹(ξ) ξ = ξ
    assert law.wrench(REST @ SE3.exp(xi)) @ xi == pytest.approx(xi @ K6 @ xi)


def test_the_second_derivative_of_the_logarithm_up_to_half_a_turn():
    for angle in (0.0, 1e-8, 1.0, 3.1):
        xi, h = np.array([angle / 3, 2 * angle / 3, -2 * angle / 3, 1, -2, 0.5]), 1e-5
        steps = h * np.eye(6)
        differences = [(SE3.dexp_inv(xi + s) - SE3.dexp_inv(xi - s)) / (2 * h) for s in steps]
        assert_allclose(dexp_inv_slope(xi), np.moveaxis(differences, 0, -1), atol=1e-8)


def test_seventeen_parameters_are_one_energy_in_two_forms():
    springs = LAWS["seventeen"]
    chord = ChordEnergy.of_moments(springs.moments, springs.rest, springs.V_0)
    X = SE3.exp(RNG.normal(size=6))
    assert springs.energy(X) == pytest.approx(chord.energy(X))
    assert_allclose(springs.wrench(X), chord.wrench(X), atol=1e-12)
    assert_allclose(springs.hessian(X), chord.hessian(X), atol=1e-12)


def test_springs_of_a_rigid_system_may_have_any_energy():
    """The acceleration of a free body from each law is -𝓘⁻¹ wrench; the stiffness about rest is the Hessian."""
    p = vv.coordinates.joined({("ground", "b"): vv.coordinates.free("b")})
    mass = Moments.from_points(RNG.uniform(1, 2, 5), RNG.normal(size=(5, 3)))
    q = np.array([*REST.r, *REST.rotation.as_quat()])
    for law in (LAWS["trace"], LAWS["twenty-one"], LAWS["logarithm"]):
        system = vv.RigidSystem(p, bodies={"b": mass}, springs=[Spring("ground", "b", law)])
        small = system.small_motions(q)
        assert_allclose(small.K, law.hessian(REST), atol=1e-11)
        moved = np.array([1.2, 2.1, 2.9, *SO3.exp([0.5, 0.1, 0.2]).as_quat()])
        X = SE3(SO3.exp([0.5, 0.1, 0.2]).R, moved[:3])
        terms = system.terms(moved, np.zeros(6))
        assert_allclose(terms.f_K, law.wrench(X), atol=1e-12)
        assert law.energy(X) == pytest.approx(terms.V_K)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: ChordEnergy.trace(np.diag([-3.0, 1, 1]), K), r"tr\(G\) I - G must be positive semidefinite"),
        (lambda: ChordEnergy.trace(G, -K), "K must be positive semidefinite"),
        (lambda: ChordEnergy.trace(np.eye(2), K), "G must have shape"),
        (lambda: ChordEnergy.general(np.diag([1.0, 1, 1, 1, 1, -1])), "K must be positive definite"),
        (lambda: ChordEnergy(np.eye(11)), "form of the energy must have shape"),
        (lambda: ChordEnergy.trace(G, K, 2 * np.eye(4)), "rest pose of the energy"),
        (lambda: LogarithmEnergy(-K6), "K must be positive semidefinite"),
        (lambda: LogarithmEnergy(K6).wrench(SE3.exp([np.pi, 0, 0, 0, 0, 0])), "half a turn from rest"),
        (lambda: LineEnergy(-1.0, [0, 0, 0], [0, 0, 0]), "k of the line spring"),
        (lambda: LineEnergy(1.0, [0, 0], [0, 0, 0]), "p of the line spring"),
        (lambda: LineEnergy(1.0, [1, 0, 0], [1, 0, 0], 0.5).wrench(SE3.identity()), "no direction there"),
        (lambda: GivenEnergy(3.0), "must be a function of R and r"),
        (lambda: GivenEnergy(lambda R, r: r).energy(SE3.identity()), r"energy must have shape \(\)"),
        (lambda: Spring("a", "a", LAWS["given"]), "'a' and itself"),
        (lambda: Spring("a", "b", given), "must be an energy of poses"),
    ],
)
def test_wrong_energies_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
