"""The axis of a solid, by name or as a vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_direction
from visviva.errors import ModelError


def unit_axis(axis: ArrayLike, what: str) -> Array:
    """Unit vector (3,) of "x", "y", "z" or of any vector that is not zero."""
    vector = finite_direction(axis, what)
    largest = np.abs(vector).max()
    if largest == 0:
        raise ModelError(f"{what} must have a direction, got the zero vector.")
    vector = vector / largest  # first, so that the squares of a tiny vector do not underflow
    return np.asarray(vector / np.linalg.norm(vector))
