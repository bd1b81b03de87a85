"""Motions that constraints leave: M a + Zᵀw = b, Z a = z, for rows that may depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.numerics.nullspace import split
from visviva.numerics.rank import LIGHTEST, velocity_units

SHARE = 0.1  # of the fastest velocity: those below are not named


@final
@dataclass(frozen=True, eq=False)
class Constrained:
    """a; multipliers w, where rows depend on each other those of least norm; rank of the rows."""

    a: Array
    w: Array
    rank: int


def constrained(
    M: Array,
    Z: Array,
    b: Array,
    z: Array,
    names: Sequence[str],
    owner: str,
    rank: int | None = None,
    terms: Array | None = None,
    decide: Callable[[], int | None] | None = None,
    sizes: Array | None = None,
) -> Constrained:
    """Solve by the null space of Z, for M that is definite there: Konz, section 3.5, eqs. (3.125)-(3.132).

    Velocities are counted in units in which their own inertia is one, and rows in those of their terms, so that neither
    rank nor regularity depend on units. An error names the velocities of a motion without inertia.

    rank:  that of Z on the constraints. Between the ends of a step loops are open by the error of a stage, and rows
           that follow from others there would be independent by as much: beyond this rank singular values say nothing.
    terms: sizes of the terms of each entry of Z, (k, n), where they are known.
    decide: see `numerics.nullspace.split`.
    sizes: of the increments (n,), see `numerics.rank.velocity_units`.
    """
    unit = velocity_units(np.diagonal(M), sizes=sizes)
    sizes = None if terms is None else np.linalg.norm(terms * unit, axis=1)
    parts = split(Z * unit, sizes, rank, decide)
    N, M1, b1 = parts.Z, unit[:, None] * M * unit, unit * b
    a = parts.solve(z)
    if N.size:
        a = a + N @ _definite_solve(N.T @ M1 @ N, N.T @ (b1 - M1 @ a), unit[:, None] * N, names, owner)
    return Constrained(unit * a, parts.solve_transposed(b1 - M1 @ a), parts.rank)


def _definite_solve(M: Array, b: Array, motions: Array, names: Sequence[str], owner: str) -> Array:
    """M⁻¹ b; motions: what each column of M moves."""
    try:
        L = np.linalg.cholesky(M)
        singular = bool((np.diagonal(L) ** 2).min() < LIGHTEST)
    except np.linalg.LinAlgError:
        singular = True
    if singular:
        motion = np.abs(motions @ np.linalg.eigh(M)[1][:, 0])
        moving = [name for name, part in zip(names, motion, strict=True) if part > SHARE * motion.max()]
        raise ModelError(
            f"{owner} has a motion without inertia, in {', '.join(moving)}: its acceleration is undetermined.\n"
            "Give what moves there mass and inertia, or hold it by a joint."
        )
    return np.asarray(np.linalg.solve(M, b))
