"""A cached map: one that remembers the last place it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.calculus.maps import AbstractMap, Taylor


@final
class CachedMap(AbstractMap):
    """The map f, which many edges ask for at one configuration, evaluated there once."""

    def __init__(self, f: AbstractMap) -> None:
        self.f = f
        self._last: dict[str, tuple[bytes, Any]] = {}

    def value(self, x: Array) -> Array:  # noqa: D102
        return np.array(self._recall("value", x.tobytes(), lambda: self.f.value(x)))

    def slope(self, x: Array) -> Array:  # noqa: D102
        return np.array(self._recall("slope", x.tobytes(), lambda: self.f.slope(x)))

    def bend(self, x: Array) -> Array:  # noqa: D102
        return self.f.bend(x)

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        place = x.tobytes() + x_dot.tobytes() + x_ddot.tobytes()
        value, rate, second = self._recall("along", place, lambda: self.f.along(x, x_dot, x_ddot))
        return np.array(value), np.array(rate), np.array(second)

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        return self.f.expressions(symbols)

    def _recall(self, what: str, place: bytes, evaluate: Callable[[], Any]) -> Any:
        known = self._last.get(what)
        if known is None or known[0] != place:
            known = self._last[what] = (place, evaluate())
        return known[1]
