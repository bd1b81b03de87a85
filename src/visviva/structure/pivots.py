"""Principal pivots: inputs and outputs of y = -J u exchanged, J skew before and after.

A structure in this form conserves power by construction, and entries of very different size keep their digits,
so that weak couplings survive where strong ones are eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from visviva._arrays import Array, Mask
from visviva.numerics.rank import DATA


def strong_inputs(Z: Array) -> Mask:
    """For a basis Z (2n, n), entries that take their effort as input, the others their flow, so that J is moderate.

    In turn the largest variable is chosen among those whose partner is not, and the basis projected along it.
    What is left is a structure on the other entries, so that n choices are always found.
    """
    f, e = np.split(Z.copy(), 2)
    effort_in, open_entries = np.zeros(len(f), dtype=np.bool_), np.ones(len(f), dtype=np.bool_)
    for _ in range(len(f)):
        sizes = np.where(open_entries, [np.linalg.norm(f, axis=1), np.linalg.norm(e, axis=1)], -1.0)
        kind, entry = np.unravel_index(sizes.argmax(), sizes.shape)
        chosen = (f, e)[kind][entry] / sizes[kind, entry]
        f, e = (half - np.outer(half @ chosen, chosen) for half in (f, e))
        effort_in[entry], open_entries[entry] = kind == 1, False
    return effort_in


def skew_part(J: Array) -> Array:
    """J of two numbers for each entry, made exactly skew: the row of smaller size knows better."""
    order = np.argsort(np.argsort(np.abs(J).max(axis=1, initial=0.0), kind="stable"))
    return np.where(order[:, None] < order, J, np.where(order[:, None] > order, -J.T, 0.0))


def exchange(J: Array, c: int, p: int) -> Array:
    """J for the inputs and outputs c and p exchanged, J_cp ≠ 0.

    With the block K of both and B the other entries of their rows:  K → K⁻¹,  B → K⁻¹ B,  rest → rest + Bᵀ K⁻¹ B.
    """
    pair = [c, p]
    K_inv = np.array([[0.0, -1.0], [1.0, 0.0]]) / J[c, p]
    B = J[pair]
    B[:, pair] = 0.0
    swapped = J + (np.outer(B[1], B[0]) - np.outer(B[0], B[1])) / J[c, p]  # in this form exactly skew
    swapped[pair] = K_inv @ B
    swapped[:, pair] = -swapped[pair].T
    swapped[np.ix_(pair, pair)] = K_inv
    return swapped


def _largest_terms(terms: Array, J: Array, c: int, p: int) -> Array:
    """The largest of the terms that entries have been sums of, after an exchange of c and p."""
    pair, pivot = [c, p], np.abs(J[c, p])
    added = np.outer(np.abs(J[c]), np.abs(J[p])) / pivot
    found = np.maximum(terms, np.maximum(added, added.T))
    found[pair] = np.maximum(1.0, terms[[p, c]] / pivot)
    found[:, pair] = found[pair].T
    return found


def close_entries(J: Array, effort_in: Mask, zeros: Iterable[tuple[int, bool]]) -> tuple[Array, Mask]:
    """The form with some variables held at zero; their entries remain, without effect.

    zeros: an entry, and whether its effort is zero, or its flow.

    An input is set to zero by dropping its row and column. An output is first exchanged with the input it depends on
    most; if it depends on none it is zero already, and its partner acts on nothing. What is below 1e-12 of the terms
    that have cancelled in an entry is their rounding, and no dependence: small pivots make such terms large.
    """
    J, effort_in = J.copy(), effort_in.copy()
    waiting, terms = dict(zeros), np.maximum(1.0, np.abs(J))
    while waiting:
        outputs = [c for c, effort in waiting.items() if effort_in[c] != effort]
        sizes = np.where(np.abs(J[outputs]) > DATA * terms[outputs], np.abs(J[outputs]), 0.0)
        if sizes.any():
            row, p = np.unravel_index(sizes.argmax(), sizes.shape)
            pair = [outputs[row], int(p)]
            terms = _largest_terms(terms, J, *pair)
            J = exchange(J, *pair)
            effort_in[pair] = ~effort_in[pair]
        ready = [c for c, effort in waiting.items() if effort_in[c] == effort] or outputs
        J[ready], J[:, ready] = 0.0, 0.0
        waiting = {c: effort for c, effort in waiting.items() if c not in ready}
    return J, effort_in
