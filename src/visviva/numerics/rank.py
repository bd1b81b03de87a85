"""Rank: how many rows of a matrix say something of their own. The one rule of the package.

Numbers are compared in units in which that has a meaning:

    rows     in units of their terms, the numbers that add up to their entries: where these cancel, a row says nothing.
             Without terms its own length stands for them, but no less than `FLOOR` of the longest row of the matrix,
             since a row below that may be rounding of the numbers that made the others.
    columns  in those of the caller, who knows what they are: angles against lengths by a typical length, or velocities
             by their inertia (`velocity_units`).

A singular value counts if it is above `TOLERANCE`, or above that part of the largest one. Several readings of one
mechanism see different matrices, whose singular values differ by factors: where they are near the tolerance, all go by
the number that one of them has found, `Linkage.rank`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask

EPS = float(np.finfo(np.float64).eps)

TOLERANCE = float(np.sqrt(EPS))
"""√ε = 1.5e-8, singular values that are zero, of rows in units of their terms.

Positions satisfy g(q) = 0 to rounding, |g| ≈ ε. At a singular configuration g grows with the square of the distance δ
from it, so that the configuration is known to δ ≈ √ε, and so are the singular values there, which grow with δ: what is
smaller cannot be told from zero. What is larger costs a solution half of its digits at most.
"""

ROUNDING = 64 * EPS
"""1.4e-14, of the numbers that made it: an entry below is rounding. Sums of some hundred products stay below."""

CHOICE = 0.1  # rows of which at least this part of the largest rest is left are as good as that one

FLOOR = ROUNDING / TOLERANCE  # 9.5e-7: a row that is ROUNDING of the longest one has just a singular value TOLERANCE

DATA = 1e-12
"""Singular values that are zero where a matrix is data and not taken at a configuration: ratios of gears, structures.

