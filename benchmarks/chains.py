"""Chains of N links, released from rest in a bent shape: a step of PHMP against one of Exudyn."""

from __future__ import annotations

import numpy as np

from benchmarks.against_exudyn import compare
from benchmarks.latency import process
from benchmarks.mechanisms import JOINTS, chain
from benchmarks.row import Row

T_END = 1.0
FINE, COARSE = 1e-3, 1e-2
MEMORY = """
import resource, sys
import visviva as vv
from benchmarks.mechanisms import chain
m = chain({N}, "spherical")
vv.simulate(m, {n} * 1e-3, 1e-3, every={n}, progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def rows(quick: bool = False) -> list[Row]:
    """Steps of 1 ms and of 10 ms through one second, how the cost grows with N, and the memory of a run."""
    sizes, large, part, repeats = ((1, 2), (2, 4), 0.01, 1) if quick else ((1, 10, 100, 1_000), (1_000, 2_000), 1.0, 3)
    found, long = list[Row](), slice(len(sizes) // 3, None)  # the shortest chains show the fixed cost of a step
    for joint in JOINTS:
        fine = [compare(chain(N, joint), FINE, round(part * T_END / FINE), repeats) for N in sizes]
        coarse = [compare(chain(N, joint), COARSE, round(part * T_END / COARSE), repeats) for N in sizes]
        for N, one, other in zip(sizes, fine, coarse, strict=True):
            found += one.rows(f"{joint}, N = {N}, h = 1 ms") + other.rows(f"{joint}, N = {N}, h = 10 ms")[:1]
        exponent = np.polyfit(np.log(sizes[long]), np.log([each.loop for each in fine[long]]), 1)[0]
        found.append(Row(f"{joint}: growth of a step with N from N = {sizes[long][0]}, exponent", f"{exponent:.2f}"))
    return [*found, memory(*large)]


def memory(N: int, more: int) -> Row:
    """What a link adds to the largest resident set of a process that makes a run."""
    few, many = (int(process(MEMORY.format(N=links, n=10))[1]) for links in (N, more))
    return Row(f"memory of a link, from N = {N} to {more}", f"{(many - few) / (more - N) / 1024:.1f} kB")
