"""Four numbers as one in the kernels of trees: the same arithmetic, and the same accelerations."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "forms"))

from tree_reference import random_state, random_tree

from visviva.forms.trees.dynamics import TreeDynamics
from visviva.kernels.functions import kernel
from visviva.kernels.trees.addresses import accelerations_in_lanes
from visviva.kernels.trees.algebra import cos_sin
from visviva.kernels.trees.batches import accelerate_all
from visviva.kernels.trees.lanes import exceeds, item, put_item
from visviva.kernels.trees.tables import memory


@kernel
def arithmetic(x, y, out):
    a, b = item(x, 0), item(y, 0)
    put_item(out, 0, -(a - b) * 2.0 + (1.0 + a) / b - b * (3.0 - a))
    return exceeds(a, 0.0)


@kernel
def cosines(t, out):
    for i in range(t.shape[0]):
        c, s = cos_sin(item(t, i))
        put_item(out[0], i, c)
        put_item(out[1], i, s)


def test_lanes_calculate_as_numbers_do():
    x, y = np.random.default_rng(0).normal(size=(2, 1, 4))
    found, single = np.empty((1, 4)), np.empty(1)
    arithmetic(x, y, found)
    for k in range(4):
        arithmetic(np.ascontiguousarray(x[:, k]), np.ascontiguousarray(y[:, k]), single)
        assert found[0, k] == pytest.approx(single[0], rel=1e-15)


@pytest.mark.parametrize("bad", [-1.0, 0.0, np.nan])
def test_one_lane_that_does_not_exceed_a_limit_is_seen(bad):
    y, out = np.ones((1, 4)), np.empty((1, 4))
    assert arithmetic(np.ones((1, 4)), y, out)
    for k in range(4):
        x = np.ones((1, 4))
        x[0, k] = bad
        assert not arithmetic(x, y, out)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e3, 1e6])
def test_cosines_and_sines_are_exact_to_rounding(size):
    t = size * np.random.default_rng(1).uniform(-1, 1, size=(500, 4))
    found = np.empty((2, 500, 4))
    cosines(t, found)
    np.testing.assert_allclose(found, [np.cos(t), np.sin(t)], rtol=0, atol=3e-16)
    single = np.empty((2, 500))
    cosines(np.ascontiguousarray(t[:, 0]), single)
    np.testing.assert_allclose(single, found[:, :, 0], rtol=0, atol=2e-16)


@pytest.mark.parametrize("seed", range(3))
def test_four_motions_at_once_accelerate_as_one_by_one(seed):
    tree = random_tree(seed, 10)
    dynamics = TreeDynamics(tree)
    states = [random_state(tree, k) for k in range(4)]
    w = np.random.default_rng(seed).normal(size=(4, 10, 6))
    expected = [dynamics.accelerations(*state, wrench) for state, wrench in zip(states, w, strict=True)]
    q, xi, tau = (np.array([state[k] for state in states]).T[None].copy() for k in range(3))
    T, loads = dynamics.parts.tables, np.moveaxis(dynamics.loads(w), 0, -1)[None].copy()
    out, sizes = np.empty_like(xi), dynamics.sizes(len(T.K))
    singular = accelerate_all(accelerations_in_lanes(), sizes, T.C, T.K, T.E, q, xi, tau, loads, out, memory(T, 4))
    assert singular == -1
    np.testing.assert_allclose(out[0].T, expected, rtol=1e-11, atol=1e-11)
