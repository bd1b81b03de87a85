"""Reader: how one quantity of a run is read, and in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True)
class Reader:
    """read: gives the values, with time as the first axis.   unit: of all of them, or empty where nobody said it.

    adds_up: whether it is a sum from the start of the run.
    """

    read: Callable[[], Array]
    unit: str = ""
    adds_up: bool = False


def column(values: Array, at: slice | int) -> Array:
    """One column, or several next to each other."""
    return np.asarray(values[:, at])
