"""Causality: strokes of textbook graphs, what differentiates, what loops, and graphs that have none."""

from __future__ import annotations

import pytest
from textbook_graphs import TEXTBOOK
from worked_graphs import WORKED

import visviva as vv
from visviva.bonds import GY, TF, BondGraph, C, I, R, Se, Sf, one, zero


@pytest.mark.parametrize("example", [*TEXTBOOK, *WORKED], ids=lambda example: example.name)
def test_strokes_are_those_worked_out_by_hand(example):
    causality = example.graph.causality
    assert causality.strokes == example.strokes
    assert causality.derivative == example.derivative
    assert causality.loops == example.loops


@pytest.mark.parametrize("example", [*TEXTBOOK, *WORKED], ids=lambda example: example.name)
def test_every_element_accepts_its_strokes(example):
    graph = example.graph
    strokes = graph.causality.strokes
    for label, element in graph.elements.items():
        near = [strokes[bond.name] == label for bond in graph.at(label)]
        if element.kind == "0":
            assert sum(near) == 1
        elif element.kind == "1":
            assert sum(near) == len(near) - 1
        elif element.kind == "TF":
            assert sum(near) == 1
        elif element.kind == "GY":
            assert sum(near) in (0, 2)
        elif element.kind in ("Se", "Sf"):
            assert near == [element.kind == "Sf"]
        elif element.kind in ("C", "I"):
            assert near == [(element.kind == "I") != (label in graph.causality.derivative)]


def test_order_of_storages_decides_which_one_differentiates():
    elements = {"v": one(), "m1": I(1.0), "m2": I(3.0), "k": C(1.0)}
    swapped = {"v": one(), "m2": I(3.0), "m1": I(1.0), "k": C(1.0)}
    bonds = ["v -> m1", "v -> m2", "v -> k"]
    assert BondGraph("a", elements, bonds).causality.derivative == ("m2",)
    assert BondGraph("b", swapped, bonds).causality.derivative == ("m1",)


def test_free_choices_are_reported():
    chosen = {example.name: example.graph.causality.chosen for example in TEXTBOOK}
    assert chosen["ladder of resistors"] == ("r1",)
    assert chosen["voltage divider"] == ("r1",)
    assert not any(found for name, found in chosen.items() if name not in ("ladder of resistors", "voltage divider"))


def test_resistor_law_fixes_its_causality():
    bonds = ["u -> a -> r1", "a -> z -> r2"]
    base = {"u": Se(5.0), "a": one(), "r1": R(2.0), "z": zero()}
    free = BondGraph("free", {**base, "r2": R(3.0)}, bonds)
    assert free.causality.strokes["4"] == "r2"
    fixed = BondGraph("fixed", {**base, "r2": R(lambda f: 3.0 + f**2)}, bonds)
    assert fixed.causality.strokes["4"] == "z"


def test_source_that_reads_its_own_flow_makes_the_smallest_loop():
    graph = BondGraph("small", {"u": Se(lambda f: 5 - 2 * f), "r": R(3.0)}, ["u -> r"])
    assert graph.causality.loops == (("u", "r"),)


def test_resistance_of_zero_has_one_causality():
    elements = {"u": Se(5.0), "a": one(), "r1": R(3.0), "z": zero(), "r2": R(0.0)}
    graph = BondGraph("short", elements, ["u -> a -> r1", "a -> z -> r2"])
    assert graph.causality.strokes == {"1": "a", "2": "r1", "3": "a", "4": "z"}
    equations = graph.equations()
    assert float(equations.variables["f", "4"][0].subs(equations.values)) == pytest.approx(5 / 3)
    with pytest.raises(vv.ModelError, match="R 'b' and R 'c'"):
        _ = BondGraph("ill", {"a": one(), "b": R(0.0), "c": R(0.0)}, ["a -> b", "a -> c"]).causality


ILL = {
    "two efforts at a 0-junction": (
        {"a": Se(1.0), "b": Se(2.0), "z": zero(), "m": I(1.0)},
        ["a -> z -> m", "b -> z"],
        "Se 'a' and Se 'b'",
    ),
    "two flows at a 1-junction": (
        {"a": Sf(1.0), "b": Sf(2.0), "v": one(), "m": I(1.0)},
        ["a -> v -> m", "b -> v"],
        "Sf 'a' and Sf 'b'",
    ),
    "two flows through a transformer": (
        {"a": Sf(1.0), "v": one(), "T": TF(2.0), "w": one(), "b": Sf(2.0), "m": I(1.0)},
        ["a -> v -> T -> w", "b -> w -> m"],
        "Sf 'a' and Sf 'b'",
    ),
    "effort against flow through a gyrator": (
        {"a": Sf(1.0), "v": one(), "G": GY(2.0), "z": zero(), "b": Se(2.0), "c": C(1.0)},
        ["a -> v -> G -> z", "b -> z -> c"],
        "Sf 'a' and Se 'b'",
    ),
    "only efforts at a 1-junction": (
        {"a": Se(1.0), "b": Se(2.0), "v": one()},
        ["a -> v", "b -> v"],
        "opposite demands of Se 'a' and Se 'b'",
    ),
}


@pytest.mark.parametrize("case", ILL, ids=str)
def test_graph_without_causality_names_what_conflicts(case):
    elements, bonds, names = ILL[case]
    with pytest.raises(vv.ModelError, match=r"'ill' has no causality: .*") as caught:
        _ = BondGraph("ill", elements, bonds).causality
    assert names in str(caught.value)
    assert "remove a source" in str(caught.value)


def test_laws_of_two_resistors_can_conflict():
    elements = {"a": one(), "b": R(lambda f: 1 + f**2), "c": R(lambda f: 2 + f**2)}
    with pytest.raises(vv.ModelError, match=r"R 'b' and R 'c'"):
        _ = BondGraph("ill", elements, ["a -> b", "a -> c"]).causality


def test_field_in_derivative_causality_is_refused():
    elements = {"s": Sf(1.0), "v": one(), "T": vv.bonds.IC(H=lambda q, p: p**2 / (2 + q**2))}
    with pytest.raises(vv.ModelError, match="I-port of IC 'T' in 'g' would be in derivative causality"):
        _ = BondGraph("g", elements, ["s -> v -> T.I", "v -> T.C"]).causality
