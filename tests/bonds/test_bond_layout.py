"""Where the elements of drawn graphs are: large graphs as fishbones, nothing in the way of a bond, strokes apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from visviva.bonds import BondGraph, C, I, R, Se, one, zero
from visviva.bonds.drawing import drawn
from visviva.bonds.fishbone import fishbone
from visviva.bonds.placement import LARGE, placed


def ladder(n):
    elements, bonds, last = {"u": Se(1.0)}, [], "u"
    for k in range(n):
        elements |= {f"a{k}": one(), f"L{k}": I(1.0), f"r{k}": R(0.1), f"z{k}": zero(), f"c{k}": C(1.0)}
        bonds += [f"{last} -> a{k} -> L{k}", f"a{k} -> r{k}", f"a{k} -> z{k} -> c{k}"]
        last = f"z{k}"
    return BondGraph("ladder", elements | {"end": R(1.0)}, [*bonds, f"{last} -> end"])


def branching(n):
    """A chain of junctions with a chain of three, and five leaves, at each."""
    elements, bonds = {}, []
    for k in range(n):
        elements[f"j{k}"] = one() if k % 2 else zero()
        bonds += [f"j{k - 1} -> j{k}"] if k else []
        for leaf in range(5):
            elements[f"e{k}_{leaf}"] = (C, I, R)[leaf % 3](1.0)
            bonds.append(f"j{k} -> e{k}_{leaf}")
        elements |= {f"x{k}": zero() if k % 2 else one(), f"y{k}": R(1.0), f"s{k}": I(1.0)}
        bonds += [f"j{k} -> x{k} -> y{k}", f"x{k} -> s{k}"]
    return BondGraph("branching", elements, bonds)


def blocked(graph, cells):
    """Bonds that lead through the cell of an element which is not theirs."""
    found = []
    for bond in graph.bonds:
        (ax, ay), (bx, by) = cells[bond.tail], cells[bond.head]
        for label, (x, y) in cells.items():
            inside = (x - ax) * (bx - x) + (y - ay) * (by - y) > 0
            if inside and (bx - ax) * (y - ay) == (by - ay) * (x - ax):
                found.append((bond.name, label))
    return found


@pytest.mark.parametrize("graph", [ladder(40), branching(9)], ids=lambda graph: graph.name)
def test_large_graphs_are_fishbones(graph):
    assert len(graph.elements) > LARGE
    cells = placed(graph)
    assert len(set(cells.values())) == len(graph.elements)
    assert not blocked(graph, cells)


def test_ladder_is_read_from_the_source_in_one_row():
    graph = ladder(40)
    cells = placed(graph)
    spine = [cells[label] for k in range(40) for label in (f"a{k}", f"z{k}")]
    assert len({y for _, y in spine}) == 1
    assert [x for x, _ in spine] == sorted(x for x, _ in spine)
    assert cells["u"][0] < cells["a0"][0]
    assert {abs(cells[f"{leaf}{k}"][1] - spine[0][1]) for k in range(39) for leaf in "Lrc"} == {1}


def test_fishbone_of_a_star():
    near = {"j": list("abcdefg"), **{leaf: ["j"] for leaf in "abcdefg"}}
    cells = fishbone(near, "a")
    x, y = cells["j"]
    assert len(set(cells.values())) == 8
    assert max(abs(u - x) for u, _ in cells.values()) <= 2
    assert {v - y for label, (_, v) in cells.items() if label != "j"} == {-1, 0, 1}


def test_bonds_of_small_graphs_lead_through_no_element():
    elements = {"j": one(), "m": I(1.0)} | {f"r{k}": R(1.0) for k in range(9)}
    star = BondGraph("star", elements, ["j -> m", *(f"j -> r{k}" for k in range(9))])
    assert not blocked(star, placed(star))


def test_strokes_of_neighbours_do_not_meet():
    elements = {"j": one(), "m": I(1.0)} | {f"r{k}": R(1.0) for k in range(6)}
    star = BondGraph("star", elements, ["j -> m", *(f"j -> r{k}" for k in range(6))])
    strokes = [line for line in drawn(star, True, False).lines if line.width == 2.2]
    assert len(strokes) == 7

    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    for a, b in combinations(strokes, 2):
        meet = side(a.start, a.end, b.start) * side(a.start, a.end, b.end) < 0
        assert not (meet and side(b.start, b.end, a.start) * side(b.start, b.end, a.end) < 0)
