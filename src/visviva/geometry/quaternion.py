"""Unit quaternions (w, x, y, z) of rotation matrices: q and -q are one rotation."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array

ROUNDING = 8 * float(np.finfo(np.float64).eps)  # below it the sign of a component of q is noise


def quaternion(R: Array) -> Array:
    """q (..., 4) with w >= 0.

    R determines the matrix 4 q qᵀ; its longest row, normalised, is q without any loss of digits. (The skew
    part of R alone gives the axis well at small angles only, the symmetric part alone only near half turns.)
    Source: Shepperd, J. Guidance and Control 1 (1978) 223.
    """
    Q = np.empty((*R.shape[:-2], 4, 4))  # 4 q qᵀ
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    Q[..., 0, 0] = 1 + x + y + z
    Q[..., 1, 1] = 1 + x - y - z
    Q[..., 2, 2] = 1 - x + y - z
    Q[..., 3, 3] = 1 - x - y + z
    Q[..., 0, 1] = Q[..., 1, 0] = R[..., 2, 1] - R[..., 1, 2]
    Q[..., 0, 2] = Q[..., 2, 0] = R[..., 0, 2] - R[..., 2, 0]
    Q[..., 0, 3] = Q[..., 3, 0] = R[..., 1, 0] - R[..., 0, 1]
    Q[..., 1, 2] = Q[..., 2, 1] = R[..., 1, 0] + R[..., 0, 1]
    Q[..., 1, 3] = Q[..., 3, 1] = R[..., 0, 2] + R[..., 2, 0]
    Q[..., 2, 3] = Q[..., 3, 2] = R[..., 2, 1] + R[..., 1, 2]
    longest = np.argmax(np.diagonal(Q, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(Q, longest[..., None, None], axis=-2)[..., 0, :]
    length = np.sqrt(np.einsum("...i,...i->...", q, q))
    return np.asarray(q / np.copysign(length, q[..., 0])[..., None])


def matrix_of(q: Array) -> Array:
    """R (..., 3, 3) of unit quaternions."""
    w, x, y, z = (q[..., i] for i in range(4))
    R = np.empty((*q.shape[:-1], 3, 3))
    R[..., 0, 0] = 1 - 2 * (y * y + z * z)
    R[..., 1, 1] = 1 - 2 * (x * x + z * z)
    R[..., 2, 2] = 1 - 2 * (x * x + y * y)
    R[..., 0, 1], R[..., 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    R[..., 0, 2], R[..., 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    R[..., 1, 2], R[..., 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return R


def product(a: Array, b: Array) -> Array:
    """a ∘ b (..., 4): the rotation b, then a."""
    w, u, x, v = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([w * x - (u * v).sum(-1, keepdims=True), w * v + x * u + np.cross(u, v)], axis=-1)


def rate(q: Array, w: Array) -> Array:
    """½ q ∘ (0, ω) (..., 4): how q changes at the angular velocity ω in the axes that q turns."""
    return 0.5 * product(q, np.concatenate([np.zeros_like(w[..., :1]), w], axis=-1))


def turned(q: Array, delta: Array) -> Array:
    """q ∘ exp(δ/2), of length one: the rotation R exp(δ̂), of quaternions (..., 4) and δ (..., 3)."""
    half = 0.5 * np.sqrt((delta * delta).sum(-1, keepdims=True))
    found = product(q, np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * delta], axis=-1))
    return np.asarray(found / np.sqrt((found * found).sum(-1, keepdims=True)))


def rotated(q: Array, r: Array) -> Array:
    """R r of unit quaternions (..., 4) and vectors (..., 3)."""
    turn = 2.0 * np.cross(q[..., 1:], r)
    return np.asarray(r + q[..., :1] * turn + np.cross(q[..., 1:], turn))


def first_component_positive(u: Array) -> Array:
    """u or -u, so that the first component that is not rounding is positive: one value for each axis."""
    first = np.argmax(np.abs(u) > ROUNDING, axis=-1)
    sign = np.sign(np.take_along_axis(u, first[..., None], axis=-1))
    return np.asarray(np.where(sign < 0, -u, u))
