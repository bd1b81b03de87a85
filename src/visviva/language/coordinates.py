"""Vectors whose entries also have names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.language.trace import UntraceableError


class Coordinates(np.ndarray):
    """A vector of numbers, symbols or jets whose entries also have names: q[0] or q.theta."""

    _names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, values: Sequence[Any] | np.ndarray, names: tuple[str, ...], dtype: Any = object) -> Coordinates:
        """The values by name."""
        vector = np.array(values, dtype=dtype).view(cls)
        vector._names = names
        return vector

    def __getitem__(self, key: Any) -> Any:
        """Entries and parts are plain numbers and vectors, also q[..., 0]."""
        part = np.asarray(self)[key]
        return part.item() if isinstance(part, np.ndarray) and part.ndim == 0 else part

    def __getattr__(self, name: str) -> Any:
        if self._names is None or name.startswith("_"):
            raise AttributeError(name)
        if name not in self._names:
            raise UntraceableError(f"it asks for the coordinate {name!r}; there are {', '.join(self._names)}")
        return self[self._names.index(name)]
