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
from visviva.geometry.nullspace import split

RANK = 1e-9
TIMES = 4  # an index above is refused

Blocks = list[Array]


def eliminated(
    f: Blocks, g: Blocks, positions: Array, y: Blocks, name: str
) -> tuple[Array, Array, Array, Array, NDArray[np.intp], Array]:
    """A, B, C, D, which of δ are the states c, and Y of δ = Y c.

    positions: rows over δ that are zero besides, since functions of the state are kept at zero.   y: outputs.
    """
    held, rows, n = [positions], g, f[0].shape[0]
    for _ in range(TIMES):
        free = split(rows[1].T, RANK).Z.T if rows[1].size else np.eye(len(rows[0]))  # combinations without w
        if not len(free):
            break
        by_delta, by_u = free @ rows[0], free @ rows[2]
        size = float(np.abs(rows[0]).max(initial=0.0)) or 1.0
        if np.abs(by_u).max(initial=0.0) > RANK * max(size, float(np.abs(rows[2]).max(initial=0.0))):
            raise ModelError(
                f"an input of {name!r} prescribes a state: its rate enters, and no A, B, C, D describe that.\n"
                "Put a storage between the input and what it drives."
            )
        own = split(by_delta, RANK) if np.abs(by_delta).max(initial=0.0) > RANK * size else None
        solved = split(rows[1], RANK)
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
    parts = split(rows[1], RANK) if len(rows[1]) else None
    loose = np.eye(k) if parts is None else parts.Z
    if loose.size and np.abs(f[1] @ loose).max(initial=0.0) > 1e-8 * float(np.abs(f[1]).max(initial=0.0)):
        raise ModelError(
            f"the equations of {name!r} leave an effort or a multiplier undetermined: they are singular here."
        )
    if parts is None:
        return np.zeros((k, n)), np.zeros((k, m))
    inverse = -parts.V @ np.diag(1.0 / parts.s) @ parts.U.T
    return inverse @ rows[0], inverse @ rows[2]


def _independent(G: Array, n: int) -> tuple[Array, NDArray[np.intp]]:
    """δ = Y c with c among δ, for all δ with G δ = 0."""
    rank = split(G, RANK).rank
    if not rank:
        return np.eye(n), np.arange(n)
    import scipy.linalg

    pivots = scipy.linalg.qr(G, mode="r", pivoting=True)[1]
    bound, kept = pivots[:rank], np.sort(pivots[rank:])
    Y = np.zeros((n, len(kept)))
    Y[kept, np.arange(len(kept))] = 1.0
    Y[bound] = -np.linalg.pinv(G[:, bound], rcond=RANK) @ G[:, kept]
    return Y, kept.astype(np.intp)
