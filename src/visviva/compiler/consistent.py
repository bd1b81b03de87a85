"""Consistent initial states: velocities and other states that satisfy all constraints of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.model import Model

TOLERANCE = 1e-9  # of the size of the terms of a row
STEP = 1e-6  # of differences


def constraint_gap(model: Model, x: Array) -> tuple[Array, Array]:
    """What remains of the rows C e = 0 at x with the best efforts of junctions, and the size of their terms."""
    dim = model.layout.dim
    C, z = model.C(x), model.z(x)
    rest = C[:, :dim] @ z[:dim]
    size = np.abs(C[:, :dim]) @ np.abs(z[:dim])
    size = np.maximum(
        size, np.abs(C).max(initial=0.0) * np.abs(z[:dim]).max(initial=0.0)
    )  # of rows that are zero anyway
    if C.shape[1] > dim and len(C):
        a = np.linalg.lstsq(C[:, dim:], -rest, rcond=1e-12)[0]
        rest, size = rest + C[:, dim:] @ a, size + np.abs(C[:, dim:]) @ np.abs(a)
    return rest, size


def check_consistent(model: Model, x: Array) -> None:
    """An error that names the component whose constraint the initial efforts violate."""
    rest, size = constraint_gap(model, x)
    if np.abs(rest).max(initial=0.0) <= TOLERANCE * float(size.max(initial=0.0)):
        return
    names = [part.name for part in model.constraints for _ in range(part.rows)]
    worst = int(np.abs(rest).argmax())
    raise AssemblyError(
        f"the initial state of {model.name!r} violates the constraint of {names[worst]!r}: C e = {rest[worst]:.3g}.\n"
        "Give efforts (velocities, …) that satisfy it, or let vv.consistent(...) find the nearest state."
    )


def consistent(
    model: Model, guess: Mapping[str, ArrayLike], fixed: Sequence[str] = (), *, iterations: int = 30
) -> dict[str, Array]:
    """The state nearest to a guess that satisfies all constraints, as values by variable name.

    fixed: variables that keep their values. Nearest: least Euclidean change of the others, in their own units.
    """
    x = model.pack(guess)
    unknown = [name for name in fixed if name not in model.layout.x]
    if unknown:
        raise ModelError(f"consistent(fixed=...) names {unknown[0]!r}; the variables are {', '.join(model.layout.x)}.")
    free = np.ones(model.layout.dim, dtype=bool)
    for name in fixed:
        free[model.layout.z[name]] = False
    for _ in range(iterations if free.any() else 0):
        rest, size = constraint_gap(model, x)
        if np.abs(rest).max(initial=0.0) <= 1e-14 * float(size.max(initial=0.0)):
            break
        steps = STEP * np.eye(model.layout.dim)[free]
        ahead, behind = model.retract(x, steps), model.retract(x, -steps)
        pairs = zip(ahead, behind, strict=True)
        slope = np.array([constraint_gap(model, a)[0] - constraint_gap(model, b)[0] for a, b in pairs])
        change = np.zeros(model.layout.dim)
        change[free] = np.linalg.lstsq(slope.T / (2 * STEP), -rest, rcond=1e-10)[0]
        x = model.retract(x, change)
    check_consistent(model, x)
    return {name: x[at] for name, at in model.layout.x.items()}
