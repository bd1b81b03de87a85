"""The making of a rollout: what is asked for is checked, then the members are made."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.errors import ModelError, VisvivaError
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.loop import Loop
from visviva.integrate.march import whole_number
from visviva.integrate.repeated import with_member
from visviva.integrate.rollouts.inputs import MemberInputs, member_inputs, over_time
from visviva.integrate.rollouts.member import Rolling
from visviva.integrate.rollouts.result import Rollouts
from visviva.integrate.rollouts.starts import first_axis, members_in, of_member, start_states, starts_in
from visviva.integrate.rollouts.workers import members_of
from visviva.model import Model, State
from visviva.results import Run
from visviva.results.quantities import motion_quantities, no_such_quantity
from visviva.results.selection import RELATIVE, patterns_of


@final
@dataclass(frozen=True, eq=False)
class Prepared:
    """What a rollout takes from a Simulator: its model, inputs, and states as `reset` would find them."""

    model: Model
    scheme: AbstractIntegrator
    inputs: TimeInputs
    h: float
    start: Callable[[Any], State]


def rollout(
    sim: Prepared,
    variant: Callable[[dict[Any, Any]], Prepared],
    input_names: tuple[str, ...],
    *,
    initial: Any,
    inputs: MemberInputs,
    parameters: Mapping[str, Any] | None,
    steps: int,
    record: str | Sequence[str] | None,
    every: int,
    workers: int | Executor,
) -> Rollouts:
    """Many runs with steps of h [s], see `Simulator.rollout`.

    variant: the same with other parameters.   input_names: of all inputs in order.
    """
    if not isinstance(steps, int | np.integer) or steps < 1:
        raise ModelError(f"a rollout makes a whole number of steps, at least 1, got steps = {steps!r}.")
    if not isinstance(workers, Executor) and not (isinstance(workers, int | np.integer) and workers >= 1):
        raise ModelError(
            f"workers is a number of threads, at least 1, or a concurrent.futures Executor, got {workers!r}."
        )
    functions, held = member_inputs(sim.model, sim.inputs, inputs, input_names, int(steps))
    counts = held.counts() | first_axis(parameters or {}, "parameter")
    sims = [sim]
    if parameters:
        members = members_in(starts_in(initial) | counts, ["parameters"])
        sims = [_variant(variant, of_member(parameters, i), i, members) for i in range(members)]
    shared = over_time(sim.inputs, functions)
    starts = start_states(
        initial,
        counts,
        lambda x, i: sims[i if len(sims) > 1 else 0].start(x),
        None if parameters else lambda: sim.scheme.stepping(sim.model, shared, sim.start(None), sim.h),
    )
    names = _recorded(sim, over_time(sim.inputs, functions), starts[0], patterns_of(record) or ())
    rollings = [
        Rolling(s.model, s.scheme, over_time(s.inputs, functions), s.h, int(steps), names, whole_number(every))
        for s in sims
    ]
    return Rollouts(rollings, starts, held, members_of(rollings, starts, held, workers))


def _variant(variant: Callable[[dict[Any, Any]], Prepared], values: dict[Any, Any], i: int, members: int) -> Prepared:
    try:
        return variant(values)
    except VisvivaError as error:
        raise with_member(error, i, members) from error


def _recorded(sim: Prepared, inputs: TimeInputs, start: State, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Names that patterns mean; those of the motion are known without a run."""
    model, scheme, h, names, known = sim.model, sim.scheme, sim.h, list[str](), None
    for pattern in patterns:
        carrier, _, suffix = pattern.rpartition(".")
        owner = None if model.definition is None else model.definition.parts.get(carrier)
        if suffix in motion_quantities(owner):
            names.append(pattern)
            continue
        if known is None:
            loop = Loop(model, scheme.stepping(model, inputs, start, h), start, h, inputs)
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
