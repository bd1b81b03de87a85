"""Stiffness and damping as they are given: matrices or their diagonals, symmetric and positive semidefinite."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError

SYMMETRY = 1e-12  # of the largest entry


def symmetric(given: ArrayLike, n: int, what: str) -> Array:
    """A symmetric matrix, from itself or its diagonal."""
    array = finite_array(given, what)
    if array.shape == (n,):
        return np.diag(array)
    if array.shape != (n, n):
        raise ModelError(f"{what} must have shape ({n}, {n}), or ({n},) for a diagonal one; got {array.shape}.")
    skewness = float(np.abs(array - array.T).max())
    if skewness > SYMMETRY * float(np.abs(array).max()):
        raise ModelError(f"{what} must be symmetric; it differs from its transpose by {skewness:.3g}.")
    return np.asarray(0.5 * (array + array.T))


def semidefinite(matrix: Array, what: str) -> Array:
    """The matrix itself, or an error if it has a negative eigenvalue."""
    lowest = float(np.linalg.eigvalsh(matrix).min())
    if lowest < -SYMMETRY * float(np.abs(matrix).max()):
        raise ModelError(f"{what} must be positive semidefinite; its smallest eigenvalue is {lowest:.6g}.")
    return matrix


def one_each(given: ArrayLike, n: int, what: str) -> Array:
    """n numbers that are not negative, from themselves or from one for all."""
    values = finite_array(given, what)
    if values.shape not in ((), (n,)):
        raise ModelError(f"{what} must be one number or {n} of them, got shape {values.shape}.")
    if values.min() < 0:
        raise ModelError(f"{what} must be at least 0, got {values.min():g}.")
    return np.array(np.broadcast_to(values, n))
