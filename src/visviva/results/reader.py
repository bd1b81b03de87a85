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

    adds_up: whether it is a sum from the start of the run.   components: names of its components, if they have any.
    """

    read: Callable[[], Array]
    unit: str = ""
    adds_up: bool = False
    components: tuple[str, ...] = ()


VECTOR = ("x", "y", "z")
TWIST = ("ω_x", "ω_y", "ω_z", "v_x", "v_y", "v_z")
WRENCH = ("m_x", "m_y", "m_z", "f_x", "f_y", "f_z")
MOMENTUM = ("L_x", "L_y", "L_z", "p_x", "p_y", "p_z")


def column(values: Array, at: slice | int) -> Array:
    """One column, or several next to each other."""
    return np.asarray(values[:, at])
