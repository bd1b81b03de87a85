"""Derivatives of trees along directions: the matrices times the directions, without the matrices."""

from __future__ import annotations

import numpy as np
import pytest
from tree_reference import KINDS, random_link, random_state, random_tree

import visviva as vv
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.rates import rates
from visviva.forms.trees.tables import COORDINATES_OF, VELOCITIES_OF
from visviva.mechanism.spanning.links import q_dot
from visviva.mechanism.spanning.tree import Tree

CASES = [(0, 1, KINDS), (2, 9, KINDS), (3, 20, ("hinge",)), (5, 6, ("ball", "free")), (7, 40, ("hinge", "slider"))]


def sprung(seed, N, kinds):
    tree, rng = random_tree(seed, N, kinds), np.random.default_rng(seed)
    flat = np.concatenate([[link.kind in ("hinge", "slider")] * VELOCITIES_OF[link.kind] for link in tree.links])
    damping, stiffness = rng.uniform(0.1, 2.0, size=(2, len(flat)))
    return TreeDynamics(tree, damping, stiffness * flat, rng.normal(size=len(flat))), rng


@pytest.mark.parametrize(("seed", "N", "kinds"), CASES, ids=[f"{N} links, seed {seed}" for seed, N, _ in CASES])
def test_a_directional_derivative_is_the_matrices_times_the_directions(seed, N, kinds):
    dynamics, rng = sprung(seed, N, kinds)
    state, w = random_state(dynamics.tree, seed), rng.normal(size=(N, 6))
    a, b, c = rng.normal(size=(3, dynamics.n))
    by_q, by_xi, by_tau = dynamics.derivatives(*state, w)
    found = dynamics.directional_derivative(*state, w, along_q=a, along_xi=b, along_tau=c)
    parts = by_q @ a, by_xi @ b, by_tau @ c
    size = max(np.abs(part).max() for part in parts)
    tolerance = 1e-12 + 1e-15 * np.linalg.cond(dynamics.mass_matrix(state[0]))
    np.testing.assert_allclose(found, sum(parts), rtol=0, atol=tolerance * size)
    for name, part in zip(("along_q", "along_xi", "along_tau"), parts, strict=True):
        direction = dict(zip(("along_q", "along_xi", "along_tau"), (a, b, c), strict=True))[name]
        alone = dynamics.directional_derivative(*state, w, **{name: direction})
        np.testing.assert_allclose(alone, part, rtol=0, atol=tolerance * np.abs(part).max())


def test_a_chain_of_a_thousand_hinges_is_differentiated_to_rounding():
    """Along τ it is M⁻¹ c, and M times it is c; along ξ forward dynamics is a polynomial of degree two in ξ."""
    tree = random_tree(0, 1000, ("hinge",), branching=False)
    dynamics, rng = TreeDynamics(tree), np.random.default_rng(1)
    q, xi, c = rng.uniform(-1, 1, size=(3, 1000))
    found = dynamics.directional_derivative(q, xi, along_tau=c)
    left = dynamics.inverse_dynamics(q, 0 * xi, found) - dynamics.bias(q, 0 * xi)
    np.testing.assert_allclose(left, c, rtol=0, atol=1e-8)
    ahead, back = dynamics.accelerations(q, [xi + c, xi - c])
    found = dynamics.directional_derivative(q, xi, along_xi=c)
    np.testing.assert_allclose(found, (ahead - back) / 2, rtol=0, atol=1e-11 * np.abs(ahead).max())


def test_many_states_and_directions_are_one_call():
    dynamics, rng = sprung(4, 6, KINDS)
    states = [random_state(dynamics.tree, seed) for seed in range(3)]
    q, xi, tau = (np.array([state[k] for state in states]) for k in range(3))
    a = rng.normal(size=(2, 1, dynamics.n))
    found = dynamics.directional_derivative(q, xi, tau, along_q=a)
    assert found.shape == (2, 3, dynamics.n)
    one = dynamics.directional_derivative(*states[2], along_q=a[1, 0])
    np.testing.assert_array_equal(found[1, 2], one)


def test_rates_of_coordinates_are_those_of_each_link():
    tree = random_tree(4, 8)
    dynamics = TreeDynamics(tree)
    q, xi = (np.array([random_state(tree, seed)[k] for seed in range(3)]) for k in range(2))
    found = rates(dynamics.parts.tables.K, q, xi)
    at = k = 0
    for link in tree.links:
        size, n = COORDINATES_OF[link.kind], VELOCITIES_OF[link.kind]
        for b in range(3):
            expected = q_dot(link.kind, q[b, at : at + size], xi[b, k : k + n])
            np.testing.assert_allclose(found[b, at : at + size], expected, rtol=0, atol=1e-14)
        at, k = at + size, k + n


def test_a_joint_without_inertia_has_no_derivative():
    rng = np.random.default_rng(0)
    links = random_link(rng, "arm", -1, "hinge"), random_link(rng, "leaf", 0, "hinge", massless=True)
    dynamics = TreeDynamics(Tree(links, np.zeros(3)))
    with pytest.raises(vv.ModelError, match="the joint of link 'leaf'"):
        dynamics.directional_derivative(np.zeros(2), np.ones(2), along_tau=np.ones(2))
    with pytest.raises(vv.ModelError, match="along_q of a tree must have shape"):
        dynamics.directional_derivative(np.zeros(2), np.ones(2), along_q=np.ones(3))
