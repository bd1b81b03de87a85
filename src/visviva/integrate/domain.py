"""Where an energy ends: bushings, whose logarithm of a rotation has no direction at half a turn.

From there its rotation goes on as the one about the opposite axis, and its torque jumps: a step across is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from visviva._arrays import Array
from visviva.integrate.newton import NotConverged
from visviva.model import Model

NEARLY = 0.9  # of half a turn: a step from there that fails is put down to it
WAY_OUT = "Hold it nearer to where it is\nrelaxed, or use m.trace_spring(...), smooth at any rotation."


def first_half_turn(model: Model, x: Array) -> tuple[int, NotConverged] | None:
    """The first of the steps between states (n + 1, size) in which a bushing passes half a turn, and the failure.

    Beyond a quarter turn at both ends of a step, the axis of the rotation is reversed only by half a turn.
    """
    found: tuple[int, NotConverged] | None = None
    for name, R in _rotations(model, x):
        axis = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=-1)
        far = np.trace(R, axis1=1, axis2=2) < 1.0
        across = np.flatnonzero(((axis[:-1] * axis[1:]).sum(-1) < 0) & far[:-1] & far[1:])
        if len(across) and (found is None or across[0] < found[0]):
            failure = NotConverged(f"bushing {name!r} would pass half a turn, where its torque jumps", -1, np.nan)
            failure.way_out = WAY_OUT
            found = int(across[0]), failure
    return found


def half_turn_text(model: Model, x: Array) -> str:
    """Which bushing is near half a turn at a state, and the way out; empty if none is."""
    for name, R in _rotations(model, x[None]):
        if float(np.trace(R[0])) < 1.0 + 2.0 * np.cos(NEARLY * np.pi):
            return f"Bushing {name!r} is near half a turn, where its torque jumps. {WAY_OUT}"
    return ""


def _rotations(model: Model, x: Array) -> Iterator[tuple[str, Array]]:
    """Bushings by name, with the rotation of the child's frame in the parent's, (..., 3, 3)."""
    elements = () if model.definition is None else model.definition.elements
    for part in elements:
        if part.half_turn:
            yield part.name, x[:, model.layout.x[f"{part.name}.y"]][:, :9].reshape(-1, 3, 3)
