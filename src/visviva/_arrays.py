"""Checks at the border: whatever the user gives becomes a finite float array of the right shape, or an error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva.errors import ModelError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def finite_array(value: ArrayLike, what: str, shape: tuple[int | None, ...] | None = None) -> Array:
    """`value` as a float array; trailing axes must match `shape` (None in it: any length).

    what: how the error calls the value, e.g. "mass of body 'rod'".
    """
    try:
        if np.asarray(value).dtype.kind in "SUb":  # NumPy reads "1.0", and takes True for one
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as cause:
        raise ModelError(f"{what} must be numbers, got {value!r}.") from cause
    if shape is not None:
        tail = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
        if tail is None or any(want is not None and want != got for want, got in zip(shape, tail, strict=True)):
            wanted = str(tuple("n" if n is None else n for n in shape)).replace("'", "")
            raise ModelError(f"{what} must have shape {wanted}, got {array.shape}: {value!r}.")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} must be finite, got {value!r}.")
    return array


def finite_vector(value: ArrayLike, what: str, n: int) -> Array:
    """One vector of n finite numbers."""
    array = finite_array(value, what, (n,))
    if array.ndim != 1:
        raise ModelError(f"{what} must be one vector of {n} numbers, got shape {array.shape}.")
    return array


def finite_number(value: ArrayLike, what: str, *, positive: bool = False, minimum: float | None = None) -> float:
    """One finite number, positive or at least `minimum` where asked."""
    array = finite_array(value, what)
    if array.ndim != 0:
        raise ModelError(f"{what} must be one number, got shape {array.shape}.")
    number = float(array)
    if positive and not number > 0:
        raise ModelError(f"{what} must be positive, got {number:g}.")
    if minimum is not None and number < minimum:
        raise ModelError(f"{what} must be at least {minimum:g}, got {number:g}.")
    return number
