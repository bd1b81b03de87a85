"""Differential-algebraic equations with constant coefficients, reduced to independent states.

    δ̇ = f_δ δ + f_w w + f_u u,    0 = g_δ δ + g_w w + g_u u

Combinations of rows without w constrain the states themselves, G δ + H u = 0: where an input prescribes them, H ≠ 0.
They are differentiated, which brings w in, and u̇, as often as it takes; the states that are left independent are chosen
among δ. With δ = Y c + Z u they follow

    ċ = A c + B u + B' u̇,    or with σ = c - B' u    σ̇ = A σ + (B + A B') u,

and outputs y = C c + D u + D' u̇ are proper where D' = 0, as they are where no output is the flow of what prescribes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.numerics.nullspace import inclusion, split, split_alike
from visviva.numerics.rank import ROUNDING, TOLERANCE, free_columns

TIMES = 4  # an index above is refused

Blocks = list[Array]


@final
@dataclass(frozen=True, eq=False)
class Eliminated:
    """σ̇ = A σ + B u,  y = C σ + D u, with the states c = σ + through u, which are those of δ at `kept`; δ = Y c + Z u.

    improper: which outputs depend on u̇.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    through: Array
    kept: NDArray[np.intp]
    Y: Array
    improper: Mask


def eliminated(f: Blocks, g: Blocks, positions: Array, y: Blocks, name: str) -> Eliminated:
    """The equations of independent states.

    positions: rows over δ that are zero besides, since functions of the state are kept at zero.   y: outputs.
    """
    first = split_alike(positions).V.T if positions.size else positions  # of length 1, as those that follow
    n, m = f[0].shape[0], f[2].shape[1]
    held, driven, rows = [first], [np.zeros((len(first), m))], [*g, np.zeros((len(g[0]), m))]
    rows = _in_units(rows, np.linalg.norm(rows[1], axis=1))
    for _ in range(TIMES):
        solved = split(rows[1], np.ones(len(rows[1])))
        free = solved.Y.T  # combinations without w
        if not len(free):
            break
        by_delta, _, by_u, by_rate = (free @ part for part in rows)
        terms = np.abs(free) @ np.linalg.norm(rows[0], axis=1)
        terms = np.where(terms > 0.0, terms, 1.0)
        own = split(by_delta, terms) if (np.linalg.norm(by_delta, axis=1) > TOLERANCE * terms).any() else None
        left = by_u if own is None else own.Y.T @ (by_u / own.units[:, None])
        if _is_there(by_rate, rows[3]) or _is_there(left, rows[2]):
            raise ModelError(
                f"an input of {name!r} prescribes what follows from others: no A, B, C, D describe that.\n"
                "Put a storage between the input and what it drives, or let it drive something else."
            )
        rows = [solved.U.T @ part for part in rows]
        if own is None:
            break
        G, H = own.V.T, (own.U.T @ (by_u / own.units[:, None])) / own.s[:, None]
        held.append(G)
        driven.append(H)
        rates = _in_units([*(G @ rate for rate in f), H], np.abs(G) @ np.linalg.norm(f[1], axis=1))
        rows = [np.vstack([part, rate]) for part, rate in zip(rows, rates, strict=True)]
    else:
        raise ModelError(f"the equations of {name!r} have no regular solution: constraints leave a state undetermined.")
    w_of = _unknowns(f, rows, name)
    by_c, by_u, by_rate = f[0] + f[1] @ w_of[0], f[2] + f[1] @ w_of[1], f[1] @ w_of[2]
    seen = y[0] + y[1] @ w_of[0], y[2] + y[1] @ w_of[1], y[1] @ w_of[2]
    Y, Z, at = _independent(np.vstack(held), np.vstack(driven), n)
    A, through = by_c[at] @ Y, _without_noise(by_rate[at], np.abs(f[1][at]) @ np.abs(w_of[2]))
    B = by_u[at] + by_c[at] @ Z + A @ through
    C, D = seen[0] @ Y, seen[1] + seen[0] @ Z
    improper = np.asarray(_without_noise(seen[2], np.abs(y[1]) @ np.abs(w_of[2])).any(axis=1))
    return Eliminated(A, B, C, D + C @ through, through, at, Y, improper)


def _unknowns(f: Blocks, rows: Blocks, name: str) -> tuple[Array, Array, Array]:
    """w = W_δ δ + W_u u + W' u̇, least where it is not unique; an error where that would matter to the states."""
    n, k, m = (part.shape[1] for part in f)
    if not k:
        return np.zeros((0, n)), np.zeros((0, m)), np.zeros((0, m))
    parts = split(rows[1], np.ones(len(rows[1]))) if len(rows[1]) else None
    loose = np.eye(k) if parts is None else parts.Z
    if loose.size and np.abs(f[1] @ loose).max(initial=0.0) > TOLERANCE * float(np.abs(f[1]).max(initial=0.0)):
        raise ModelError(
            f"the equations of {name!r} leave an effort or a multiplier undetermined: they are singular here."
        )
    if parts is None:
        return np.zeros((k, n)), np.zeros((k, m)), np.zeros((k, m))
    return -parts.solve(rows[0]), -parts.solve(rows[2]), -parts.solve(rows[3])


def _independent(G: Array, H: Array, n: int) -> tuple[Array, Array, NDArray[np.intp]]:
    """δ = Y c + Z u with c among δ, for all δ with G δ + H u = 0."""
    rank = split_alike(G).rank
    if not rank:
        return np.eye(n), np.zeros((n, H.shape[1])), np.arange(n)
    kept = free_columns(G, rank)
    Y, Z = np.split(inclusion(G, kept, H), [len(kept)], axis=1)
    return Y, Z, kept


def _in_units(rows: Blocks, terms: Array) -> Blocks:
    """Rows in units of the terms of w in them, and of those of δ where they have no w: rows of several domains count
    alike.
    """
    by_w = terms > ROUNDING * terms.max(initial=0.0)
    units = np.where(by_w, terms, np.linalg.norm(rows[0], axis=1))
    units = np.where(units > 0.0, units, 1.0)
    return [part / units[:, None] for part in rows]


def _is_there(by_input: Array, rows: Array) -> bool:
    """Whether an input has a coefficient that is no rounding of those that it has in all rows."""
    return bool((np.abs(by_input) > TOLERANCE * np.abs(rows).max(axis=0, initial=0.0)).any())


def _without_noise(sums: Array, terms: Array) -> Array:
    """Sums, zero where they are rounding: of their own terms, or of the largest ones of all."""
    return np.where(np.abs(sums) > np.maximum(TOLERANCE * terms, ROUNDING * terms.max(initial=0.0)), sums, 0.0)
