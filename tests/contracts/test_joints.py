"""The contract of joints: every joint, and each law against a joint that breaks it."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.geometry import SE3
from visviva.library.joints import JOINTS, MEET, TURN, AbstractJoint, Angle, Screw, Sum, Turn, along, cosine
from visviva.testing import check_joint


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_joint_keeps_the_contract(joint):
    check_joint(joint)


class Hinge(AbstractJoint):
    """A correct hinge, to be broken one part at a time."""

    kind, glyph, chain, rows = "revolute", "hinge", (Turn(2),), (*MEET, cosine(2, 0), cosine(2, 1))
    coordinates, names, upright = (TURN,), ("angle",), (cosine(2, 2),)


def broken(**parts):
    return type("Broken", (Hinge,), parts)()


@pytest.mark.parametrize(
    ("law", "joint"),
    [
        ("as built", broken(X_PC=lambda self, q: SE3.exp((q + 0.1) @ np.eye(6)[2:3]))),
        ("as built", broken(offset=np.array([0.0, 0.0, 1.0]))),
        ("motion subspace", broken(S=lambda self, q: np.broadcast_to(np.eye(6)[:, 1:2], (*q.shape[:-1], 6, 1)))),
        ("motion subspace", broken(S=lambda self, q: np.zeros((*q.shape[:-1], 6, 1)))),
        ("motion subspace", broken(S=lambda self, q: 2 * Hinge.S(self, q))),
        ("rows vanish", broken(chain=(Turn(0),))),
        ("rows vanish", broken(rows=(*MEET, cosine(0, 1), cosine(2, 1)))),
        ("rows vanish", broken(rows=MEET, sums=(Sum("a", ((1.0, cosine(2, 2)), (1.0, cosine(2, 1)))),) * 2)),
        ("rows and freedom", broken(rows=(*MEET, cosine(2, 0)))),
        ("rows and freedom", broken(rows=(*MEET, cosine(2, 0), cosine(2, 0)))),
        ("coordinates", broken(coordinates=(Angle(cosine(0, 0), cosine(0, 1)),))),
        ("coordinates", broken(coordinates=(along(2),))),
        ("coordinates", broken(names=())),
        ("upright", broken(upright=(cosine(2, 2), cosine(0, 1)))),
    ],
    ids=[
        "turned as built",
        "moved as built",
        "wrong axis",
        "no motion",
        "wrong speed",
        "wrong chain",
        "wrong row",
        "wrong sum",
        "too few rows",
        "row twice",
        "negative turn",
        "no turn",
        "no name",
        "not upright",
    ],
)
def test_the_checker_names_the_law_that_is_broken(law, joint):
    with pytest.raises(AssertionError, match=law):
        check_joint(joint)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_what_a_joint_says_of_itself_agrees_with_its_kind(joint):
    assert len(joint.rows) + joint.nv + len(joint.sums) == 6
    assert joint.turns == (joint.kind in {"revolute", "cylindrical", "planar", "screw"})
    assert joint.slides == (joint.kind in {"prismatic", "cylindrical", "point_on_line"})
    one = joint.X_PC(np.full(joint.nv, 0.3))
    assert (one.R.shape, one.r.shape, joint.S(np.zeros(joint.nv)).shape) == ((3, 3), (3,), (6, joint.nv))


def test_a_screw_of_another_pitch_than_its_lead_is_found():
    with pytest.raises(AssertionError, match="rows vanish"):
        check_joint(
            type("Broken", (Hinge,), {"chain": Screw(0.2).chain, "rows": Screw(0.1).rows, "sums": Screw(0.1).sums})()
        )


def test_joints_that_bodies_hang_on_in_a_tree_are_all_but_rods_and_bends():
    assert {joint.kind for joint in JOINTS if not joint.carries} == {"distance", "rzeppa"}
