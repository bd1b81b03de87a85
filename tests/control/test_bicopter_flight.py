"""The bicopter's loops of Konz, section 4.8.4: upside down at the top, with limits of tilting rotors, at 200 Hz.

Ours, where the text has no numbers: geometry and poles as in `test_matching`, the flat output of the y-z plane runs on
a circle of 1.5 m at π rad/s from its lowest point, four chords for the arc of 14 N.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import G, c

import visviva as vv
from visviva.geometry import SO3

RADIUS, OMEGA = 1.5, np.pi
LOWEST, HIGHEST, TILT, CHORDS = 2.0, 14.0, np.deg2rad(30), 4


def rotor_limits():
    """W u ≤ l of u = (F sin θ, F cos θ) of both rotors: |θ| ≤ 30°, F cos θ ≥ 2 N, chords of the arc of 14 N."""
    rows = [(np.cos(TILT), -np.sin(TILT), 0.0), (-np.cos(TILT), -np.sin(TILT), 0.0), (0.0, -1.0, -LOWEST)]
    angles = np.linspace(-TILT, TILT, CHORDS + 1)
    for a, b in pairwise(angles):
        middle = (a + b) / 2
        rows.append((np.sin(middle), np.cos(middle), HIGHEST * np.cos((b - a) / 2)))
    rows = np.array(rows)
    W = np.kron(np.eye(2), rows[:, :2])
    return W, np.tile(rows[:, 2], 2)


def circle(eps):
    """(q_R, v_R, a_R) of the craft: position and tilt by the flat output in the y-z plane."""

    def at(t):
        s, co = np.sin(OMEGA * t), np.cos(OMEGA * t)
        y = RADIUS * np.array([s, -co])
        dd = RADIUS * OMEGA**2 * np.array([-s, co]) + [0.0, G]
        return np.array([*(y + eps * np.array([-dd[0], -dd[1]]) / np.linalg.norm(dd)), np.arctan2(-dd[0], dd[1])])

    h = 2e-3
    weights = {1: (0, 3 / 4, -3 / 20, 1 / 60), 2: (-49 / 18, 3 / 2, -3 / 20, 1 / 90)}

    def goal(t):
        x = {k: at(t + k * h) for k in range(-3, 4)}
        for k in x:
            x[k][2] = x[0][2] + (x[k][2] - x[0][2] + np.pi) % (2 * np.pi) - np.pi
        d1 = sum(weights[1][k] * (x[k] - x[-k]) for k in (1, 2, 3)) / h
        d2 = (weights[2][0] * x[0] + sum(weights[2][k] * (x[k] + x[-k]) for k in (1, 2, 3))) / h**2
        R = SO3.exp([x[0][2], 0, 0]).R
        v, a = R.T @ [0, d1[0], d1[1]], R.T @ [0, d2[0], d2[1]]
        w, dw = np.array([d1[2], 0, 0]), np.array([d2[2], 0, 0])
        q = plants.pose_coordinates([0, x[0][0], x[0][1]], R)
        return q, np.concatenate([w, v]), np.concatenate([dw, a - np.cross(w, v)])

    return goal


def bicopter(approach="body"):
    m, actuators = plants.bicopter()
    own = c.matching.bicopter((-8, -9, -10, -11), **plants.BICOPTER, heading=(6.0, 1.0))
    gains = {("ground", "craft"): own.gains()}
    return c.tracking(m, gains, approach, actuators=actuators, limits=rotor_limits())


def flown(approach, t_end, h=1e-3):
    law = bicopter(approach)
    goal = circle(c.matching.bicopter_offsets(**plants.BICOPTER)[1])
    q_R, v_R, _ = goal(0.0)
    X = plants.transform(q_R)
    R = X.R @ SO3.exp([0, 0, np.pi / 2]).R
    v = np.concatenate([R.T @ X.R @ v_R[:3], R.T @ X.R @ v_R[3:]])  # the same velocities in space
    q = plants.pose_coordinates(X.r + 0.5, R)
    controller = law.at(goal, period=5e-3, record=True)
    run = vv.simulate(plants.bicopter()[0], t_end=t_end, h=h, initial=(q, v), sampled=vv.Sampled(controller, period=h))
    return law, goal, run, controller


def test_the_circle_is_feasible():
    law, goal = bicopter(), circle(c.matching.bicopter_offsets(**plants.BICOPTER)[1])
    for t in (0.0, 0.3, 1.0, 1.7):
        assert np.abs(law.feasibility(*goal(t))).max() < 1e-6
    W, l = law.limits
    for t in np.linspace(0, 2, 21):
        u = law.evaluate(*goal(t)[:2], *goal(t)).u0
        assert (W @ u <= l).all()
    upside_down = plants.transform(goal(1.0)[0]).R[2, 2]
    assert upside_down == pytest.approx(-1.0, abs=1e-6)


@pytest.mark.slow
def test_a_bicopter_recovers_into_its_loops_within_the_limits_of_its_rotors():
    law, goal, run, controller = flown("body", 6.0)
    t, W = np.array(controller.times), np.array([e.W for e in controller.evaluations])
    assert len(t) == 1200
    error = np.linalg.norm(run["craft.r"] - np.array([goal(s)[0][:3] for s in run.t]), axis=1)
    at = {s: int(np.searchsorted(run.t, s - 1e-9)) for s in (0.0, 2.0, 6.0)}
    assert error[0] == pytest.approx(np.sqrt(0.75), rel=1e-9)
    assert W[0] == pytest.approx(7.50, abs=0.02)
    assert W[t >= 2.0 - 1e-9][0] < 0.05
    assert error[at[2.0]] < 0.05
    assert error[at[6.0]] < 0.006
    rows, l = law.limits
    U = np.array([e.u for e in controller.evaluations])
    assert (U @ rows.T - l).max() < 1e-9
    active = t[[len(e.active) > 0 for e in controller.evaluations]]
    assert 100 <= len(active) <= 120
    assert len(active) - 15 < (active < 0.6).sum()
    assert active.max() < 1.5
    assert_allclose(W[np.searchsorted(t, (1.0 - 1e-9, 2.0 - 1e-9))], (0.071, 0.015), rtol=0.05)
    slow = [e.W_dot - e.W_dot_template - e.v_E @ e.b_tilde for e in controller.evaluations]
    free = np.array([len(e.active) == 0 for e in controller.evaluations])
    assert_allclose(np.array(slow)[free], 0, atol=1e-9)
    assert run.audit().ok


@pytest.mark.slow
def test_limits_act_longer_on_the_energy_based_loop_and_particles_leave_the_circle():
    """ω0 = 6 rad/s of the heading is below the fastest turning of the circle, 9.3 rad/s: see (4.78)."""
    _, goal, run, controller = flown("energy", 4.0)
    t = np.array(controller.times)
    active = t[[len(e.active) > 0 for e in controller.evaluations]]
    assert 2.5 < active.max() < 3.5
    assert np.linalg.norm(run["craft.r"][-1] - goal(4.0)[0][:3]) < 0.01
    _, goal, run, _ = flown("particle", 3.0)
    assert np.linalg.norm(run["craft.r"][-1] - goal(3.0)[0][:3]) > 5.0
