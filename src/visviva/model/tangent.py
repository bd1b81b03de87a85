"""Velocities on the constraints: the nearest ones in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.numerics.constrained import NoInertia, check_definite
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
    try:
        check_definite(Z.T @ M @ Z)
    except NoInertia as light:
        motion = np.abs(Z @ light.motion)
        moving = [name for name, part in zip(model.coordinates, motion, strict=True) if part > 0.1 * motion.max()]
        sign = "negative" if light.eigenvalue < -LIGHTEST else "no"
        raise AssemblyError(
            f"{model.name!r} has a motion with {sign} inertia at its start, in {', '.join(moving)}: the smallest\n"
            f"eigenvalue of the mass matrix on the motions that the constraints leave is {light.eigenvalue:.3g}.\n"
            "Give it mass, or constrain it."
        ) from None
