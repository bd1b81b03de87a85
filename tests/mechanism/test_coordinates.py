"""Joint constraints in coordinates: zero along the motions that a joint allows, and their gradients are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import visviva as vv
from visviva.geometry import SE3
from visviva.mechanism.coordinates import (
    as_built,
    joint_angle,
    joint_rows,
    movers,
    orthonormality,
    pair_functions,
    space_of,
)
from visviva.mechanism.joint_coordinates import coordinate_rows, coordinate_values
from visviva.model.holonomic import lift_rows

VECTORS = st.tuples(*[st.floats(-2, 2)] * 3).map(np.array)
CHARTS = st.tuples(*[st.floats(-1.5, 1.5)] * 5).map(np.array)
TWISTS = st.tuples(*[st.floats(-2, 2)] * 6).map(np.array)
few = settings(max_examples=10)  # of each of the many joints
PLACES = ("ground and body", "body and ground", "two bodies", "body and particle", "particle and ground")
AT = np.array([0.3, -0.4, 0.7])


def joined(kind: str, place: str):
    """A joint between skew bodies, or None where a particle cannot be held that way."""
    m = vv.Mechanism()
    tensor = [[1.0, 0.1, 0.0], [0.1, 1.2, -0.2], [0.0, -0.2, 0.9]]
    turn = Rotation.from_rotvec((0.5, -0.3, 0.8)).as_matrix()
    m.body("a", mass=1.0, inertia=tensor, com=(0.1, 0.2, 0), at=(1, 0, 0), rotation=turn)
    m.body("b", mass=2.0, inertia=tensor, at=(0, 1, 0.5), rotation=turn.T)
    m.particle("p", mass=1.0, at=AT)
    ends = {
        "ground and body": ("ground", "a"),
        "body and ground": ("a", "ground"),
        "two bodies": ("a", "b"),
        "body and particle": ("a", "p"),
        "particle and ground": ("p", "ground"),
    }[place]
    try:
        return KINDS[kind](m, *ends)
    except vv.ModelError:  # a particle cannot be held that way
        assert "p" in ends
        return None


KINDS = {
    "fixed": lambda m, a, b: m.fixed("joint", a, b, at=AT),
    "revolute": lambda m, a, b: m.revolute("joint", a, b, at=AT, axis=(1, -2, 2)),
    "prismatic": lambda m, a, b: m.prismatic("joint", a, b, at=AT, axis=(1, -2, 2)),
    "cylindrical": lambda m, a, b: m.cylindrical("joint", a, b, at=AT, axis=(1, -2, 2)),
    "universal": lambda m, a, b: m.universal("joint", a, b, at=AT, axes=((1, -2, 2), (2, 2, 1))),
    "spherical": lambda m, a, b: m.spherical("joint", a, b, at=AT),
    "planar": lambda m, a, b: m.planar("joint", a, b, at=AT, normal=(1, -2, 2)),
    "distance": lambda m, a, b: m.distance("joint", a, b, at_a=_away(a), at_b=_away(b)),
    "point_on_plane": lambda m, a, b: m.point_on_plane("joint", a, b, at=AT, normal=(1, -2, 2)),
    "point_on_line": lambda m, a, b: m.point_on_line("joint", a, b, at=AT, axis=(1, -2, 2)),
}


def _away(end: str) -> np.ndarray:
    """A point of its own for each end."""
    return {"a": AT + 0.5, "b": AT - 0.5, "p": AT, "ground": 2 * AT}[end]


JOINTS = {f"{kind}, {place}": joined(kind, place) for kind in KINDS for place in PLACES}
JOINTS = {name: joint for name, joint in JOINTS.items() if joint is not None}
every_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
hinges = pytest.mark.parametrize(
    "joint", [j for j in JOINTS.values() if j.joint.turns], ids=[n for n, j in JOINTS.items() if j.joint.turns]
)
lower = pytest.mark.parametrize(
    "joint",
    [j for j in JOINTS.values() if j.joint.kind in ("revolute", "spherical")],
    ids=[n for n, j in JOINTS.items() if j.joint.kind in ("revolute", "spherical")],
)


def coordinates(joint, parent: SE3, child: SE3):
    """q of the movers after the parent went through the world displacement `parent`, and the child through `child`."""
    q = []
    for end, shift in ((joint.parent, parent), (joint.child, child)):
        if end in movers(joint):
            if space_of(end).size == 3:
                q.append(shift.act(end.r_W))
            else:
                q.append(space_of(end).point(shift.R @ end.R_WC, shift.act(end.r_WC)))
    return q


def displaced(joint, base: SE3, coordinate):
    """q of the movers after a displacement `base` of both ends and X_PC(coordinate) in the joint frame."""
    if any(end.name == "ground" for end in (joint.parent, joint.child)):
        base = SE3.identity()
    X_WP, X_WC = (SE3(*joint.frame_on(end)) for end in (joint.parent, joint.child))
    relative = X_WP @ joint.joint.X_PC(np.asarray(coordinate)) @ X_WC.inverse()
    if joint.child.name == "ground":
        return coordinates(joint, relative.inverse(), SE3.identity())
    return coordinates(joint, base, base @ relative)


@every_joint
def test_rows_vanish_as_built(joint):
    q = np.concatenate([as_built(end) for end in movers(joint)])
    assert_allclose(joint_rows(joint).value(q), 0, atol=1e-15)


@every_joint
@few
@given(base=TWISTS, coordinate=CHARTS)
def test_rows_vanish_along_the_motions_of_the_joint(joint, base, coordinate):
    q = displaced(joint, SE3.exp(base), coordinate[: joint.joint.nv])
    assert_allclose(joint_rows(joint).value(np.concatenate(q)), 0, atol=1e-14)


@lower
@given(shift=TWISTS)
def test_rows_see_every_other_motion(joint, shift):
    """Any displacement of one end that leaves all rows at zero is X_PC of some coordinates."""
    child = SE3.exp(shift) if joint.child.name != "ground" else SE3.identity()
    parent = SE3.identity() if joint.child.name != "ground" else SE3.exp(shift)
    g = np.abs(joint_rows(joint).value(np.concatenate(coordinates(joint, parent, child)))).max()
    X_WJ = SE3(joint.R_W, joint.r_W)
    X_PC = X_WJ.inverse() @ parent.inverse() @ child @ X_WJ
    apart = np.abs(X_PC.r).max()
    if joint.joint.turns:  # the axes must stay parallel
        apart = max(apart, np.abs(X_PC.R[2, :2]).max())
    assert g >= 0.4 * apart - 1e-12


@every_joint
@few
@given(base=TWISTS, coordinate=CHARTS, rates=CHARTS)
def test_along_the_motion_rows_rest_and_coordinates_have_their_rates(joint, base, coordinate, rates):
    """For t -> X_PC(q + t q_dot): G q̇ = 0 and the gradients of the coordinates give their rates, by differences."""
    nv, k, step = joint.joint.nv, len(joint.joint.coordinates), 1e-5
    q, q_dot = coordinate[:nv], rates[:nv]
    here = np.concatenate(displaced(joint, SE3.exp(base), q))
    ahead = np.concatenate(displaced(joint, SE3.exp(base), q + step * q_dot))
    behind = np.concatenate(displaced(joint, SE3.exp(base), q - step * q_dot))
    motion = (ahead - behind) / (2 * step)
    assert_allclose(joint_rows(joint).gradient(here) @ motion, 0, atol=1e-8)
    assert_allclose(coordinate_values(joint, here), q[:k], rtol=0, atol=1e-13)
    assert_allclose(coordinate_rows(joint, here) @ motion, q_dot[:k], rtol=0, atol=1e-8)
    assert (pair_functions(joint, joint.joint.upright).value(here) > 0).all()


@every_joint
@few
@given(shifts=st.tuples(TWISTS, TWISTS, TWISTS))
def test_gradients_are_those_of_the_rows(joint, shifts):
    """Along any motion of the ends, with velocities V: d/dt g = (G N) V, by central differences."""
    parent, child, V = SE3.exp(shifts[0]), SE3.exp(shifts[1]), shifts[2]
    q, step = coordinates(joint, parent, child), 1e-5
    speeds = [V if space_of(end).dim == 6 else V[:3] for end in movers(joint)]

    def moved(t):
        ends = zip(movers(joint), q, speeds, strict=True)
        return np.concatenate([space_of(end).retract(x, t * speed) for end, x, speed in ends])

    g = joint_rows(joint)
    rate = (g.value(moved(step)) - g.value(moved(-step))) / (2 * step)
    spaces = tuple(space_of(end) for end in movers(joint))
    rows = lift_rows(g.gradient(np.concatenate(q)), np.concatenate(q), spaces)
    assert_allclose(rows @ np.concatenate(speeds), rate, rtol=0, atol=1e-8)


@hinges
@given(base=TWISTS, angle=st.floats(-3.1, 3.1))
def test_the_angle_is_the_turn_of_the_child_about_the_axis(joint, base, angle):
    coordinate = np.zeros(joint.joint.nv)
    coordinate[0] = angle
    q = np.concatenate(displaced(joint, SE3.exp(base), coordinate))
    assert_allclose(joint_angle(joint).value(q), (np.cos(angle), np.sin(angle)), rtol=0, atol=1e-14)


@given(TWISTS)
def test_directors_of_a_rotation_are_orthonormal(shift):
    X = SE3.exp(shift)
    assert_allclose(orthonormality().value(np.concatenate([X.r, *X.R.T])), 0, atol=1e-15)


@given(st.lists(st.floats(-2, 2), min_size=12, max_size=12).map(np.array))
def test_orthonormality_is_half_of_the_gram_matrix_on_its_diagonal(q):
    d = q[3:].reshape(3, 3)
    gram = d @ d.T - np.eye(3)
    expected = [*(0.5 * np.diag(gram)), gram[0, 1], gram[0, 2], gram[1, 2]]
    assert_allclose(orthonormality().value(q), expected, rtol=0, atol=1e-14)


@every_joint
def test_only_what_can_move_has_coordinates(joint):
    assert [end.name for end in movers(joint)] == [e.name for e in (joint.parent, joint.child) if e.name != "ground"]
