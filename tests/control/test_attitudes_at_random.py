"""Almost all attitudes and spins come to the reference under a tracking law; what does not is known, and is started on.

Critical points of V̄ = tr(Wed(Π)(1 - R_E)) are the reference and half turns about the principal axes of Π (Konz 4.7.3).
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import visviva as vv
from visviva.geometry import SO3

c = vv.control
THETA, UPSILON, PI = np.array([0.3, 0.4, 0.5]), np.ones(3), np.array([2.0, 3.0, 4.0])
MANY = 1000


@functools.cache
def satellite():
    m = vv.Mechanism("satellite")
    m.wrench("hand", m.body("satellite", mass=3.0, inertia=(0.2, 0.3, 0.4)))
    return m


def attitude_law(approach):
    zero = (0, 0, 0)
    hand = {"hand": c.Thrusters(np.eye(6), ("mx", "my", "mz", "fx", "fy", "fz"))}
    gains = c.gains((1, zero, THETA), (4, zero, UPSILON), (4, zero, PI))
    return c.tracking(satellite(), {("ground", "satellite"): gains}, approach, actuators=hand)


def starts_at_random(n, seed):
    """Attitudes that are all alike, and spins of some 3 rad/s about each axis."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(n, 4))
    q = np.concatenate([np.zeros((n, 3)), turns / np.linalg.norm(turns, axis=1, keepdims=True)], axis=1)
    return q, np.concatenate([3 * rng.normal(size=(n, 3)), np.zeros((n, 3))], axis=1)


def angles(R):
    """Of rotations, (...), by their skew part and trace."""
    axis = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]])
    return np.arctan2(np.linalg.norm(axis, axis=0), np.trace(R, axis1=-2, axis2=-1) - 1)


def flown(law, start, goal=None, t_end=12.0, h=0.03):
    sim = vv.Simulator(satellite(), h=h, integrator=vv.RK4(), inputs=law.at(law.d.q_built if goal is None else goal))
    runs = sim.rollout(start, steps=round(t_end / h), record=("satellite.R", "satellite.twist"), every=10)
    assert runs.ok.all()
    return runs


@pytest.mark.slow
@pytest.mark.parametrize("approach", ["particle", "body", "energy"])
def test_a_thousand_attitudes_and_spins_all_come_to_rest_at_the_reference(approach):
    q, v = starts_at_random(MANY, seed=1)
    runs = flown(attitude_law(approach), (q, v))
    first, last = angles(runs["satellite.R"])[:, [0, -1]].T
    assert len(last) == MANY
    assert first.max() > np.deg2rad(175)  # the start was anywhere
    assert last.max() < 1e-3
    assert np.abs(runs["satellite.twist"][:, -1]).max() < 5e-3


@pytest.mark.slow
def test_attitudes_and_spins_at_random_all_come_to_a_reference_that_tumbles():
    law = attitude_law("body")
    q, v = starts_at_random(200, seed=2)
    tumbling = c.turn("y", c.path(lambda t: t)) @ c.turn("x", c.path(lambda t: np.sin(2 * t)))
    goal = c.reference(satellite(), {"satellite": c.pose(c.path(lambda t: [np.cos(t), np.sin(t), 0 * t]), tumbling)})
    X_R, v_R = law.d.pose("satellite", goal(0.0).q), goal(0.0).v
    errors = [law.d.pose("satellite", own) for own in q]
    poses = [X_R @ X_E for X_E in errors]
    q0 = np.array([np.concatenate([X.r, SO3(X.R).as_quat()]) for X in poses])
    v0 = v + np.array([X_E.inverse().Ad() @ v_R for X_E in errors])
    runs = flown(law, (q0, v0), goal, h=0.01)
    R_R = np.array([law.d.pose("satellite", goal(t).q).R for t in runs.t])
    error = angles(np.swapaxes(R_R, 1, 2) @ runs["satellite.R"])
    assert error[:, 0].max() > np.deg2rad(170)
    assert error[:, -1].max() < 1e-3


@pytest.mark.parametrize("approach", ["particle", "body", "energy"])
def test_half_turns_stay_and_what_is_beside_them_leaves(approach):
    """Started on exactly, inputs are zero; a millionth of a degree beside them, bodies come to the reference."""
    law = attitude_law(approach)
    on = np.concatenate([np.zeros((3, 4)), np.eye(3)], axis=1)
    tilt = np.deg2rad(1e-6) / 2
    beside = on + tilt * np.concatenate([np.zeros((3, 3)), np.ones((3, 1)), np.zeros((3, 3))], axis=1)
    beside[:, 3:] /= np.linalg.norm(beside[:, 3:], axis=1, keepdims=True)
    runs = flown(law, (np.concatenate([on, beside]), np.zeros((6, 6))), t_end=30.0)
    error = angles(runs["satellite.R"])
    np.testing.assert_allclose(error[:3], np.pi, rtol=0, atol=1e-12)
    assert error[3:, -1].max() < 1e-3
