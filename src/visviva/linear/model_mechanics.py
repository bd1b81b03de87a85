"""The second-order form of a model, where it has one: positions, and momenta that move them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.language import Composite
from visviva.linear.assembly import without_noise
from visviva.linear.second_order import SecondOrder
from visviva.model import Model
from visviva.numerics.constrained import NoInertia, check_definite
from visviva.numerics.rank import rank

FLUX = "flux linkage"  # the momentum of charges


def momenta_of(m: Composite | Model) -> set[str]:
    """Variables that are momenta or velocities: by quantity in a composite, else those of kinetic energies."""
    if isinstance(m, Model):
        return set(m.kinetic)
    junctions = m.flatten().junctions
    names = {name: junction.quantity.name for name, junction in junctions.items()}
    return {name for name, quantity in names.items() if quantity.endswith("momentum") or quantity == FLUX}


def model_mechanics(A: Array, B: Array, energy: Array, momenta: Collection[int]) -> SecondOrder | None:
    """M v̇ + D v + K q + S σ = B u with v = q̇, of states x = (q, p, σ) in any order; None where there is none.

    Positions q are states whose rates follow from momenta alone, q̇ = T p; where T is regular, p = T⁻¹ v, and the
    kinetic energy ½ pᵀH_pp p is ½ vᵀM v.

    energy: second derivatives of the energy over the states.   momenta: which states are momenta.
    """
    n, p = len(A), np.array(sorted(momenta), dtype=np.intp)
    others = np.setdiff1d(np.arange(n), p)
    moved = [k for k in others if A[k, p].any() and not A[k, others].any() and not B[k].any()]
    q = np.array(moved, dtype=np.intp)
    T = A[np.ix_(q, p)]
    if not len(q) or len(q) != len(p) or rank(_balanced(T)) < len(q):
        return None
    back = np.linalg.inv(T)
    M = back.T @ energy[np.ix_(p, p)] @ back
    M = (M + M.T) / 2
    try:
        check_definite(M)
    except NoInertia:
        return None
    sigma = np.setdiff1d(others, q)
    push = M @ T
    D, K, S = (-push @ A[np.ix_(p, part)] for part in (p, q, sigma))
    return without_noise(SecondOrder(M, D @ back, K, push @ B[p], S, np.eye(len(q)), np.zeros((len(q), len(q)))))


def _balanced(T: Array) -> Any:
    """Rows and columns of about one length, which keep symmetry."""
    rows, columns = (np.sqrt(np.maximum(np.abs(T).max(axis=axis), 1e-300)) for axis in (1, 0))
    return T / rows[:, None] / columns
