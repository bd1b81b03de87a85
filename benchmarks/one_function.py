"""The least that a process with compiled code waits for: one cached function of Numba, and SciPy."""

from __future__ import annotations

import numba
import numpy as np
import scipy.linalg
import scipy.sparse.linalg  # noqa: F401

from visviva._arrays import Array


@numba.njit(cache=True)
def first(x: Array) -> float:
    """x[0]"""
    return x[0]


def main() -> None:
    """Load and call it."""
    first(np.zeros(1))
