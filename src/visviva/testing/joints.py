"""The contract of joints."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.embedding import SE3_SPACE
from visviva.geometry.linear import apply
from visviva.library.joints import AbstractJoint
from visviva.mechanism.coordinates import joint_rows, pair_functions
from visviva.mechanism.coupling import sums_of
from visviva.mechanism.joint_coordinates import coordinate_rows, coordinate_values
from visviva.mechanism.parts import Body, Ground, Joint
from visviva.numerics.rank import rank
from visviva.testing.laws import require


def check_joint(joint: AbstractJoint, *, samples: int = 8, seed: int = 0) -> None:
    """Test a joint between the ground and a body on random motions; AssertionError names the law that fails.

    "as built":         X_PC(0) is no turn, and moves the origin by `offset`.
    "motion subspace":  X_PC(q)⁻¹ Ẋ_PC(q) = S(q) q_dot, and S(q) has full rank.
    "rows vanish":      every constraint function, rows and sums, is zero at X_PC(q).
    "rows and freedom": rows times S(q) is zero, and rows are independent: 6 - nv of them.
    "coordinates":      those read from the frames are the first entries of q, their rates those of q_dot; each has a
                        name of its own.
    "upright":          the products that tell an axis from its reverse are positive.
    """
    rng = np.random.default_rng(seed)
    q, q_dot = rng.uniform(-1, 1, (2, samples, joint.nv))
    built = joint.X_PC(np.zeros(joint.nv))
    require("as built", built.matrix, SE3(np.eye(3), joint.offset).matrix, 1e-14)
    S = joint.S(q)
    ranks = {rank(one.T) for one in S} if joint.nv else {0}
    if ranks != {joint.nv}:
        raise AssertionError(f"motion subspace: S has rank {ranks}, but nv is {joint.nv}")
    h, V = 1e-5, apply(S, q_dot)
    ahead, behind = joint.X_PC(q + h * q_dot), joint.X_PC(q - h * q_dot)
    require("motion subspace", (behind.inverse() @ ahead).log() / (2 * h), V, 1e-8, 1.0)

    placed, X_WP, X_BC = _placed(joint, rng)
    pose = X_WP @ joint.X_PC(q) @ X_BC.inverse()  # of the body's principal frame in the world
    x = SE3_SPACE.point(pose.R, pose.r)
    x_dot = apply(SE3_SPACE.lift(x), apply(X_BC.Ad(), V))
    value, slope = _rows(placed, x)
    require("rows vanish", value, 0.0, 1e-13, 1.0)
    require("rows and freedom", apply(slope, x_dot), 0.0, 1e-13, 1.0)
    _check_rank(joint, slope @ SE3_SPACE.lift(x))
    k = len(joint.coordinates)
    if len(joint.names) != k or len({*joint.names}) != k:
        raise AssertionError(f"coordinates: {k} of them have the names {joint.names}")
    require("coordinates", coordinate_values(placed, x), q[:, :k], 1e-12, 1.0)
    require("coordinates", apply(coordinate_rows(placed, x), x_dot), q_dot[:, :k], 1e-12, 1.0)
    if not (pair_functions(placed, joint.upright).value(x) > 0).all():
        raise AssertionError("upright: an axis points the other way along the motion of the joint")


def _rows(placed: Joint, x: Array) -> tuple[Array, Array]:
    """Values and gradients of all its rows, and of the sums that it keeps."""
    rows = joint_rows(placed)
    values, slopes = [rows.value(x)], [rows.gradient(x)]
    for one in sums_of(placed):
        values.append(one.value(x, np.zeros((*x.shape[:-1], len(one.follows)))))
        slopes.append(one.C(x, x))
    return np.concatenate(values, axis=-1), np.concatenate(slopes, axis=-2)


def _check_rank(joint: AbstractJoint, C: Array) -> None:
    ranks = {rank(one) for one in C} if C.shape[-2] else {0}
    if ranks != {6 - joint.nv} or C.shape[-2] != 6 - joint.nv:
        raise AssertionError(f"rows and freedom: {C.shape[-2]} rows of rank {ranks} for {joint.nv} freedoms")


def _placed(joint: AbstractJoint, rng: np.random.Generator) -> tuple[Joint, SE3, SE3]:
    """The joint between the ground and some body, its frame on the ground, and that on the body, in the body."""
    where, X_WP = SE3.exp(rng.uniform(-1, 1, 6)), SE3.exp(rng.uniform(-1, 1, 6))
    X_WC = X_WP @ SE3(np.eye(3), joint.offset)
    body = Body("body", 1.0, np.eye(3), np.zeros(3), where.R, where.r, np.eye(3), np.ones(3))
    placed = Joint("joint", joint, Ground(), body, X_WC.R, X_WC.r, parent_frame=(X_WP.R, X_WP.r))
    return placed, X_WP, where.inverse() @ X_WC
