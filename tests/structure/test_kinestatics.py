"""Graphs, pairs and mechanisms: published dimensions, mobilities and singular values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_structures import projector_gap, seeds, sizes
from scipy.optimize import least_squares

from visviva import ModelError
from visviva.geometry import SE3
from visviva.structure import (
    Kinestatics,
    Pair,
    close,
    cylindrical,
    distance,
    fixed,
    free,
    graph_structure,
    helical,
    incidence,
    planar,
    point_on_line,
    point_on_plane,
    prismatic,
    revolute,
    spherical,
    transformer,
    universal,
    wire,
)
from visviva.structure.ports import spans
from visviva.testing.structures import check_dirac

PAIRS = {
    "revolute": (revolute, 1),
    "prismatic": (prismatic, 1),
    "helical": (lambda X: helical(0.3, X), 1),
    "cylindrical": (cylindrical, 2),
    "spherical": (spherical, 3),
    "planar": (planar, 3),
    "universal": (lambda X: universal(X, X), 2),
    "distance": (lambda X: distance(X.r, X.act([0.2, 0.5, -0.4])), 5),
    "point on plane": (point_on_plane, 5),
    "point on line": (point_on_line, 4),
    "fixed": (lambda X: fixed(), 0),
    "free": (lambda X: free(), 6),
}
EDGES = {"r": ("a", "ground"), "c": ("b", "a"), "s": ("b", "ground")}


def pose(seed, size=1.0):
    return SE3.exp(size * np.random.default_rng(seed).uniform(-1, 1, 6))


def two_bodies(seed=0):
    """A revolute and a cylindrical pair, and a spring to the ground."""
    return Kinestatics.of(("a", "b"), EDGES, {"r": revolute(pose(seed)), "c": cylindrical(pose(seed + 1))})


def loop(screws):
    """A closed chain of revolute pairs with the poses of their frames."""
    links = ["ground", *(f"link {i}" for i in range(1, len(screws))), "ground"]
    edges = {f"joint {i}": (links[i + 1], links[i]) for i in range(len(screws))}
    return Kinestatics.of(links[1:-1], edges, {name: revolute(X) for name, X in zip(edges, screws, strict=True)})


def planar_four_bar():
    return loop([SE3(np.eye(3), np.array([*point, 0.0])) for point in ((0, 0), (0, 1), (2, 1.3), (2.2, 0))])


def bennett(theta, b=None, others=None):
    """Poses of the four joint frames of a Bennett linkage, links R_z(θ) T_x R_x, and the pose after all four.

    others: the other three angles, where the linkage does not close by itself.
    """
    alpha, beta, a = np.radians(30), np.radians(70), 1.0
    b = a * np.sin(beta) / np.sin(alpha) if b is None else b
    theta2 = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    angles = (theta, *((theta2, 2 * np.pi - theta, 2 * np.pi - theta2) if others is None else others))
    X, frames = SE3.identity(), []
    for angle, length, twist in zip(angles, (a, b, a, b), (alpha, beta, alpha, beta), strict=True):
        frames.append(X)
        X = X @ SE3.exp([0, 0, angle, 0, 0, 0]) @ SE3.exp([0, 0, 0, length, 0, 0]) @ SE3.exp([twist, 0, 0, 0, 0, 0])
    return frames, X


def test_graph_of_two_bodies_and_three_edges():
    D = graph_structure(("a", "b"), EDGES)
    assert D.n == 30
    check_dirac(D)
    rng = np.random.default_rng(0)
    T_a, T_b, W_r, W_c, W_s = rng.uniform(-1, 1, (5, 6))
    twists = np.concatenate([T_a, T_b, T_a, T_b - T_a, T_b])  # T_e = T_i - T_j
    wrenches = np.concatenate([-W_r + W_c, -W_c - W_s, W_r, W_c, W_s])  # -W_e on the tail, +W_e on the head
    assert_allclose(D.residual(twists, wrenches), 0, atol=1e-14)
    assert_allclose(incidence(("a", "b"), EDGES), [[-1, 1, 0], [0, -1, -1]])


def test_composed_network_of_two_bodies():
    network = two_bodies()
    D = network.structure()
    check_dirac(D)
    assert D.ports == {"a": 6, "b": 6, "s": 6}
    assert (D.n, network.mobility(), network.rank(), network.redundancy()) == (18, 3, 9, 0)


def test_the_intersection_is_too_small():
    """All ports kept and both laws imposed on each, as printed in (33), leave 18 of 30 dimensions."""
    network = two_bodies()
    G = graph_structure(network.bodies, network.edges)
    at, rows = spans(G.ports), [np.hstack([G.F, G.E])]
    for name, pair in network.pairs.items():
        P = pair.structure()
        block = np.zeros((6, 2 * G.n))
        block[:, at[name]], block[:, G.n :][:, at[name]] = P.F, P.E
        rows.append(block)
    intersection = 2 * G.n - np.linalg.matrix_rank(np.vstack(rows))
    assert (intersection, G.n) == (18, 30)


@given(seed=seeds)
def test_admissible_twists_are_those_of_the_structure(seed):
    """What the composed structure lets the bodies do, and bear, with the spring's edge unloaded or held."""
    network = two_bodies(seed)
    D = close(network.structure(), "s", "effort")
    f, e = np.split(D.to_projector(), 2)
    twists, wrenches = network.admissible_twists(), network.constraint_wrenches()
    assert_allclose(f[:, : D.n], twists @ twists.T, atol=1e-11)
    assert_allclose(e[:, D.n :], wrenches @ wrenches.T, atol=1e-11)


