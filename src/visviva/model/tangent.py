"""Velocities on the constraints: the nearest ones in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.geometry.nullspace import split

if TYPE_CHECKING:
    from visviva.model.model import Model

LIGHTEST = 1e-12  # of the largest inertia: a motion with less has none


def tangent_velocities(model: Model, x: Array) -> Array:
    """Velocities of states x (..., size), projected on C v = 0: v = Z (Zᵀ M Z)⁻¹ Zᵀ M v with Z spanning ker C."""
    at_x = model.layout.read(tuple(model.kinetic))
    v = np.array(x[..., at_x])
    for k in np.ndindex(v.shape[:-1]):
        M, Z = _inertia(model, x[k])
        v[k] = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (M @ v[k]))
    return v


def check_inertia(model: Model, x: Array) -> None:
    """An error if the constraints leave a motion without inertia, or one whose inertia is negative."""
    M, Z = _inertia(model, x)
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


def _inertia(model: Model, x: Array) -> tuple[Array, Array]:
    at = model.layout.act(tuple(model.kinetic))
    return model.E(x)[np.ix_(at, at)], split(model.C(x)[:, at]).Z
