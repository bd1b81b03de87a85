"""Where the bodies of a mechanism are, by us and by others, and whether both mean the same mechanism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import visviva as vv
from benchmarks.steps import Steps
from visviva._arrays import Array

SAME = 1e-3  # of the way that the bodies have gone; steps of the same size differ by far less
Solver = Callable[[int, float], Array]  # n steps of length h, centres of mass at the end


def centres(model: vv.Model, x: Array) -> Array:
    """Centres of mass, one line per body in the order of building."""
    assert model.definition is not None
    return np.array([x[model.layout.x[f"{body.name}.q"]][:3] for body in model.definition.bodies])


def distance(a: Array, b: Array) -> float:
    """Root of the mean square of what centres of mass are apart [m]."""
    return float(np.sqrt(((a - b) ** 2).sum(-1).mean()))


def check_same(steps: Steps, peer: Solver, name: str, n: int = 50) -> None:
    """An error where a peer's bodies go elsewhere: a time is only worth comparing for the same motion."""
    h, model = steps.state.h, steps.model
    start, end = (centres(model, state.x) for state in (steps.state, steps.last(n)))
    gap, way = distance(peer(n, h), end), distance(start, end)
    if not gap <= SAME * way:
        raise RuntimeError(f"after {n} steps {name} is {gap:.2g} m from where we are, on a way of {way:.2g} m")
