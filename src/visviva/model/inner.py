"""Algebraic unknowns that follow from the motion: those of boxes in a mechanism, and of models joined with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.model.conditioned import Conditioned
from visviva.model.holonomic import Holonomic
from visviva.model.structure import AbstractConstraint
from visviva.numerics.rank import DATA

if TYPE_CHECKING:
    from visviva.model.layout import Index
    from visviva.model.model import Model

ITERATIONS = 50
EXACT = 1e-14  # of the terms of a row
DIFFERENCE = 6e-6  # of an unknown, for central differences


def inner_rows(model: Model) -> list[AbstractConstraint]:
    """Constraints that hold given the motion of all bodies: those of boxes, and of models that are joined."""
    return [part for part in model.constraints if not isinstance(part, Holonomic | Conditioned)]


def inner_places(model: Model) -> Index:
    """Where efforts of junctions, and multipliers of such constraints, are in z."""
    return model.layout.act((*(one.name for one in model.junctions), *(part.name for part in inner_rows(model))))


def instant_efforts(model: Model, x: Array, u: Array) -> Array:
    """z of states of a mechanism's model, with the algebraic unknowns of boxes from their own rows; batches too.

    An error where they do not follow from states: the force that turns a rotor needs its acceleration.
    """
    z, at = model.z(x), inner_places(model)
    if not len(at):
        return z
    flat = z.reshape(-1, z.shape[-1])
    states = np.broadcast_to(x, (*z.shape[:-1], x.shape[-1])).reshape(len(flat), -1)
    given = np.broadcast_to(u, (*z.shape[:-1], u.shape[-1])).reshape(len(flat), -1)
    for k in range(len(flat)):
        start = flat[k - 1, at] if k else np.zeros(len(at))
        flat[k, at] = _solved(model, states[k], flat[k], given[k], at, start)
    return flat.reshape(z.shape)


def _solved(model: Model, x: Array, z: Array, u: Array, at: Index, w: Array) -> Array:
    def rest(w: Array) -> Array:
        given = np.array(np.broadcast_to(z, (*w.shape[:-1], len(z))))
        given[..., at] = w
        return model.flow(x, given, u)[..., at]

    last = np.inf
    for _ in range(ITERATIONS):
        size = DIFFERENCE * np.where(w == 0, 1.0, np.abs(w))
        F, both = rest(w), rest(np.concatenate([w + np.diag(size), w - np.diag(size)]))
        K = ((both[: len(w)] - both[len(w) :]) / (2 * size[:, None])).T
        unit = np.abs(K).max(1, initial=0.0)
        if not unit.all() or np.linalg.matrix_rank(K / unit[:, None], tol=DATA) < len(w):
            names = ", ".join(dict.fromkeys(repr(model.kinds[k - model.layout.dim][0]) for k in at))
            raise ModelError(
                f"the unknowns of {names} in {model.name!r} do not follow from a state: a force there belongs to an\n"
                "acceleration. Ask for what steps tell, such as '<joint>.reaction_mid'."
            )
        step = np.linalg.solve(K / unit[:, None], F / unit)
        w = w - step
        now = float(np.abs(step / np.maximum(np.abs(w), 1e-300)).max())
        if now <= EXACT or now >= last <= np.sqrt(EXACT):
            break
        last = now
    return w
