"""From variations under constraints to independent ones.

Rows of constraints leave ζ = N η + Q p with independent velocities η, and ε = H p with independent increments p, where
only rows that follow from functions of the configuration bind. Both are chosen among those of the equations, so that
every state has a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.differences import slopes
from visviva.linear.equations import AbstractEquations, Reference
from visviva.numerics.nullspace import determined, inclusion
from visviva.numerics.rank import counted, free_columns, singular_values, unit_rows, velocity_units


@final
@dataclass(frozen=True, eq=False)
class Choice:
    """Which increments and which velocities are independent."""

    p: NDArray[np.intp]
    eta: NDArray[np.intp]


@final
@dataclass(frozen=True, eq=False)
class Basis:
    """ε = H p + H_s s,  ζ = N η + Q p + N_s ṡ + Q_s s, in axes that are turned by R against those of the equations.

    s: what drives displace, if they are inputs.
    """

    choice: Choice
    H: Array
    N: Array
    Q: Array
    R: Array
    H_s: Array
    N_s: Array
    Q_s: Array


def chosen(equations: AbstractEquations, ref: Reference, wanted: Sequence[str] | None = None) -> Choice:
    """Velocities that rows leave independent, by pivots or as wanted by name, and increments that include theirs."""
    Z, n = _scaled(equations, ref), equations.n
    known = equations.rank_at(ref)
    rank = _rank(Z) if known is None else known
    if equations.rank is not None and rank != equations.rank:
        raise AssemblyError(
            f"{equations.name} is singular in this configuration: its constraints have rank {rank} here and "
            f"{equations.rank} elsewhere.\nSmall motions about it are not those of a linear system: linearise beside."
        )
    eta = _wanted(equations, Z, rank, wanted) if wanted is not None else free_columns(Z, rank)
    bound = np.setdiff1d(np.arange(n), eta)
    Zh = Z[equations.holonomic]
    p = np.union1d(eta, bound[free_columns(Zh[:, bound], rank if equations.holonomic.all() else _rank(Zh))])
    return Choice(p.astype(np.intp), eta)


def basis(equations: AbstractEquations, ref: Reference, choice: Choice, R: Array | None = None) -> Basis:
    """N, Q and H of a choice. Q tells how velocities must change with the configuration where there is motion."""
    n = equations.n
    R = np.eye(n) if R is None else R
    Z, driving = equations.Z(ref) @ R.T, equations.driving(ref)
    bound, holonomic = np.setdiff1d(np.arange(n), choice.eta), equations.holonomic
    free, moving = len(choice.p), len(choice.eta)
    N = inclusion(Z, choice.eta, driving, equations.sizes)
    H = inclusion(Z[holonomic], choice.p, driving[holonomic], equations.sizes)
    Q = np.zeros_like(H)
    if len(Z) and ref.xi.any():
        terms = np.abs(Z) @ np.abs(R @ ref.xi)
        parts = equations.row_terms(ref)
        terms = terms if parts is None else np.maximum(terms, parts @ np.abs(ref.xi))  # rows that repeat others cancel
        rows = slopes(lambda p: equations.rows(ref, p @ (R.T @ H).T), H.shape[1], reach(H, equations.sizes), terms)
        if rows.rough:
            names = [*(equations.positions[k] for k in choice.p), *equations.drives]
            where = ", ".join(repr(names[k]) for k in rows.rough)
            raise ModelError(
                f"constraints of {equations.name} are not smooth in {where} here: they have no linear part.\n"
                "Linearise beside, where their rows can be differentiated."
            )
        Q[bound] = -determined(Z[:, bound], rows.J, equations.sizes[bound])
    return Basis(choice, H[:, :free], N[:, :moving], Q[:, :free], R, H[:, free:], N[:, moving:], Q[:, free:])


def reach(directions: Array, sizes: Array) -> Array:
    """How far to go along each direction, (m,), so that nothing goes farther than its own size."""
    return np.asarray(1.0 / (np.abs(directions) / sizes[:, None]).max(axis=0, initial=1e-300))


def _scaled(equations: AbstractEquations, ref: Reference) -> Array:
    """Rows in units of their terms over velocities whose inertia is one: neither rank nor choice depends on units."""
    unit = velocity_units(np.diagonal(equations.mass(ref.q)), sizes=equations.sizes)
    terms = equations.row_terms(ref)
    return unit_rows(equations.Z(ref) * unit, None if terms is None else np.linalg.norm(terms * unit, axis=1))[0]


def _rank(Z: Array) -> int:
    """Of rows in units of their terms."""
    return counted(singular_values(Z)) if Z.size else 0


def _wanted(equations: AbstractEquations, Z: Array, rank: int, names: Sequence[str]) -> NDArray[np.intp]:
    """The velocities of these names, if they determine all others."""
    unknown = [name for name in names if name not in equations.velocities]
    if unknown:
        raise ModelError(
            f"velocities= has {', '.join(map(repr, unknown))}; those of {equations.name} are: "
            f"{', '.join(equations.velocities)}."
        )
    eta = np.sort(np.array([equations.velocities.index(name) for name in dict.fromkeys(names)], dtype=np.intp))
    bound = np.setdiff1d(np.arange(equations.n), eta)
    if len(eta) != equations.n - rank or _rank(Z[:, bound]) != rank:
        raise ModelError(
            f"velocities={list(names)!r} do not determine the motion of {equations.name}, which has "
            f"{equations.n - rank} degrees of freedom here:\nas many velocities are wanted, whose values fix all "
            "others. Leave velocities= out to have them chosen."
        )
    return eta
