"""Bond graphs as text that is written by hand and read back."""

from __future__ import annotations

import numpy as np
import pytest
from textbook_graphs import TEXTBOOK
from worked_graphs import WORKED

import visviva as vv
from visviva.bonds import MTF, BondGraph, C, I, R, one


@pytest.mark.parametrize("example", [*TEXTBOOK, *WORKED], ids=lambda example: example.name)
def test_text_and_back(example):
    graph = example.graph
    back = BondGraph.from_text(graph.to_text())
    assert back.to_dict() == graph.to_dict()
    assert str(back) == str(graph)


WRITTEN_BY_HAND = """
bond graph crank       # a comment
theta0 = 290 K
w = one(domain="rotation")
J = I("0.5 kg m^2")
T = MTF("-r*sin(phi)", r="10 cm")
v = one(domain="translation")
m = I(2.0)
k = C(H="c*q**2/2", c="100 N/m")
d = R("a*(1 + f**2)", a=0.1)
w -> J
turn: w -> T
T -> v
v -> m
v -> k
v -> d
phi' = w
p_J(0) = 0.3
"""


def test_text_written_by_hand_moves_as_the_graph_does():
    elements = {
        "w": one(domain="rotation"),
        "J": I(0.5),
        "T": MTF(lambda x, r: -r * np.sin(x.phi), r=0.1),
        "v": one(domain="translation"),
        "m": I(2.0),
        "k": C(H=lambda q, c: c * q**2 / 2, c=100.0),
        "d": R(lambda f, a: a * (1 + f**2), a=0.1),
    }
    bonds = ["w -> J", "w -> T -> v -> m", "v -> k", "v -> d"]
    graph = BondGraph("crank", elements, bonds, coordinates={"phi": "w"}, theta0=290.0, initial={"p_J": 0.3})
    read = BondGraph.from_text(WRITTEN_BY_HAND)
    assert read.theta0 == graph.theta0
    assert read.to_dict()["initial"] == {"p_J": 0.3}
    assert read.bond("T", "in").name == "turn"
    runs = [vv.simulate(each, 0.5, 0.1) for each in (graph, read)]
    assert runs[0]["phi"][-1] > 0.2
    assert np.array_equal(runs[0]["phi"], runs[1]["phi"])
    assert BondGraph.from_text(read.to_text()).to_dict() == read.to_dict()


def test_laws_of_dotted_names_survive_as_text():
    elements = {
        "a.v": one(),
        "a.m": I(1.0),
        "a.k": C(2.0),
        "T": MTF(lambda x: 1 + x["q_a.k"] ** 2),
        "w": one(),
        "k": C(1.0),
    }
    graph = BondGraph("dots", elements, ["a.v -> a.m", "a.v -> a.k", "a.v -> T -> w -> k"])
    assert BondGraph.from_text(graph.to_text()).to_dict() == graph.to_dict()


KINKS = {
    "maximum": {"H": lambda q: 50 * np.maximum(0, q - 1) ** 2 + 0.5 * q**2},
    "where": {"H": lambda q: np.where(q > 0, q**2, 3 * q**2)},
    "where with a tie": {"H": lambda q: np.where(q >= 1, q**2, 1)},
    "clip and abs": {"H": lambda q: abs(q) ** 3 + np.clip(q, -1, 1) ** 2},
    "sign": {"H": lambda q: q**2 * np.sign(q)},
}


@pytest.mark.parametrize("name", KINKS)
def test_laws_with_kinks_are_read_back(name):
    graph = BondGraph("g", {"v": one(), "m": I(2.0), "k": C(**KINKS[name])}, ["v -> m", "v -> k"])
    back = BondGraph.from_text(graph.to_text())
    assert back.to_dict() == graph.to_dict()
    assert str(back.equations()) == str(graph.equations())


def test_units_balance_over_kinks():
    def rope(H):
        element = C(H=H, k="3 N/m", l="1 m")
        return BondGraph("g", {"v": one(domain="translation"), "m": I("2 kg"), "k": element}, ["v -> m", "v -> k"])

    rope(lambda q, k, l: k * np.maximum(0, q - l) ** 2).equations()
    rope(lambda q, k, l: np.where(q > l, k * (q - l) ** 2, 0)).equations()
    rope(lambda q, k, l: k * np.sign(q) * q * np.abs(q - l) + k * l * np.abs(q)).equations()
    with pytest.raises(vv.ModelError, match="units must balance"):
        rope(lambda q, k, l: k * np.maximum(1.0, q - l) ** 2).equations()


def test_laws_of_elements_must_not_jump():
    def graph(**changes):
        elements = {"v": one(), "m": I(2.0), "k": C(1.0), "d": R(1.0)} | changes
        return BondGraph("g", elements, ["v -> m", "v -> k", "v -> d"]).equations()

    with pytest.raises(vv.ModelError, match="the energy of C 'k' in 'g' jumps at q_k = 0: it is -1 before and 1 after"):
        graph(k=C(H=lambda q: np.sign(q)))
    with pytest.raises(vv.ModelError, match="the law of R 'd' in 'g' jumps at f_d = 1: it is 1 before and 2 after"):
        graph(d=R(lambda f: np.where(f > 1, 2.0, 1.0)))
    graph(d=R(lambda f: np.where(f > 0, 2.0, 1.0)))  # its force does not
