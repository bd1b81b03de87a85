"""Waiting for a first result, in processes of their own: with shipped kernels, and with all of them compiled.

CPU time of a whole process, from its start to the end. "empty": with an empty cache, as on a new machine; "later": with
what a first process has left there.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.latency import process
from benchmarks.mechanisms import chain, four_bar
from benchmarks.row import Row, against

PROGRAM = "from benchmarks.first_runs import main; main({!r})"
SPAN: dict[str, Any] = {"t_end": 0.1, "h": 1e-2, "progress": False}


def _friction() -> None:
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    hinge = m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis="y", friction=vv.friction.coulomb(0.1, v_reg=0.01))
    m.stop("stop", hinge, -2.0, 2.0, stiffness=100.0)
    vv.simulate(m, **SPAN)


def _library() -> None:
    from visviva.language import compose
    from visviva.library import electric, rotation, thermal

    drive = compose(
        "drive",
        {"coil": electric.inductor(0.02), "winding": electric.resistor(0.8), "machine": electric.motor(0.2),
         "wheel": rotation.inertia(0.05), "copper": thermal.capacity(20.0), "wall": thermal.conduction(0.5),
         "room": thermal.environment(300.0)},
        {"supply": ("coil.phi", "winding.phi", "machine.phi"), "shaft": ("machine.p", "wheel.p"),
         "s": ("winding.s", "copper.s", "wall.s1"), "s_room": ("wall.s2", "room.s")},
        outer=("supply",),
    )  # fmt: skip
    start = {"supply": 0.0, "shaft": 0.0, "s": thermal.entropy(300.0, c=20.0)}
    vv.simulate(drive, initial=start, inputs={"supply": 24.0}, **SPAN)


def _motor_loop() -> None:
    """With an energy of the user's own: the heat capacity of the housing grows with its temperature."""
    from visviva.demo.motor import at_rest, motor_loop
    from visviva.language import storage
    from visviva.library.quantities import entropy

    loop = motor_loop()
    own = storage({"s": entropy}, H=lambda x, c, a: 300 * c * np.exp(x.s / c - a * (x.s / c) ** 2), c=1.0, a=0.01)
    model = vv.compile(dataclasses.replace(loop, boxes={**loop.boxes, "housing": own}))
    given: dict[str, Any] = {"inputs": {"supply": 24.0}, "integrator": vv.DiscreteGradient()}
    vv.simulate(model, initial=at_rest(model), t_end=0.02, h=1e-3, progress=False, **given)


def _demo() -> None:
    from visviva.cli import main as command

    with tempfile.TemporaryDirectory() as out:
        command(["demo", "--out", str(Path(out))])


CASES: dict[str, Callable[[], Any]] = {
    "double pendulum": lambda: vv.simulate(chain(2, "revolute"), **SPAN),
    "four-bar": lambda: vv.simulate(four_bar(), **SPAN),
    "friction by laws, a stop": _friction,
    "PHMPGGL": lambda: vv.simulate(chain(2, "revolute"), integrator=vv.PHMPGGL(), **SPAN),
    "a motor of the library": _library,
    "the motor loop with an energy of one's own": _motor_loop,
    "one step of a chain of 2000 bodies": lambda: vv.simulate(
        chain(2000, "revolute"), t_end=1e-3, h=1e-3, progress=False
    ),
    "visviva demo, all pictures": _demo,
}


@contextmanager
def shipped(use: bool) -> Iterator[None]:
    """Whether processes take the kernels that are shipped."""
    before = os.environ.get("VISVIVA_SHIPPED")
    os.environ["VISVIVA_SHIPPED"] = "1" if use else "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["VISVIVA_SHIPPED"]
        else:
            os.environ["VISVIVA_SHIPPED"] = before


def rows(quick: bool = False) -> list[Row]:
    """Both ways, one after the other."""
    found = []
    for case in list(CASES)[: 2 if quick else None]:
        (cold, warm), (compiled, later) = (_times(case, use, 1 if quick else 3) for use in (True, False))
        found.append(against(f"{case}: empty cache", cold, "all compiled", compiled))
        found.append(against(f"{case}: later", warm, "compiled before", later))
    return found


def _times(case: str, use: bool, repeats: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder, shipped(use):
        cold = process(PROGRAM.format(case), folder)[0]
        return cold, min(process(PROGRAM.format(case), folder)[0] for _ in range(repeats))


def main(case: str) -> None:
    """One case in this process."""
    CASES[case]()
