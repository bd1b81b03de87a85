"""Twists and wrenches in the conventions of other texts, there and back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3xR3
from visviva.geometry import conventions as cv
from visviva.geometry.linear import apply, dot

N = 200
rng = np.random.default_rng(0)
X_WB = SE3.exp(rng.normal(size=(N, 6)))
T, F = rng.normal(size=(2, N, 6))
C = rng.normal(size=(N, 3))
CONVENTIONS = {
    "spatial": cv.spatial(X_WB),
    "hybrid": cv.hybrid(X_WB, C),
    "direct product": cv.direct_product(X_WB),
    "linear first": cv.linear_first(),
    "spatial, linear first": cv.linear_first() @ cv.spatial(X_WB),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_there_and_back_with_the_same_power(name):
    convention = CONVENTIONS[name]
    there, load = convention.twist(T), convention.wrench(F)
    assert_allclose(convention.twist_back(there), T, atol=1e-12)
    assert_allclose(convention.wrench_back(load), F, atol=1e-12)
    assert_allclose(dot(there, load), dot(T, F), atol=1e-11)
    assert np.abs(there - T).max() > 0.1


def test_a_spatial_twist_is_that_of_the_world_origin():
    rates = np.einsum("nij,njk->nik", X_WB.matrix, SE3.hat(T)) @ X_WB.inverse().matrix
    assert_allclose(CONVENTIONS["spatial"].twist(T), SE3.vee(rates), atol=1e-11)
    assert_allclose(CONVENTIONS["spatial"].wrench(F), apply(X_WB.coAd(), F), atol=1e-12)


def test_a_hybrid_twist_has_the_velocity_of_the_point():
    h = 1e-6
    ends = [(X_WB @ SE3.exp(s * T)).act(C) for s in (-h, h)]
    there = CONVENTIONS["hybrid"].twist(T)
    assert_allclose(there[:, 3:], (ends[1] - ends[0]) / (2 * h), atol=1e-8)
    assert_allclose(there[:, :3], apply(X_WB.R, T[:, :3]), atol=1e-12)


def test_a_twist_of_the_direct_product_is_a_rate_there():
    h = 1e-6
    X = SE3(X_WB.R[0], X_WB.r[0])
    start = SO3xR3.from_parts(X.R, X.r)
    there = cv.direct_product(X).twist(T[0])
    moved = (start @ SO3xR3.exp(h * there)).pose().matrix
    assert_allclose(moved, (X @ SE3.exp(h * T[0])).matrix, atol=1e-11)


def test_linear_first_changes_names_and_order_alone():
    assert_allclose(cv.linear_first().twist([1, 2, 3, 4, 5, 6]), [4, 5, 6, 1, 2, 3])
    assert_allclose(cv.linear_first().wrench([1, 2, 3, 4, 5, 6]), [4, 5, 6, 1, 2, 3])


def test_kinetic_energy_is_the_same_in_every_convention():
    body = vv.inertia.box(2.0, (0.1, 0.2, 0.3)).moved(at=(0.3, -0.2, 0.5))
    expected = [body.kinetic_energy(t) for t in T]
    for convention in CONVENTIONS.values():
        there, M = convention.twist(T), convention.inertia(body.matrix())
        assert_allclose(dot(there, apply(M, there)) / 2, expected, rtol=1e-9)


def test_directors_there_and_back():
    q, q_dot = cv.directors(X_WB), cv.director_rates(X_WB, T)
    assert_allclose(q_dot[:, :3], apply(X_WB.R, T[:, 3:]), atol=1e-12)
    w = apply(X_WB.R, T[:, :3])
    for i in range(3):
        assert_allclose(q_dot[:, 3 + 3 * i : 6 + 3 * i], np.cross(w, X_WB.R[:, :, i]), atol=1e-12)
    assert_allclose(cv.twist_of_directors(q, q_dot), T, atol=1e-12)


def test_the_director_mass_matrix_is_that_of_the_body_at_its_centre():
    """Nᵀ M N = diag(J, m I), with M = diag(m I, E_i I) and E_i = ½ (J_j + J_k - J_i)."""
    m, J = 2.0, np.array([2.0, 3.0, 4.0])
    M = np.diag(np.repeat([m, *(J.sum() / 2 - J)], 3))
    N = np.stack([cv.director_rates(SE3(X_WB.R[0], X_WB.r[0]), e) for e in np.eye(6)], axis=1)
    assert_allclose(N.T @ M @ N, np.diag([*J, m, m, m]), atol=1e-13)


def test_inputs_of_directors_have_the_same_power():
    """u = (force, torque) in world axes at a body point against the velocity there and ω in world axes."""
    u = rng.normal(size=(N, 6))
    hybrid = CONVENTIONS["hybrid"].twist(T)
    there = dot(u[:, :3], hybrid[:, 3:]) + dot(u[:, 3:], hybrid[:, :3])
    load = cv.wrench_of_director_input(X_WB, C, u)
    assert_allclose(dot(load, T), there, atol=1e-11)
    assert_allclose(load, CONVENTIONS["hybrid"].wrench_back(cv.linear_first().wrench_back(u)), atol=1e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.linear_first().twist([1, 2, 3]), r"twist must have shape \(6,\)"),
        (lambda: cv.linear_first().wrench([np.nan] * 6), "wrench must be finite"),
        (lambda: cv.hybrid(X_WB, [1, 2]), r"point of the body must have shape \(3,\)"),
        (lambda: cv.twist_of_directors(np.zeros(9), np.zeros(12)), r"directors must have shape \(12,\)"),
    ],
)
def test_bad_twists_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
