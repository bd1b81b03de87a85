"""The making of a rollout: what is asked for is checked, then the members are made."""

from __future__ import annotations

import copy
import fnmatch
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.loop import Loop
from visviva.integrate.march import whole_number
from visviva.integrate.rollouts.inputs import MemberInputs, member_inputs
from visviva.integrate.rollouts.member import Rolling
from visviva.integrate.rollouts.result import Rollouts
from visviva.integrate.rollouts.starts import Start, start_states
from visviva.integrate.rollouts.workers import members_of
from visviva.model import Model, State
from visviva.results import Run
from visviva.results.quantities import motion_quantities, no_such_quantity
from visviva.results.selection import RELATIVE, patterns_of


def rollout(
    model: Model,
    scheme: AbstractIntegrator,
    given: TimeInputs,
    h: float,
    start: Start,
    input_names: tuple[str, ...],
    *,
    initial: Any,
    inputs: MemberInputs,
    steps: int,
    record: str | Sequence[str] | None,
    every: int,
    workers: int | Executor,
) -> Rollouts:
    """Many runs of a model by a scheme with steps of h [s], see `Simulator.rollout`.

    given: inputs of the simulator.   start: the state that it would be reset to.   input_names: of all inputs in order.
    """
    if not isinstance(steps, int | np.integer) or steps < 1:
        raise ModelError(f"a rollout makes a whole number of steps, at least 1, got steps = {steps!r}.")
    if not isinstance(workers, Executor) and not (isinstance(workers, int | np.integer) and workers >= 1):
        raise ModelError(
            f"workers is a number of threads, at least 1, or a concurrent.futures Executor, got {workers!r}."
        )
    shared, held = member_inputs(model, given, inputs, input_names, int(steps))
    starts = start_states(
        initial, held.counts(), start, lambda: scheme.stepping(model, copy.copy(shared), start(None), h)
    )
    names = _recorded(model, scheme, shared, starts[0], h, patterns_of(record) or ())
    rolling = Rolling(model, scheme, shared, h, int(steps), names, whole_number(every))
    return Rollouts(rolling, starts, held, members_of(rolling, starts, held, workers))


def _recorded(
    model: Model, scheme: AbstractIntegrator, inputs: TimeInputs, start: State, h: float, patterns: tuple[str, ...]
) -> tuple[str, ...]:
    """Names that patterns mean; those of the motion are known without a run."""
    names, known = list[str](), None
    for pattern in patterns:
        carrier, _, suffix = pattern.rpartition(".")
        owner = None if model.mechanism is None else model.mechanism.parts.get(carrier)
        if suffix in motion_quantities(owner):
            names.append(pattern)
            continue
        if known is None:
            own = copy.copy(inputs)
            loop = Loop(model, scheme.stepping(model, own, start, h), start, h, own)
            known = Run(model, loop.start(), start, scheme, ())
        found = fnmatch.filter(known.names, pattern)
        if not found:
            raise no_such_quantity(known, pattern, known.names)
        if pattern in RELATIVE:
            raise ModelError(
                f"{pattern!r} is relative to a scale of the whole run and cannot be recorded: many.audit has it."
            )
        names += [name for name in found if name not in (*RELATIVE, "t")]
    return tuple(dict.fromkeys(names))