def test_planar_four_bar_in_space_is_overconstrained():
    bar = planar_four_bar()
    assert bar.constraints().shape == (20, 18)
    assert (bar.rank(), bar.mobility(), bar.redundancy()) == (17, 1, 3)
    check_dirac(bar.structure())
    assert_allclose(bar.constraints().T @ bar.self_stresses(), 0, atol=1e-14)
    assert_allclose(bar.constraints() @ bar.admissible_twists(), 0, atol=1e-14)
    assert_allclose(bar.constraint_wrenches().T @ bar.admissible_twists(), 0, atol=1e-14)
    in_plane = bar.admissible_twists().reshape(3, 6)
    assert_allclose(in_plane[:, [0, 1, 5]], 0, atol=1e-14)


def test_bennett_moves():
    frames, end = bennett(0.7)
    assert_allclose(end.matrix, np.eye(4), atol=5e-15)
    screws = np.hstack([revolute(X).S for X in frames])
    values = np.linalg.svd(screws, compute_uv=False)
    assert_allclose(values[:3], [2.466186, 1.544177, 0.971769], atol=1e-6)
    assert values[3] < 1e-15
    linkage = loop(frames)
    assert (linkage.mobility(), linkage.redundancy(), linkage.structure().n) == (1, 3, 18)


def test_an_almost_bennett_linkage_does_not_close_and_is_rigid():
    frames, end = bennett(0.7, b=1.01 * 1.8793852416)
    assert np.abs(end.matrix - np.eye(4)).max() > 1e-3
    best = least_squares(
        lambda others: (bennett(0.7, 1.01 * 1.8793852416, others)[1].matrix - np.eye(4)).ravel(),
        [2.8184807987, 2 * np.pi - 0.7, 2 * np.pi - 2.8184807987],
        xtol=1e-12,
    )
    assert np.abs(best.fun).max() == pytest.approx(4.6e-3, abs=5e-5)
    assert loop(frames).mobility() == 0
    assert loop(frames).mobility(tolerance=0.1) == 1


def test_singularity_of_a_folding_parallelogram():
    def parallelogram(angle):
        x, y = np.cos(angle), np.sin(angle)
        corners = ((0, 0), (x, y), (2 + x, y), (2, 0))
        return loop([SE3(np.eye(3), np.array([*corner, 0.0])) for corner in corners])

    values = [parallelogram(angle).singularity() for angle in (1.0, 1e-2, 1e-4)]
    assert values[0] > 10 * values[1] > 100 * values[2] > 0
    assert (parallelogram(1.0).mobility(), parallelogram(0.0).mobility()) == (1, 2)
    assert Kinestatics.of(("a",), {}).singularity() == 0


@pytest.mark.parametrize(("build", "freedom"), PAIRS.values(), ids=PAIRS)
@given(seed=seeds, size=sizes)
def test_pairs_are_reciprocal_and_dirac(build, freedom, seed, size):
    pair = build(pose(seed, size))
    assert pair.freedom == freedom
    assert pair.A.shape == (6 - freedom, 6)
    assert_allclose(pair.A @ pair.S, 0, atol=1e-14)
    check_dirac(pair.structure())
    rng = np.random.default_rng(seed)
    T, W = pair.S @ rng.uniform(-1, 1, freedom), pair.A.T @ rng.uniform(-1, 1, 6 - freedom)
    assert_allclose(pair.structure().residual(T, W), 0, atol=1e-13)


