"""Leading axes of the arguments of a function that takes one state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError

FLOAT = np.dtype(np.float64)
CONFIGURATIONS = {"q", "q0", "q1", "near"}


@final
class Batches:
    """Arguments by name, each with as many numbers as `sizes` says, and leading axes that fit each other.

    check: is asked about all configurations.   owner: how errors call it.
    """

    def __init__(self, sizes: Mapping[str, int], check: Callable[[Array], None], owner: str) -> None:
        self.sizes, self._check, self.owner = sizes, check, owner

    def stacked(self, **given: Any) -> tuple[tuple[int, ...], list[Array]]:
        """The leading axes that all share, and each argument with these."""
        sizes = self.sizes
        arrays = {what: finite_array(value, f"{what} of {self.owner}", (sizes[what],)) for what, value in given.items()}
        try:
            shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
        except ValueError as cause:
            shapes = ", ".join(f"{what} {array.shape}" for what, array in arrays.items())
            raise ModelError(f"leading axes of {shapes} of {self.owner} do not fit each other.") from cause
        for what in CONFIGURATIONS & arrays.keys():
            self._check(arrays[what])
        return shape, [np.ascontiguousarray(np.broadcast_to(x, (*shape, x.shape[-1]))) for x in arrays.values()]

    def one(self, what: str, value: Any, default: Array) -> Array:
        """A single state, the default for None."""
        if value is None:
            return np.array(default)
        found = finite_array(value, f"{what} of {self.owner}", (len(default),))
        if found.ndim != 1:
            raise ModelError(f"{what} of {self.owner} is one state of {len(default)} numbers, got {found.shape}.")
        if what in CONFIGURATIONS:
            self._check(found)
        return found

    def over(self, f: Callable[..., Any], *more: Any, **given: Any) -> Any:
        """f(q, v, s, *more, ...) at every state; a tuple of arrays where f gives one. What is None is left out."""
        kept = {name: value for name, value in given.items() if value is not None}
        if all(self.is_proper(what, value) for what, value in kept.items()):
            values = list(kept.values())
            return f(*values[:3], *more, **dict(zip(list(kept)[3:], values[3:], strict=True)))
        shape, arrays = self.stacked(**kept)
        flat = [x.reshape(math.prod(shape), x.shape[-1]) for x in arrays]
        found = [
            f(*row[:3], *more, **dict(zip(list(kept)[3:], row[3:], strict=True))) for row in zip(*flat, strict=True)
        ]
        if not found:
            raise ModelError(f"{self.owner} were asked for no state at all: leading axes {shape}.")
        if isinstance(found[0], tuple):
            return tuple(_shaped(part, shape) for part in zip(*found, strict=True))
        return _shaped(found, shape)

    def is_proper(self, what: str, value: Any) -> bool:
        """Whether it is one state of finite numbers that can be taken as it is; an error where a quaternion is none."""
        if not (type(value) is np.ndarray and value.dtype is FLOAT and value.shape == (self.sizes[what],)):
            return False
        if not math.isfinite(value.sum()):
            return False
        if what in CONFIGURATIONS:
            self._check(value)
        return True


def _shaped(each: Any, shape: tuple[int, ...]) -> Array:
    return np.array(each).reshape(*shape, *each[0].shape)
