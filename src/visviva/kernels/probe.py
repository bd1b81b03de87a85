"""A small kernel whose bits are known: it is run once per process, before any other shipped one is trusted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import kernel
from visviva.kernels.multibody.tables import Int


class Tables(NamedTuple):
    """One of each that kernels are given in tuples."""

    places: Int
    numbers: Array


@kernel
def probe(tables: Tables, nothing: Array | None, x: float, k: int, out: Array) -> tuple[int, int]:
    """Sums, products, a root and a sine of the arguments; returns k and the number of entries."""
    total = x
    for i in range(tables.places.shape[0]):
        for j in range(tables.numbers.shape[1]):
            total += tables.numbers[tables.places[i], j] * math.sin(total)
    out[0] = total
    out[1] = math.sqrt(total * total + 1.0) / 3.0
    out[2] = 0.0 if nothing is None else 1.0
    return k, tables.numbers.size


def probe_bits(run: Callable[..., tuple[int, int]] = probe) -> list[str]:
    """What the kernel, or a way into it, gives for arguments that are always the same, to the last bit."""
    numbers = np.arange(1.0, 7.0).reshape(2, 3) / 7.0
    out = np.zeros(3)
    found = run(Tables(np.array([1, 0, 1], dtype=np.int64), numbers), None, 0.3, 5, out)
    again = run(Tables(np.array([0, 1], dtype=np.int64), numbers), None, np.float64(-0.7), 2, out[:])
    return [*(float(x).hex() for x in out), *map(str, found), *map(str, again)]
