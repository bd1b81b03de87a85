"""Derivatives of forward dynamics of trees against complex steps through the projected equations."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tree_reference import KINDS, SIZES, advance, projected, random_state, random_tree

from visviva.errors import ModelError
from visviva.forms.trees import tables
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.kernels.trees import addresses

STEP = 1e-30
CASES = [(0, 1, KINDS), (1, 3, KINDS), (2, 9, KINDS), (3, 20, ("hinge",)), (4, 12, KINDS), (5, 6, ("ball", "free"))]


def accelerations(tree, q, xi, tau, w, springs):
    """ξ̇ by the projected equations; springs: damping, stiffness, relaxed, by velocity."""
    d, c, at = springs
    M, b = projected(tree, q, xi, w)
    return np.linalg.solve(M, tau - d * xi - c * (angles(tree, q) - at) - b)


def angles(tree, q):
    """Of each velocity its angle or shift, 0 where it has none."""
    found, at = [], 0
    for link in tree.links:
        size, n = SIZES[link.kind]
        found.append(q[at : at + 1] if size == 1 else np.zeros(n))
        at += size
    return np.concatenate(found)


def complex_steps(tree, q, xi, tau, w, springs):
    by_q, by_xi = [], []
    for unit in np.eye(len(xi)):
        there = advance(tree, q.astype(complex), 1j * STEP * unit)
        by_q.append(accelerations(tree, there, xi, tau, w, springs).imag / STEP)
        by_xi.append(accelerations(tree, q.astype(complex), xi + 1j * STEP * unit, tau, w, springs).imag / STEP)
    return np.array(by_q).T, np.array(by_xi).T


def near(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("seed", "N", "kinds"), CASES, ids=[f"{N} links, seed {seed}" for seed, N, _ in CASES])
def test_derivatives_are_those_of_complex_steps(seed, N, kinds, monkeypatch):
    tree = random_tree(seed, N, kinds)
    (q, xi, tau), rng = random_state(tree, seed), np.random.default_rng(seed)
    sprung = np.concatenate([[link.kind in ("hinge", "slider")] * SIZES[link.kind][1] for link in tree.links])
    springs = rng.uniform(0.0, 2.0, size=(3, len(xi))) * [np.ones(len(xi)), sprung, np.ones(len(xi))]
    w = rng.normal(size=(N, 6))
    by_q, by_xi = complex_steps(tree, q, xi, tau, w, springs)
    M, _ = projected(tree, q, xi)
    tolerance = 1e-12 + 1e-15 * np.linalg.cond(M)
    for deep in (1000, -1):  # solved by rows, and by links
        monkeypatch.setattr(tables, "DEEP", deep)
        found = TreeDynamics(tree, *springs).derivatives(q, xi, tau, w)
        near(found[0], by_q, tolerance)
        near(found[1], by_xi, tolerance)
        near(found[2], np.linalg.inv(M), tolerance)


def test_derivatives_of_many_states_are_one_call():
    tree = random_tree(4, 6)
    dynamics, states = TreeDynamics(tree), [random_state(tree, seed) for seed in range(3)]
    q, xi, tau = (np.array([state[k] for state in states]) for k in range(3))
    found = dynamics.derivatives(q, xi, tau)
    for k, state in enumerate(states):
        for one, all_of_them in zip(dynamics.derivatives(*state), found, strict=True):
            np.testing.assert_array_equal(all_of_them[k], one)
    assert found[0].shape == (3, dynamics.n, dynamics.n)


@pytest.mark.parametrize("seed", [2, 9, 11], ids=["blocks of 14 and 1", "blocks of 3, 1, 3, 3", "blocks of 3 and 9"])
def test_derivatives_are_written_to_all_of_given_memory(seed):
    tree = random_tree(seed, 6)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 0)
    out = np.full((3, 2, dynamics.n, dynamics.n), np.nan)
    found = dynamics.derivatives([q, q], xi, tau, out=out)
    assert all(np.shares_memory(one, out) for one in found)
    np.testing.assert_array_equal(out[:, 0], out[:, 1])
    near(out[2, 0], np.linalg.inv(dynamics.mass_matrix(q)), 1e-10)
    apart = dynamics.mass_matrix(q) == 0.0
    for b in dynamics.parts.paths.blocks:
        apart[b[2] : b[3], b[2] : b[3]] = False
    assert apart.any()
    assert (out[:, 0, apart] == 0.0).all()


def test_a_copy_for_another_process_has_the_same_derivatives():
    tree = random_tree(4, 6)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 0)
    expected, sent = dynamics.derivatives(q, xi, tau), pickle.dumps(dynamics)
    address = np.array([addresses.accelerations()]).tobytes()
    assert address not in sent  # code is elsewhere in another process
    np.testing.assert_array_equal(pickle.loads(sent).derivatives(q, xi, tau), expected)


def test_memory_of_another_shape_or_kind_is_refused():
    tree = random_tree(4, 6)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 0)
    n = dynamics.n
    for wrong in (np.empty((3, 1, n, n)), np.empty((3, n, n), dtype=np.float32), np.empty((n, n, 3)).T):
        with pytest.raises(ModelError, match=r"out of derivatives must be a contiguous array of \(3, "):
            dynamics.derivatives(q, xi, tau, out=wrong)


def test_derivatives_in_several_threads_are_those_of_one():
    tree = random_tree(3, 20, ("hinge",))
    dynamics, states = TreeDynamics(tree), [random_state(tree, seed) for seed in range(8)]
    expected = [dynamics.derivatives(*state) for state in states]
    many = [tuple(np.repeat(x[None], 200, axis=0) for x in state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        for found, one in zip(pool.map(lambda state: dynamics.derivatives(*state), many), expected, strict=True):
            np.testing.assert_array_equal(found, np.repeat(np.array(one)[:, None], 200, axis=1))


def test_a_long_chain_has_the_derivatives_of_differences():
    tree = random_tree(0, 100, ("hinge",), branching=False)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 0)
    by_q, by_xi, by_tau = dynamics.derivatives(q, xi, tau)
    direction, h = np.random.default_rng(0).normal(size=100), 1e-3
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    for given, found in (((direction, 0, 0), by_q), ((0, direction, 0), by_xi), ((0, 0, direction), by_tau)):
        a, b, c = (h * np.asarray(x) for x in given)
        there = [dynamics.accelerations(q + k * a, xi + k * b, tau + k * c) for k in (*weights, *(-k for k in weights))]
        expected = sum(w * (there[k - 1] - there[k + 2]) / h for k, w in weights.items())
        near(found @ direction, expected, 1e-7)
