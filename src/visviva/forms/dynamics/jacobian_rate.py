"""Rates of Jacobians, J̇ as matrices: of frames on a tree, and of what loops leave of its velocities.

On a tree the columns of a joint are constant in axes of its link, J_j = Ad(X_WL) S_j in spatial rows, hence

    d/dt J_j = ad(V_L) J_j,      V_L = Σ J_i v_i over the joints up to this one.

With loops ξ = N v. Drift d(v) = Ṅ(v) v gives the symmetric part of the bilinear Ṅ(v) w by polarisation, and velocities
that are rates of holonomic motions the skew part: with the structure coefficients c of the tree's velocities,

    Ṅ(v) w - Ṅ(w) v = N c_I - c,     c = c(N v, N w),     c_I its rows of the independent velocities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.loops import Loops
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.frames import BODY, WORLD
from visviva.kernels.trees.tables import AT_V, COUNT


def tree_jacobian_rate(J: Array, X: SE3, path: Int, K: Int, v: Array, rows: int) -> Array:
    """J̇ (..., 6, n) of a frame at the pose X_WF, in rows of `kernels.trees.frames`, from its spatial Jacobian J."""
    rate, V = np.zeros_like(J), np.zeros((*J.shape[:-2], 6))
    for i in path:
        own = slice(K[i, AT_V], K[i, AT_V] + K[i, COUNT])
        V = V + np.einsum("...ij,...j->...i", J[..., own], v[..., own])
        rate[..., own] = SE3.ad(V) @ J[..., own]
    if rows == BODY:
        return np.asarray(X.inverse().Ad() @ (rate - SE3.ad(V) @ J))
    if rows == WORLD:  # (ω; v + ω × p): the point of the frame moves with ṗ
        p_dot = V[..., 3:] + np.cross(V[..., :3], X.r)
        rate[..., 3:, :] -= skew(X.r) @ rate[..., :3, :] + skew(p_dot) @ J[..., :3, :]
    return rate


def basis_rate(loops: Loops, blocks: Sequence[tuple[str, slice]], q: Array, v: Array, s: Array) -> Array:
    """Ṅ (n, nv) of ξ = N v with independent velocities v; blocks: kinds and places of the tree's velocities."""
    at = loops.at(q, v, s)
    N, nv, chosen = at.N, len(v), loops.independent
    rate = np.empty_like(N)
    for k in range(nv):
        w = np.eye(nv)[k]
        size = max(1.0, float(np.abs(v).max(initial=0.0)))  # both of one size: the difference is exact to rounding
        more, less = loops.at(q, v + size * w, s).drift, loops.at(q, v - size * w, s).drift
        c = structure(blocks, N @ v, N @ w)
        rate[:, k] = (more - less) / (4 * size) + (N @ c[chosen] - c) / 2
    return rate


def structure(blocks: Sequence[tuple[str, slice]], xi: Array, eta: Array) -> Array:
    """c(ξ, η) (n,): the commutator of two velocity fields with constant coefficients, by joints that are groups."""
    c = np.zeros(len(xi))
    for kind, own in blocks:
        if kind == "ball":
            c[own] = np.cross(xi[own], eta[own])
        elif kind == "free":
            c[own] = SE3.ad(xi[own]) @ eta[own]
    return c
