"""Differential-algebraic equations with constant coefficients, reduced to independent states.

    δ̇ = f_δ δ + f_w w + f_u u,    0 = g_δ δ + g_w w + g_u u

Combinations of rows without w constrain the states themselves. They are differentiated, which brings w in, as often as
it takes; the states that are left independent are chosen among δ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.numerics.nullspace import Split, inclusion, split
from visviva.numerics.rank import TOLERANCE, pivots

TIMES = 4  # an index above is refused

Blocks = list[Array]


def eliminated(
    f: Blocks, g: Blocks, positions: Array, y: Blocks, name: str
) -> tuple[Array, Array, Array, Array, NDArray[np.intp], Array]:
    """A, B, C, D, which of δ are the states c, and Y of δ = Y c.

    positions: rows over δ that are zero besides, since functions of the state are kept at zero.   y: outputs.
    """
    first = _split(positions).V.T if positions.size else positions  # of length 1, as those that follow
    held, rows, n = [first], g, f[0].shape[0]
    for _ in range(TIMES):
        free = _split(rows[1].T).Z.T if rows[1].size else np.eye(len(rows[0]))  # combinations without w
        if not len(free):
            break
        by_delta, by_u = free @ rows[0], free @ rows[2]
        size = float(np.abs(rows[0]).max(initial=0.0)) or 1.0
        if np.abs(by_u).max(initial=0.0) > TOLERANCE * max(size, float(np.abs(rows[2]).max(initial=0.0))):
            raise ModelError(
                f"an input of {name!r} prescribes a state: its rate enters, and no A, B, C, D describe that.\n"
                "Put a storage between the input and what it drives."
            )
        own = _split(by_delta) if np.abs(by_delta).max(initial=0.0) > TOLERANCE * size else None
        solved = _split(rows[1])
        kept = [solved.U.T @ part for part in rows]
        if own is None:
            rows = kept
            break
        G = own.V.T
        held.append(G)
        rows = [np.vstack([part, G @ rate]) for part, rate in zip(kept, f, strict=True)]
    else:
        raise ModelError(f"the equations of {name!r} have no regular solution: constraints leave a state undetermined.")
    w_of = _unknowns(f, rows, name)
    f = [f[0] + f[1] @ w_of[0], f[2] + f[1] @ w_of[1]]
    y = [y[0] + y[1] @ w_of[0], y[2] + y[1] @ w_of[1]]
    Y, kept_states = _independent(np.vstack(held), n)
    return f[0][kept_states] @ Y, f[1][kept_states], y[0] @ Y, y[1], kept_states, Y


def _unknowns(f: Blocks, rows: Blocks, name: str) -> tuple[Array, Array]:
    """w = W_δ δ + W_u u, least where it is not unique; an error where that would matter to the states."""
    n, k, m = (part.shape[1] for part in f)
    if not k:
        return np.zeros((0, n)), np.zeros((0, m))
    parts = _split(rows[1]) if len(rows[1]) else None
    loose = np.eye(k) if parts is None else parts.Z
    if loose.size and np.abs(f[1] @ loose).max(initial=0.0) > TOLERANCE * float(np.abs(f[1]).max(initial=0.0)):
        raise ModelError(
            f"the equations of {name!r} leave an effort or a multiplier undetermined: they are singular here."
        )
    if parts is None:
        return np.zeros((k, n)), np.zeros((k, m))
    return -parts.solve(rows[0]), -parts.solve(rows[2])


def _independent(G: Array, n: int) -> tuple[Array, NDArray[np.intp]]:
    """δ = Y c with c among δ, for all δ with G δ = 0."""
    rank = _split(G).rank
    if not rank:
        return np.eye(n), np.arange(n)
    kept = np.sort(pivots(G)[rank:])
    return inclusion(G, kept), kept


def _split(A: Array) -> Split:
    """Rows judged by the longest of them: slopes are differences, whose noise is that of all that was computed."""
    return split(A, np.full(len(A), np.linalg.norm(A, axis=1).max(initial=0.0)))
