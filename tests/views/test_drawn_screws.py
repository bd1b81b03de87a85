"""Screws in pictures of mechanisms are where they belong, and say what they are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.views.mechanism_screws import TWIST, WRENCH


def strokes(picture, colour):
    return [stroke for stroke in picture.drawing.strokes if stroke.edge == colour]


def labels(picture):
    return [label.text for label in picture.drawing.labels if label.colour == TWIST]


def test_axes_are_drawn_through_their_joints():
    m = demo.bennett()
    picture, bare = vv.draw(m, screws=["first"]), vv.draw(m)
    assert not strokes(bare, TWIST)
    (axis,) = [stroke for stroke in strokes(picture, TWIST) if stroke.dash]
    joint = vv.draw(m, screws=["third"])
    (other,) = [stroke for stroke in strokes(joint, TWIST) if stroke.dash]
    assert len(axis.points) == len(other.points) == 2
    assert labels(picture) == ["first/ground"]


def test_an_axis_is_marked_beside_its_body():
    """Three bodies on one vertical axis, whose joints are all at its foot: marks are at the heights of the bodies."""
    m = vv.Mechanism("doors")
    heights = {"low": -1.0, "middle": 0.0, "high": 3.0}
    for name, z in heights.items():
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1.0, 0.0, z))
        m.revolute(f"{name} hinge", m.ground, name, at=(0, 0, 0), axis=(0, 0, 1))
    low, middle, high = (strokes(vv.draw(m, screws=name), TWIST)[-1].points[:, 1].mean() for name in heights)
    assert low < middle < high
    assert (high - middle) / (middle - low) == pytest.approx(3.0, rel=1e-6)


def test_a_pitch_is_told():
    assert labels(vv.draw(demo.bennett(), screws="second")) == ["second/ground  h = 0.633 m/rad"]


def test_a_centre_far_away_is_pointed_at():
    (text,) = labels(vv.draw(demo.four_bar(), screws=["coupler"]))
    assert text == "coupler/ground: axis 5.18 m from here"


def test_a_pair_of_names_is_one_against_the_other():
    assert labels(vv.draw(demo.four_bar(), screws=("coupler", "rocker"))) == ["coupler/rocker"]


def test_a_freedom_shows_what_holds_the_body_as_well():
    m = demo.sarrus()
    free = m.kinestatics().freedom("platform")
    picture = vv.draw(m, screws=free)
    assert strokes(picture, TWIST)
    lines = [stroke for stroke in strokes(picture, WRENCH) if len(stroke.points) == 2 and stroke.fill == "none"]
    assert len(lines) >= 2 + 3  # two forces, three couples
    shift = strokes(picture, TWIST)[0].points  # the shift of the platform is drawn upwards
    assert shift[1][1] > shift[0][1]
    assert_allclose(shift[1][0], shift[0][0], atol=1e-9)


def test_a_shift_has_its_name_once():
    assert labels(vv.draw(demo.sarrus(), screws="platform")) == ["platform/ground"]
    loose = vv.Mechanism("plate")
    loose.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    loose.body("middle", mass=1.0, inertia=(0.1, 0.1, 0.1))
    loose.prismatic("x", loose.ground, "middle", axis=(1, 0, 0))
    loose.prismatic("y", "middle", "plate", axis=(0, 1, 0))
    assert labels(vv.draw(loose, screws="plate")) == ["plate/ground"]


def test_motions_are_drawn_above_the_forces_on_the_same_lines():
    m = demo.bennett()
    edges = [stroke.edge for stroke in vv.draw(m, screws=m.kinestatics().freedom("first")).drawing.strokes]
    assert max(k for k, edge in enumerate(edges) if edge == WRENCH) < min(
        k for k, edge in enumerate(edges) if edge == TWIST
    )


def test_a_system_can_be_drawn():
    system = vv.screws.System(vv.screws.Screw.about((0, 0, 1), at=(0.2, 0, 0), pitch=0.1))
    assert labels(vv.draw(demo.bennett(), screws=system)) == ["  h = 0.1 m/rad"]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(vv.ModelError, match=r"cannot be drawn in 'four bar'\. Give the name of a body"):
        vv.draw(demo.four_bar(), screws=[3.0])
    with pytest.raises(vv.ModelError, match="has no 'cranc'"):
        vv.draw(demo.four_bar(), screws="cranc")
    with pytest.raises(vv.ModelError, match=r"screws=3 cannot be drawn in 'four bar'"):
        vv.draw(demo.four_bar(), screws=3)
    with pytest.raises(vv.ModelError, match="freedom of mechanism 'four bar' has no 'first'"):
        vv.draw(demo.four_bar(), screws=demo.bennett().kinestatics().freedom("first"))


def test_at_a_state():
    m = demo.four_bar()
    motion = m.assemble()[0]
    assert labels(vv.draw(m, state=motion, screws="crank")) == ["crank/ground"]
    assert np.isfinite(np.concatenate([s.points for s in vv.draw(m, screws="rocker").drawing.strokes])).all()
