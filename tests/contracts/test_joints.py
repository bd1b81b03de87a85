"""The contract of joints: every joint, and each law against a joint that breaks it."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.geometry import SE3
from visviva.library.joints import JOINTS, AbstractJoint, Dot, Meet
from visviva.testing import check_joint


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_joint_keeps_the_contract(joint):
    check_joint(joint)


class Hinge(AbstractJoint):
    """A correct hinge, to be broken one part at a time."""

    kind, nv, rows, turns = "revolute", 1, (Meet(), Dot(2, 0), Dot(2, 1)), True

    def S(self):
        return np.eye(6)[:, 2:3]

    def X_PC(self, q):
        return SE3.exp(q @ np.eye(6)[2:3])


def broken(**parts):
    return type("Broken", (Hinge,), parts)()


@pytest.mark.parametrize(
    ("law", "joint"),
    [
        ("identity as built", broken(X_PC=lambda self, q: SE3.exp((q + 0.1) @ np.eye(6)[2:3]))),
        ("motion subspace", broken(S=lambda self: np.eye(6)[:, 1:2])),
        ("motion subspace", broken(S=lambda self: np.zeros((6, 1)))),
        ("rows vanish", broken(rows=(Meet(), Dot(0, 1), Dot(2, 1)))),
        ("rows and freedom", broken(rows=(Meet(), Dot(2, 0)))),
        ("rows and freedom", broken(rows=(Meet(), Dot(2, 0), Dot(2, 0)))),
        ("angle", broken(X_PC=lambda self, q: SE3.exp(-q @ np.eye(6)[2:3]))),
    ],
    ids=["offset", "wrong axis", "no motion", "wrong row", "too few rows", "row twice", "negative turn"],
)
def test_the_checker_names_the_law_that_is_broken(law, joint):
    with pytest.raises(AssertionError, match=law):
        check_joint(joint)
