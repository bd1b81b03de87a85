"""Rounding of the balance of energy: ε times the terms that are added and subtracted in a step.

A balance can be closed no better than its terms are known. ½ k (l - l₀)² of a spring is small where it hardly moves,
but l rounds by ε l, so that the energy rounds by ε k l |l - l₀|; and l is the distance of two points, which round by ε
times their distance from the origin. In general a state x rounds by ε times the size of the terms it is made of, and
the effort ∂H/∂x makes energy of it:

    rounding of a step = ε ( Σ |H - H(0)| + Σ |∂H/∂x| size(x) + Σ |λ| size(g) + |heat| + |work| )

Energies count from the start where they can be had so without a difference of large numbers, see
`AbstractStorage.change`; else the terms of H itself count.
size(x) = |x| of a free state; of a measured one, y(q), and of a constraint, g(q), the sum of the moduli of their terms:
what holds a point that is a little off does work on it. Forces pass zero now and then, so that the unit of a run is the
largest of its steps, as its scale of energy is. Converged runs of the tests stay below some 5 of it.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.model import Model
from visviva.model.storage import AbstractStorage
from visviva.results.columns import row_sums

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 64.0  # a balance that misses more of these units is not closed


def state_terms(model: Model, x: Array, sizes: Array) -> Array:
    """Σ |H| + Σ |∂H/∂x| size(x) of states [J], shape (...); entropy counts with θ0, as in the balance of energy.

    sizes: by which energies round, or their changes, (..., storages).
    """
    total = sizes.sum(-1)
    for part in model.storages:
        total = total + effort_terms(model, part, x)
    return total + model.theta0 * np.abs(model.entropy(x)) if model.is_thermal else total


def step_terms(model: Model, x: Array, sizes: Array) -> Array:
    """The same of steps between n + 1 states, (n,): larger ends, of efforts and states each by itself.

    Where the force of a kink jumps, one end of a step may have all of the effort, and the other all of the way.
    """
    theta = model.theta0 * np.abs(model.entropy(x)) if model.is_thermal else 0.0
    total = larger_end(sizes.sum(-1) + theta)
    for part in model.storages:
        efforts, size = _efforts_and_sizes(model, part, x)
        total = total + (larger_end(efforts) * larger_end(size)).sum(-1)
    return total


def start_terms(model: Model, x: Array) -> tuple[Array, float]:
    """Energies of all storages at one state, and `state_terms` of a run from there; those of the last one are kept."""
    kept = model.kept.get("start")
    if kept is not None and np.array_equal(kept[0], x):
        return kept[1], kept[2]
    H, terms = np.zeros(len(model.storages)), 0.0
    batches, others = model.plain_energies
    for batch in batches:
        H[batch.which], own = batch.energies(x)
        terms += float(own.sum())
    for k in others:
        part = model.storages[k]
        q = x[model.layout.place(part.reads)]
        H[k] = part.H(q)
        terms += float(part.change(q, q)[1] + effort_terms(model, part, x))
    plain = [int(k) for batch in batches for k in batch.which]
    terms += float(np.abs(H[plain]).sum()) + (model.theta0 * abs(float(model.entropy(x))) if model.is_thermal else 0.0)
    model.kept["start"] = np.array(x), H, terms  # at once: other threads may ask
    return H, terms


def effort_terms(model: Model, part: AbstractStorage, x: Array) -> Array:
    """Σ |∂H/∂x| size(x) of one storage [J], shape (...)."""
    efforts, size = _efforts_and_sizes(model, part, x)
    return np.asarray((efforts * size).sum(-1))


def _efforts_and_sizes(model: Model, part: AbstractStorage, x: Array) -> tuple[Array, Array]:
    q = x[..., model.layout.place(part.reads)]
    size = np.abs(q)
    if part.variable in model.measured:
        measure = model.measured[part.variable]
        size = np.maximum(size, measure.magnitude(x[..., model.layout.read(measure.reads)]))
    return np.abs(part.dH(q)), size


def entropic_terms(model: Model, x: Array) -> Array:
    """The same of the storages of entropy alone [J]."""
    total = np.zeros(x.shape[:-1])
    hot = {variable.name for variable in model.variables if variable.entropy}
    for part in model.storages:
        if part.variable in hot:
            s = x[..., model.layout.place(part.reads)]
            total = total + (np.abs(part.dH(s) * s) + model.theta0 * np.abs(s)).sum(-1)
    return total


def reaction_terms(model: Model, x: Array, w: Array) -> Array:
    """Σ |λ| size(g) of states with the multipliers of the steps that lead to them [J], shape (...)."""
    sizes = model.g_scale(x)
    return (np.abs(w[..., w.shape[-1] - sizes.shape[-1] :]) * sizes).sum(-1)


def larger_end(terms: Array) -> Array:
    """Those of the ends of steps, of n + 1 states in sequence: the larger ones, (n,)."""
    return np.maximum(terms[:-1], terms[1:])


def step_rounding(terms: Array, heat: Array, work: Array) -> Array:
    """ε times all terms of steps [J], (n,); terms: of their ends and reactions."""
    return EPS * (terms + row_sums(np.abs(heat)) + row_sums(np.abs(work)))
