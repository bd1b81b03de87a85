"""Calls by address: what a compiled law costs beyond its arithmetic, over 1000 springs that stiffen."""

from __future__ import annotations

import ctypes

import numba
import numpy as np

from benchmarks.row import Row, against
from benchmarks.timing import fastest
from visviva._arrays import Array
from visviva.compiler.build import energy_address
from visviva.compiler.traced import energy_of
from visviva.library.translation import hard_spring

SPRINGS = 1_000
LAW = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 6, ctypes.c_double, ctypes.c_int64)


def rows(quick: bool = False) -> list[Row]:
    """The generated law gathers, scatters and reads parameters of each spring; the loop by hand has neat arrays."""
    calls, repeats = (1, 1) if quick else (1_000, 5)
    n, rng = SPRINGS, np.random.default_rng(0)
    storage, (k, k3) = hard_spring(1.5, 0.7), (np.full(n, 1.5), np.full(n, 0.7))
    part = energy_of("spring", "q", storage.H, storage.interface["q"], 300.0)
    law = LAW(energy_address(part.law))
    a, b = rng.normal(size=(2, n))
    width = len(part.parameters)
    places = np.column_stack([np.tile(np.arange(n)[:, None], 3), width * np.arange(n)]).astype(np.int64)
    P = np.tile(part.parameters, n)
    e, dE, effort, slope = np.zeros((4, n))
    pointers = [array.ctypes.data for array in (places, P, a, b, e, dE)]
    found = []
    for mode, what in ((0, "an effort"), (1, "an effort and its derivative")):

        def by_address(mode: int = mode) -> None:
            e[:] = dE[:] = 0.0
            for _ in range(calls):
                law(n, *pointers, 1e-3, mode)

        def by_hand(mode: int = mode) -> None:
            effort[:] = slope[:] = 0.0
            for _ in range(calls):
                loop(k, k3, a, b, effort, slope, 1e-3, mode)

        by_hand()
        ours, theirs = fastest([by_address, by_hand], repeats)
        each = calls * n
        found.append(against(f"{what}, per spring", ours / each, "a loop by hand on neat arrays", theirs / each))
    return found


@numba.njit(error_model="numpy")
def loop(k: Array, k3: Array, a: Array, b: Array, e: Array, dE: Array, h: float, mode: int) -> None:
    """e = k (a + b)/2 + k₃ (a + b)(a² + b²)/4, the discrete gradient of k q²/2 + k₃ q⁴/4."""
    for i in range(len(k)):
        mean, square = 0.5 * (a[i] + b[i]), a[i] ** 2 + b[i] ** 2
        e[i] += mean * (k[i] + 0.5 * k3[i] * square)
        if mode == 1:
            dE[i] += h * (0.5 * k[i] + 0.25 * k3[i] * square + k3[i] * mean * b[i])
