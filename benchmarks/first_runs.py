"""Waiting for a mechanism: its first run on a machine, that of a later process, and what was not used before."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from typing import Any

import visviva as vv
from benchmarks.latency import process
from benchmarks.mechanisms import GRAVITY, four_bar
from benchmarks.row import Row, against, duration

LEAST = "from benchmarks.one_function import main; main()"
PROGRAM = "from benchmarks.first_runs import main; main({!r})"
AXIS = (0.0, 0.6, 0.8)
JOINTS: dict[str, dict[str, Any]] = {
    "revolute": {"at": (0, 0, 0), "axis": AXIS},
    "spherical": {"at": (0, 0, 0)},
    "universal": {"at": (0, 0, 0), "axes": ((1, 0, 0), (0, 1, 0))},
    "prismatic": {"axis": AXIS},
    "cylindrical": {"at": (0, 0, 0), "axis": AXIS},
    "planar": {"at": (0, 0, 0), "normal": AXIS},
    "distance": {"at_a": (0, 0, 0.5)},
    "spring": {"at_a": (0, 0, 0.5), "k": 50.0, "length": 0.4},
}


def held(kind: str) -> vv.Mechanism:
    """A body on the ground by one joint, or by a spring."""
    m = vv.Mechanism(kind, gravity=GRAVITY)
    m.body("body", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.5, 0.1, -0.2))
    getattr(m, kind)("joint", m.ground, "body", **JOINTS[kind])
    return m


CASES = {**{kind: partial(held, kind) for kind in JOINTS}, "a loop of four bars": four_bar}


def rows(quick: bool = False) -> list[Row]:
    """In processes of their own, with a cache of compiled code that is empty at first."""
    (begin, *others), repeats = (list(CASES)[:2], 1) if quick else (list(CASES), 3)
    with tempfile.TemporaryDirectory() as folder:
        cold = process(PROGRAM.format(begin), folder)[0]
        later = [process(PROGRAM.format(begin), folder) for _ in range(repeats)]
        least = min([process(LEAST, folder)[0] for _ in range(1 + repeats)][1:])
        calls = {case: [_calls(process(PROGRAM.format(case), folder)[1]) for _ in range(2)] for case in others}
    beyond = min(first - second for first, second in (_calls(text) for _, text in later))
    return [
        Row(f"first run on a machine: {begin}", duration(cold)),
        against("first run of a later process", min(t for t, _ in later), "SciPy, one cached function of Numba", least),
        Row("first call of simulate in it, beyond a second call", duration(beyond)),
        *(
            Row(f"compiled once more, for the first run with: {case}", duration(max(0.0, unknown[0] - known[0])))
            for case, (unknown, known) in calls.items()
        ),
    ]


def _calls(text: str) -> tuple[float, float]:
    first, second = (float(t) for t in text.split())
    return first, second


def main(case: str) -> None:
    """Print the CPU times of a first and of a second call [s]."""
    m = CASES[case]()
    for _ in range(2):
        began = time.thread_time()
        vv.simulate(m, 0.01, 1e-3, progress=False)
        print(time.thread_time() - began)
