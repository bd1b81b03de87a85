"""Actuated pairs and massless bodies in kinestatic networks, for every pair: closed forms and laws of power."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.geometry import SE3
from visviva.structure import (
    Kinestatics,
    close,
    cylindrical,
    distance,
    fixed,
    free,
    helical,
    planar,
    point_on_line,
    point_on_plane,
    prismatic,
    revolute,
    spherical,
    universal,
)
from visviva.structure.pairs import ACTUATOR, PAIR

X, Y = SE3.exp([0.4, -0.7, 0.2, 0.5, 1.0, -0.3]), SE3.exp([-0.3, 0.6, 1.1, 0.2, -0.4, 0.7])
PAIRS = {
    "revolute": revolute(X),
    "prismatic": prismatic(X),
    "helical": helical(0.3, X),
    "cylindrical": cylindrical(X),
    "spherical": spherical(X),
    "planar": planar(X),
    "universal": universal(X, X @ SE3.exp([0, 0, 0.4, 0, 0, 0])),
    "distance": distance((1, 0, 0), (0.2, 1, 0.5)),
    "point_on_plane": point_on_plane(X),
    "point_on_line": point_on_line(X),
    "free": free(),
}
EACH = pytest.mark.parametrize("name", PAIRS)


def same_space(A, B):
    rank = np.linalg.matrix_rank
    return rank(A, tol=1e-9) == rank(B, tol=1e-9) == rank(np.hstack([A, B]), tol=1e-9)


@EACH
def test_without_force_it_is_the_pair_and_at_rest_a_weld(name):
    pair = PAIRS[name]
    actuated = pair.actuated()
    assert actuated.ports == {PAIR: 6, ACTUATOR: pair.freedom}
    assert close(actuated, ACTUATOR, "effort").same_as(pair.structure())
    assert close(actuated, ACTUATOR, "flow").same_as(fixed().structure())


@EACH
def test_the_body_moves_as_the_actuator_says_and_feels_its_force(name):
    """T = S θ_dot of the body, τ = Sᵀ F for any load F on it: by the structure, and by hand."""
    pair, rng = PAIRS[name], np.random.default_rng(2)
    network = Kinestatics.of(("a",), {"joint": ("a", "ground")}, {"joint": pair})
    structure = network.structure(actuated=["joint"])
    assert structure.ports == {"a": 6, "joint": pair.freedom}
    for _ in range(3):
        rates, load = rng.normal(size=pair.freedom), rng.normal(size=6)
        f = np.concatenate([pair.S @ rates, rates])
        e = np.concatenate([load, -pair.S.T @ load])  # both are exerted on the network, in balance
        assert np.abs(structure.F @ f + structure.E @ e).max() < 1e-12
        assert np.abs(structure.F @ (f + np.eye(len(f))[-1]) + structure.E @ e).max() > 1e-3


@EACH
@pytest.mark.parametrize("other", ["revolute", "prismatic", "spherical"])
def test_pairs_in_series_over_a_massless_body_allow_the_sum_of_their_twists(name, other):
    first, second = PAIRS[name], {"revolute": revolute(Y), "prismatic": prismatic(Y), "spherical": spherical(Y)}[other]
    edges = {"one": ("link", "ground"), "two": ("body", "link")}
    network = Kinestatics.of(("link", "body"), edges, {"one": first, "two": second})
    structure = network.structure(massless=["link"])
    assert structure.ports == {"body": 6}
    twists = np.split(structure.to_basis(), 2)[0]
    both = np.hstack([first.S, second.S])
    assert same_space(twists, both)
    wrenches = np.split(structure.to_basis(), 2)[1]
    assert np.abs(both.T @ wrenches).max() < 1e-9  # what is borne is reciprocal to all of them


@EACH
def test_an_actuator_at_a_massless_body_reaches_the_one_behind(name):
    """The same motor, seen through a link without inertia: τ = Sᵀ F, the load goes through."""
    pair = PAIRS[name]
    edges = {"drive": ("link", "ground"), "weld": ("body", "link")}
    network = Kinestatics.of(("link", "body"), edges, {"drive": pair, "weld": fixed()})
    behind = network.structure(actuated=["drive"], massless=["link"])
    direct = Kinestatics.of(("body",), {"drive": ("body", "ground")}, {"drive": pair}).structure(actuated=["drive"])
    assert behind.same_as(direct)


def test_all_pairs_of_a_loop_may_be_actuated_at_once():
    corners = ((0, 0, 0), (0, 1, 0), (2, 1.3, 0), (2.2, 0, 0))
    hinges = {name: revolute(SE3.from_parts(np.eye(3), at)) for name, at in zip("ABCD", corners, strict=True)}
    edges = {"A": ("a", "ground"), "B": ("b", "a"), "C": ("c", "b"), "D": ("c", "ground")}
    network = Kinestatics.of("abc", edges, hinges)
    structure = network.structure(actuated="ABCD", massless="abc")
    assert structure.ports == dict.fromkeys("ABCD", 1)
    rates = np.split(structure.to_basis(), 2)[0]
    T = network.admissible_twists().reshape(3, 6)[:, 2]
    assert same_space(rates, np.array([[T[0]], [T[1] - T[0]], [T[2] - T[1]], [T[2]]]))  # one motion in all four
    assert_allclose(np.linalg.svd(rates, compute_uv=False)[1:], 0, atol=1e-9)


def test_what_cannot_be_actuated_is_refused():
    network = Kinestatics.of(("a",), {"weld": ("a", "ground")}, {"weld": fixed()})
    with pytest.raises(ModelError, match="'weld' is no pair with a freedom to actuate; such pairs are"):
        network.structure(actuated=["weld"])
    with pytest.raises(ModelError, match="a pair without freedom has nothing to actuate"):
        fixed().actuated()
    with pytest.raises(ModelError, match="'b' is no body; the bodies are 'a'"):
        network.structure(massless=["b"])
