"""Poses, Jacobians and accelerations of a frame on a link, by the links between it and the ground alone.

The frame is X_LF, fixed to the last link of its path. With ω, p of the axis of a hinge and p_F of the frame, in world
axes, the column of the hinge is (ω; ω × (p_F - p)). The rows are given

    WORLD      in world axes at the frame's origin,
    BODY       in the frame's own axes, there,
    SPATIAL    in world axes, of the point of the link that passes the world's origin.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, matmul, minus, mul, mul_t, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.algebra import around, cos_sin, matrix, put, put_matrix, vector
from visviva.kernels.trees.hinge import to_link
from visviva.kernels.trees.inverse import carry
from visviva.kernels.trees.joints import place_joint
from visviva.kernels.trees.kinematics import joint_velocity, turn_by_hinge
from visviva.kernels.trees.tables import ARM, AT_Q, AT_V, COS, COUNT, HINGE, KIND, OFFSET, ORIGIN, R_PL, SIN

WORLD, BODY, SPATIAL = range(3)
Pair = tuple[Vector, Vector]
Pose = tuple[Matrix, Vector]
HERE: Pose = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


@woven
def frame_matrix(X: Array) -> Matrix:
    """R of a frame that is given as nine numbers by rows, then its origin."""
    return (X[0], X[1], X[2], X[3], X[4], X[5], X[6], X[7], X[8])


@woven
def _step(C: Array, K: Int, W: Array, i: int, q: Array, R: Matrix, p: Vector) -> Pose:
    """The pose of link i in the world, from that of the link before it."""
    if K[i, KIND] != HINGE:
        place_joint(C, K, W, i, q)
        return matmul(R, matrix(W, i, R_PL)), plus(p, mul(R, vector(W, i, ARM)))
    p = plus(p, mul(R, vector(C, i, ORIGIN)))
    c, s = cos_sin(q[K[i, AT_Q]] + C[i, OFFSET])
    return turn_by_hinge(C, K, i, R, c, s), p


@inner
def frame_pose(C: Array, K: Int, W: Array, path: Int, X: Array, q: Array, R_WF: Array, r_WF: Array) -> None:
    """R_WF (3, 3) and r_WF (3,)."""
    R, p = HERE
    for i in path:
        R, p = _step(C, K, W, i, q, R, p)
    p, R = plus(p, mul(R, (X[9], X[10], X[11]))), matmul(R, frame_matrix(X))
    for k in range(3):
        R_WF[k, 0], R_WF[k, 1], R_WF[k, 2], r_WF[k] = R[3 * k], R[3 * k + 1], R[3 * k + 2], p[k]


@woven
def _put_column(J: Array, k: int, w: Vector, v: Vector) -> None:
    J[0, k], J[1, k], J[2, k], J[3, k], J[4, k], J[5, k] = w[0], w[1], w[2], v[0], v[1], v[2]


@inner
def frame_jacobian(C: Array, K: Int, S: Array, W: Array, path: Int, X: Array, rows: int, q: Array, J: Array) -> None:
    """J (6, n) with (ω; v) = J ξ of the frame, rows as `rows` says."""
    R, p = HERE
    J[:] = 0.0
    for i in path:
        R, p = _step(C, K, W, i, q, R, p)
        if K[i, KIND] == HINGE:
            _put_column(J, K[i, AT_V], (R[2], R[5], R[8]), p)
        else:  # what columns of several velocities are made of
            put_matrix(W, i, R_PL, R)
            put(W, i, ARM, p)
    at = (0.0, 0.0, 0.0) if rows == SPATIAL else plus(p, mul(R, (X[9], X[10], X[11])))
    for i in path:
        k = K[i, AT_V]
        if K[i, KIND] == HINGE:
            w = (J[0, k], J[1, k], J[2, k])
            v = cross(w, minus(at, (J[3, k], J[4, k], J[5, k])))
            J[3, k], J[4, k], J[5, k] = v[0], v[1], v[2]
        else:
            _joint_columns(K, S, W, i, at, J)
    if rows == BODY:
        R = matmul(R, frame_matrix(X))
        for i in path:
            for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
                w, v = mul_t(R, (J[0, k], J[1, k], J[2, k])), mul_t(R, (J[3, k], J[4, k], J[5, k]))
                _put_column(J, k, w, v)


@inner
def _joint_columns(K: Int, S: Array, W: Array, i: int, at: Vector, J: Array) -> None:
    """Columns of a joint that is no hinge: velocities of the point `at` that moves with its link."""
    R, lever = matrix(W, i, R_PL), minus(at, vector(W, i, ARM))
    for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
        w = mul(R, vector(S, k, 0))
        _put_column(J, k, w, plus(mul(R, vector(S, k, 3)), cross(w, lever)))


@inner
def frame_acceleration(
    C: Array, K: Int, S: Array, W: Array, path: Int, X: Array, rows: int, q: Array, xi: Array, xi_dot: Array, out: Array
) -> None:
    """Rates of (ω; v) = J ξ, which are J ξ̇ + J̇ ξ, (6,), rows as `rows` says.

    At the frame's origin in world axes they are (α; p̈). In its own axes Rᵀα and Rᵀp̈ - ω × v, at the world's origin
    p̈ + ṗ × ω + p × α.
    """
    R, p = HERE
    w, v, alpha, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in path:
        w_P, (_, shift) = w, joint_velocity(K, S, i, xi)
        w, alpha, a = carry(C, K, S, W, i, q, xi, xi_dot)
        if K[i, KIND] == HINGE:
            arm = vector(C, i, ORIGIN)
            p, v = plus(p, mul(R, arm)), to_link(C, K, W, i, plus(v, cross(w_P, arm)))
            R = turn_by_hinge(C, K, i, R, W[i, COS], W[i, SIN])
        else:
            arm, R_PC = vector(W, i, ARM), matrix(W, i, R_PL)
            p, v = plus(p, mul(R, arm)), plus(shift, mul_t(R_PC, plus(v, cross(w_P, arm))))
            R = matmul(R, R_PC)
    arm = (X[9], X[10], X[11])
    v, a = plus(v, cross(w, arm)), plus(a, plus(cross(alpha, arm), around(w, arm)))
    if rows == BODY:
        R_LF = frame_matrix(X)
        alpha, a = mul_t(R_LF, alpha), mul_t(R_LF, minus(a, cross(w, v)))
    else:
        p = plus(p, mul(R, arm))
        alpha, a = mul(R, alpha), mul(R, a)
        if rows == SPATIAL:
            a = plus(a, plus(mul(R, cross(v, w)), cross(p, alpha)))
    out[0], out[1], out[2], out[3], out[4], out[5] = alpha[0], alpha[1], alpha[2], a[0], a[1], a[2]