@pytest.mark.parametrize(("build", "freedom"), PAIRS.values(), ids=PAIRS)
@given(seed=seeds)
def test_one_pair_to_the_ground_has_its_own_mobility(build, freedom, seed):
    network = Kinestatics.of(("body",), {"joint": ("body", "ground")}, {"joint": build(pose(seed))})
    assert (network.mobility(), network.rank(), network.redundancy()) == (freedom, 6 - freedom, 0)


@pytest.mark.parametrize("name", [name for name, (_, freedom) in PAIRS.items() if freedom])
def test_actuated_pair_between_free_and_welded(name):
    build, freedom = PAIRS[name]
    pair = build(pose(3))
    D = pair.actuated()
    check_dirac(D)
    assert D.n == 6 + freedom
    assert projector_gap(close(D, "actuator", "effort"), pair.structure()) < 1e-13
    assert projector_gap(close(D, "actuator", "flow"), fixed().structure()) < 1e-13


@given(rate=st.floats(-3, 3), tau=st.floats(-3, 3))
def test_a_motor_drives_the_tail_of_its_edge(rate, tau):
    S = revolute(pose(5)).S[:, 0]
    network = Kinestatics.of(("rotor",), {"hinge": ("rotor", "ground")}, {"hinge": revolute(pose(5))})
    D = network.structure(actuated=["hinge"])
    assert D.ports == {"rotor": 6, "hinge": 1}
    on_network = -tau * S / (S @ S)  # minus the wrench that the rotor feels
    assert_allclose(D.residual([*(rate * S), rate], [*on_network, tau]), 0, atol=1e-14)


def test_a_body_without_inertia_is_a_series_of_pairs():
    """Two parallel sliders on a body that is left out act as one slider."""
    edges = {"in": ("middle", "ground"), "out": ("end", "middle")}
    chain = Kinestatics.of(("middle", "end"), edges, {"in": prismatic(), "out": prismatic()})
    direct = Kinestatics.of(("end",), {"in": ("end", "ground")}, {"in": prismatic()})
    assert close(chain.structure(), "middle", "effort").same_as(direct.structure())


def test_massless_bodies_are_eliminated():
    edges = {"in": ("middle", "ground"), "out": ("end", "middle")}
    chain = Kinestatics.of(("middle", "end"), edges, {"in": revolute(), "out": prismatic()})
    direct = Kinestatics.of(("end",), {"in": ("end", "ground")}, {"in": cylindrical()})
    assert chain.structure(massless=["middle"]).same_as(direct.structure())


def test_a_universal_pair_is_two_revolute_pairs_with_a_massless_cross():
    parent = pose(1)
    cross = parent @ SE3.exp([0, 0, 0.7, 0, 0, 0])
    child = cross @ SE3.exp([-0.4, 0, 0, 0, 0, 0])
    turn = SE3(np.column_stack([cross.R[:, 1], cross.R[:, 2], cross.R[:, 0]]), cross.r)  # z along x of the cross
    edges = {"u": ("cross", "ground"), "v": ("end", "cross")}
    chain = Kinestatics.of(("cross", "end"), edges, {"u": revolute(parent), "v": revolute(turn)})
    one = Kinestatics.of(("end",), {"u": ("end", "ground")}, {"u": universal(parent, child)})
    assert chain.structure(massless=["cross"]).same_as(one.structure())


def test_a_particle_on_a_wire_and_on_a_rod():
    """Three velocities, less two on a wire, less one on a rod; forces through the particle carry no moment."""
    at = SE3(pose(4).R, np.array([0.3, 0.4, 0.5]))
    for pair, freedom in ((point_on_line(at), 1), (distance(at.r, [1, 2, 3]), 2), (spherical(at), 0)):
        network = Kinestatics.of(("bead",), {"e": ("bead", "ground")}, {"e": pair}, particles=("bead",))
        assert network.constraints().shape[1] == 3
        assert network.mobility() == freedom
        D = network.structure()
        assert D.ports == {"bead": 3}
        check_dirac(D)
    wire_of_bead = Kinestatics.of(("bead",), {"e": ("bead", "ground")}, {"e": point_on_line(at)}, ("bead",))
    v = at.R[:, 2]
    assert_allclose(wire_of_bead.structure().residual(v, at.R[:, 0]), 0, atol=1e-14)


