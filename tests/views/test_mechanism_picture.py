"""A picture of a mechanism shows each part where it is, by kind, at one scale, with names that can be read."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.views.mechanism_bodies import Scene
from visviva.views.mechanism_draw import draw
from visviva.views.mechanism_drawing import drawing_of, extent
from visviva.views.mechanism_placement import placement
from visviva.views.mechanism_strokes import SPRING
from visviva.views.mechanism_view import look

KINDS = {
    "fixed": {"at": (0, 0, 0)},
    "revolute": {"at": (0, 0, 0), "axis": (0.3, 1, 0.2)},
    "prismatic": {"at": (0, 0, 0), "axis": (1, 0.3, 0.2)},
    "cylindrical": {"at": (0, 0, 0), "axis": (1, 0.3, 0.2)},
    "universal": {"at": (0, 0, 0), "axes": ((1, 0, 0), (0, 1, 0))},
    "spherical": {"at": (0, 0, 0)},
    "planar": {"at": (0, 0, 0), "normal": (0, 0.2, 1)},
    "free": {},
    "point_on_plane": {"at": (0, 0, 0), "normal": (0, 0.2, 1)},
    "point_on_line": {"at": (0, 0, 0), "axis": (1, 0.3, 0.2)},
}


def hung(kind: str) -> vv.Mechanism:
    """A rod that hangs on a joint of one kind."""
    m = vv.Mechanism(kind, gravity=(0, 0, -9.81))
    m.body("rod", inertia=vv.inertia.cylinder(1.0, 0.05, 1.0), at=(0, 0, -0.5))
    getattr(m, kind)("joint", m.ground, "rod", **KINDS[kind])
    return m


def drawn(m: vv.Mechanism, **options):
    return draw(m, **options).drawing


def texts(m: vv.Mechanism, **options) -> set[str]:
    return {label.text for label in drawn(m, **options).labels} - set("xyzg")


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_joint_has_marks_of_its_own(kind):
    with_joint = len(drawn(hung(kind)).strokes)
    bare = len(drawn(hung("free")).strokes)
    assert with_joint == bare if kind == "free" else with_joint > bare
    strokes = {other: [(s.width, s.fill, s.points.shape) for s in drawn(hung(other)).strokes] for other in KINDS}
    assert sum(found == strokes[kind] for found in strokes.values()) == 1


def test_lines_are_finite_and_lie_within_the_bounds():
    for kind in KINDS:
        drawing = drawn(hung(kind))
        low, high = drawing.bounds
        for stroke in drawing.strokes:
            assert np.isfinite(stroke.points).all()
            assert (stroke.points > low).all()
            assert (stroke.points < high).all()


def test_lengths_across_the_view_have_one_scale():
    """What is as far from the viewer as something else is drawn at the same scale in every direction."""
    m = demo.sarrus()
    place, scene = placement(m), Scene(m)
    seen = look(m, place, extent(scene, place, solids=False)).fitted(extent(scene, place, solids=True))
    assert_allclose(seen.axes @ seen.axes.T, np.eye(3), rtol=0, atol=1e-15)
    for angle in np.linspace(0, np.pi, 7):
        d = np.cos(angle) * seen.axes[0] + np.sin(angle) * seen.axes[1]
        assert np.linalg.norm(seen.page(d) - seen.page(0 * d)) == pytest.approx(seen.scale)


def test_what_moves_in_a_plane_is_seen_along_its_normal():
    m = demo.four_bar()
    place = placement(m)
    assert_allclose(np.abs(look(m, place, extent(Scene(m), place, solids=False)).towards), (0, 1, 0), atol=1e-12)
    spatial = demo.double_pendulum()
    seen = look(spatial, placement(spatial), extent(Scene(spatial), placement(spatial), solids=False))
    assert abs(seen.towards[1]) < 0.99


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3.0, 0, 0), (1, -2, 0.5), (0, 0, 0)])
def test_gravity_points_down(gravity):
    m = vv.Mechanism("free body", gravity=gravity)
    m.body("box", inertia=vv.inertia.box(1.0, (0.1, 0.2, 0.3)))
    seen = look(m, placement(m), extent(Scene(m), placement(m), solids=True))
    right, down = seen.flat(np.array(gravity if np.any(gravity) else (0, 0, -1)))
    assert right == pytest.approx(0, abs=1e-12)
    assert down < 0


def test_azimuth_and_elevation_are_where_the_viewer_is():
    m = demo.double_pendulum()
    for (azimuth, elevation), towards in {(0, 0): (1, 0, 0), (90, 0): (0, 1, 0), (-60, 90): (0, 0, 1)}.items():
        seen = look(m, placement(m), np.zeros((1, 3)), view=(azimuth, elevation))
        assert_allclose(seen.towards, towards, atol=1e-12)


def test_every_part_of_a_small_mechanism_is_named():
    m = demo.double_pendulum()
    m.torque("motor", "elbow")
    m.wrench("wind", "lower")
    m.particle("bob", mass=0.1, at=(2, 0, 0))
    m.spherical("ring", "lower", "bob", at=(2, 0, 0))
    assert texts(m) == set(m.parts)
    assert texts(m, names=False) == set()


def test_names_do_not_cover_each_other():
    for m in (demo.double_pendulum(), demo.four_bar(), demo.slider_crank(), demo.bennett(), demo.sarrus()):
        labels = drawn(m).labels
        for i, a in enumerate(labels):
            for b in labels[i + 1 :]:
                assert (np.abs(a.at - b.at) >= a.half + b.half - 1e-9).any(), (a.text, b.text)


def test_many_parts_are_not_named_unless_asked():
    m = demo.folded_chain(30)
    assert texts(m) == set()
    assert texts(m, names=True) == set(m.parts)


def test_marks_of_many_short_bodies_are_small():
    widths = [max(s.width for s in drawn(demo.folded_chain(n)).strokes) for n in (4, 200)]
    assert widths[1] < 0.5 * widths[0]


def test_a_particle_and_a_rod_of_fixed_length_are_shown():
    m = vv.Mechanism("bob", gravity=(0, 0, -9.81))
    m.particle("bob", mass=1.0, at=(1, 0, 0))
    m.distance("string", m.ground, "bob", at_a=(0, 0, 0))
    place = placement(m)
    seen = look(m, place, extent(Scene(m), place, solids=True)).fitted(extent(Scene(m), place, solids=True))
    ends = seen.page(np.array([(0, 0, 0), (1, 0, 0)], dtype=float))
    strokes = drawing_of(Scene(m), place, seen, names=True, solids=True).strokes
    assert any(s.points.shape == (2, 2) and np.allclose(s.points, ends) for s in strokes)


def test_a_spring_is_a_zigzag_from_end_to_end():
    m = vv.Mechanism("swing", gravity=(0, 0, -9.81))
    m.body("box", inertia=vv.inertia.box(1.0, (0.1, 0.2, 0.3)), at=(0, 0, -1))
    m.spring("coil", m.ground, "box", k=50.0, length=0.8, at_a=(0, 0, 0), at_b=(0, 0, -0.85))
    place, scene = placement(m), Scene(m)
    seen = look(m, place, extent(scene, place, solids=True)).fitted(extent(scene, place, solids=True))
    (coil,) = [s for s in drawing_of(scene, place, seen, False, True).strokes if s.edge == SPRING and s.fill == "none"]
    ends = seen.page(np.array([(0, 0, 0), (0, 0, -0.85)]))
    assert_allclose(coil.points[[0, -1]], ends, atol=1e-9)
    assert len(coil.points) > 10
    damped = vv.Mechanism("damped")
    damped.body("box", inertia=vv.inertia.box(1.0, (0.1, 0.2, 0.3)), at=(0, 0, -1))
    damped.spring("coil", m.ground.name, "box", k=50.0, length=0.8, damping=2.0, at_a=(0, 0, 0), at_b=(0, 0, -0.85))
    assert sum(s.edge == SPRING for s in drawn(damped).strokes) > sum(s.edge == SPRING for s in drawn(m).strokes)


def test_a_torsion_spring_and_a_bushing_are_shown():
    m = demo.pendulum()
    bare = len(drawn(m).strokes)
    m.torsion("spiral", "hinge", k=2.0)
    assert len(drawn(m).strokes) == bare + 1
    m.bushing("rubber", m.ground, "arm", K=np.ones(6), at=(0.2, 0, 0))
    assert texts(m) == {"arm", "hinge", "spiral", "rubber"}


def test_the_ground_is_hatched_where_something_holds_on_to_it():
    m = vv.Mechanism("pair")
    bar = vv.inertia.cylinder(1.0, 0.05, 1.0, axis="x")
    m.body("a", inertia=bar, at=(0.5, 0, 0))
    m.body("b", inertia=bar, at=(1.5, 0, 0))
    m.revolute("joint", "a", "b", at=(1, 0, 0), axis=(0, 1, 0))
    floating = len(drawn(m).strokes)
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 1, 0))
    hinge = len(drawn(hung("revolute")).strokes) - len(drawn(hung("free")).strokes)
    assert len(drawn(m).strokes) - floating > 3 + hinge // 2


def test_a_state_of_a_run_is_drawn_where_it_is():
    m = demo.double_pendulum()
    run = vv.simulate(m, t_end=0.5, h=0.05)
    place = placement(m, run.final)
    tip = m["tip"]
    assert_allclose(place.point(tip.carrier, tip.r_WF), run["tip.r"][-1], atol=1e-12)
    motion, _ = m.assemble()
    assert_allclose(placement(m, motion).point(tip.carrier, tip.r_WF), (2, 0, 0), atol=1e-12)
    assert drawn(m, state=run.final).bounds[1][0] != pytest.approx(drawn(m).bounds[1][0])


def test_a_lie_state_is_drawn_too():
    m = demo.pendulum()
    run = vv.simulate(m, t_end=0.1, h=0.05, integrator=vv.DiscreteGradient())
    assert_allclose(placement(m, run.final).q["arm"][:3], run["arm.r"][-1], atol=1e-12)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_it_is_saved_by_the_ending_of_its_name(suffix, tmp_path):
    path = tmp_path / "folder" / f"arm{suffix}"
    draw(demo.pendulum(), path)
    assert path.stat().st_size > 2000


def test_svg_is_one_element_that_needs_no_other_file():
    svg = draw(demo.four_bar())._repr_svg_()
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert not [e for e in root.iter() if e.tag.endswith("image")]


def test_equal_mechanisms_have_equal_pictures():
    assert len(draw(demo.four_bar()).svg) == len(draw(demo.four_bar()).svg)


@pytest.mark.parametrize("name", ["$x_1$", "a & b", "</svg><b>", "α"])
def test_names_stay_text(name):
    m = vv.Mechanism(name)
    m.body(name, inertia=vv.inertia.sphere(1.0, 0.1))
    ET.fromstring(draw(m).svg)
    assert texts(m) == {name}


def test_repr_says_what_it_is():
    assert repr(draw(demo.pendulum())).startswith("<Picture of 'pendulum', ")


def test_a_composite_is_drawn_as_a_pattern():
    from visviva.library.multibody import rigid_body

    body = rigid_body(mass=1.0, inertia=(0.1, 0.2, 0.3))
    assert len(draw(body, legend=True).drawing.boxes) > 3


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(vv.ModelError, match="'void' has no bodies to draw"):
        draw(vv.Mechanism("void"))
    with pytest.raises(vv.ModelError, match=r"'arm.gif': the name must end with .svg, .png or .pdf"):
        draw(demo.pendulum(), "arm.gif")
    for view in ((0, 100), (np.nan, 0), 3, (1, 2, 3), ("a", "b")):
        with pytest.raises(vv.ModelError, match=r"azimuth, elevation"):
            draw(demo.pendulum(), view=view)
    with pytest.raises(vv.ModelError, match=r"(?s)the state to draw of mechanism .* must be values by name.*got int"):
        draw(demo.pendulum(), state=3)
    with pytest.raises(
        vv.ModelError, match=r"the state to draw is of other bodies .* than those of mechanism 'pendulum'"
    ):
        draw(demo.pendulum(), state=demo.four_bar().assemble()[0])
    run = vv.simulate(demo.four_bar(), t_end=0.01, h=0.01)
    with pytest.raises(vv.ModelError, match="no state of mechanism 'pendulum'"):
        draw(demo.pendulum(), state=run.final)
