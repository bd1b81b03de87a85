"""Rates of Jacobians of frames on a tree, J̇ as matrices.

Columns of a joint are constant in axes of its link L, hence in spatial rows about any point that rests

    d/dt J_j = ad(V_L) J_j,      V_L = Σ J_i v_i over the joints up to this one.

In rows about the origin p of the frame, which moves with ṗ, d/dt J_v has ω_j × ṗ besides.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.frames import BODY, SPATIAL
from visviva.kernels.trees.tables import AT_V, COUNT


def path_order(path: Int, K: Int, n: int) -> Array:
    """(n, n), of zeros and ones: V_L of all columns j is (J diag(v)) order, with joints up to that of j."""
    order, before = np.zeros((n, n)), list[int]()
    for i in path:
        own = list(range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]))
        before += own
        order[np.ix_(before, own)] = 1.0
    return order


def world_jacobian_rate(J: Array, order: Array, v: Array) -> Array:
    """J̇ (..., 6, n) of the Jacobian J of a frame in world axes at its origin; order: `path_order`."""
    V_L = (J * v[..., None, :]) @ order
    w, Jw = V_L[..., :3, :], J[..., :3, :]
    relative = V_L[..., 3:, :] - (J[..., 3:, :] @ v[..., None])
    return np.concatenate(
        [cross_columns(w, Jw), cross_columns(relative, Jw) + cross_columns(w, J[..., 3:, :])], axis=-2
    )


def tree_jacobian_rate(J: Array, R: Array, r: Array, order: Array, v: Array, rows: int) -> Array:
    """J̇ (..., 6, n) of a frame at the pose (R, r), in rows of `kernels.trees.frames`, from J in world axes."""
    rate = world_jacobian_rate(J, order, v)
    V = J @ v[..., None]
    if rows == BODY:
        w, Rt = V[..., :3, :], np.swapaxes(R, -1, -2)
        rate[..., :3, :] = Rt @ (rate[..., :3, :] - cross_columns(w, J[..., :3, :]))
        rate[..., 3:, :] = Rt @ (rate[..., 3:, :] - cross_columns(w, J[..., 3:, :]))
    elif rows == SPATIAL:  # v_0 = v + r × ω
        rate[..., 3:, :] += cross_columns(V[..., 3:, :], J[..., :3, :])
        rate[..., 3:, :] += cross_columns(r[..., None], rate[..., :3, :])
    return rate


def cross_columns(a: Array, b: Array) -> Array:
    """a × b of columns, over the last axis but one."""
    a0, a1, a2 = a[..., 0, :], a[..., 1, :], a[..., 2, :]
    b0, b1, b2 = b[..., 0, :], b[..., 1, :], b[..., 2, :]
    first = a1 * b2 - a2 * b1
    out = np.empty((*first.shape[:-1], 3, first.shape[-1]))
    out[..., 0, :], out[..., 1, :], out[..., 2, :] = first, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return out
