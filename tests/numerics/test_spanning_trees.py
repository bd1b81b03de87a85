"""Spanning trees: every node once, parents first, of greatest weight; what is left closes loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from visviva.numerics.spanning_trees import DisjointSets, grow, spanning_forest


def graph(seed, n=9, count=14):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n + 1, (count, 2)).tolist()
    return n, {k: (a, b) for k, (a, b) in enumerate(pairs) if a != b}


def neighbours(n, ends):
    near = {k: [] for k in range(n + 1)}
    for k, (a, b) in ends.items():
        near[a].append((b, k))
        near[b].append((a, k))
    return near


def components(n, ends):
    sets = DisjointSets(n + 1)
    for a, b in ends.values():
        sets.join(a, b)
    return len({sets.find(k) for k in range(n + 1)})


@pytest.mark.parametrize("seed", range(8))
def test_a_forest_reaches_every_node_once_parents_first(seed):
    n, ends = graph(seed)
    found = spanning_forest(n, ends)
    assert sorted(found.order) == list(range(n))
    assert len(found.roots) + 1 == components(n, ends)
    place = {node: k for k, node in enumerate((n, *found.order))}
    for node in found.order:
        above, edge = found.parent[node], found.edge[node]
        if node in found.roots:
            assert (above, edge, found.depth[node]) == (-1, -1, 0)
            continue
        assert {above, node} == set(ends[edge])
        assert place[above] < place[node]
        assert found.depth[node] == (0 if above == n else found.depth[above]) + 1
    assert sorted([*found.loops, *(k for k in found.edge if k >= 0)]) == sorted(ends)


def test_the_first_edges_are_in_the_tree_and_later_ones_close_loops():
    ends = {5: (0, 1), 1: (1, 2), 3: (2, 0), 2: (2, 3)}
    found = spanning_forest(3, ends)
    assert found.loops == (3,)
    assert (found.parent, found.edge) == ((1, 2, 3), (5, 1, 2))


@pytest.mark.parametrize("seed", range(8))
def test_growing_by_rank_has_the_weight_of_the_edges_in_the_order_of_their_ranks(seed):
    n, ends = graph(seed)
    weight = dict(zip(ends, np.random.default_rng(seed).permutation(len(ends)).tolist(), strict=True))
    grown = list(grow((n, *range(n)), neighbours(n, ends), lambda edge, depth: (weight[edge],)))
    assert sorted(below for _, _, below in grown) == list(range(n + 1))
    best = spanning_forest(n, dict(sorted(ends.items(), key=lambda item: weight[item[0]])))
    assert {k for k, _, _ in grown if k is not None} == {k for k in best.edge if k >= 0}


def test_without_ranks_a_tree_is_as_shallow_as_can_be():
    ring = {k: (k, (k + 1) % 6) for k in range(6)}
    depth = {5: 0}
    for _, above, below in itertools.islice(grow([5], neighbours(5, ring)), 1, None):
        depth[below] = depth[above] + 1
    assert depth == {5: 0, 4: 1, 0: 1, 3: 2, 1: 2, 2: 3}
