"""Rows of blades and rolling discs, and the height of an edge: exact differences, derivatives, rigid motions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.geometry import SO3
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.twist_rows import over_directors
from visviva.testing import check_condition

NONE = np.zeros(0)


def mechanism(plane):
    m = vv.Mechanism()
    m.body("plate", mass=1.0, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0.3), at=(0.3, 0.1, -0.2))
    m.body("disc", mass=1.0, inertia=(1, 1.5, 2), com=(0.2, 0, 0.1), rotation=SO3.exp([0.3, -0.5, 0.2]))
    m.particle("dot", mass=1.0, at=(1, 1, 1))
    m.frame("hub", "disc", at=(0.4, 0.2, 0.6), rotation=SO3.exp([1.0, 0.4, 0]))
    m.rolling_disc("edge", plane, "hub", radius=0.7, normal=(0.2, 0.1, 1), point=(0.1, 0, 0))
    m.knife_edge("blade", plane, "disc", at=(0.5, 0, 0.2), direction=(1, 2, 0.5))
    m.velocity_constraint(
        "tow",
        ("plate", "hub", "dot"),
        A=lambda plate, hub, dot: np.concatenate([np.cross(dot.r, hub.R[:, 0]), plate.r, hub.r, hub.R[:, 1], -dot.r]),
    )
    m.constraint(
        "held", ("plate", "hub", "dot"), g=lambda plate, hub, dot: [
            np.sin(hub.r @ plate.R[:, 0]) - np.sqrt(1 + dot.r @ dot.r), hub.R[:, 1] @ plate.R[:, 2] * dot.r[0]
        ]
    )  # fmt: skip
    return m


def points(condition, rng):
    return np.concatenate(
        [
            POSES.point(SO3.exp(rng.normal(size=3)).R, rng.normal(size=3))
            if hasattr(mover, "J_C")
            else rng.normal(size=3)
            for mover in condition.movers
        ]
    )


CONDITIONS = [(plane, name) for plane in ("ground", "plate") for name in ("edge", "edge.normal", "blade", "tow")]


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("plane", ["ground", "plate"])
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-8])
def test_the_height_is_exact_between_two_ends(plane, size, rng):
    height = mechanism(plane).parts["edge.normal"]
    q0 = points(height, rng)
    q1, v0, v1 = q0 + size * rng.normal(size=len(q0)), rng.normal(size=len(q0)), rng.normal(size=len(q0))
    gap = height.C(q0, q1) @ (q1 - q0) - (height.value(q1, NONE) - height.value(q0, NONE))
    assert np.abs(gap) <= 1e-15 * height.magnitude(q0, NONE) * 4
    D_q, D_v = height.rate_secants(q0, q1, v0, v1)
    gap = D_q @ (q1 - q0) + D_v @ (v1 - v0) - (height.C(q1, q1) @ v1 - height.C(q0, q0) @ v0)
    assert np.abs(gap) <= 2e-14


@pytest.mark.parametrize(("plane", "name"), CONDITIONS)
def test_bend_is_the_derivative_of_the_rows_along_a_motion(plane, name, rng):
    condition = mechanism(plane).parts[name]
    q, step = points(condition, rng), 1e-5
    v = rng.normal(size=len(q))
    ahead, behind = (condition.C(q + s * v, q + s * v) @ v for s in (step, -step))
    assert_allclose(condition.bend(q, v), (ahead - behind) / (2 * step), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("plane", "name"), CONDITIONS)
def test_the_contract_of_conditions(plane, name):
    m = mechanism(plane)
    check_condition(m, m.parts[name])


@pytest.mark.parametrize("name", ["edge", "edge.normal", "blade"])
def test_no_rigid_motion_of_both_bodies_is_felt(name, rng):
    """Also between configurations, where directors are means and no rotations: what keeps angular momentum exact."""
    condition = mechanism("plate").parts[name]
    q0, q1 = points(condition, rng), points(condition, rng)
    q, C = 0.5 * (q0 + q1), condition.C(q0, q1)
    for w, v in ((rng.normal(size=3), np.zeros(3)), (np.zeros(3), rng.normal(size=3))):
        rate = np.cross(w, q.reshape(-1, 3))
        rate[::4] += v
        assert np.abs(C @ rate.ravel()).max() <= 1e-14


def test_batches_are_done_at_once(rng):
    for plane, name in CONDITIONS:
        condition = mechanism(plane).parts[name]
        q0, q1, v = (np.array([points(condition, rng) for _ in range(6)]).reshape(2, 3, -1) for _ in range(3))
        assert_allclose(condition.C(q0, q1)[1, 2], condition.C(q0[1, 2], q1[1, 2]), atol=1e-15)
        assert_allclose(condition.bend(q0, v)[1, 2], condition.bend(q0[1, 2], v[1, 2]), atol=1e-13)
        assert condition.value(q0, np.zeros((2, 3, 0))).shape == (2, 3, condition.rows)


def test_rows_over_directors_see_the_angular_velocity_also_in_the_middle_of_a_turn(rng):
    q0 = POSES.point(SO3.exp(rng.normal(size=3)).R, rng.normal(size=3))
    delta = rng.normal(size=6)
    q1 = POSES.retract(q0, delta)
    row = rng.normal(size=(1, 6))
    w = POSES.rotation(q0) @ delta[:3]  # both ends see it alike: it is the axis of the turn
    assert_allclose(
        over_directors(row, 0.5 * (q0 + q1)) @ (q1 - q0), row[:, :3] @ w + row[:, 3:] @ delta[3:], atol=1e-14
    )


@pytest.mark.parametrize(("plane", "name"), [*CONDITIONS, ("ground", "held")])
def test_the_generated_source_is_the_same_rows(plane, name, rng):
    """Over twists, with the value of g and derivatives along a direction, by central differences."""
    from visviva.compiler.row_laws import row_law_of, row_source

    condition = mechanism(plane).parts[name]
    law, numbers = row_law_of(condition)
    namespace: dict = {}
    exec(row_source(law), namespace)

    def rows(q0, q1, direction):
        A, slopes = np.zeros(len(law.values)), np.zeros(len(law.values))
        namespace["law"](numbers, padded(q0), padded(q1), padded(direction), 1, A, slopes)
        return A, slopes

    def padded(q):
        full, at = np.zeros(12 * len(condition.movers)), 0
        for k, mover in enumerate(condition.movers):
            n = 12 if hasattr(mover, "J_C") else 3
            full[12 * k : 12 * k + n] = q[at : at + n]
            at += n
        return full

    q0, q1, direction = (points(condition, rng) for _ in range(3))
    A, slopes = rows(q0, q1, direction)
    m, n = condition.rows, 6 * len(condition.movers)
    if law.has_g:
        assert_allclose(A[m * n :], condition.value(q1, NONE), atol=1e-14)
    at = 0
    over = A[: m * n].reshape(m, n)
    for k, mover in enumerate(condition.movers):
        q, C = 0.5 * (q0 + q1), condition.C(q0, q1)
        if hasattr(mover, "J_C"):
            d, rho = q[at + 3 : at + 12].reshape(3, 3), C[:, at + 3 : at + 12].reshape(m, 3, 3)
            assert_allclose(over[:, 6 * k : 6 * k + 3], np.cross(d, rho).sum(1), atol=1e-13)
        size = 12 if hasattr(mover, "J_C") else 3
        assert_allclose(over[:, 6 * k + 3 : 6 * k + 6], C[:, at : at + 3], atol=1e-14)
        at += size
    step = 1e-6
    ahead, behind = (rows(q0, q1 + s * direction, direction)[0] for s in (step, -step))
    assert_allclose(slopes, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-7)
