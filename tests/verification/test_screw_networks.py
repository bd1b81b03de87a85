"""Stramigioli, Maschke and Bidard: what is printed about networks of twists and wrenches, and what holds.

The tests named after errata check that the printed form fails and the corrected one holds; A11 to A13 are the laws that
every mechanism must fulfil.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_mechanisms import CATALOGUE
from test_network import accelerations

import visviva as vv
from visviva import demo
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.structure import Dirac, Kinestatics, Pair, cylindrical, graph_structure, revolute
from visviva.structure.ports import spans
from visviva.structure.subspace import null_space

EDGES = {"r": ("a", "ground"), "c": ("b", "a"), "s": ("b", "ground")}


def network() -> Kinestatics:
    frames = [SE3.exp(x) for x in np.random.default_rng(3).uniform(-1, 1, (2, 6))]
    return Kinestatics.of(("a", "b"), EDGES, {"r": revolute(frames[0]), "c": cylindrical(frames[1])})


def test_X12_zero_matrices_pass_24_and_are_no_structure():
    F = E = np.zeros((6, 6))
    assert_allclose(E @ F.T + F @ E.T, 0)
    with pytest.raises(vv.ModelError, match="rank"):
        Dirac.kernel(F, E, {"pair": 6})


def test_X13_the_graph_has_as_many_dimensions_as_bodies_and_edges():
    D = graph_structure(("a", "b"), EDGES)
    assert D.n == 6 * (2 + 3) != 6 * 3
    assert np.linalg.matrix_rank(np.hstack([D.F, D.E])) == 30


def test_X13_kernels_of_C_and_Q_annihilate_each_other():
    """Printed as dual to each other: they have 6 x 2 and 6 x 3 dimensions, and each is all that does no work on it."""
    B = network().incidence()
    C, Q = (np.kron(M, np.eye(6)) for M in (np.hstack([B.T, np.eye(3)]), np.hstack([np.eye(2), -B])))
    twists, wrenches = null_space(C), null_space(Q)
    assert (twists.shape[1], wrenches.shape[1]) == (12, 18)
    assert_allclose(twists.T @ wrenches, 0, atol=1e-14)
    assert np.linalg.matrix_rank(np.hstack([twists, wrenches])) == 30


def test_X14_the_rows_called_T_are_wrenches():
    """With the freedom twists in the rows of 'T(x)', the hinge would forbid its own motion and allow all others."""
    pair = revolute(SE3.exp([0.3, 0.2, -0.5, 1.0, 0.2, 0.4]))
    zeros = np.zeros(6)
    as_named = Dirac.kernel(np.vstack([pair.S.T, np.zeros((5, 6))]), np.vstack([np.zeros((1, 6)), pair.A]), {"pair": 6})
    assert np.abs(as_named.residual(pair.S[:, 0], zeros)).max() > 0.1
    assert_allclose(pair.structure().residual(pair.S[:, 0], zeros), 0, atol=1e-14)
    for wrench in pair.A:
        assert_allclose(pair.structure().residual(zeros, wrench), 0, atol=1e-14)


def test_X15_the_intersection_is_no_structure_and_its_projection_is_the_composition():
    """(33) as printed keeps the ports of the pairs: 18 dimensions of 30. Forgetting them leaves the composed one."""
    kinestatics = network()
    graph = kinestatics.graph()
    rows, at = [np.hstack([graph.F, graph.E])], spans(graph.ports)
    for name, pair in kinestatics.pairs.items():
        law = np.zeros((6, 60))
        law[:, :30][:, at[name]], law[:, 30:][:, at[name]] = pair.structure().F, pair.structure().E
        rows.append(law)
    intersection = null_space(np.vstack(rows))
    assert intersection.shape == (60, 18)
    with pytest.raises(vv.ModelError, match="rank 18"):
        Dirac.basis(intersection, graph.ports)
    composed = kinestatics.structure()
    kept = np.concatenate([np.arange(30)[at[name]] for name in composed.ports])
    projected = Dirac.basis(intersection[np.concatenate([kept, kept + 30])], composed.ports)
    assert projected.same_as(composed)
    assert (composed.n, kinestatics.mobility()) == (18, 3)


def test_X16_ideal_pairs_take_no_power_and_springs_do():
    """The second sum of (34) is that of the pairs, which vanishes term by term; the third is that of springs."""
    kinestatics, rng = network(), np.random.default_rng(0)
    T = (kinestatics.admissible_twists() @ rng.uniform(-1, 1, kinestatics.mobility())).reshape(2, 6)
    twist = {"a": T[0], "b": T[1], "ground": np.zeros(6)}
    wrench = {name: pair.A.T @ rng.uniform(-1, 1, len(pair.A)) for name, pair in kinestatics.pairs.items()}
    wrench["s"] = rng.uniform(-1, 1, 6)
    power = {name: wrench[name] @ (twist[i] - twist[j]) for name, (i, j) in EDGES.items()}
    assert_allclose([power["r"], power["c"]], 0, atol=1e-14)
    assert abs(power["s"]) > 1e-2
    on_bodies = kinestatics.incidence() @ np.array([wrench[name] for name in EDGES])
    assert sum(W @ twist[body] for W, body in zip(on_bodies, "ab", strict=True)) == pytest.approx(-power["s"])


def test_bennett_by_its_four_screws():
    kinestatics = demo.bennett().kinestatics().kinestatics
    values = np.linalg.svd(np.hstack([pair.S for pair in kinestatics.pairs.values()]), compute_uv=False)
    assert_allclose(values[:3], [2.466186, 1.544177, 0.971769], atol=5e-7)
    assert values[3] < 1e-15
    account = demo.bennett().kinestatics().account()
    assert (account.gruebler, account.mobility, len(account.stresses)) == (-2, 1, 3)


def test_offsets_of_joints_act_by_their_inverses():
    """H2 = H1 o1 I(θ) o2⁻¹: in frame C2, i(u_r) = Ad(o2⁻¹) u2 - Ad(I⁻¹) Ad(o1⁻¹) u1.

    Lohmayer, Capobianco and Leyendecker print Ad(o1) in (27) and section 6, where (24) and (31) need the inverse.
    """
    o1, o2, start, u1 = np.random.default_rng(5).normal(size=(4, 6))
    o1, o2, start, rate, h = SE3.exp(o1), SE3.exp(0.3 * o2), SE3.exp(start), 0.7, 1e-5

    def turn(t: float) -> SE3:
        return SE3.exp([0, 0, 0.4 + rate * t, 0, 0, 0])

    def second(t: float) -> SE3:
        return start @ SE3.exp(t * u1) @ o1 @ turn(t) @ o2.inverse()

    u2 = (second(-h).inverse() @ second(h)).log() / (2 * h)
    seen = o2.inverse().Ad() @ u2
    assert_allclose(seen - turn(0).inverse().Ad() @ o1.inverse().Ad() @ u1, [0, 0, rate, 0, 0, 0], atol=1e-8)
    assert np.abs(seen - turn(0).inverse().Ad() @ o1.Ad() @ u1 - [0, 0, rate, 0, 0, 0]).max() > 0.1
    # the pair between both bodies allows and bears the same
    X1, X2 = start @ o1, second(0) @ o2
    pair = revolute(SE3(X1.R, X2.r))
    relative = second(0).Ad() @ u2 - start.Ad() @ u1
    assert_allclose(pair.A @ relative, 0, atol=1e-8)
    assert_allclose(np.linalg.pinv(pair.S) @ relative, rate, atol=1e-8)


# -- A11: the bracket of a body fulfils Jacobi's identity


def bracket(X: SE3, P: np.ndarray, sign: float = 1.0) -> np.ndarray:
    """J of a body over (vec R, r, P), from its implicit system at a state: ẋ = J dH, rates of poses embedded."""
    m = vv.Mechanism()
    m.body("a", mass=2.0, inertia=(2.0, 3.0, 4.0), at=X.r, rotation=X.R, twist=P / [2, 3, 4, 2, 2, 2])
    m.free("flies", m.ground, "a")
    system = m.kinestatics().implicit()
    assert list(system.states) == ["a.H", "a.P"]
    J = -np.linalg.solve(system.F1, system.E1)
    J[6:, 6:] *= sign
    L = np.zeros((18, 12))
    for k in range(3):
        L[:9, k] = (X.R @ skew(np.eye(3)[k])).ravel()
    L[9:12, 3:6], L[12:, 6:] = X.R, np.eye(6)
    return L @ J @ L.T


def jacobi(sign: float) -> float:
    """Largest component of Σ_l (J_il ∂_l J_jk + cyclic); derivatives are needed along the range of J only."""
    X, P, h = SE3.exp([0.3, -0.5, 0.8, 1.0, 0.2, -0.4]), np.array([0.7, -1.1, 0.4, 0.9, 1.3, -0.6]), 1e-4
    J = bracket(X, P, sign)
    along = np.zeros((18, 18, 18))
    for i in range(18):
        w = 0.5 * (X.R.T @ J[i, :9].reshape(3, 3))
        xi = np.concatenate([[w[2, 1] - w[1, 2], w[0, 2] - w[2, 0], w[1, 0] - w[0, 1]], X.R.T @ J[i, 9:12]])
        ends = [bracket(X @ SE3.exp(step * xi), P + step * J[i, 12:], sign) for step in (h, -h)]
        along[i] = (ends[0] - ends[1]) / (2 * h)
    return float(np.abs(along + along.transpose(1, 2, 0) + along.transpose(2, 0, 1)).max())


@pytest.mark.slow
def test_A11_jacobi_holds_and_breaks_with_the_other_sign_of_the_gyroscopic_term():
    assert jacobi(1.0) < 1e-7
    assert jacobi(-1.0) > 0.1


def test_A11_the_bracket_is_skew_of_rank_12_with_RRt_as_casimirs():
    X = SE3.exp([0.3, -0.5, 0.8, 1.0, 0.2, -0.4])
    J = bracket(X, np.array([0.7, -1.1, 0.4, 0.9, 1.3, -0.6]))
    assert_allclose(J, -J.T, atol=1e-12)
    assert np.linalg.matrix_rank(J, tol=1e-9) == 12
    for i in range(3):
        for j in range(3):  # gradient of (R Rᵀ)_ij over vec R
            slope = np.zeros((3, 3))
            slope[i] += X.R[j]
            slope[j] += X.R[i]
            assert_allclose(J[:, :9] @ slope.ravel(), 0, atol=1e-12)


# -- A12, A13 with gears, drives and rolling


def geared() -> vv.Mechanism:
    m = vv.Mechanism("geared", gravity=(0, -9.81, 0))
    for k in range(2):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(k, 0, 0), com=(0.1, 0.2, 0.0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1), rate=0.5 if k == 0 else None)
    m.body("idle", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 1, 0))  # of which the gear says nothing
    m.free("loose", m.ground, "idle")
    m.gear("gear", "j0", "j1", ratio=2.0)
    return m


def rolling() -> vv.Mechanism:
    m = vv.Mechanism("rolling", gravity=(0, 0, -9.81))
    R = SE3.exp([1.2, 0, 0, 0, 0, 0]).R
    m.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 0.5), rotation=R)
    m.rolling_disc("contact", m.ground, "disc", radius=0.5 / np.sin(1.2), axis=(0, -np.sin(1.2), np.cos(1.2)))
    return m


@pytest.mark.parametrize("make", [geared, rolling])
def test_A13_accelerations_fulfil_the_implicit_system(make):
    network = make().kinestatics()
    v_dot, slopes = accelerations(network, {})
    system, x_dot, dH = network.implicit(), network.x_dot(v_dot), network.dH(slopes)
    assert np.abs(system.residual(x_dot, dH, network.flows(), network.efforts())).max() <= 1e-11
    assert sum(dH[name] @ x_dot[name] for name in system.states) == pytest.approx(0, abs=1e-11)
    rows = np.vstack([*network.constraints().values()])
    assert np.linalg.matrix_rank(rows, tol=1e-9) == network.rank() == len(system.algebraic()[0])
    assert np.abs(system.residual({k: 1.1 * v for k, v in x_dot.items()}, dH)).max() > 1e-3


@pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)
def test_A12_tellegen(make):
    """No element of the structure of a mechanism has power."""
    D = make()[0].kinestatics().structure()
    Z = D.to_basis()
    y = Z @ np.random.default_rng(1).uniform(-1, 1, Z.shape[1])
    f, e = np.split(y, 2)
    assert abs(f @ e) <= 1e-12 * max(1.0, float(np.abs(f).max() * np.abs(e).max()))


def test_pairs_that_a_user_gives_are_reciprocal():
    pair = Pair.allowing(np.eye(6)[:, [0, 4]])
    assert_allclose(pair.A @ pair.S, 0, atol=1e-15)
