"""Room: memory for the nodes of a run, in which chunks of steps follow each other, so that they need not be joined."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.model import State

MOST = 2**27  # numbers that are kept free for states: a gigabyte, of which only what is written to takes memory


@final
class Room:
    """States x and multipliers w of n steps; what was given away is not given again."""

    def __init__(self, n: int, size: int, rows: int) -> None:
        n = min(n, MOST // (size + 1))
        self.x = np.empty((n + 1, size))
        self.w = np.empty((n, rows))
        self._top = 0

    @property
    def empty(self) -> bool:
        """Whether no steps are in it."""
        return self._top == 0

    def take(self, state: State, n: int) -> tuple[Array, Array] | None:
        """Rows for n steps from a state; None where there are not so many, or the state is not the last one here."""
        top = self._top
        goes_on = top == 0 or state.x.ctypes.data == self.x[top].ctypes.data
        if not n or top + n > len(self.w) or not goes_on:
            return None
        return self.x[top : top + n + 1], self.w[top : top + n]

    def close(self, n: int) -> None:
        """So many of the rows that were taken last have been written to."""
        self._top += n
