"""Chains of N links, released from rest in a bent shape: a step of PHMP against one of Exudyn."""

from __future__ import annotations

import tracemalloc

import numpy as np

import visviva as vv
from benchmarks.against_exudyn import compare
from benchmarks.mechanisms import JOINTS, chain
from benchmarks.row import Row

T_END = 1.0
FINE, COARSE = 1e-3, 1e-2


def rows(quick: bool = False) -> list[Row]:
    """Steps of 1 ms and of 10 ms through one second, how the cost grows with N, and the memory of a run."""
    sizes, large, part, repeats = ((1, 2), (2, 4), 0.01, 1) if quick else ((1, 10, 100, 1_000), (1_000, 4_000), 1.0, 3)
    found, long = list[Row](), slice(len(sizes) // 3, None)  # the shortest chains show the fixed cost of a step
    for joint in JOINTS:
        fine = [compare(chain(N, joint), FINE, round(part * T_END / FINE), repeats) for N in sizes]
        coarse = [compare(chain(N, joint), COARSE, round(part * T_END / COARSE), repeats) for N in sizes]
        for N, one, other in zip(sizes, fine, coarse, strict=True):
            found += one.rows(f"{joint}, N = {N}, h = 1 ms") + other.rows(f"{joint}, N = {N}, h = 10 ms")[:1]
        exponent = np.polyfit(np.log(sizes[long]), np.log([each.loop for each in fine[long]]), 1)[0]
        found.append(Row(f"{joint}: growth of a step with N from N = {sizes[long][0]}, exponent", f"{exponent:.2f}"))
    return [*found, *memory(*large)]


def memory(N: int, more: int) -> list[Row]:
    """The largest memory that a run of ten steps holds at a time, and how it grows with N."""
    _peak(chain(2, "spherical"))  # what is loaded once is not counted
    few, many = (_peak(chain(links, "spherical")) for links in (N, more))
    exponent = np.log(many / few) / np.log(more / N)
    return [
        Row(f"memory of a run, N = {N}", f"{few / 2**20:.1f} MB"),
        Row(f"memory of a run, N = {more}", f"{many / 2**20:.1f} MB"),
        Row(f"growth of memory from N = {N} to {more}, exponent", f"{exponent:.2f}"),
    ]


def _peak(m: vv.Mechanism) -> int:
    tracemalloc.start()
    try:
        vv.simulate(m, 10 * FINE, FINE, every=10, progress=False)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
