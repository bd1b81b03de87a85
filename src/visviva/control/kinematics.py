"""Motion of pairs of frames, (a, b) being b as seen from a: relative poses, Jacobians and their rates.

With X of the frames in the world and body Jacobians, twists (ω; v) in axes of the moving frame (Konz 3.122, whose
subscripts are damaged in print),

    X_ab = X_a⁻¹ X_b,    J_ab = J_b - A J_a,    J̇_ab = J̇_b - A J̇_a + ad(V_ab) A J_a,    A = Ad(X_ab)⁻¹ .
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.handle import Dynamics
from visviva.geometry import SE3

GROUND = "ground"


class PairMotion(NamedTuple):
    """p pairs at a state (q, v) of n velocities, or at many states: all have their leading axes."""

    G: Array  # (..., p, 4, 4) poses X_ab
    J: Array  # (..., p, 6, n) V_ab = J v
    J_dot: Array  # (..., p, 6, n)
    V: Array  # (..., p, 6) twists of b relative to a, in axes of b


def pair_motion(d: Dynamics, pairs: Sequence[tuple[str, str]], q: Array, v: Array | None = None) -> PairMotion:
    """Poses and Jacobians of all pairs; those of a frame in several pairs are computed once. v: None at rest."""
    names, shape = dict.fromkeys(name for pair in pairs for name in pair if name != GROUND), q.shape[:-1]
    poses = {name: d.pose(name, q).matrix for name in names}
    J = {name: d.jacobian(name, q, "body") for name in names}
    nothing = np.zeros((*shape, 6, d.nv))
    rates = {name: nothing if v is None else d.jacobian_rate(name, q, v, "body") for name in names}
    v = np.zeros((*shape, d.nv)) if v is None else v
    G_, J_, rates_ = (np.empty((*shape, len(pairs), *size)) for size in ((4, 4), (6, d.nv), (6, d.nv)))
    for k, (a, b) in enumerate(pairs):
        if a == GROUND:
            G_[..., k, :, :], J_[..., k, :, :], rates_[..., k, :, :] = poses[b], J[b], rates[b]
            continue
        X_b, J_b, rate_b = (np.eye(4), nothing, nothing) if b == GROUND else (poses[b], J[b], rates[b])
        G = inverse(poses[a]) @ X_b
        A = Ad(inverse(G))
        own = J_b - A @ J[a]
        turning = SE3.ad(np.einsum("...ij,...j->...i", own, v))
        G_[..., k, :, :], J_[..., k, :, :] = G, own
        rates_[..., k, :, :] = rate_b - A @ rates[a] + turning @ A @ J[a]
    return PairMotion(G_, J_, rates_, np.einsum("...pij,...j->...pi", J_, v))


def inverse(G: Array) -> Array:
    """[[Rᵀ, -Rᵀr], [0, 1]] of homogeneous matrices (..., 4, 4)."""
    out = np.zeros_like(G)
    R = np.swapaxes(G[..., :3, :3], -1, -2)
    out[..., :3, :3], out[..., 3, 3] = R, 1.0
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", R, G[..., :3, 3])
    return out


def Ad(G: Array) -> Array:
    """[[R, 0], [r̂ R, R]] of homogeneous matrices (..., 4, 4), on twists (ω; v)."""
    return SE3(G[..., :3, :3], G[..., :3, 3]).Ad()
