"""Fill of a sparse LU factorisation for a given order of pivots, and the plan of its elimination."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import kernel
from visviva.kernels.lu import Index, Int, Plan

SHORT_RUN = 4  # on average; below this an index per entry costs less than a loop per run


@kernel
def fill_rows(start: Int, col: Int, follower: Int, fill_start: Int, diag: Int, fill_col: Int) -> int:
    """Start, pivot place and column positions of every row of L and U, columns ascending; how many rows there was
    room for in `fill_col`.

    start, col: the rows of P A Q, columns ascending in each row. Row i of the factors is the union of row i and of
    the rows of U at its entries k < i, those that fill brings included. The union is a sorted
    linked list, so that one ascending walk meets them all.

    follower: (n + 1,) the column after each one of the row, n at the end; place n: the head.
    """
    n = start.size - 1
    fill_start[0] = 0
    for i in range(n):
        last, length = n, 0
        for p in range(start[i], start[i + 1]):
            if last == n or col[p] != last:
                follower[last] = col[p]
                last = col[p]
                length += 1
        follower[last] = n
        k = follower[n]
        while k < i:
            last = k
            for p in range(diag[k] + 1, fill_start[k + 1]):
                j = fill_col[p]
                while follower[last] < j:
                    last = follower[last]
                if follower[last] > j:
                    follower[j], follower[last] = follower[last], j
                    length += 1
                last = j
            k = follower[k]
        end = fill_start[i] + length
        if end > fill_col.size:
            return i
        k, p = follower[n], fill_start[i]
        while k < n:
            fill_col[p] = k
            if k == i:
                diag[i] = p
            k, p = follower[k], p + 1
        fill_start[i + 1] = end
    return n


def fill(start: Int, col: Int, capacity: int) -> tuple[Int, Int, Int]:
    """`fill_rows` in as much memory as the fill needs; capacity: entries to begin with, doubled until they suffice."""
    n = start.size - 1
    follower = np.empty(n + 1, dtype=np.int64)
    fill_start, diag = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    while True:
        fill_col = np.empty(capacity, dtype=np.int64)
        if fill_rows(start, col, follower, fill_start, diag, fill_col) == n:
            return fill_start, diag, fill_col[: fill_start[n]]
        capacity *= 2


def elimination(rows: Int, cols: Int, row_place: Int, col_place: Int, scale: Array, room: int = 0) -> Plan:
    """The plan for entries (rows, cols), in the order of the assembled values, repetitions allowed.

    row_place, col_place: (n,) position of each row and column in pivot order. scale: (n,) of the columns.
    room: entries of the factors, as far as they are known.
    """
    n = len(row_place)
    i, j = row_place[rows], col_place[cols]
    order = np.lexsort((j, i))
    load = np.searchsorted(i[order], np.arange(n + 1))
    start, diag, col = fill(load, j[order], max(8 * n, 2 * len(rows), room, 1))
    row_at, col_at = np.argsort(row_place), np.argsort(col_place)
    run, runs = upper_runs(start, diag, col)
    tables = (load, order, j[order], start, diag, col, run, runs)
    return Plan(_index(row_at), _index(col_at), scale[col_at], *map(_index, tables))


def upper_runs(start: Int, diag: Int, col: Int) -> tuple[Int, Int]:
    """Consecutive columns in the rows of U as (column, place, length), and where the runs of each row begin.

    Rows whose runs are short get none.
    """
    n = len(diag)
    row = np.repeat(np.arange(n), np.diff(start))
    places = np.flatnonzero(np.arange(len(col)) > diag[row])
    opens = np.ones(len(places), dtype=np.bool_)
    opens[1:] = (np.diff(places) != 1) | (np.diff(col[places]) != 1)
    first = np.flatnonzero(opens)
    length = np.diff(first, append=len(places))
    count = np.bincount(row[places[first]], minlength=n)
    worth = start[1:] - diag - 1 >= SHORT_RUN * count
    kept = worth[row[places[first]]]
    runs = np.stack([col[places[first]], places[first], length], axis=1)[kept]
    return np.concatenate([[0], np.cumsum(np.where(worth, count, 0))]), runs


def _index(numbers: Int) -> Index:
    return np.ascontiguousarray(numbers, dtype=np.uint32)
