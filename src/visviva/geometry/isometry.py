"""Which affine maps of space are displacements."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import finite_array
from visviva.geometry.linear import transpose


def is_positive_isometry(h: ArrayLike, tolerance: float = 1e-10) -> NDArray[np.bool_]:
    """Whether each homogeneous matrix h (..., 4, 4) keeps distances and orientation.

    |h(p) - h(q)| = |p - q|  and  (h(p) - h(o)) ∧ (h(q) - h(o)) = h((p - o) ∧ (q - o) + o) - h(o)  for all
    points p, q, o. For an affine map, its linear part A decides: AᵀA = I, and A e_x ∧ A e_y = A e_z and cyclic.
    Source: Stramigioli, Maschke and Bidard, section 2.2.4.
    """
    h = finite_array(h, "affine map", (4, 4))
    A = h[..., :3, :3]
    affine = (h[..., 3, :] == [0, 0, 0, 1]).all(axis=-1)
    distances = np.abs(transpose(A) @ A - np.eye(3)).max(axis=(-2, -1))
    wedge = np.cross(np.roll(A, -1, axis=-1), np.roll(A, -2, axis=-1), axis=-2) - A
    return np.asarray(affine & (distances <= tolerance) & (np.abs(wedge).max(axis=(-2, -1)) <= tolerance))
