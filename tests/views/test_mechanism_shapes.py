"""Bodies are drawn as the solids and lines that they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.views.mechanism_bodies import Scene, hull, outline
from visviva.views.mechanism_draw import draw
from visviva.views.mechanism_placement import placement
from visviva.views.mechanism_solids import solid_of

LENGTHS = st.floats(0.01, 10.0)


def solid(inertia, rotation=None):
    m = vv.Mechanism("one")
    return solid_of(m.body("body", inertia=inertia, rotation=rotation))


@given(LENGTHS, LENGTHS, LENGTHS)
def test_a_box_is_drawn_as_that_box(a, b, c):
    sizes = np.sort([a, b, c])
    if (np.diff(sizes) < 0.1 * sizes[1:]).any():
        return  # two edges alike: a cylinder has the same inertia
    found = solid(vv.inertia.box(2.0, (a, b, c)))
    if found.kind == "box":  # moments of very flat boxes are alike although their edges are not
        assert_allclose(np.sort(found.half), sizes / 2, rtol=1e-6)


@given(LENGTHS, LENGTHS)
def test_a_cylinder_is_drawn_as_that_cylinder(radius, length):
    found = solid(vv.inertia.cylinder(2.0, radius, length, axis="y"))
    if found.kind == "cylinder":  # one whose three moments are alike is a ball
        across, along = np.delete(found.half, found.axis), found.half[found.axis]
        assert_allclose(across, radius, rtol=0.03)
        assert along == pytest.approx(length / 2, rel=0.2 if length < radius else 0.05)


def test_a_ball_is_drawn_as_that_ball():
    found = solid(vv.inertia.sphere(3.0, 0.2))
    assert found.kind == "ball"
    assert_allclose(found.half, 0.2)


def test_bars_are_slender_and_discs_are_not():
    assert solid(vv.inertia.rod(1.0, 1.0)).slender
    assert solid(vv.inertia.cylinder(1.0, 0.05, 1.0)).slender
    assert not solid(vv.inertia.cylinder(1.0, 1.0, 0.05)).slender
    assert not solid(vv.inertia.box(1.0, (1.0, 1.0, 0.05))).slender


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=3, max_size=30))
def test_no_point_lies_outside_of_the_hull(points):
    points = np.array(points)
    corners = points[hull(points)]
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        turns = (b - a)[0] * (points - a)[:, 1] - (b - a)[1] * (points - a)[:, 0]
        assert turns.min() > -1e-12


def test_a_thin_rod_seen_from_its_end_is_drawn():
    m = vv.Mechanism("needle")
    m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"))
    strokes = draw(m, view=(0, 0)).drawing.strokes
    assert all(len(stroke.points) and np.isfinite(stroke.points).all() for stroke in strokes)


def test_points_on_a_line_are_joined_by_a_line():
    corners, closed = outline(np.array([(1.0, 0, 0), (0, 0, 0), (3.0, 0, 0)]), np.array([1.5, 0.01, 0]))
    assert_allclose(corners, [(0, 0, 0), (3, 0, 0)] if corners[0, 0] == 0 else [(3, 0, 0), (0, 0, 0)])
    assert not closed


def test_points_in_a_plane_are_joined_by_a_ring():
    square = np.array([(0.0, 0, 1), (1, 1, 1), (1, 0, 1), (0, 1, 1), (0.5, 0.5, 1)])
    corners, closed = outline(square, np.array([0.5, 0.5, 1]))
    assert closed
    assert len(corners) == 4
    assert_allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 1.0)


def test_points_in_space_are_joined_by_way_of_the_centre_of_mass():
    tetrahedron = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    centre = np.full(3, 0.25)
    corners, closed = outline(tetrahedron, centre)
    assert not closed
    assert_allclose(corners[1::2], np.tile(centre, (3, 1)))
    assert_allclose(corners[::2], tetrahedron)


def test_a_bent_body_goes_by_way_of_its_centre_of_mass():
    corners, _ = outline(np.array([(0.0, 0, 0), (1, 0, 0)]), np.array([0.5, 0.4, 0]))
    assert_allclose(corners[1], (0.5, 0.4, 0))


def test_a_bar_held_at_one_end_reaches_to_the_other():
    (shape,) = Scene(demo.pendulum()).shapes
    assert_allclose(np.sort(shape.corners[:, 0]), (0, 1), atol=1e-12)
    (top,) = Scene(demo.heavy_top()).shapes
    assert np.linalg.norm(np.ptp(top.corners, axis=0)) == pytest.approx(0.12)  # from tip to nose


def test_a_spring_at_the_centre_of_mass_does_not_end_the_bar():
    m = demo.pendulum()
    m.spring("coil", m.ground, "arm", at_a=(0.5, 0, 1), k=1.0)
    (shape,) = Scene(m).shapes
    assert_allclose(np.sort(shape.corners[:, 0]), (0, 1), atol=1e-12)


def test_a_solid_that_its_joints_do_not_touch_is_not_shown():
    assert [shape.solid for shape in Scene(demo.bennett()).shapes] == [None, None, None]
    assert all(shape.solid is not None for shape in Scene(demo.four_bar()).shapes)


def test_a_body_without_mass_has_no_solid():
    m = vv.Mechanism("light")
    m.body("rod", massless=True, at=(0.5, 0, 0))
    (shape,) = Scene(m).shapes
    assert shape.solid is None


def test_bodies_are_drawn_as_they_look_where_that_is_known():
    arm = vv.read_urdf(Path(__file__).parent.parent / "data" / "urdf" / "arm.urdf")
    scene = Scene(arm)
    assert [looks.solid.kind for looks in scene.looks] == ["cylinder", *("box", "cylinder", "ball") * 2]
    assert scene.looks[0].carrier is arm.ground
    solids = {shape.body.name: shape.solid for shape in scene.shapes}
    assert solids["link1"] is None
    assert not {name for name, solid in solids.items() if solid is not None} - {"link4"}  # a mesh is not drawn
    plain = vv.draw(arm, solids=False).svg
    assert len(vv.draw(arm, solids=True).svg) > len(plain)


def test_what_a_body_looks_like_moves_with_it():
    arm = vv.read_urdf(Path(__file__).parent.parent / "data" / "urdf" / "arm.urdf")
    run = vv.simulate(arm, t_end=0.2, h=0.01)
    looks, place = Scene(arm).looks[1], placement(arm, run.final)
    X_L = arm.description.links["link1"].visuals[0].X_L
    assert_allclose(place.point(looks.carrier, looks.r_W), run["link1.r"][-1] + run["link1.R"][-1] @ X_L.r, atol=1e-12)
    assert_allclose(place.turned(looks.carrier, looks.R_W), run["link1.R"][-1] @ X_L.R, atol=1e-12)


def test_points_of_a_module_on_one_body_meet_in_their_middle():
    """A chassis with four corners is a frame with spokes, not a star of all that it carries."""
    corner = vv.Mechanism()
    corner.body("hub", mass=1.0, inertia=(1, 1, 1))
    for k, at in enumerate([(0.1, 0, 0), (0, 0.1, 0), (-0.1, 0, 0), (0, 0, 0.2)]):
        corner.spring(f"s{k}", corner.ground, "hub", at_a=at, k=1.0, length=0.0)
    m = vv.Mechanism()
    m.body("chassis", mass=1.0, inertia=(1, 1, 1))
    places = np.array([(1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0)])
    for k, at in enumerate(places):
        m.include(corner, f"c{k}", on="chassis", at=at)
    shape = next(shape for shape in Scene(m).shapes if shape.body.name == "chassis")
    assert shape.closed
    middles = places + np.array([0, 0.025, 0.05])
    at_middle = [any(np.allclose(r, middle) for middle in middles) for r in shape.corners]
    assert at_middle.count(True) == 4 * (1 + 4)
    assert at_middle.count(False) == 4 * 4
