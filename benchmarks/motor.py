"""The motor that drives a spatial loop, `visviva.demo.motor`: bodies, joints, electricity and heat."""

from __future__ import annotations

import visviva as vv
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest
from visviva.demo.motor import at_rest, motor_loop

STEP, VOLTS = 2e-3, 24.0


def rows(quick: bool = False) -> list[Row]:
    """A step of the compiled scheme against the same step in NumPy."""
    n, few, repeats = (2, 1, 1) if quick else (500, 5, 5)
    model = vv.compile(motor_loop())
    schemes = vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False)
    compiled, reference = (Steps(model, scheme, at_rest(model), STEP, {"supply": VOLTS}) for scheme in schemes)
    compiled(2)  # loads compiled code
    ours, theirs = fastest([lambda: compiled(n), lambda: reference(few)], repeats)
    unknowns = model.layout.solved
    return [against(f"a step, {unknowns} unknowns", ours / n, "the same in NumPy", theirs / few)]
