"""Every reading of a mechanism, compared with its Model at one state.

A reading raises an AssertionError where it disagrees and a VisvivaError where it refuses.
"""

from collections.abc import Callable

from visviva.testing.readings.case import Case, Units
from visviva.testing.readings.composite import composite
from visviva.testing.readings.composite_runs import composite_run, joined_composite
from visviva.testing.readings.equations import (
    bond_graph,
    directors,
    hamel,
    kane,
    minimal,
    momenta,
    partially_lagrangian,
    symbols,
)
from visviva.testing.readings.instant import Instant, instant
from visviva.testing.readings.linear import linearisation
from visviva.testing.readings.schemes import SCHEMES, compiled, continuation, in_numpy
from visviva.testing.readings.structure import implicit, interconnection, kinestatics

READINGS: dict[str, Callable[[Instant], None]] = {
    **{f"{name} in NumPy": in_numpy(name) for name in SCHEMES},
    **{f"{name} compiled": compiled(name) for name in SCHEMES},
    "continuation": continuation,
    "directors": directors,
    "minimal velocities": minimal,
    "Hamel's form": hamel,
    "Kane's velocities": kane,
    "partially Lagrangian": partially_lagrangian,
    "Kane's momenta": momenta,
    "symbols": symbols,
    "bond graph": bond_graph,
    "linearisation": linearisation,
    "implicit system": implicit,
    "kinestatics": kinestatics,
    "interconnection": interconnection,
    "composite": composite,
    "composite's run": composite_run,
    "joined composite": joined_composite,
}

__all__ = ["READINGS", "Case", "Instant", "Units", "instant"]
