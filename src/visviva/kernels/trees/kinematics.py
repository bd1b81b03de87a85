"""Places and velocities of links, by R_PL and r of every joint."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, matmul, mul, mul_t, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.algebra import about_x, about_z, cos_sin, matrix, put, put_matrix, vector
from visviva.kernels.trees.joints import place_joint

from visviva.kernels.trees.tables import (  # isort: skip
    ARM, AT_Q, AT_V, COS_A, COS_B, COUNT, HINGE, KIND, LINEAR, OFFSET, OMEGA, ORIGIN, PARENT, R_PL, SIN_A, SIN_B,
    SPUN,
)  # fmt: skip


@inner
def place(C: Array, K: Int, W: Array, i: int, q: Array) -> None:
    """R_PL and r of any joint."""
    if K[i, KIND] != HINGE:
        place_joint(C, K, W, i, q)
        return
    c, s = cos_sin(q[K[i, AT_Q]] + C[i, OFFSET])
    put_rotation(C, W, i, c, s)


@woven
def put_rotation(C: Array, W: Array, i: int, c: float, s: float) -> None:
    """R_PL and r of a hinge, from cos and sin of its angle."""
    x, y = _turned(C, i, (c, s, 0.0)), _turned(C, i, (-s, c, 0.0))
    z = _turned(C, i, (0.0, 0.0, 1.0))
    put_matrix(W, i, R_PL, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))
    put(W, i, ARM, vector(C, i, ORIGIN))


@woven
def _turned(C: Array, i: int, x: Vector) -> Vector:
    """Rz(β) Rx(α) x."""
    return about_z(C[i, COS_B], C[i, SIN_B], about_x(C[i, COS_A], C[i, SIN_A], x))


@woven
def turn_by_hinge(C: Array, K: Int, i: int, R: Matrix, c: float, s: float) -> Matrix:
    """R Rz(β) Rx(α) Rz(q + q0), from cos and sin of the angle: of a hinge, the rotation of its link."""
    x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    if K[i, SPUN]:
        x, y = _turn_columns(C[i, COS_B], C[i, SIN_B], x, y)
    y, z = _turn_columns(C[i, COS_A], C[i, SIN_A], y, z)
    x, y = _turn_columns(c, s, x, y)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@woven
def _turn_columns(c: float, s: float, x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """Two columns of a rotation that is turned about the third."""
    return (
        (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]),
        (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]),
    )


@inner
def joint_velocity(K: Int, S: Array, i: int, xi: Array) -> tuple[Vector, Vector]:
    """S ξ of the joint of link i: ω and v against its parent, in link axes; also of accelerations."""
    w, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
        w = (w[0] + S[k, 0] * xi[k], w[1] + S[k, 1] * xi[k], w[2] + S[k, 2] * xi[k])
        v = (v[0] + S[k, 3] * xi[k], v[1] + S[k, 4] * xi[k], v[2] + S[k, 5] * xi[k])
    return w, v


@inner
def move(K: Int, S: Array, W: Array, i: int, xi: Array) -> tuple[Vector, Vector]:
    """ω and v of the origin of link i, in link axes, written and returned."""
    p, R = K[i, PARENT], matrix(W, i, R_PL)
    w, v = joint_velocity(K, S, i, xi)
    w_P = vector(W, p, OMEGA)
    v = plus(v, mul_t(R, plus(vector(W, p, LINEAR), cross(w_P, vector(W, i, ARM)))))
    w = plus(w, mul_t(R, w_P))
    put(W, i, OMEGA, w)
    put(W, i, LINEAR, v)
    return w, v


@kernel
def poses(C: Array, K: Int, Q: Array, X: Array, W: Array) -> None:
    """X[b, i] = X_WL of link i at coordinates Q[b]; the ground is the last one, and is there already."""
    for b in range(Q.shape[0]):
        place_links(C, K, Q[b], X[b], W)


@inner
def place_links(C: Array, K: Int, q: Array, X: Array, W: Array) -> None:
    """X[i] = X_WL of link i, (links + 1, 4, 4)."""
    for i in range(K.shape[0]):
        p = K[i, PARENT]
        place(C, K, W, i, q)
        R = rotation_of(X, p)
        r = plus(mul(R, vector(W, i, ARM)), origin_of(X, p))
        R = matmul(R, matrix(W, i, R_PL))
        for k in range(3):
            X[i, k, 0], X[i, k, 1], X[i, k, 2], X[i, k, 3] = R[3 * k], R[3 * k + 1], R[3 * k + 2], r[k]
        X[i, 3, 3] = 1.0


@woven
def rotation_of(X: Array, i: int) -> Matrix:
    """R of a pose."""
    return (
        X[i, 0, 0], X[i, 0, 1], X[i, 0, 2],
        X[i, 1, 0], X[i, 1, 1], X[i, 1, 2],
        X[i, 2, 0], X[i, 2, 1], X[i, 2, 2],
    )  # fmt: skip


@woven
def origin_of(X: Array, i: int) -> Vector:
    """r of a pose."""
    return (X[i, 0, 3], X[i, 1, 3], X[i, 2, 3])


@kernel
def twists(C: Array, K: Int, S: Array, Q: Array, XI: Array, V: Array, W: Array) -> None:
    """V[b, i] = (ω; v) of link i in its axes; the ground is the last one."""
    links = K.shape[0]
    for b in range(Q.shape[0]):
        for i in range(links):
            place(C, K, W, i, Q[b])
            w, v = move(K, S, W, i, XI[b])
            for k in range(3):
                V[b, i, k], V[b, i, 3 + k] = w[k], v[k]
