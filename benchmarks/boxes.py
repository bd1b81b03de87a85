"""Boxes of the language in a mechanism, `visviva.demo.boxed_arm`: a motor, a lossy gearbox, a brake, one housing."""

from __future__ import annotations

import visviva as vv
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest
from visviva.demo.boxed_arm import boxed_arm, boxes_alone

STEP, VOLTS = 1e-3, 12.0


def rows(quick: bool = False) -> list[Row]:
    """A step with boxes against one without them and one of the boxes alone, by the engine of composites."""
    n, few, repeats = (2, 1, 1) if quick else (500, 3, 5)
    whole, bare = (vv.compile(boxed_arm(boxed=boxed), form="directors") for boxed in (True, False))
    alone = vv.compile(boxes_alone())
    start = dict.fromkeys(alone.layout.x, 0.0)
    volts = {"motor": VOLTS}
    compiled = Steps(whole, vv.PHMP(), None, STEP, volts)
    reference = Steps(whole, vv.PHMP(compiled=False), None, STEP, volts)
    without = Steps(bare, vv.PHMP(), None, STEP)
    boxes = Steps(alone, vv.DiscreteGradient(), start, STEP, {"supply": VOLTS})
    for steps in (compiled, without, boxes):
        steps(2)  # loads compiled code
    calls = [lambda: compiled(n), lambda: without(n), lambda: boxes(n), lambda: reference(few)]
    ours, arm, inside, theirs = fastest(calls, repeats)
    parts = f"the arm alone {1e6 * arm / n:.3g} µs, the boxes alone {1e6 * inside / n:.3g} µs; both"
    return [
        against("a step of the arm with boxes", ours / n, parts, (arm + inside) / n),
        against("a step of the arm with boxes", ours / n, "the same in NumPy", theirs / few),
    ]
