"""Velocities on the constraints: the nearest ones in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.geometry.linear import apply, transpose
from visviva.numerics.nullspace import split
from visviva.numerics.rank import LEAST, LIGHTEST, significant, unit_rows, velocity_units

if TYPE_CHECKING:
    from visviva.model.model import Model


def tangent_velocities(model: Model, x: Array) -> Array:
    """Velocities v' of states x (..., size) that satisfy C v' = 0, next to theirs in the metric M.

    With the projection P on the velocities that C leaves they solve P M P v' = P M v, P v' = v', here in units in which
    the inertia of each velocity is one.
    """
    at = model.layout.act(tuple(model.kinetic))
    M = model.E(x)[..., at[:, None], at]
    unit = velocity_units(np.diagonal(M, axis1=-2, axis2=-1), lightest=LEAST)
    M = unit[..., None] * 0.5 * (M + transpose(M)) * unit[..., None, :]
    _, s, Vt = np.linalg.svd(unit_rows(model.C(x)[..., at] * unit[..., None, :])[0], full_matrices=False)
    held = transpose(Vt) @ (significant(s)[..., None] * Vt)
    P = np.eye(len(at)) - held
    K = np.asarray(np.linalg.pinv(P @ M @ P + held, rcond=LIGHTEST, hermitian=True))  # regular but without inertia
    return unit * apply(K @ P @ M, x[..., model.layout.read(tuple(model.kinetic))] / unit)


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
