"""Initial values that a system carries along, wherever it is wired in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.language.composite import Composite
from visviva.language.system import Storage


def starting(system: Composite, values: Mapping[str, ArrayLike]) -> Composite:
    """The same system with initial values of its states, by the names of the junctions of `system.flatten()`.

    A run starts from them where `initial` gives no others; values of a system outweigh those of the boxes in it.
    """
    flat = system.flatten()
    states = {
        name: junction.quantity.space.embedding.size
        for name, junction in flat.junctions.items()
        if any(isinstance(flat.boxes[box], Storage) for box, _ in junction.ends)
    }
    found = {}
    for name, value in values.items():
        if name not in states:
            raise ModelError(f"{system.name!r} has no state {name!r} to start from; it has {', '.join(states)}.")
        found[name] = np.atleast_1d(finite_array(value, f"initial value of {name!r} in {system.name!r}"))
        if found[name].shape != (states[name],):
            raise ModelError(f"initial value of {name!r} must have shape ({states[name]},), got {found[name].shape}.")
    return replace(system, start={**system.start, **found})
