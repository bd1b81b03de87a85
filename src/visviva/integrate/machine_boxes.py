"""Boxes of a mechanism in memory: the order of elimination of their program, and start values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.compiler.flows import NotCompilable
from visviva.integrate.compiled import CompiledStepper
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton
from visviva.model import State

if TYPE_CHECKING:
    from visviva.compiler.machine import MachineModel
    from visviva.kernels.multibody.boxes import Boxes


def boxes_of(c: MachineModel, newton: Newton, state: State, h: float) -> Boxes | None:
    """The boxes of a mechanism, planned at a state of it; None without any. Raises `NotCompilable`."""
    from visviva.kernels.multibody.boxes import Boxes
    from visviva.kernels.program import Idle

    if c.boxes is None:
        return None
    compiled, tables = c.boxes.compiled, c.box_tables
    model = compiled.model
    own, there = tables["algebraic"].T
    if not state.active[there].all():
        row = row_name(c.model, int(there[~state.active[there]][0]))
        raise NotCompilable(f"{row} of a box follows from other rows")
    x, w = np.zeros(model.layout.size), np.zeros(model.layout.solved - model.layout.dim)
    x[tables["states"][:, 0]] = state.x[tables["states"][:, 1]]
    w[own] = state.w[there]
    active = np.ones(len(w), dtype=bool)
    active[c.boxes.held - model.layout.dim] = False
    inner = State(x, w, np.zeros(0), active, np.zeros(0), t0=state.t0, steps=state.steps, h=state.h)
    stepper = CompiledStepper(compiled, newton, inner, h)
    none = np.zeros(0, dtype=np.int64)
    boxes = Boxes(
        prog=compiled.program, plan=stepper.plan, none=Idle(none, none, none), work=stepper.work,
        settings=stepper.settings, **tables,
    )  # fmt: skip
    begin_boxes(boxes, state)
    return boxes


def begin_boxes(boxes: Boxes, state: State) -> None:
    """Forget all steps: a run begins at a state, whatever was run before it."""
    from visviva.kernels.program import DIM

    own, there = boxes.algebraic.T
    boxes.past[:] = boxes.known[:] = boxes.factors[:] = 0
    boxes.past[0, boxes.prog.sizes[DIM] + own] = state.w[there]
