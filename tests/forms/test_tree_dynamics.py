"""Compiled dynamics of trees against the projected equations in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from tree_reference import (
    KINDS,
    kinetic_and_potential,
    motion,
    projected,
    random_link,
    random_pose,
    random_state,
    random_tree,
)

import visviva as vv
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.mechanism.spanning.tree import Link, Tree

CASES = [(seed, N, KINDS) for seed, N in enumerate((1, 2, 3, 5, 8, 13, 21, 30, 30))]
CASES += [(seed, 8, (kind,)) for seed, kind in enumerate(KINDS[:-1], 20)]
IDS = [f"{N} links of {len(kinds)} kinds, seed {seed}" for seed, N, kinds in CASES]


def near(found, expected, tolerance=1e-11):
    scale = np.abs(expected).max() + 1e-30
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize(("seed", "N", "kinds"), CASES, ids=IDS)
def test_mass_bias_and_accelerations_are_those_of_the_projected_equations(seed, N, kinds):
    tree = random_tree(seed, N, kinds)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, seed)
    w = np.random.default_rng(seed).normal(size=(N, 6))
    M, b = projected(tree, q, xi, w)
    near(dynamics.mass_matrix(q), M)
    near(dynamics.bias(q, xi, w), b)
    xi_dot = np.linalg.solve(M, tau - b)
    near(dynamics.accelerations(q, xi, tau, w), xi_dot, 1e-15 * np.linalg.cond(M) + 1e-12)
    near(dynamics.inverse_dynamics(q, xi, xi_dot, w), tau, 1e-12 * np.abs(M @ xi_dot).max() / np.abs(tau).max() + 1e-11)
    assert dynamics.energy(q, xi) == pytest.approx(kinetic_and_potential(tree, q, xi), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_poses_and_twists_are_those_of_the_links(seed):
    tree = random_tree(seed, 12)
    dynamics, (q, xi, _) = TreeDynamics(tree), random_state(tree, seed)
    X, V = dynamics.poses(q), dynamics.twists(q, xi)
    for i, (R, r, w, v, *_) in enumerate(motion(tree, q, xi)):
        near(X[i, :3, :3], R)
        near(X[i, :3, 3], r)
        near(V[i], np.concatenate([R.T @ w, R.T @ v]))


def test_springs_and_dampers_of_joints_pull_as_they_say():
    tree = random_tree(3, 6, ("hinge", "slider", "screw"))
    q, xi, tau = random_state(tree, 3)
    d, c, at = np.random.default_rng(1).uniform(0.0, 2.0, size=(3, 6))
    dynamics = TreeDynamics(tree, d, c, at)
    M, b = projected(tree, q, xi)
    near(dynamics.accelerations(q, xi, tau), np.linalg.solve(M, tau - d * xi - c * (q - at) - b))
    near(dynamics.inverse_dynamics(q, xi, xi), M @ xi + b + d * xi + c * (q - at))
    spring = 0.5 * c @ (q - at) ** 2
    assert dynamics.energy(q, xi) == pytest.approx(kinetic_and_potential(tree, q, xi) + spring, rel=1e-12)


def test_many_motions_are_one_call():
    tree = random_tree(5, 7)
    dynamics = TreeDynamics(tree)
    states = [[random_state(tree, 10 * a + b) for b in range(3)] for a in range(2)]
    q, xi, tau = (np.array([[one[k] for one in row] for row in states]) for k in range(3))
    single = [[dynamics.accelerations(*one) for one in row] for row in states]
    np.testing.assert_array_equal(dynamics.accelerations(q, xi, tau), single)
    assert dynamics.mass_matrix(q).shape == (2, 3, dynamics.n, dynamics.n)
    assert dynamics.poses(q).shape == (2, 3, 7, 4, 4)
    assert dynamics.twists(q, xi).shape == (2, 3, 7, 6)
    assert dynamics.energy(q, xi[0, 0]).shape == (2, 3)
    np.testing.assert_array_equal(dynamics.bias(q, xi)[1, 2], dynamics.bias(q[1, 2], xi[1, 2]))


@pytest.mark.parametrize("turns", [0.0, 1e2, 1e5])
def test_angles_over_many_turns_are_exact_to_their_own_rounding(turns):
    tree = random_tree(7, 5, ("hinge",))
    q, xi, tau = random_state(tree, 7)
    far = q + 2 * np.pi * turns
    M, b = projected(tree, far, xi)
    near(
        TreeDynamics(tree).accelerations(far, xi, tau),
        np.linalg.solve(M, tau - b),
        1e-13 + 10 * np.spacing(np.abs(far).max()),
    )


def pendulum(**changes):
    X = np.eye(4)
    given = {"mass": 1.0, "com": np.array([1.0, 0, 0]), "inertia": np.zeros((3, 3))} | changes
    return Link("rod", -1, "hinge", X, **given)


@pytest.mark.parametrize("kind", ["hinge", "slider", "ball", "free"])
def test_a_link_that_moves_no_inertia_is_named(kind):
    rng = np.random.default_rng(0)
    heavy = random_link(rng, "arm", -1, "hinge")
    leaf = random_link(rng, "leaf", 0, kind, massless=True)
    tree = Tree((heavy, leaf), np.zeros(3))
    with pytest.raises(vv.ModelError, match=rf"the joint of link 'leaf' \({kind}\) moves no inertia"):
        TreeDynamics(tree).accelerations(*random_state(tree, 0))


def test_two_hinges_about_one_axis_without_a_body_between_are_found_out():
    rng = np.random.default_rng(0)
    middle = Link("middle", 0, "hinge", random_pose(rng), 0.0, np.zeros(3), np.zeros((3, 3)))
    last = random_link(rng, "last", 1, "hinge")
    last = Link("last", 1, "hinge", np.eye(4), last.mass, last.com, last.inertia)
    tree = Tree((random_link(rng, "arm", -1, "hinge"), middle, last), np.zeros(3))
    with pytest.raises(vv.ModelError, match="'middle'"):
        TreeDynamics(tree).accelerations(*random_state(tree, 0))


def test_a_point_on_a_ball_joint_cannot_tell_its_spin():
    point = Link("bob", -1, "ball", np.eye(4), 1.0, np.array([0.3, 0.4, 0.5]), np.zeros((3, 3)))
    with pytest.raises(vv.ModelError, match="'bob'"):
        TreeDynamics(Tree((point,), np.zeros(3))).accelerations([1, 0, 0, 0], np.ones(3))


def test_a_light_link_is_no_massless_one():
    thin = pendulum(mass=1e-9, com=np.array([1e-3, 0, 0]))
    found = TreeDynamics(Tree((thin,), np.array([0, -9.81, 0.0]))).accelerations([0.0], [0.0])
    assert found == pytest.approx(-9.81e3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "gear"}, "link 'x' has the joint 'gear'; there are hinge, slider, ball, free and fixed"),
        ({"parent": 0}, "parents come before their children"),
        ({"kind": "slider", "pitch": 0.1}, "only a hinge has a pitch"),
        ({"X_PJ": np.diag([1.0, 1.0, -1.0, 1.0])}, "X_PJ of link 'x' is no pose"),
        ({"mass": -1.0}, "a mass is not negative"),
        ({"com": np.array([0, np.nan, 0])}, "com of link 'x' must be finite"),
    ],
)
def test_a_wrong_link_is_refused(change, message):
    given = {"name": "x", "parent": -1, "kind": "hinge", "X_PJ": np.eye(4), "mass": 1.0, "com": np.ones(3)}
    link = Link(**(given | {"inertia": np.eye(3)} | change))
    with pytest.raises(vv.ModelError, match=message):
        TreeDynamics(Tree((link,), np.zeros(3)))


def test_wrong_arguments_are_refused():
    tree = random_tree(1, 4, ("ball",))
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 0)
    with pytest.raises(vv.ModelError, match=r"xi of a tree must have shape \(12,\)"):
        dynamics.accelerations(q, xi[:-1])
    with pytest.raises(vv.ModelError, match=r"the quaternion of link 'link1', q\[4:8\], must have length 1"):
        dynamics.accelerations(q * np.repeat([1, 2, 1, 1], 4), xi)
    with pytest.raises(vv.ModelError, match="leading axes"):
        dynamics.accelerations(np.tile(q, (2, 1)), np.tile(xi, (3, 1)), tau)
    with pytest.raises(vv.ModelError, match="tau of a tree must be finite"):
        dynamics.accelerations(q, xi, tau * np.nan)
    with pytest.raises(vv.ModelError, match="springs of a tree act on angles and shifts"):
        TreeDynamics(tree, stiffness=np.ones(12))
    with pytest.raises(vv.ModelError, match="link 'link0' has a negative damping"):
        TreeDynamics(tree, damping=-np.ones(12))
    with pytest.raises(vv.ModelError, match="a tree needs a link that moves"):
        TreeDynamics(Tree((), np.zeros(3)))
