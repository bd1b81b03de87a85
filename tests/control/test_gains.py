"""Gains: the two meanings of moments, signs, names, and errors that say what is wrong."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, konz, spatial

import visviva as vv
from visviva.errors import ArgumentError, ModelError
from visviva.geometry.hat import skew


def test_moments_are_those_of_4_12_in_the_order_of_our_twists():
    k, h, Pi = 2.0, np.array([0.1, 0.2, -0.3]), np.diag([1.0, 2.0, 3.0])
    wanted = np.block([[k * np.eye(3), k * skew(h).T], [k * skew(h), Pi]])
    assert_allclose(konz(spatial(c.moments(k, h, Pi))), wanted, atol=1e-14)
    about = np.block([[k * np.eye(3), k * skew(h).T], [k * skew(h), Pi + k * skew(h) @ skew(h).T]])
    assert_allclose(konz(spatial(c.moments(k, h, Pi, about="centre"))), about, atol=1e-14)


def test_moments_of_points_are_their_sum():
    rng = np.random.default_rng(0)
    w, h = rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    X = vv.geometry.moments.moment_matrix(w, h)
    Pi = sum(p * skew(x) @ skew(x).T for p, x in zip(w, h, strict=True))
    assert_allclose(c.moments(w.sum(), w @ h / w.sum(), Pi), X, atol=1e-12)


def test_definite_matrices_on_twists_may_have_indefinite_moments():
    flat = c.gains(damping=c.moments(1.0, (0, 0, 0.1), (0, 0, 1.0), about="centre"))
    assert np.linalg.eigvalsh(flat.damping)[0] < -0.1  # P' is indefinite
    assert np.linalg.eigvalsh(spatial(flat.damping))[0] > -1e-12


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"mass": -1.0}, "desired inertia of the gains is indefinite: its total is -1"),
        (
            {"stiffness": (2.0, (0.5, 0, 0), (0.1, 0.1, 0.1))},
            r"moment about its centre \[0.5 0.  0. \] has the eigenvalue",
        ),
        ({"stiffness": (0.0, (0.5, 0, 0), (0.1, -0.1, 0.1))}, "its total is zero"),
        ({"mass": np.eye(6)}, r"shape \(6, 6\): give a number k"),
        ({"damping": np.triu(np.ones((4, 4)))}, "is not symmetric"),
        ({"damping": "strong"}, "must be numbers"),
    ],
)
def test_wrong_gains_are_refused(given, match):
    with pytest.raises(ModelError, match=match):
        c.gains(**given)


def test_calls_that_do_not_fit_name_what_was_meant():
    with pytest.raises(ArgumentError, match="Did you mean 'damping'"):
        c.gains(damp=3.0)
    with pytest.raises(ModelError, match="'origin' or about their own 'centre'"):
        c.moments(1.0, (0, 0, 0), 1.0, about="center")
    with pytest.raises(ModelError, match="a moment Pi is a number"):
        c.moments(1.0, (0, 0, 0), np.ones((2, 2)))


def test_names_of_pairs_and_joints_are_checked():
    own, m = c.gains(1.0, 1.0, 1.0), plants.robot_arm()
    cases = [
        ({("ground", "tol"): own}, "Did you mean 'tool'"),
        ({("world", "tool"): own}, "Did you mean 'ground'"),
        ({"theta_1": own}, "Did you mean 'theta1'"),
        ({"tool": own}, r"its gains are those of a pair, e.g. \('ground', 'tool'\)"),
        ({("tool", "tool"): own}, "two different frames"),
        ({"theta1": c.gains((1.0, (0, 0, 0), 1.0), 1.0, 1.0)}, "are numbers, not moment matrices"),
        ({"theta1": 3.0}, "are made by vv.control.gains"),
        ({}, "gains are given by ordered pairs"),
    ]
    for given, match in cases:
        with pytest.raises(ModelError, match=match):
            c.tracking(m, given)
    with pytest.raises(ModelError, match=r"has 3 velocities: give gains to one coordinate of it, e.g. 'plane.q\[0\]'"):
        c.tracking(plants.plate(), {"plane": own})
    with pytest.raises(ModelError, match="Did you mean 'energy'"):
        c.tracking(m, {("ground", "tool"): own}, "energie")
    with pytest.raises(ModelError, match="is none of the maps"):
        c.tracking(m, {("ground", "tool"): plants.random_gains(1)}, "energy", transport="twists")


def test_velocities_without_inertia_are_named():
    law, still = c.tracking(plants.robot_arm(), {"theta1": c.gains(1.0, 1.0, 1.0)}), np.zeros(6)
    with pytest.raises(c.SingularTemplateError, match="is singular here"):
        law.evaluate(law.d.q_built, still, law.d.q_built, still, still)


def test_the_sum_of_indefinite_gains_must_be_definite():
    own = {("ground", "one"): c.gains(1.0, 0.0, 1.0), ("ground", "two"): c.gains(-0.5, 0.0, 1.0, indefinite=True)}
    with pytest.raises(ModelError, match="desired inertia of 'two masses' is indefinite as built"):
        c.tracking(plants.two_masses(), own)


def test_loops_need_independent_velocities():
    m = vv.Mechanism("four bar")
    points = np.array([(0, 0, 0), (0, 0, 0.3), (0.9, 0, 0.7), (0.8, 0, 0)], dtype=float)
    for name, p, r in zip(("crank", "coupler", "rocker"), points, points[1:], strict=False):
        m.body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), at=(p + r) / 2)
    ends = [("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("rocker", "ground")]
    for joint, (p, q), at in zip("ABCD", ends, points, strict=True):
        m.revolute(joint, p, q, at=at, axis=(0, 1, 0))
    m.torque("motor", "A")
    with pytest.raises(ModelError, match="has loops: a law needs independent velocities"):
        c.tracking(m, {"A": c.gains(1.0, 2.0, 3.0)})
    law = c.tracking(m, {"A": c.gains(1.0, 2.0, 3.0)}, independent=("A",))
    q, still = law.d.coordinates({"A": 0.3}), np.zeros(1)
    e = law.evaluate(q, still, law.d.q_built, still, still)
    assert e.a == pytest.approx(-3.0 * np.sin(0.3), rel=1e-9)
