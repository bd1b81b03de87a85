"""Checks at the border: whatever the user gives becomes a finite float array of our own, or an error."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva.errors import ModelError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

D = TypeVar("D", bound="DataclassInstance")


def finite_array(value: ArrayLike, what: str, shape: tuple[int | None, ...] | None = None) -> Array:
    """A copy of `value` as a float array; trailing axes must match `shape` (None in it: any length).

    what: how the error calls the value, e.g. "mass of body 'rod'".

    Why:     what a user writes into an array after having passed it on changes no model.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind in "SUbc":  # NumPy reads "1.0", takes True for one, and drops imaginary parts
            raise TypeError
        array = given.astype(np.float64)
    except (TypeError, ValueError) as cause:
        raise ModelError(f"{what} must be numbers, got {value!r}.") from cause
    if shape is not None:
        tail = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
        if tail != shape and (
            tail is None or any(want is not None and want != got for want, got in zip(shape, tail, strict=True))
        ):
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


AXES = {
    sign + letter: np.array([float(letter == other) for other in "xyz"]) * (-1.0 if sign == "-" else 1.0)
    for sign in ("", "+", "-")
    for letter in "xyz"
}


def finite_direction(value: ArrayLike, what: str) -> Array:
    """A vector of three numbers that may be given by its letter, "x", "-z"; nobody asked for its length."""
    if isinstance(value, str):
        if value not in AXES:
            raise ModelError(f"{what} must be a direction: 'x', 'y', 'z', '-x', '-y', '-z' or a vector, got {value!r}.")
        return AXES[value].copy() + 0.0  # no -0
    return finite_vector(value, what, 3)


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


def frozen(array: ArrayLike) -> Array:
    """A read-only copy: what a value keeps for itself and shows to its users."""
    kept = np.array(array, dtype=np.float64)
    kept.flags.writeable = False
    return kept


def freeze(value: DataclassInstance, *names: str) -> None:
    """Read-only copies for some fields of a frozen dataclass; functions in place of arrays stay what they are."""
    for name in names:
        given = getattr(value, name)
        if given is not None and not callable(given):
            object.__setattr__(value, name, frozen(given))


def own_copy(given: Any) -> Any:
    """What may be numbers, expressions or a function: lists and arrays of any entries are copied, all else is kept."""
    if isinstance(given, np.ndarray):
        return given.copy()
    return [own_copy(entry) for entry in given] if isinstance(given, list) else given


def with_own_arrays(value: D, *, writeable: bool) -> D:
    """The same dataclass with copies of its arrays, alone or in tuples, that can be written to or not."""

    def own(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(own, part))
        if not isinstance(part, np.ndarray):
            return part
        copy = part.copy()
        copy.flags.writeable = writeable
        return copy

    return type(value)(**{each.name: own(getattr(value, each.name)) for each in dataclasses.fields(value)})
