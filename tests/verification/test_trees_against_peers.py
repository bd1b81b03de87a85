"""Dynamics of trees against MuJoCo and Pinocchio, where they are installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "forms"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers_trees import MuJoCoTree, PinocchioTree
from tree_reference import random_state, random_tree

from visviva.forms.trees.dynamics import TreeDynamics

KINDS = ("hinge", "slider", "ball", "fixed")
CASES = [(0, 2, KINDS), (1, 10, KINDS), (2, 30, KINDS), (3, 30, ("hinge",))]


def near(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("seed", "N", "kinds"), CASES)
@pytest.mark.parametrize("peer", ["mujoco", "pinocchio"])
def test_mass_matrix_bias_and_accelerations_are_those_of_a_peer(peer, seed, N, kinds):
    pytest.importorskip(peer)
    tree = random_tree(seed, N, kinds, massless=False)
    q, xi, tau = random_state(tree, seed)
    ours, theirs = TreeDynamics(tree), {"mujoco": MuJoCoTree, "pinocchio": PinocchioTree}[peer](tree)
    M, b, xi_dot = theirs.mass_matrix(q), theirs.bias(q, xi), theirs.accelerations(q, xi, tau)
    near(ours.mass_matrix(q), M)
    near(ours.bias(q, xi), b)
    near(ours.accelerations(q, xi, tau), xi_dot)


@pytest.mark.parametrize("seed", range(2))
def test_derivatives_are_those_of_pinocchio(seed):
    pytest.importorskip("pinocchio")
    tree = random_tree(seed, 15, ("hinge", "slider", "ball"), massless=False)
    q, xi, tau = random_state(tree, seed)
    found, expected = TreeDynamics(tree).derivatives(q, xi, tau), PinocchioTree(tree).derivatives(q, xi, tau)
    for ours, theirs in zip(found, expected, strict=True):
        near(ours, theirs)
