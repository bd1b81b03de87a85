"""Simulators that are kept with their mechanism between runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from visviva.integrate.choice import chosen_scheme
from visviva.integrate.inputs import AllInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.simulator import Described, Simulator
from visviva.mechanism import Definition, definition_of

MOST_SCHEMES = 4  # whose simulators are kept


@contextmanager
def prepared(
    what: Described, h: float, integrator: AbstractIntegrator | None, inputs: AllInputs | None
) -> Iterator[Simulator]:
    """A simulator for one run. Those of a mechanism are used again, each by one run at a time."""
    what = definition_of(what)
    scheme = chosen_scheme(what, integrator)
    idle = _idle(what, scheme)
    simulator = idle.pop() if idle else None
    if simulator is not None and not simulator.give(inputs):
        idle.append(simulator)  # type: ignore[union-attr]
        simulator = None
    if simulator is None:
        simulator = Simulator(what, h, integrator=scheme, inputs=inputs)
    yield simulator
    if idle is not None and simulator.is_plain:  # one whose run has failed is not used again
        idle.append(simulator)


def _idle(what: Described, scheme: AbstractIntegrator) -> list[Simulator] | None:
    """Simulators of a mechanism and a scheme that no run uses; None where none are kept."""
    if not isinstance(what, Definition) or type(scheme).__eq__ is object.__eq__:
        return None
    try:
        hash(scheme)
    except TypeError:  # a number of it was given as an array
        return None
    kept: dict[Any, list[Simulator]] = what.made.setdefault(Simulator, {})
    if scheme not in kept and len(kept) >= MOST_SCHEMES:
        kept.clear()
    return kept.setdefault(scheme, [])
