"""Efforts of a step: a discrete gradient for each storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva._kinds import of_kind
from visviva.geometry.embedding import Flat
from visviva.model.batches import EnergyBatch
from visviva.model.layout import Index
from visviva.model.motion import AbstractMotion
from visviva.model.storage import AbstractStorage, Kinetic, Linear

if TYPE_CHECKING:
    from visviva.model.model import Model


@final
@dataclass(frozen=True, eq=False)
class PlainEfforts:
    """Efforts that are velocities themselves, constants, and the storages that have others.

    velocities: of kinetic energies, places in x and in z.   constant: of weights on flat variables, (total,).
    """

    velocities: tuple[Index, Index]
    constant: Array
    others: list[AbstractStorage]


def plain_efforts(model: Model, single: list[int]) -> PlainEfforts:
    """Of storages by number that are in no batch."""
    parts, layout = [model.storages[k] for k in single], model.layout
    moving = tuple(part.variable for part in of_kind(parts, Kinetic))
    weights = [part for part in of_kind(parts, Linear) if isinstance(model.spaces[part.variable], Flat)]
    constant = np.zeros(layout.total)
    for part in weights:
        constant[layout.z[part.variable]] += part.c
    plain = {id(part) for part in weights}
    others = [part for part in parts if not isinstance(part, Kinetic) and id(part) not in plain]
    return PlainEfforts((layout.read(moving), layout.act(moving)), constant, others)


def mean_efforts(
    model: Model, batches: list[EnergyBatch], plain: PlainEfforts, x0: Array, x1: Array, w: Array | None
) -> Array:
    """The z of a step from x0 to x1, pulled back at the mean of the two states.

    batches: of equal storages.   plain: storages that stand alone.
    """
    z = np.empty((*np.shape(x1)[:-1], model.layout.total))
    z[...] = plain.constant
    at, rows_of = plain.velocities
    z[..., rows_of] += 0.5 * (x0[..., at] + x1[..., at])
    for batch in batches:
        z[..., batch.z] += batch.efforts(x0, x1)
    for part in plain.others:
        rows = model.layout.z[part.variable]
        if isinstance(part, AbstractMotion):
            both = model.layout.read(part.reads)
            D_q, z[..., rows] = part.efforts(x0[..., both], x1[..., both])
            z[..., model.layout.z[part.position]] += D_q
        else:
            own = model.layout.x[part.variable]
            q0, q1 = x0[..., own], x1[..., own]
            effort = part.mean_effort(q0, q1)[..., None, :]
            z[..., rows] += model.spaces[part.variable].pull(effort, 0.5 * (q0 + q1))[..., 0, :]
    if w is not None:
        z[..., model.layout.dim : model.layout.solved] = w
    return z
