"""Rank, redundant rows, states of self-stress and margins, against dense linear algebra and known mechanisms."""

from __future__ import annotations

import numpy as np
import pytest
from large_mechanisms import chain, four_bars, net
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import visviva as vv
from visviva.demo import four_bar
from visviva.mechanism import dependence
from visviva.mechanism import linkage as linkage_module
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.positions import close
from visviva.mechanism.singular import regularity

MECHANISMS = {
    "chain": lambda: chain(4, "revolute"),
    "four-bar": four_bar,
    "four-bars": lambda: four_bars(3),
    "net": lambda: net(3),
    "net with joints twice": lambda: net(3, doubled=(1, 4)),
    "flying net": lambda: unhooked(net(3, doubled=(1,))),
}
every_mechanism = pytest.mark.parametrize("build", MECHANISMS.values(), ids=MECHANISMS.keys())


@pytest.mark.parametrize("few", [150, 0], ids=["full", "sparse"])
@pytest.mark.parametrize("weakest", [0.1, 1e-3])
def test_a_row_that_repeats_others_is_found_though_it_is_a_sum_of_large_ones(weakest, few, monkeypatch):
    """Rows that are nearly dependent make a repeated one of large parts, and their squares round by more than ε."""
    monkeypatch.setattr(dependence, "FEW", few)
    for seed in range(30):
        draw = np.random.default_rng(seed)
        U, _, Vt = np.linalg.svd(draw.normal(size=(9, 12)), full_matrices=False)
        A = U * np.geomspace(1.0, weakest, 9) @ Vt
        L = np.vstack([draw.normal(size=9) @ Vt, draw.normal(size=12)])
        L /= np.linalg.norm(L, axis=1)[:, None]
        Y = dependence.dependent_combinations(csr_array(A), csr_array(L))
        assert_allclose(np.abs(Y), [[1.0], [0.0]], atol=1e-9)


def unhooked(m: vv.Mechanism) -> vv.Mechanism:
    for name in [joint.name for joint in m.joints if joint.parent is m.ground]:
        del m.parts[name]
    return m


def rows_of(linkage: Linkage) -> np.ndarray:
    k = linkage.kinematics
    return k.dense(k.blocks(k.place(k.as_built)))


@pytest.fixture(params=[300, 0], ids=["full", "sparse"])
def many(request, monkeypatch):
    """Loops are judged with full matrices, or by sparse solves."""
    monkeypatch.setattr(linkage_module, "MANY", request.param)
    monkeypatch.setattr(linkage_module, "FEW", request.param)


@every_mechanism
def test_the_kept_rows_are_a_largest_independent_set(build, many):
    linkage = Linkage(build())
    C = rows_of(linkage)
    found = linkage.dependence(linkage.kinematics.place(linkage.kinematics.as_built))
    rank = np.linalg.matrix_rank(C, tol=1e-9)
    assert found.kept.sum() == rank
    assert np.linalg.matrix_rank(C[found.kept], tol=1e-9) == rank
    assert linkage.closes[~found.kept].all()


@every_mechanism
def test_self_stresses_balance_and_are_as_many_as_redundant_rows(build, many):
    linkage = Linkage(build())
    C = rows_of(linkage)
    found = linkage.dependence(linkage.kinematics.place(linkage.kinematics.as_built))
    Y = found.stresses
    assert Y.shape[1] == (~found.kept).sum() == np.linalg.matrix_rank(Y)
    assert_allclose(C.T @ Y, 0, atol=1e-12 * max(1.0, np.abs(Y).max(initial=0.0)))


@every_mechanism
def test_the_margin_is_the_smallest_singular_value_of_projected_rows(build, many):
    linkage = Linkage(build())
    k = linkage.kinematics
    place = k.place(k.as_built)
    kept = linkage.dependence(place).kept
    C = linkage_module.Closure(k, linkage.topology, place).blocks
    C = k.dense(C)
    loops = C[kept & linkage.closes]
    margin = float(linkage.margin(place, kept))
    if not len(loops):
        assert margin == 1.0
        return
    loops = loops / np.linalg.norm(loops, axis=1, keepdims=True)
    tree = C[~linkage.closes]
    projected = loops - loops @ np.linalg.pinv(tree) @ tree
    assert margin == pytest.approx(np.linalg.svd(projected, compute_uv=False)[-1], rel=1e-5)


@every_mechanism
def test_least_multipliers_have_the_same_forces_and_the_least_norm(build):
    linkage = Linkage(build())
    C, q = rows_of(linkage), linkage.kinematics.as_built
    kept = regularity(linkage, q).kept
    lam = np.random.default_rng(0).standard_normal((2, len(C)))
    least = linkage.least(np.stack([q, q]), lam, kept)
    assert_allclose(least, lam @ C @ np.linalg.pinv(C, rcond=1e-9), rtol=0, atol=1e-10)


@every_mechanism
def test_nodes_are_solved_alike_with_full_and_with_sparse_matrices(build, monkeypatch):
    linkage = Linkage(build())
    k = linkage.kinematics
    f, b = np.random.default_rng(1).standard_normal((1, k.n)), np.zeros((1, k.m))
    full = linkage.solve(k.as_built[None], f, b)[0]
    monkeypatch.setattr(linkage_module, "FEW", 0)
    sparse = linkage.solve(k.as_built[None], f, b)[0]
    Z = np.linalg.svd(rows_of(linkage))[2][linkage.dependence(k.place(k.as_built)).kept.sum() :].T
    expected = Z @ np.linalg.solve(Z.T @ np.diag(linkage.masses) @ Z, Z.T @ f[0])
    assert_allclose(full[0], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    assert_allclose(sparse[0], expected, rtol=0, atol=1e-11 * np.abs(expected).max())


# -- many bodies ------------------------------------------------------------------------------------------------


def test_a_net_of_rods_has_no_redundant_row_and_two_hundred_freedoms():
    m = net(8)
    rods, nodes = 2 * 8 * 7, 64
    assert m.mobility() == 3 * nodes - 6 - rods + rods  # nodes, of which two are held, less rods, each of which spins
    assert m.redundant() == {}


def test_many_loops_are_counted_one_by_one():
    m = four_bars(40)
    assert m.mobility() == 40
    assert m.redundant() == {f"D{k}": 3 for k in range(40)}


@pytest.mark.slow
def test_a_thousand_bodies_and_a_large_net():
    assert chain(1000).mobility() == 3000
    assert chain(1000, "revolute").mobility() == 1000
    m = net(20, doubled=(3, 9, 200))
    assert m.mobility() == 1194
    assert sum(m.redundant().values()) == 9


def test_long_series_of_nodes_are_solved_as_one_by_one(monkeypatch):
    monkeypatch.setattr(linkage_module, "FEW", 0)
    for build in (lambda: chain(5), lambda: net(3, doubled=(1,))):
        linkage = Linkage(build())
        k = linkage.kinematics
        q = k.retract(k.as_built, 1e-3 * np.random.default_rng(2).uniform(-1, 1, (3, k.n)))
        q = np.stack([close(linkage, x) for x in q])
        f = np.random.default_rng(3).standard_normal((3, k.n))
        single = linkage.solve(q, f, np.zeros((3, k.m)))[0]
        monkeypatch.setattr(linkage_module, "SERIES", 2)
        series = linkage.solve(q, f, np.zeros((3, k.m)))[0]
        monkeypatch.setattr(linkage_module, "SERIES", 40)
        assert_allclose(series, single, rtol=0, atol=1e-11 * np.abs(single).max())
