"""Boxes of the language in a mechanism, `visviva.demo.boxed_arm`: a motor, a lossy gearbox, a brake, one housing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import visviva as vv
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest
from visviva.demo.boxed_arm import boxed_arm, boxes_alone
from visviva.integrate.many import ManyStepping

STEP, VOLTS = 1e-3, 12.0


def rows(quick: bool = False) -> list[Row]:
    """A step with boxes against one without them and one of the boxes alone, by the engine of composites.

    The arm alone falls, which takes about one iteration of Newton's method; moved as boxes move it, it takes more.
    """
    n, few, repeats = (2, 1, 1) if quick else (500, 3, 5)
    whole, bare = (vv.compile(boxed_arm(boxed=boxed), form="directors") for boxed in (True, False))
    alone = vv.compile(boxes_alone())
    start = dict.fromkeys(alone.layout.x, 0.0)
    volts = {"motor": VOLTS}
    compiled = Steps(whole, vv.PHMP(), None, STEP, volts)
    reference = Steps(whole, vv.PHMP(compiled=False), None, STEP, volts)
    without = Steps(bare, vv.PHMP(), None, STEP)
    boxes = Steps(alone, vv.DiscreteGradient(), start, STEP, {"supply": VOLTS})
    moved = _moved_alike(n)
    for steps in (compiled, without, boxes):
        steps(2)  # loads compiled code
    calls = [lambda: compiled(n), lambda: without(n), moved, lambda: boxes(n), lambda: reference(few)]
    ours, arm, alike, inside, theirs = fastest(calls, repeats)
    what, own = "a step of the arm with boxes", f"the boxes alone {1e6 * inside / n:.3g} µs; both"
    falls = f"the arm alone {1e6 * arm / n:.3g} µs, {own}"
    moves = f"the arm alone, moved alike by torques, {1e6 * alike / n:.3g} µs, {own}"
    return [
        against(what, ours / n, falls, (arm + inside) / n),
        against(what, ours / n, moves, (alike + inside) / n),
        against(what, ours / n, "the same in NumPy", theirs / few),
    ]


def _moved_alike(n: int) -> Callable[[], object]:
    """n steps of the arm without boxes, with torques that move it as boxes do."""
    run = vv.simulate(boxed_arm(), t_end=n * STEP, h=STEP, inputs={"motor": VOLTS}, integrator=vv.PHMP())
    boxes = {"shaft": ("motor.shaft", "gearbox.a"), "shoulder": ("gearbox.b",), "elbow": ("brake.p",)}
    arm = boxed_arm(boxed=False)
    for joint in boxes:
        arm.torque(f"at {joint}", joint)
    steps = Steps(vv.compile(arm, form="directors"), vv.PHMP(), None, STEP, {f"at {joint}": 0.0 for joint in boxes})
    torques = {f"at {joint}": sum(np.ravel(run[f"{port}.force"]) for port in ports) for joint, ports in boxes.items()}
    u = np.stack([torques[port.name] for port in steps.model.ports], axis=1)[:, None]  # (n, 1, ports)
    assert isinstance(steps.stepping, ManyStepping)
    stepper = steps.stepping.stepper
    return lambda: stepper.many(steps.state, STEP, u)
