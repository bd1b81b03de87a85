"""Efforts of a step: a discrete gradient for each storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.model.batches import EnergyBatch
from visviva.model.motion import AbstractMotion
from visviva.model.storage import Kinetic

if TYPE_CHECKING:
    from visviva.model.model import Model


def mean_efforts(
    model: Model, energies: tuple[list[EnergyBatch], list[int]], x0: Array, x1: Array, w: Array | None
) -> Array:
    """The z of a step from x0 to x1, pulled back at the mean of the two states.

    energies: batches of equal storages, and numbers of those that stand alone.
    """
    z = np.zeros((*np.shape(x1)[:-1], model.layout.total))
    batches, single = energies
    for batch in batches:
        z[..., batch.z] += batch.efforts(x0, x1)
    for part in (model.storages[k] for k in single):
        at = model.layout.x[part.variable]
        q0, q1, rows = x0[..., at], x1[..., at], model.layout.z[part.variable]
        if isinstance(part, Kinetic):
            z[..., rows] = 0.5 * (q0 + q1)
        elif isinstance(part, AbstractMotion):
            both = model.layout.read(part.reads)
            D_q, z[..., rows] = part.efforts(x0[..., both], x1[..., both])
            z[..., model.layout.z[part.position]] += D_q
        else:
            lift = model.spaces[part.variable].lift(0.5 * (q0 + q1))
            z[..., rows] += apply(transpose(lift), part.mean_effort(q0, q1))
    if w is not None:
        z[..., model.layout.dim : model.layout.solved] = w
    return z
