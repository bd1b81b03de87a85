"""Rates of the coordinates of a tree, of many states at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int


def rates(K: Int, q: Array, xi: Array) -> Array:
    """q̇ at velocities ξ, (states, size_q): of a quaternion ½ q ∘ (0, ω), of a free link's position R v.

    K: the table of whole numbers of a compiled tree.
    """
    from visviva.kernels.trees.tables import AT_Q, AT_V, AXIS, FREE, KIND

    flat, free = K[:, KIND] <= AXIS, K[:, KIND] == FREE
    found = np.empty_like(q)
    found[:, K[flat, AT_Q]] = xi[:, K[flat, AT_V]]
    at, k = (K[:, AT_Q] + 3 * free)[~flat, None], K[~flat, AT_V, None]
    axes = np.arange(3)
    w, u, turn = q[:, at], q[:, at + 1 + axes], xi[:, k + axes]  # (states, balls, 1 or 3)
    found[:, at] = -0.5 * (u * turn).sum(-1, keepdims=True)
    found[:, at + 1 + axes] = 0.5 * (w * turn + np.cross(u, turn))
    here, at, k = free[~flat], K[free, AT_Q, None], K[free, AT_V, None]
    w, u, v = w[:, here], u[:, here], xi[:, k + 3 + axes]
    across = 2.0 * np.cross(u, v)
    found[:, at + axes] = v + w * across + np.cross(u, across)
    return found
