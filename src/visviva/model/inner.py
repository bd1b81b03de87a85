"""Algebraic unknowns that follow from the motion: those of boxes in a mechanism, and of models joined with one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import UntoldError
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


def without_inner(model: Model) -> Model:
    """The model without such unknowns and what acts on them; itself where there are none."""
    gone = {*(one.name for one in model.junctions), *(part.name for part in inner_rows(model))}
    if not gone:
        return model
    kept = [part for part in model.structures if part.name not in gone or not isinstance(part, AbstractConstraint)]
    structures = tuple(part for part in kept if not gone & set(part.acts))
    return replace(model, structures=structures, junctions=())


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
        flat[k, at], N = _solved(model, states[k], flat[k], given[k], at, start)
        if N.shape[1]:
            names = ", ".join(dict.fromkeys(repr(model.kinds[k - model.layout.dim][0]) for k in at))
            raise UntoldError(
                f"the unknowns of {names} in {model.name!r} do not follow from a state: a force there belongs to an\n"
                "acceleration. Ask for what steps tell, such as '<joint>.reaction_mid'."
            )
    return flat.reshape(z.shape)


def unknowns_at(model: Model, x: Array, u: Array, at: Index) -> tuple[Array, Array, Array]:
    """z of one state without its unknowns; these, of least size where they do not follow; N, the rows without them.

    NᵀK = 0 for K = ∂F/∂w of the rows F of the unknowns w, and K N = 0.
    """
    z = model.z(x)
    if not model.junctions:  # rows over states alone
        return z, np.zeros(len(at)), np.eye(len(at))
    return z, *_solved(model, x, z, u, at, np.zeros(len(at)))


def _solved(model: Model, x: Array, z: Array, u: Array, at: Index, w: Array) -> tuple[Array, Array]:
    """w by Newton's method, and the combinations N of rows that it does not change, (rows, r)."""

    def rest(w: Array) -> Array:
        given = np.array(np.broadcast_to(z, (*w.shape[:-1], len(z))))
        given[..., at] = w
        return model.flow(x, given, u)[..., at]

    last, N = np.inf, np.zeros((len(w), 0))
    for _ in range(ITERATIONS):
        size = DIFFERENCE * np.where(w == 0, 1.0, np.abs(w))
        F, both = rest(w), rest(np.concatenate([w + np.diag(size), w - np.diag(size)]))
        K = ((both[: len(w)] - both[len(w) :]) / (2 * size[:, None])).T
        unit = np.abs(K).max(1, initial=0.0)
        unit = np.where(unit > 0, unit, 1.0)
        U, sizes, Vt = np.linalg.svd(K / unit[:, None])
        r = int((sizes > DATA).sum())
        N = U[:, r:] / unit[:, None]
        step = Vt[:r].T @ ((U[:, :r].T @ (F / unit)) / sizes[:r])
        w = w - step
        now = float(np.abs(step / np.maximum(np.abs(w), 1e-300)).max(initial=0.0))
        if now <= EXACT or now >= last <= np.sqrt(EXACT):
            break
        last = now
    return w, N
