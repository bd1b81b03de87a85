"""States of storages with one port that have a given effort: rates of rotors, temperatures of capacities."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language import Storage
from visviva.language.discrete import FUNCTIONS
from visviva.language.expression import numeric
from visviva.language.slopes import slope

ITERATIONS = 50
EXACT = 4e-16  # of an effort
DIFFERENCE = 6e-6  # of a state, for its slope
NEAR = 1e-12  # of a temperature, that its entropy has to give
DOUBLINGS = 200  # of an interval in which an entropy is looked for


@lru_cache(256)
def energy_slope(energy: Storage, theta0: float) -> Any:
    """dU as a function of the state of a storage with one port, (k,); exact."""
    H = energy.H
    (states,) = H.states.values()
    slopes = np.array([slope(H.values.item(), symbol) for symbol in states], dtype=object)
    return numeric(slopes, H.arguments, [theta0, *(value for _, value in H.parameters.values())], FUNCTIONS)


def state_with_effort(dH: Callable[[Array], Array], p: Array, effort: Array) -> Array:
    """The state near p of a storage with given efforts, dH(p) = effort, all (k,); p itself where there is none."""
    found = p
    for _ in range(ITERATIONS):
        gap = dH(found) - effort
        if (np.abs(gap) <= EXACT * np.maximum(np.abs(effort), np.abs(gap + effort))).all():
            return found
        steps = DIFFERENCE * np.maximum(1.0, np.abs(found))
        slope = np.column_stack([(dH(found + step) - dH(found - step)) / (2 * step.max()) for step in np.diag(steps)])
        if not np.isfinite(slope).all() or np.linalg.matrix_rank(slope) < len(p):
            return p
        found = found - np.linalg.solve(slope, gap)
    return found


def check_entropy(energy: Storage, theta0: float, s: Array, name: str, what: str) -> None:
    """An error where dU/ds is no temperature; name: of the state in a run, what: in words."""
    with np.errstate(all="ignore"):
        theta = float(energy_slope(energy, theta0)(s)[0])
    if not 0.0 < theta < np.inf:
        raise ModelError(
            f"{what} is an entropy; at {s[0]:.6g} J/K its temperature, the slope of its energy, would be {theta:.6g} K."
            f"\nGive the temperature itself, {name + '.temperature'!r} [K], or an entropy that belongs to one."
        )


def entropy_with_temperature(energy: Storage, theta0: float, s: Array, theta: float, what: str) -> Array:
    """The entropy with dU/ds = θ [K], (1,), looked for from s on; what: its name, for the error where none has it.

    By halving: θ(s) rises with s, as U is convex; beyond its domain, where s counts from absolute zero, it is lower.
    """
    dU = energy_slope(energy, theta0)

    def temperature(s: float) -> float:
        with np.errstate(all="ignore"):
            return float(dU(np.array([s]))[0])

    def is_above(s: float) -> bool:
        return temperature(s) >= theta

    low = high = float(s[0])
    if temperature(low) == theta:
        return s
    width = max(1.0, abs(low))
    for _ in range(DOUBLINGS):
        if is_above(high) and not is_above(low):
            break
        low, high = (low - width, low) if is_above(low) else (high, high + width)
        width *= 2
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if is_above(middle) else (middle, high)
    if not abs(temperature(high) - theta) <= NEAR * theta:
        raise ModelError(
            f"{what} cannot be {theta:.6g} K: at no entropy is the slope dU/ds of its energy so much.\n"
            "Give a temperature that it can have, or its entropy, by the name without '.temperature'."
        )
    return np.array([high])
