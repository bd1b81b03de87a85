"""Velocities of all links of a tree by recursion from the root, with their derivatives.

With the twist S ξ_L of a link against its joint in link axes, w = R S_ω ξ_L, u = R S_v ξ_L in world axes, and the
vector d from the parent's origin to that of the link:

    ω_L = ω_P + w,    v_L = v_P + ω_P x d + u

The Jacobians with ω_L = Jw ξ, v_L = Jv ξ follow column by column, and their derivatives along the motion by the product
rule: R turns with ω_L, d changes by v_L - v_P. Konz, eqs. (3.101)-(3.107), (3.122), here in world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply
from visviva.mechanism.spanning.links import pose, subspace
from visviva.mechanism.spanning.spanning import Spanning


@final
@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Orientations (..., L, 3, 3) and origins (..., L, 3) of the links, Jacobians and their rates (..., L, 3, n)."""

    R: Array
    r: Array
    Jw: Array
    Jv: Array
    Jw_dot: Array
    Jv_dot: Array


def tree_motion(spanning: Spanning, q: Array, xi: Array) -> TreeMotion:
    """All links at coordinates q (..., size) and velocities ξ (..., n), world axes."""
    links, n, shape = spanning.tree.links, spanning.n, q.shape[:-1]
    every = (len(links) + 1, *shape)  # the last one is the ground
    R, r = np.zeros((*every, 3, 3)), np.zeros((*every, 3))
    Jw, Jv, Jw_dot, Jv_dot = (np.zeros((*every, 3, n)) for _ in range(4))
    R[-1] = np.eye(3)
    for k, (link, place) in enumerate(zip(links, spanning.places, strict=True)):
        P, X_PJ, own = link.parent, link.X_PJ, place.xi
        R_JL, r_JL = pose(link, q[..., place.q])
        R[k] = R[P] @ (X_PJ[:3, :3] @ R_JL)
        d = apply(R[P], X_PJ[:3, 3] + r_JL @ X_PJ[:3, :3].T)
        r[k] = r[P] + d
        S = subspace(link)
        W, U = R[k] @ S[:3], R[k] @ S[3:]
        d_hat = skew(d)
        Jw[k], Jv[k] = Jw[P], Jv[P] - d_hat @ Jw[P]
        Jw[k][..., own] += W
        Jv[k][..., own] += U
        turn, change = skew(apply(Jw[k], xi)), skew(apply(Jv[k] - Jv[P], xi))
        Jw_dot[k], Jv_dot[k] = Jw_dot[P], Jv_dot[P] - d_hat @ Jw_dot[P] - change @ Jw[P]
        Jw_dot[k][..., own] += turn @ W
        Jv_dot[k][..., own] += turn @ U
    return TreeMotion(*(np.moveaxis(part[:-1], 0, len(shape)) for part in (R, r, Jw, Jv, Jw_dot, Jv_dot)))
