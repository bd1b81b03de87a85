"""Velocities on the constraints: the nearest ones in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.numerics.nullspace import split
from visviva.numerics.projection import nearest_velocities
from visviva.numerics.rank import LEAST, LIGHTEST, velocity_units

if TYPE_CHECKING:
    from visviva.model.model import Model


def tangent_velocities(model: Model, x: Array) -> Array:
    """Velocities v' of states x (..., size) that satisfy C v' = 0, next to theirs in the metric M."""
    at, read = model.layout.act(tuple(model.kinetic)), model.layout.read(tuple(model.kinetic))
    return nearest_velocities(model.E(x)[..., at[:, None], at], model.C(x)[..., at], x[..., read])


def check_inertia(model: Model, x: Array) -> None:
    """An error if the constraints leave a motion without inertia, or one whose inertia is negative."""
    at = model.layout.act(tuple(model.kinetic))
    M = model.E(x)[np.ix_(at, at)]
    unit = velocity_units(np.abs(np.diagonal(M)), lightest=LEAST)
    M, Z = unit[:, None] * M * unit, split(model.C(x)[:, at] * unit).Z
    if not Z.size:
        return
    values, directions = np.linalg.eigh(0.5 * Z.T @ (M + M.T) @ Z)
    if values[0] > LIGHTEST * max(abs(values[-1]), float(np.abs(M).max())):
        return
    motion = Z @ directions[:, 0]
    moving = [name for name, part in zip(model.coordinates, motion, strict=True) if abs(part) > 0.1]
    sign = "negative" if values[0] < 0 else "no"
    raise AssemblyError(
        f"{model.name!r} has a motion with {sign} inertia at its start, in {', '.join(moving)}: the smallest\n"
        f"eigenvalue of the mass matrix on the motions that the constraints leave is {values[0]:.3g}.\n"
        "Give it mass, or constrain it."
    )
