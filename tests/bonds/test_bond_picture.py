"""Pictures of bond graphs: half arrows, strokes, multibonds, nothing that crosses, and what colours say."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest
from kane_systems import double_pendulum, sleigh
from textbook_graphs import TEXTBOOK

import visviva as vv
from visviva.bonds.drawing import DERIVATIVE, INK, LOOP, drawn

EXAMPLES = {example.name: example for example in TEXTBOOK}
SVG = "{http://www.w3.org/2000/svg}"


def bodies(graph):
    """The lines of bonds themselves: the first ones of each bond."""
    drawing = drawn(graph, False, False)
    lines, found = list(drawing.lines), []
    for bond in graph.bonds:
        count = 2 if graph.widths[bond.name] > 1 else 1
        found.append(lines[0])
        del lines[: count + 1]  # and the half arrow
    return found


def crossing(one, two):
    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return side(one.start, one.end, two.start) * side(one.start, one.end, two.end) < 0 and (
        side(two.start, two.end, one.start) * side(two.start, two.end, one.end) < 0
    )


def distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


DRAWN = [EXAMPLES[name] for name in ("series circuit", "quarter car", "loudspeaker", "ladder of resistors")]


@pytest.mark.parametrize("example", DRAWN, ids=lambda example: example.name)
def test_bonds_do_not_cross_and_have_room(example):
    lines = bodies(example.graph)
    assert not any(crossing(a, b) for a, b in combinations(lines, 2))
    assert min(distance(line.start, line.end) for line in lines) > 30


def test_half_arrow_and_stroke_are_where_they_belong():
    graph = EXAMPLES["series circuit"].graph
    lines = drawn(graph, True, False).lines
    for k, bond in enumerate(graph.bonds):
        line, arrow, stroke = lines[3 * k : 3 * k + 3]
        assert arrow.start == line.end
        assert distance(arrow.end, line.end) == pytest.approx(12.0)
        middle = ((stroke.start[0] + stroke.end[0]) / 2, (stroke.start[1] + stroke.end[1]) / 2)
        end = line.end if graph.causality.strokes[bond.name] == bond.head else line.start
        assert distance(middle, end) == pytest.approx(0.0, abs=1e-9)
        u = (line.end[0] - line.start[0], line.end[1] - line.start[1])
        s = (stroke.end[0] - stroke.start[0], stroke.end[1] - stroke.start[1])
        assert u[0] * s[0] + u[1] * s[1] == pytest.approx(0.0, abs=1e-9)


def test_colours_show_derivative_causality_and_loops():
    lever = drawn(EXAMPLES["two masses on a lever"].graph, True, False)
    assert {line.colour for line in lever.lines} == {INK, DERIVATIVE}
    assert [text.upright for text in lever.texts][-1] == "derivative causality: n"
    ladder = drawn(EXAMPLES["ladder of resistors"].graph, True, False)
    assert {line.colour for line in ladder.lines} == {INK, LOOP}
    assert {t.upright + t.slanted for t in ladder.texts if t.colour == LOOP} >= {"R:r1", "R:r2", "R:r3"}


@pytest.mark.parametrize("figure", range(1, 7))
def test_multibonds_are_double_lines_with_their_width(figure):
    graph = vv.bond_graph(double_pendulum(), figure=figure)
    drawing = drawn(graph, False, False)
    assert len(drawing.lines) == 3 * len(graph.bonds)
    assert {text.upright for text in drawing.texts} >= {str(width) for width in graph.widths.values()}
    lines = bodies(graph)
    assert not any(crossing(a, b) for a, b in combinations(lines, 2))


def test_ports_of_a_field_are_apart_and_named():
    graph = vv.bond_graph(sleigh(), figure=4)
    drawing = drawn(graph, True, False)
    assert {"I", "C"} <= {text.upright for text in drawing.texts}
    one, two = bodies(graph)[2:]
    assert distance(one.start, two.start) > 20


def test_svg_and_files(tmp_path):
    graph = EXAMPLES["direct-current motor"].graph
    picture = graph.draw(tmp_path / "motor.svg", numbers=True)
    root = ElementTree.fromstring((tmp_path / "motor.svg").read_text(encoding="utf-8"))
    assert root.find(f"{SVG}title").text == "direct-current motor"
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"Se:u", "I:L", "GY", "K", "7"} <= set(texts)
    assert len(list(root.iter(f"{SVG}line"))) == 3 * len(graph.bonds)
    assert repr(picture).startswith("<Picture of 'direct-current motor'")
    assert graph._repr_svg_() == graph.draw().svg == vv.draw(graph).svg
    graph.draw(tmp_path / "motor.png")
    assert (tmp_path / "motor.png").stat().st_size > 2000


def test_picture_is_the_same_every_time():
    graph = EXAMPLES["quarter car"].graph
    assert graph.draw().svg == EXAMPLES["quarter car"].graph.draw().svg


def test_graph_without_causality_can_be_drawn_without_strokes():
    graph = vv.BondGraph(
        "ill",
        {"a": vv.bonds.Se(1.0), "b": vv.bonds.Se(2.0), "z": vv.bonds.zero(), "m": vv.bonds.I(1.0)},
        ["a -> z -> m", "b -> z"],
    )
    assert "<svg" in graph.draw(strokes=False).svg
    with pytest.raises(vv.ModelError, match="no causality"):
        graph.draw()
