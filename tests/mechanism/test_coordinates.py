"""Joint constraints in coordinates: zero along the motions that a joint allows, and their gradients are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import visviva as vv
from visviva.geometry import SE3
from visviva.mechanism.assembly import velocity_matrix
from visviva.mechanism.coordinates import as_built, joint_angle, joint_rows, movers, orthonormality, space_of

VECTORS = st.tuples(*[st.floats(-2, 2)] * 3).map(np.array)
TWISTS = st.tuples(*[st.floats(-2, 2)] * 6).map(np.array)
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
    if kind == "spherical":
        return m.spherical("joint", *ends, at=AT)
    return None if "p" in ends else m.revolute("joint", *ends, at=AT, axis=(1, -2, 2))


JOINTS = {f"{kind}, {place}": joined(kind, place) for kind in ("revolute", "spherical") for place in PLACES}
JOINTS = {name: joint for name, joint in JOINTS.items() if joint is not None}
every_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
hinges = pytest.mark.parametrize(
    "joint", [j for j in JOINTS.values() if j.joint.turns], ids=[n for n in JOINTS if n.startswith("revolute")]
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
    X_WJ = SE3(joint.R_W, joint.r_W)
    relative = X_WJ @ joint.joint.X_PC(np.asarray(coordinate)) @ X_WJ.inverse()
    if joint.child.name == "ground":
        return coordinates(joint, relative.inverse(), SE3.identity())
    return coordinates(joint, base, base @ relative)


@every_joint
def test_rows_vanish_as_built(joint):
    q = np.concatenate([as_built(end) for end in movers(joint)])
    assert_allclose(joint_rows(joint).value(q), 0, atol=1e-15)


@every_joint
@given(base=TWISTS, coordinate=VECTORS)
def test_rows_vanish_along_the_motions_of_the_joint(joint, base, coordinate):
    q = displaced(joint, SE3.exp(base), coordinate[: joint.joint.nv])
    assert_allclose(joint_rows(joint).value(np.concatenate(q)), 0, atol=1e-14)


@every_joint
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
@given(base=TWISTS, coordinate=VECTORS, rates=VECTORS)
def test_gradients_vanish_along_the_motion_subspace(joint, base, coordinate, rates):
    """G N V = 0 with V the twists of the motion t -> X_PC(q + t q_dot), by central differences."""
    nv, step = joint.joint.nv, 1e-5
    q, q_dot = coordinate[:nv], rates[:nv]
    here = np.concatenate(displaced(joint, SE3.exp(base), q))
    ahead = np.concatenate(displaced(joint, SE3.exp(base), q + step * q_dot))
    behind = np.concatenate(displaced(joint, SE3.exp(base), q - step * q_dot))
    assert_allclose(joint_rows(joint).gradient(here) @ (ahead - behind) / (2 * step), 0, atol=1e-8)


@every_joint
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
    rows = velocity_matrix(joint, q, g.gradient(np.concatenate(q)))
    assert_allclose(rows @ np.concatenate(speeds), rate, rtol=0, atol=1e-8)


@hinges
@given(base=TWISTS, angle=st.floats(-3.1, 3.1))
def test_the_angle_is_the_turn_of_the_child_about_the_axis(joint, base, angle):
    q = np.concatenate(displaced(joint, SE3.exp(base), [angle]))
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
