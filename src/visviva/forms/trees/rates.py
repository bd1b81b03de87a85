"""Rates of the coordinates of a tree, of many states at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.quaternion import rate, rotated

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
    at, turn = (K[:, AT_Q] + 3 * free)[~flat, None] + np.arange(4), K[~flat, AT_V, None] + np.arange(3)
    found[:, at] = rate(q[:, at], xi[:, turn])  # (states, balls, 4)
    place, shift = K[free, AT_Q, None] + np.arange(3), K[free, AT_V, None] + 3 + np.arange(3)
    found[:, place] = rotated(q[:, at[free[~flat]]], xi[:, shift])
    return found
