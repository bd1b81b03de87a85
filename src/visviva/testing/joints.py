"""The contract of joints."""

from __future__ import annotations

import numpy as np

from visviva.geometry import SE3
from visviva.geometry.embedding import SE3_SPACE
from visviva.library.joints import AbstractJoint
from visviva.mechanism.coordinates import joint_angle, joint_rows
from visviva.mechanism.parts import Body, Ground, Joint
from visviva.testing.laws import require


def check_joint(joint: AbstractJoint, *, samples: int = 8, seed: int = 0) -> None:
    """Test a joint between the ground and a body on random motions; AssertionError names the law that fails.

    "identity as built":  X_PC(0) = I.
    "motion subspace":    X_PC(q)⁻¹ Ẋ_PC(q) lies in the span of S, which has full rank.
    "rows vanish":        every constraint function is zero at X_PC(q).
    "rows and freedom":   rows times S is zero, and rows are independent: 6 - nv of them.
    "angle":              for a joint that turns, the angle read from the coordinates is q.
    """
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (samples, joint.nv))
    zero = joint.X_PC(np.zeros(joint.nv))
    require("identity as built", zero.matrix, np.eye(4), 1e-14)
    S = joint.S()
    if np.linalg.matrix_rank(S) != joint.nv:
        raise AssertionError(f"motion subspace: S has rank {np.linalg.matrix_rank(S)}, but nv is {joint.nv}")
    h, rate = 1e-5, rng.uniform(-1, 1, (samples, joint.nv))
    ahead, behind = joint.X_PC(q + h * rate), joint.X_PC(q - h * rate)
    V = (behind.inverse() @ ahead).log() / (2 * h)
    inside = V @ np.linalg.pinv(S).T @ S.T
    require("motion subspace", inside, V, 1e-8, 1.0)

    placed, body = _placed(joint, rng)
    X_WJ = SE3(placed.R_W, placed.r_W)
    X_CJ = SE3(body.R_WC, body.r_WC).inverse() @ X_WJ
    pose = X_WJ @ joint.X_PC(q) @ X_CJ.inverse()  # of the body's principal frame in the world
    x = SE3_SPACE.point(pose.R, pose.r)
    rows = joint_rows(placed)
    require("rows vanish", rows.value(x), 0.0, 1e-13, 1.0)
    C = rows.gradient(x) @ SE3_SPACE.lift(x)
    require("rows and freedom", C @ X_CJ.Ad() @ S, 0.0, 1e-13, 1.0)
    ranks = np.linalg.matrix_rank(C)
    if not (ranks == 6 - joint.nv).all() or rows.m != 6 - joint.nv:
        raise AssertionError(f"rows and freedom: {rows.m} rows of rank {set(ranks.tolist())} for {joint.nv} freedoms")
    if joint.turns:
        value = joint_angle(placed).value(x)
        require("angle", np.arctan2(value[..., 1], value[..., 0]), q[..., 0], 1e-12, 1.0)


def _placed(joint: AbstractJoint, rng: np.random.Generator) -> tuple[Joint, Body]:
    """The joint between the ground and some body, somewhere."""
    where, frame = SE3.exp(rng.uniform(-1, 1, 6)), SE3.exp(rng.uniform(-1, 1, 6))
    body = Body("body", 1.0, np.eye(3), np.zeros(3), where.R, where.r, np.eye(3), np.ones(3))
    return Joint("joint", joint, Ground(), body, frame.R, frame.r), body
