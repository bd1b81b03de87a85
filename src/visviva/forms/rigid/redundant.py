"""Rows of constraints that depend on each other, at states that do not satisfy them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.forms.rigid.consistency import consistent
from visviva.forms.rigid.constraints import Instant, Rows
from visviva.forms.rigid.gauss import rows_of_one_size
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE, counted, singular_values, velocity_units

if TYPE_CHECKING:
    from visviva.forms.rigid.system import RigidSystem

CLEAR = 1e-2  # rows whose singular values are all above this part of the largest one are independent nearby as well
ON = 1e-2 * TOLERANCE  # a state as near as this to its constraints has rows that depend on each other to rounding


def agreeing(system: RigidSystem, at: Instant, rows: dict[str, Rows]) -> dict[str, Rows]:
    """The rows themselves, or where they depend on each other those of the nearest state on the constraints.

    Off the constraints by δ, rows that follow from others are independent by as much: taken as they are they would
    hold what may move, and contradict each other. Z and z are therefore those of the nearest state, and of what
    stabilisation asks for, -L1 ψ̇ - L0 ψ here, the part that Z can reach counts: no acceleration undoes the rest.
    """
    unit = velocity_units(np.diag(system.terms(at.q, np.zeros(system.n), None, at.t).M)) if rows else np.ones(system.n)
    if not rows or _independent(rows, unit, CLEAR) or _on(at, rows):
        return rows
    near = system.rows(system.instant(*consistent(system, at.q, at.xi, at.t), at.t))
    if _independent(near, unit, TOLERANCE):
        return rows
    pull = {name: part.stabilisation for name, part in rows.items()}
    Z, scale = _in_units(near, unit)
    reached = scale * (Z @ split(Z, np.ones(len(Z))).solve(np.concatenate(list(pull.values())) / scale))
    ends = np.cumsum([len(part) for part in pull.values()])[:-1]
    return {
        name: Rows(part.Z, part.z + more, part.terms, here.position, here.velocity)
        for (name, part), here, more in zip(near.items(), rows.values(), np.split(reached, ends), strict=True)
    }


def _in_units(rows: dict[str, Rows], unit: Array) -> tuple[Array, Array]:
    """All rows over velocities in their units, each in that of its terms; and these."""
    Z, terms = (np.concatenate([getattr(part, name) for part in rows.values()]) * unit for name in ("Z", "terms"))
    return rows_of_one_size(Z, terms)


def _independent(rows: dict[str, Rows], unit: Array, margin: float) -> bool:
    """Whether rows that are not zero are independent by a margin."""
    Z = _in_units(rows, unit)[0]
    Z = Z[Z.any(axis=1)]
    return len(Z) == 0 or (len(Z) <= Z.shape[1] and counted(singular_values(Z), margin) == len(Z))


def _on(at: Instant, rows: dict[str, Rows]) -> bool:
    """Whether a state satisfies its constraints to rounding, in the units of its coordinates and velocities."""
    for part in rows.values():
        for residual, state in ((part.position, at.q), (part.velocity, at.xi)):
            if residual is not None and _off(part.Z, residual) > ON * max(1.0, float(np.abs(state).max(initial=0.0))):
                return False
    return True


def _off(Z: Array, residual: Array) -> float:
    size = np.linalg.norm(Z, axis=1)
    return float((np.abs(residual) / np.where(size > 0, size, 1.0)).max(initial=0.0))
