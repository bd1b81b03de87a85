"""Bond graphs as data: what is checked, what is said of a mistake, text and plain data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from textbook_graphs import TEXTBOOK

import visviva as vv
from visviva.bonds import GY, IC, MTF, NIC, TF, BondGraph, C, I, R, Se, Sf, one, zero
from visviva.bonds.reading import read

EXAMPLES = {example.name: example for example in TEXTBOOK}


def oscillator(**changes):
    elements = {"F": Se(1.0), "v": one(), "m": I(2.0), "k": C(0.1), "d": R(0.3)} | changes
    return BondGraph("osc", elements, ["F -> v -> m", "v -> k", "v -> d"], domain="translation")


# -- checks -----------------------------------------------------------------------------------------------------

WRONG = {
    "no elements": ({}, [], "the elements of 'g' are a dictionary by name"),
    "no element": ({"m": 3.0}, [], "'m' of 'g' must be an element such as"),
    "name with a blank": ({"a b": one()}, [], "an element of 'g' is called 'a b'"),
    "one string": ({"v": one()}, "a -> b", "are a list of chains such as 'a -> b', got one string"),
    "no chain": ({"v": one()}, ["v"], "the bond 'v' of 'g' must be a chain"),
    "unknown element": ({"v": one(), "m": I(1.0)}, ["v -> n"], "has no 'n'"),
    "unknown port": ({"v": one(), "m": I(1.0)}, ["v -> m.x"], "the I 'm' of 'g' has no port 'x'"),
    "joined with itself": ({"v": one(), "m": I(1.0)}, ["v -> v", "v -> m"], "bond 1 of 'g' joins 'v' with itself"),
    "loose element": (
        {"v": one(), "m": I(1.0), "k": C(1.0)},
        ["v -> m", "v -> m"],
        "I 'm' of 'g' has 2 bonds, but 1 port: one bond at each",
    ),
    "element without a bond": (
        {"v": one(), "m": I(1.0), "n": I(1.0), "k": C(1.0)},
        ["v -> m", "v -> n"],
        "C 'k' of 'g' has no bonds, but 1 port",
    ),
    "junction of one bond": (
        {"v": one(), "m": I(1.0)},
        ["v -> m"],
        "junction 'v' of 'g' has 1 bond: a junction joins at least two",
    ),
    "transformer with one end": (
        {"v": one(), "m": I(1.0), "T": TF(2.0)},
        ["v -> m", "v -> T"],
        "TF 'T' of 'g' has 1 bond at the ports in, but 2 ports",
    ),
    "arrow out of a storage": ({"v": one(), "m": I(1.0), "k": C(1.0)}, ["m -> v -> k"], "half arrow out of the I 'm'"),
    "field without a port": (
        {"v": one(), "T": IC(H=lambda q, p: p**2)},
        ["v -> T", "v -> T"],
        "must say at which port of the IC 'T' it ends",
    ),
    "two parts": (
        {"v": one(), "m": I(1.0), "k": C(1.0), "w": one(), "n": I(1.0), "l": C(1.0)},
        ["v -> m", "v -> k", "w -> n", "w -> l"],
        r"'g' is not connected: no bonds lead from 'v' to 'w', 'n', 'l'",
    ),
    "a thermal part and two others": (
        {
            "v": one(),
            "m": I(1.0),
            "k": C(1.0),
            "w": one(),
            "n": I(1.0),
            "l": C(1.0),
            "oil": zero(domain="thermal"),
            "c": C(1.0),
            "still": Sf(0.0),
        },
        ["v -> m", "v -> k", "w -> n", "w -> l", "oil -> c", "still -> oil"],
        r"'g' is not connected: no bonds lead from 'v' to 'w', 'n', 'l'",
    ),
    "two domains at a junction": (
        {"v": one(), "m": I(1.0, domain="translation"), "k": C(1.0, domain="electric")},
        ["v -> m", "v -> k"],
        "two values of its domain: translation by 'm' and electric by 'k'",
    ),
    "two widths at a junction": (
        {"v": one(), "m": I(np.eye(3)), "k": C(np.eye(2))},
        ["v -> m", "v -> k"],
        "two values of its components: 3 by 'm' and 2 by 'k'",
    ),
}


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_mistake_is_named(case):
    elements, bonds, message = WRONG[case]
    with pytest.raises(vv.ModelError, match=message):
        BondGraph("g", elements, bonds)


LAWS = {
    "negative mass": ({"m": I(-1.0)}, "I 'm' of 'osc' must be positive"),
    "negative resistance": ({"d": R(-0.3)}, "R 'd' of 'osc' must be not negative"),
    "infinite": ({"k": C(np.inf)}, "the value of 'k' in 'osc'"),
    "energy of two numbers": (
        {"k": C(H=lambda q: [q, q])},
        r"the energy of C 'k' must be one number, got shape \(2,\)",
    ),
    "branch": ({"k": C(H=lambda q: q if q > 0 else -q)}, "cannot be traced"),
    "unknown state": ({"F": Se(lambda x: x.y)}, "it asks for x.y"),
}


@pytest.mark.parametrize("case", LAWS, ids=str)
def test_law_is_checked(case):
    changes, message = LAWS[case]
    with pytest.raises(vv.ModelError, match=message):
        oscillator(**changes).flow()


def test_names_of_numbers_are_kept_apart():
    elements = {
        "v": one(),
        "m": I(1.0),
        "k": C(H=lambda q, m: m * q**2, m=3.0),
        "a": C(H=lambda q, c: c * q**2, c=1.0),
        "b": C(H=lambda q, c: c * q**4, c=2.0),
    }
    equations = BondGraph("g", elements, ["v -> m", "v -> k", "v -> a", "v -> b"]).equations()
    assert {str(symbol): value for symbol, value in equations.values.items()} == {
        "m": 1.0,
        "m_k": 3.0,
        "c_a": 1.0,
        "c_b": 2.0,
    }
    with pytest.raises(vv.ModelError, match="two things called 't', time and element 't'"):
        BondGraph("g", {"v": one(), "t": I(1.0), "k": C(1.0)}, ["v -> t", "v -> k"]).flow()
    with pytest.raises(vv.ModelError, match="two things called 'm', a state and element 'm'"):
        BondGraph("g", {"v": one(), "m": I(1.0), "k": C(1.0)}, ["v -> m", "v -> k"], coordinates={"m": "v"}).flow()
    with pytest.raises(
        vv.ModelError, match=r"two things called 'm_k', 'm' of 'k' and element 'm_k'|element 'm_k' and 'm' of 'k'"
    ):
        BondGraph(
            "g",
            {"v": one(), "m": I(1.0), "m_k": I(1.0), "k": C(H=lambda q, m: m * q**2, m=3.0)},
            ["v -> m", "v -> m_k", "v -> k"],
        ).flow()


def test_constructors_ask_for_one_law():
    with pytest.raises(vv.ModelError, match="C takes either a number"):
        C()
    with pytest.raises(vv.ModelError, match="R takes either a resistance"):
        R(1.0, G=2.0)
    with pytest.raises(vv.ModelError, match="has no domain 'sound'"):
        I(1.0, domain="sound")
    with pytest.raises(vv.ModelError, match="a TF joins two domains"):
        TF(1.0, domain="electric")
    with pytest.raises(vv.ModelError, match="must be a positive integer, got 0"):
        I(1.0, width=0)


def test_gyrator_with_one_bond_must_be_skew():
    elements = {"v": one(), "m": I(np.eye(2)), "G": GY([[0.0, 1.0], [1.0, 0.0]])}
    with pytest.raises(vv.ModelError, match="GY 'G' of 'g' has one bond, so its matrix must be skew"):
        BondGraph("g", elements, ["v -> m", "v -> G"]).flow()


def test_coordinates_are_of_one_junctions():
    bonds = ["v -> m", "v -> k"]
    elements = {"v": one(), "m": I(1.0), "k": C(1.0)}
    with pytest.raises(vv.ModelError, match="integrates the flow of a 1-junction; 'm' is none"):
        BondGraph("g", elements, bonds, coordinates={"x": "m"})
    with pytest.raises(vv.ModelError, match="has 1 flows, but 2 coordinates"):
        BondGraph("g", elements, bonds, coordinates={("x", "y"): "v"})
    with pytest.raises(vv.ModelError, match="two states called 'p_m'"):
        BondGraph("g", elements, bonds, coordinates={"p_m": "v"}).flow()


def test_widths_and_domains_spread_along_junctions():
    graph = BondGraph(
        "g",
        {
            "v": one(),
            "m": I(np.eye(3), domain="translation"),
            "z": zero(),
            "k": C(1.0),
            "T": TF(np.ones((2, 3))),
            "w": one(),
            "n": I(2.0, domain="rotation"),
        },
        ["v -> m", "v -> z -> k", "v -> T -> w -> n"],
    )
    assert [graph.widths[bond.name] for bond in graph.bonds] == [3, 3, 3, 3, 2, 2]
    assert [graph.domains[bond.name] for bond in graph.bonds] == ["translation"] * 4 + ["rotation"] * 2


# -- text -------------------------------------------------------------------------------------------------------


def test_text_has_a_line_for_everything():
    assert str(oscillator()).splitlines() == [
        "osc: 5 elements, 4 bonds",
        "  Se   F  e1 = F",
        "  1    v  f1 = f2 = f3 = f4;  e1 - e2 - e3 - e4 = 0",
        "  I    m  p_m' = e2;  f2 = p_m/m",
        "  C    k  q_k' = f3;  e3 = q_k/k",
        "  R    d  e4 = d f4",
        "    1  F ->| v  force [N], velocity [m/s]",
        "    2  v ->| m  force [N], velocity [m/s]",
        "    3  v |-> k  force [N], velocity [m/s]",
        "    4  v |-> d  force [N], velocity [m/s]",
        "  derivative causality: none",
        "  algebraic loops: none",
    ]


def test_text_of_an_ill_graph_says_why():
    graph = BondGraph("ill", {"a": Se(1.0), "b": Se(2.0), "z": zero(), "m": I(1.0)}, ["a -> z -> m", "b -> z"])
    assert "has no causality" in str(graph)
    assert "1  a -> z" in str(graph)


# -- plain data -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [e for e in TEXTBOOK if "brake" not in e.name], ids=lambda e: e.name)
def test_plain_data_and_back(example):
    graph = example.graph
    data = json.loads(json.dumps(graph.to_dict()))
    back = BondGraph.from_dict(data)
    assert back.to_dict() == graph.to_dict()
    assert back.causality == graph.causality
    assert str(back) == str(graph)


def test_functions_survive_as_expressions():
    elements = {
        "v": one(),
        "F": Se(lambda t, f, a: a * np.sin(t) - f**3, a=0.4),
        "m": I(H=lambda p, m: p**2 / (2 * m), m=2.0),
        "d": R(lambda f, c: c * np.sqrt(1 + f**2), c=0.3),
        "T": MTF(lambda x, r: r * np.cos(x.phi), r=0.2),
        "w": one(),
        "k": C(H=lambda q, k: 0.5 * k * q**2 + q**4, k=3.0),
    }
    graph = BondGraph("f", elements, ["F -> v -> m", "v -> d", "v -> T -> w -> k"], coordinates={"phi": "v"})
    back = BondGraph.from_dict(json.loads(json.dumps(graph.to_dict())))
    start = {"p_m": 1.0, "q_k": 0.2}
    runs = [vv.simulate(g.flow(), 0.5, 0.25, initial=start) for g in (graph, back)]
    assert np.array_equal(runs[0].final.xi, runs[1].final.xi)
    nic = BondGraph(
        "n",
        {"f": one(), "T": NIC(lambda a: [[a, 0], [0, 1]], lambda f: [-f[0] * f[1], f[0] ** 2], width=2, a=2.0)},
        ["f -> T.I", "f -> T.C"],
    )
    assert BondGraph.from_dict(nic.to_dict()).to_dict() == nic.to_dict()


@pytest.mark.parametrize(
    "text", ["__import__('os')", "x.y", "open('a')", "lambda: 1", "1 if a else 2", "a @ a", "True", "'a'"]
)
def test_texts_are_never_run(text):
    with pytest.raises(vv.ModelError, match="expression"):
        read(text, {"a": 1}, "the law of 'k'")


def test_other_data_are_refused():
    with pytest.raises(vv.ModelError, match="this is no bond graph as to_dict writes it"):
        BondGraph.from_dict({"name": "g"})
    data = oscillator().to_dict()
    data["elements"]["m"]["kind"] = "X"
    with pytest.raises(vv.ModelError, match="'m' is of no known kind: 'X'"):
        BondGraph.from_dict(data)


def test_laws_made_from_models_are_not_written():
    from kane_systems import sleigh

    with pytest.raises(vv.ModelError, match="has a law that was made from a model"):
        vv.bond_graph(sleigh(), figure=4).to_dict()
