"""Joints between named frames: the frames are those of the joint, they may be apart, and nothing is said twice."""

from __future__ import annotations

import numpy as np
import pytest
from messages import says
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.geometry import SO3
from visviva.mechanism.coordinates import as_built, joint_rows, movers
from visviva.mechanism.joint_coordinates import coordinate_values

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
Z = (0, 0, 1)


def framed(m):
    turn = SO3.exp((0, 0.3, 0))
    m.frame("here", "rod", at=(1, 0, 0), rotation=turn)
    m.frame("there", "plate", at=(1, 0.1, 0))
    return turn.R


FRAMED = {
    "fixed": lambda m, a, b, **more: m.fixed("j", a, b, **more),
    "revolute": lambda m, a, b, **more: m.revolute("j", a, b, **more),
    "prismatic": lambda m, a, b, **more: m.prismatic("j", a, b, **more),
    "cylindrical": lambda m, a, b, **more: m.cylindrical("j", a, b, **more),
    "spherical": lambda m, a, b, **more: m.spherical("j", a, b, **more),
    "planar": lambda m, a, b, **more: m.planar("j", a, b, **more),
    "point_on_plane": lambda m, a, b, **more: m.point_on_plane("j", a, b, **more),
    "point_on_line": lambda m, a, b, **more: m.point_on_line("j", a, b, **more),
}


@pytest.mark.parametrize("kind", FRAMED)
def test_two_frames_are_the_frames_of_the_joint(m, kind):
    R = framed(m)
    joint = FRAMED[kind](m, "here", m["there"])
    assert (joint.parent, joint.child) == (m["rod"], m["plate"])
    for end, R_WF, r_WF in (("rod", R, (1, 0, 0)), ("plate", np.eye(3), (1, 0.1, 0))):
        found = joint.frame_on(m[end])
        assert_array_equal(found[0], R_WF)
        assert_array_equal(found[1], r_WF)


@pytest.mark.parametrize("kind", FRAMED)
def test_one_frame_places_the_joint_on_both_ends(m, kind):
    R = framed(m)
    joint = FRAMED[kind](m, "here", "plate")
    for end in ("rod", "plate"):
        assert_array_equal(joint.frame_on(m[end])[0], R)
        assert_array_equal(joint.frame_on(m[end])[1], (1, 0, 0))


@pytest.mark.parametrize("kind", FRAMED)
def test_a_joint_is_not_placed_twice(m, kind):
    framed(m)
    with pytest.raises(vv.ModelError, match=says("joint 'j' is placed by frame 'here' already", "'rod' in place of")):
        FRAMED[kind](m, "here", "there", at=(0, 0, 0))


def test_a_direction_beside_a_frame_is_refused(m):
    framed(m)
    with pytest.raises(vv.ModelError, match=says("joint 'j' is placed by frame 'there'", "leave out at and axis")):
        m.revolute("j", m.ground, "there", axis=Z)
    with pytest.raises(vv.ModelError, match=says("distance 'd' ends in frame 'here'", "leave out at_a")):
        m.distance("d", "here", "there", at_a=(0, 0, 0))


def test_the_axes_of_a_universal_joint_are_the_z_axes_of_two_frames(m):
    m.frame("a", "rod", at=(1, 0, 0))
    child = np.column_stack(
        [(0, 1, 0), (0, 0, 1), (1, 0, 0)]
    )  # z along the world's x, y along its z: all angles are zero
    m.frame("b", "plate", at=(1, 0, 0), rotation=child)
    joint = m.universal("j", "a", "b")
    q = np.concatenate([as_built(end) for end in movers(joint)])
    assert_allclose(joint_rows(joint).value(q), 0, atol=1e-15)
    assert_allclose(coordinate_values(joint, q), 0, atol=1e-15)
    assert_array_equal(joint.frame_on(joint.parent)[0][:, 2], Z)  # the axis on the parent
    assert_array_equal(joint.frame_on(joint.child)[0][:, 0], child[:, 2])  # the axis on the child
    with pytest.raises(vv.ModelError, match=says("universal joint 'k' has a frame at one end only", "both ends")):
        m.universal("k", "a", "plate")


def test_a_particle_meets_a_frame_away_from_it(m):
    m.frame("socket", "rod", at=(0.1, 0, 0))
    joint = m.spherical("j", "socket", "dot")
    assert_array_equal(joint.frame_on(joint.parent)[1], (0.1, 0, 0))
    assert_array_equal(joint.frame_on(joint.child)[1], np.zeros(3))