def test_self_stress_by_pair_loads_no_body():
    bar = planar_four_bar()
    stresses = bar.self_stress_wrenches()
    assert list(stresses) == [f"joint {i}" for i in range(4)]
    for body, (into, out) in {"link 1": (0, 1), "link 2": (1, 2), "link 3": (2, 3)}.items():
        assert body in bar.bodies
        assert_allclose(stresses[f"joint {into}"] - stresses[f"joint {out}"], 0, atol=1e-13)


def test_a_pair_is_given_by_its_wrenches_as_well():
    X = pose(6)
    assert projector_gap(Pair.bearing(np.eye(6)[:, 5:], X).structure(), point_on_plane(X).structure()) < 1e-13


def test_a_transformer_maps_flows_one_way_and_efforts_the_other():
    M = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])
    D = transformer(M, "a", "b")
    check_dirac(D)
    f, e = np.array([0.3, -0.2, 0.7]), np.array([1.1, 0.4])
    assert_allclose(D.residual([*f, *(-M @ f)], [*(M.T @ e), *e]), 0, atol=1e-14)


def test_a_graph_of_dimension_one_is_a_circuit():
    D = graph_structure(("node",), {"in": ("node", "ground"), "out": ("node", "ground")}, dim=1)
    joined = close(D, "node", "effort")  # one voltage, currents that sum to zero
    assert joined.same_as(wire("in", "out").flip("in"))


AT = {"e": ("a", "ground")}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: graph_structure(("a",), {"e": ("a", "b")}),
            "edge 'e' ends at 'b', which is no body; .* 'a', and",
        ),
        (lambda: graph_structure(("a",), {"e": ("a", "a")}), "edge 'e' joins 'a' to itself"),
        (lambda: graph_structure(("a",), {"a": ("a", "ground")}), "the graph has a port twice: 'a'"),
        (lambda: Kinestatics.of(("a",), AT, {"f": fixed()}), "the pairs 'f' have no edge; the edges are 'e'"),
        (
            lambda: Kinestatics.of(("a",), AT, {"e": fixed()}).structure(["e"]),
            "'e' is no pair with a freedom",
        ),
        (lambda: Kinestatics.of(("a", "ground"), AT), "'ground' is the reference and no body"),
        (lambda: Kinestatics.of(("a",), AT, {"e": "revolute"}), "pair 'e' must be a Pair such as revolute"),
        (lambda: revolute("x"), "the frame of a pair is one pose, an SE3, got 'x'"),
        (lambda: revolute(SE3.exp(np.zeros((2, 6)))), "the frame of a pair is one pose"),
        (lambda: fixed().actuated(), "without freedom has nothing to actuate"),
        (lambda: Pair.allowing(np.ones((6, 2))), "2 freedom twists of the pair have rank 1"),
        (lambda: Pair.allowing(np.ones((5, 1))), "freedom twists S must have shape"),
        (lambda: Pair.allowing(np.ones((2, 6, 1))), r"freedom twists S must be one matrix \(6, p\)"),
        (lambda: helical(np.nan), "pitch of the helical pair must be finite"),
        (lambda: Pair.bearing(np.ones((6, 2))), "2 constraint wrenches of the pair have rank 1"),
        (lambda: Pair.bearing(np.ones((2, 6, 1))), r"constraint wrenches W must be one matrix \(6, n\)"),
        (lambda: distance([1, 2, 3], [1, 2, 3]), "points of a distance coincide"),
        (lambda: universal(SE3.identity(), SE3.exp([0, np.pi / 2, 0, 0, 0, 0])), "2 freedom twists .* rank 1"),
        (lambda: Kinestatics.of(("a",), AT, particles=("b",)), "'b' is no body; the bodies are 'a'"),
        (lambda: Kinestatics.of(("a",), AT).structure(massless=["b"]), "'b' is no body; the bodies are 'a'"),
        (lambda: transformer(np.ones((1, 2, 2)), "a", "b"), "M of the transformer must be one matrix"),
        (lambda: transformer(np.eye(2), "a", "a"), "the transformer has a port twice: 'a'"),
    ],
)
def test_what_is_no_mechanism_is_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()
