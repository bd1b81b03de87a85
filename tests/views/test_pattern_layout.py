"""Laws of the layout, on random systems and on the figures of the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_systems import damped_oscillator, oscillator
from pattern_laws import LAWS
from pattern_systems import PRIMITIVES, composites

from visviva.language import Composite, compose
from visviva.library.multibody import joint, multibody, rigid_body
from visviva.views import draw
from visviva.views.pattern_cost import STRUCK, Affected, Graph, costs, total_cost
from visviva.views.pattern_drawing import Box, Dot, Drawing, Frame, Label, Line, Rect
from visviva.views.pattern_placement import place

BODY, HINGE = rigid_body(mass=1.0, inertia=(0.1, 0.2, 0.3)), joint("revolute", friction=0.1)
MBS = multibody("mbs", {"b1": BODY, "b2": BODY}, {"j": (HINGE, "b1", "b2")})
FIGURES = [(MBS, False), (BODY, False), (HINGE, False), (MBS, True), (oscillator(), False)]
FIGURES += [(damped_oscillator(), False), (damped_oscillator(), True)]


def broken(drawing: Drawing) -> dict[str, object]:
    return {law.__name__: found[0] for law in LAWS if (found := list(law(drawing)))}


DRAWN = {
    "many boxes": (composites(boxes=30), {}),
    "a small pattern with a legend": (composites(boxes=7), {"legend": True}),
    "nested patterns": (composites(boxes=14, depth=2), {"expand": True}),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("examples", [6, pytest.param(40, marks=pytest.mark.slow)])
def test_nothing_overlaps_in_patterns_drawn_at_random(name, examples):
    systems, options = DRAWN[name]

    @settings(max_examples=examples)
    @given(systems)
    def nothing_overlaps(system):
        assert broken(draw(system, **options).drawing) == {}

    nothing_overlaps()


@pytest.mark.parametrize(("system", "flat"), FIGURES, ids=[f"figure {k}" for k in range(1, 8)])
def test_nothing_overlaps_in_the_figures_of_the_paper(system, flat):
    assert broken(draw(system, flat=flat).drawing) == {}


@pytest.mark.parametrize(("system", "flat"), FIGURES, ids=[f"figure {k}" for k in range(1, 8)])
def test_all_boxes_junctions_and_ports_are_drawn(system, flat):
    shown = system.flatten() if flat else system
    drawing = draw(system, flat=flat).drawing
    ends = {(box, at) for at, junction in shown.junctions.items() for box, _ in junction.ends}
    assert {box.name: box.kind for box in drawing.boxes} == {name: box.kind for name, box in shown.boxes.items()}
    assert {dot.name for dot in drawing.dots} == set(shown.junctions)
    assert {(line.start, line.end) for line in drawing.lines} == ends | {(at, "") for at in shown.outer.values()}


@pytest.mark.parametrize("system", [MBS, damped_oscillator()], ids=["multibody", "damped"])
def test_opened_boxes_show_the_boxes_of_the_flat_pattern(system):
    drawing = draw(system, expand=True).drawing
    assert broken(drawing) == {}
    assert {box.name for box in drawing.boxes} == set(system.flatten().boxes)
    assert [frame.name for frame in drawing.frames[1:]] == [n for n, b in system.boxes.items() if b.kind == "composite"]


def test_one_junction_of_thirty_ports():
    boxes = {f"b{k}": PRIMITIVES[0] for k in range(30)}
    star = compose("star", boxes, {"s": [f"{box}.x0" for box in boxes]}, outer=("s",))
    assert broken(draw(star).drawing) == {}


def test_a_pattern_without_boxes_is_an_empty_frame():
    drawing = draw(Composite("nothing", {}, {}, {})).drawing
    assert broken(drawing) == {}
    assert (len(drawing.frames), drawing.boxes, drawing.lines) == (1, (), ())


def test_the_chain_of_an_oscillator_is_drawn_in_a_row():
    drawing = draw(oscillator()).drawing
    x = {box.name: box.rect.centre[0] for box in drawing.boxes} | {dot.name: dot.centre[0] for dot in drawing.dots}
    assert x["pe"] < x["q"] < x["pkc"] < x["p"]
    assert all(len(line.points) == 2 for line in drawing.lines)


def test_two_bodies_are_drawn_on_the_two_sides_of_their_joint():
    drawing = draw(MBS).drawing
    centres = {box.name: box.rect.centre for box in drawing.boxes}
    assert centres["j"][0] == pytest.approx((centres["b1"][0] + centres["b2"][0]) / 2)
    assert len({round(y, 6) for _, y in centres.values()}) == 1


# -- drawings that break a law -----------------------------------------------------------------------------------

SOUND = Drawing(
    (300.0, 100.0),
    (Frame("whole", Rect(5, 5, 290, 95)), Frame("inner", Rect(200, 20, 280, 80))),
    (Box("a", "storage", Rect(20, 20, 60, 50)), Box("inner.b", "storage", Rect(210, 30, 250, 60))),
    (Dot("j", (120.0, 35.0)), Dot("k", (120.0, 80.0))),
    (Line("a", "j", ((60.0, 35.0), (120.0, 35.0)), True), Line("inner.b", "j", ((210, 35), (120, 35)), True)),
    (Label("a", Rect(30, 30, 40, 40), 13.0, "a"), Label("q", Rect(70, 20, 80, 30), 11.0)),
)
WRONG = {
    "boxes_apart": {"boxes": (*SOUND.boxes, Box("c", "storage", Rect(50, 40, 90, 70)))},
    "labels_apart": {"labels": (*SOUND.labels, Label("p", Rect(75, 25, 85, 30), 11.0))},
    "labels_clear_of_boxes": {"labels": (Label("q", Rect(55, 20, 65, 30), 11.0),)},
    "labels_clear_of_dots": {"labels": (Label("q", Rect(120, 70, 130, 80), 11.0),)},
    "lines_clear_of_boxes": {"lines": (Line("j", "k", ((120.0, 35.0), (30.0, 30.0)), True),)},
    "lines_clear_of_labels": {"lines": (Line("a", "j", ((60.0, 25.0), (120.0, 25.0)), True),)},
    "lines_not_upon_each_other": {"lines": (*SOUND.lines, Line("a", "k", ((60.0, 35.0), (90.0, 35.0)), True))},
    "lines_clear_of_other_dots": {"lines": (Line("a", "j", ((120.0, 90.0), (120.0, 35.0)), True),)},
    "things_within_their_frames": {"dots": (Dot("inner.k", (120.0, 80.0)),)},
    "all_on_the_paper": {"size": (280.0, 100.0)},
}


def test_a_sound_drawing_breaks_no_law():
    assert broken(SOUND) == {}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_drawing_that_breaks_a_law_is_recognised(law):
    assert law.__name__ in broken(replace(SOUND, **WRONG[law.__name__]))


# -- placement ---------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    """A graph and a placement of it."""
    n = draw(st.integers(2, 9))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    edges = np.array(draw(st.lists(pairs, max_size=14)), dtype=np.int64).reshape(-1, 2)
    sides = draw(st.dictionaries(st.integers(0, n - 1), st.sampled_from([None, (-1, 0), (1, 0), (0, 1)]), max_size=3))
    cells = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=n, max_size=n, unique=True))
    return Graph(n, edges, sides, np.linspace(-1.0, 1.0, n)), np.array(cells)


@given(graphs(), st.data())
def test_the_cost_of_a_move_is_the_change_of_the_whole_cost(given, data):
    graph, P = given
    moved = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=3, unique=True))
    X = np.stack([P, P])
    X[1, moved] += data.draw(st.tuples(st.integers(6, 9), st.integers(-9, 9)))
    one, two = costs(Affected.by(graph, moved, graph.n), X)
    assert two - one == pytest.approx(total_cost(graph, X[1]) - total_cost(graph, X[0]))


@settings(max_examples=10)
@given(graphs())
def test_no_two_nodes_have_one_cell(given):
    cells = place(given[0])
    assert len({tuple(cell) for cell in cells}) == given[0].n


@pytest.mark.parametrize(("node", "struck"), [((1, 0), True), ((2, 1), True), ((1, 1), False), ((4, 1), False)])
def test_straight_edges_keep_clear_of_nodes(node, struck):
    """From (0, 0) to (3, 1): nodes a third of a cell off are struck, those further off or behind the ends are not."""
    edges, P = np.array([[0, 1]]), np.array([[0, 0], [3, 1], node])
    oblique, level = (total_cost(Graph(3, edges, {}, np.zeros(3), oblique=each), P) for each in (True, False))
    assert oblique - level == pytest.approx(STRUCK if struck else 0.0)
