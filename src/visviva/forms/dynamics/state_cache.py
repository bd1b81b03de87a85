"""A cache of values by state: those of the last few states that were asked for, each computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

from visviva._arrays import Array

KEPT = 8  # states: a state, a reference, and what a search for it passes
T = TypeVar("T")


@final
class StateCache(Generic[T]):
    """make(*state), kept for the last `KEPT` different states; it is given arrays of its own."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._values: dict[tuple[bytes, ...], T] = {}  # never changed, only replaced: threads may ask at once

    def __getstate__(self) -> dict[str, Any]:
        return {"_make": self._make, "_values": {}}

    def __call__(self, *state: Array) -> T:
        """The value at a state."""
        key = tuple([part.tobytes() for part in state])
        found = self._values.get(key)
        if found is None:
            found = self._make(*[part.copy() for part in state])
            kept = list(self._values.items())[-(KEPT - 1) :]
            self._values = {**dict(kept), key: found}
        return found
