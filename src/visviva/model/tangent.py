"""Velocities on the constraints: the nearest ones in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.geometry.linear import apply, transpose
from visviva.geometry.nullspace import split

if TYPE_CHECKING:
    from visviva.model.model import Model

DEPENDENT = 1e-11  # of the largest eigenvalue: rows below it repeat others
LIGHTEST = 1e-12  # of the largest inertia: a motion with less has none


def tangent_velocities(model: Model, x: Array) -> Array:
    """Velocities v' of states x (..., size) that satisfy C v' = 0, next to theirs in the metric M.

    They solve M v' + Cᵀ μ = M v, C v' = 0, here in units in which M and the rows of C have the size one; where rows
    depend on each other, μ is not unique but v' is.
    """
    at = model.layout.act(tuple(model.kinetic))
    n, C = len(at), model.C(x)[..., at]
    M = model.E(x)[..., at[:, None], at]
    M = M / np.abs(M).max((-1, -2), keepdims=True)
    length = np.linalg.norm(C, axis=-1, keepdims=True)
    C = C / np.where(length > 0, length, 1.0)
    K = np.zeros((*x.shape[:-1], n + C.shape[-2], n + C.shape[-2]))
    K[..., :n, :n], K[..., n:, :n], K[..., :n, n:] = 0.5 * (M + transpose(M)), C, transpose(C)
    force = np.zeros(K.shape[:-1])
    force[..., :n] = apply(K[..., :n, :n], x[..., model.layout.read(tuple(model.kinetic))])
    return apply(np.asarray(np.linalg.pinv(K, rcond=DEPENDENT, hermitian=True)), force)[..., :n]


def check_inertia(model: Model, x: Array) -> None:
    """An error if the constraints leave a motion without inertia, or one whose inertia is negative."""
    at = model.layout.act(tuple(model.kinetic))
    M, Z = model.E(x)[np.ix_(at, at)], split(model.C(x)[:, at]).Z
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
