"""Steps in shipped kernels beside the same steps in kernels that Numba has compiled on this machine.

Processes of both kinds take turns, and the best of each counts: CPU time of the compiled loop alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import exp, log
from typing import Any

import visviva as vv
from benchmarks.first_runs import shipped
from benchmarks.latency import process
from benchmarks.mechanisms import chain, four_bar, slider_crank, stewart
from benchmarks.row import Row, against
from benchmarks.steps import Steps

PROGRAM = "from benchmarks.shipped import main; main({!r}, {})"
H = 1e-3


CASES: dict[str, tuple[Callable[[], vv.Mechanism], Any]] = {
    "2 hinges": (lambda: chain(2, "revolute"), vv.PHMP()),
    "10 hinges": (lambda: chain(10, "revolute"), vv.PHMP()),
    "10 balls": (lambda: chain(10, "spherical"), vv.PHMP()),
    "100 hinges": (lambda: chain(100, "revolute"), vv.PHMP()),
    "four-bar": (four_bar, vv.PHMP()),
    "slider-crank": (slider_crank, vv.PHMP()),
    "Stewart platform": (stewart, vv.PHMP()),
    "10 hinges, PHMPGGL": (lambda: chain(10, "revolute"), vv.PHMPGGL()),
    "four-bar, PHMPGGL": (four_bar, vv.PHMPGGL()),
    "10 hinges, RK4": (lambda: chain(10, "revolute"), vv.RK4()),
    "10 hinges, DOP853": (lambda: chain(10, "revolute"), vv.DOP853(tolerance=None)),
    "10 hinges, Gauss8": (lambda: chain(10, "revolute"), vv.Gauss8()),
}


def rows(quick: bool = False) -> list[Row]:
    """A row for each mechanism and scheme, and the geometric mean."""
    cases, repeats, scale = (list(CASES)[:2], 1, 0.02) if quick else (list(CASES), 3, 1.0)
    best: dict[tuple[str, bool], float] = {}
    for _ in range(repeats):
        for case in cases:
            for use in (True, False):
                with shipped(use):
                    t = float(process(PROGRAM.format(case, scale))[1])
                best[case, use] = min(t, best.get((case, use), t))
    found = [against(case, best[case, True], "compiled here", best[case, False]) for case in cases]
    mean = exp(sum(log(row.ratio) for row in found if row.ratio) / len(found))
    return [*found, Row("geometric mean", "", "", mean)]


def main(case: str, scale: float) -> None:
    """Print the CPU time of a step [s]."""
    make, scheme = CASES[case]
    steps = _steps(make(), scheme)
    n, best = 50, float("inf")
    steps(n)
    while True:
        began = time.process_time()
        steps(n)
        spent = time.process_time() - began
        if spent > 0.3 * scale:
            break
        n *= 2
    for _ in range(5):
        began = time.process_time()
        steps(n)
        best = min(best, (time.process_time() - began) / n)
    print(best)


def _steps(m: vv.Mechanism, scheme: Any) -> Callable[[int], Any]:
    if isinstance(scheme, vv.PHMP | vv.PHMPGGL):
        return Steps(vv.compile(m, "directors"), scheme, None, H)
    sim = vv.Simulator(m, h=H, integrator=scheme)

    def run(n: int) -> None:
        sim.reset()
        sim.run(n * H, every=n)

    return run