Nothing but rounding, and its growth in a hundred eliminations, tells such numbers from zero: a weak coupling is one.
"""

APART = 1e3  # factor by which singular values of two readings of one mechanism may differ

LIGHTEST = 1e-13  # of the largest inertia, in units of one kind: a velocity with less has none

LEAST = ROUNDING**2  # the same where units are those of a user: what moves by rounding of all else has less


def singular_values(rows: Array) -> Array:
    """Of rows in units of their terms, (..., k), the largest first."""
    return np.asarray(np.linalg.svd(rows, compute_uv=False), dtype=np.float64)


def significant(s: Array, tolerance: float = TOLERANCE) -> Mask:
    """Which singular values (..., k) of rows in units of their terms count; the largest comes first."""
    return np.asarray(s > tolerance * np.maximum(1.0, s[..., :1]))


def counted(s: Array, tolerance: float = TOLERANCE) -> int:
    """How many do, of one matrix."""
    return int(significant(s, tolerance).sum())


def doubtful(s: Array) -> bool:
    """Whether some are so near the tolerance that another reading of the same rows may decide otherwise."""
    return counted(s, TOLERANCE / APART) != counted(s, TOLERANCE * APART)


def unit_rows(A: Array, terms: Array | None = None) -> tuple[Array, Array]:
    """The rows of A (..., m, n) in units of their terms (..., m), and these units: positive, A = units * rows.

    Rows in such units have terms of one: say so where they are judged again, since rounding must not be made long.
    """
    if terms is None:
        length = np.linalg.norm(A, axis=-1)
        terms = np.maximum(length, FLOOR * length.max(-1, initial=0.0, keepdims=True))
    units = np.where(terms > 0, terms, 1.0)
    return A / units[..., None], units


def velocity_units(
    inertia: Array, rows: Array | None = None, sizes: Array | None = None, lightest: float = LIGHTEST
) -> Array:
    """Units of velocities (..., n) in which their own inertia is one; without any, that of the largest.

    rows:  constraint rows (m, n) between the velocities of one state, (n,). A velocity without inertia then has the
           unit with which it moves others by theirs, the least one of all rows: directors of flat bodies turn as others
           do.
    sizes: of the increments (n,), 1 of angles and a length of the mechanism of shifts: kg m² and kg are compared in
           them. Without, all velocities are taken to be of one kind.
    lightest: part of the largest inertia, below which there is none.
    """
    inertia = inertia if sizes is None else inertia * sizes**2
    largest = inertia.max(-1, initial=0.0, keepdims=True)
    typical = np.where(largest > 0, largest, 1.0)
    heavy = inertia > lightest * typical
    units = np.asarray((1.0 if sizes is None else sizes) / np.sqrt(np.where(heavy, inertia, typical)))
    if rows is None or not len(rows):
        return units
    known, sizes = heavy, np.abs(rows)
    sizes = np.where(sizes > FLOOR * sizes.max(1, keepdims=True), sizes, 0.0)  # others may be rounding
    while not known.all():
        moved = (sizes * np.where(known, units, 0.0)).max(1)[:, None]
        ratios = np.where((sizes > 0) & (moved > 0), moved, np.inf) / np.where(sizes > 0, sizes, 1.0)
        found = ratios.min(0)
        reached = ~known & np.isfinite(found)
        if not reached.any():
            break
        units, known = np.where(reached, found, units), known | reached
    return units


def rank(A: Array, terms: Array | None = None, tolerance: float = TOLERANCE) -> int:
    """Number of independent rows of A (m, n), for any m and n, also 0."""
    return counted(singular_values(unit_rows(A, terms)[0]), tolerance) if A.size else 0


def pivots(A: Array) -> NDArray[np.intp]:
    """Columns of A in the order in which each is the longest beside those before it: the first r are independent."""
    import scipy.linalg

    return np.asarray(scipy.linalg.qr(A, mode="r", pivoting=True, check_finite=False)[1], dtype=np.intp)


def independent_columns(A: Array, rank: int) -> NDArray[np.intp]:
    """As many independent columns of A (m, n) as its rank, the best conditioned ones, in their order."""
    return np.sort(pivots(A)[:rank]) if rank else np.zeros(0, dtype=np.intp)


def free_columns(A: Array, rank: int) -> NDArray[np.intp]:
    """The other columns: x there may be given, and A x = 0 determines it in the independent ones."""
    return np.setdiff1d(np.arange(A.shape[1]), independent_columns(A, rank))


def independent_rows(A: Array, terms: Array | None = None) -> Mask:
    """A largest set of independent rows of A (m, n), the best conditioned ones."""
    rows, mask = unit_rows(A, terms)[0], np.zeros(len(A), dtype=bool)
    if A.size:
        mask[independent_columns(rows.T, counted(singular_values(rows)))] = True
    return mask


def beyond(rows: Array, Q: Array) -> Array:
    """What rows (..., m, n) say beyond others, whose orthonormal basis Q (..., n, k) is."""
    for _ in range(2):  # once more, because one projection leaves rounding of the size of the first
        rows = rows - (rows @ Q) @ np.swapaxes(Q, -1, -2)
    return rows


def independent_blocks(blocks: Sequence[Array]) -> Mask:
    """A mask over the rows of all blocks: a largest independent set, taking whole blocks as long as they are.

    Rows are normalised and projected block by block on the complement of those taken; of a block whose rows depend on
    the others the best conditioned ones are taken.
    """
    masks, basis = [np.zeros(0, dtype=bool)], np.zeros((0, 0))
    if blocks:
        rows, basis = unit_rows(np.concatenate(blocks))[0], np.zeros((0, blocks[0].shape[1]))
    for block in blocks:
        own, rows = beyond(rows[: len(block)], basis.T), rows[len(block) :]
        mask = independent_rows(own, np.ones(len(own)))
        basis = np.concatenate([basis, np.linalg.qr(own[mask].T)[0].T])
        masks.append(mask)
    return np.concatenate(masks)


def preferred_rows(rows: Array, count: int, order: Sequence[int] | None = None) -> list[int]:
    """Some independent rows of (m, n) in units of their terms, as they were chosen; earlier ones of an order first.

    Each is one of those that the rows before leave nearly the most of, by `CHOICE`: where there is a choice the order
    decides, and rows that rounding, or the error of a state, makes independent come last (Gram and Schmidt).
    """
    order = range(len(rows)) if order is None else order
    rest, chosen = rows, list[int]()
    for _ in range(count):
        left = np.linalg.norm(rest, axis=1)
        row = next(k for k in order if left[k] >= CHOICE * left.max())
        e = rest[row] / left[row]
        rest = rest - np.outer(rest @ e, e)
        rest[row] = 0.0
        chosen.append(row)
    return chosen
