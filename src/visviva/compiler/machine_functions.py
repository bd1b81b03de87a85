"""Functions of the relative placement of two frames as rows of tables, see `kernels.multibody.functions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.library.joints import MEET, Product
from visviva.mechanism import Definition
from visviva.mechanism.parts import Body, Carrier, Ground, Pair

Int = NDArray[np.int64]


@final
class Functions:
    """Grows function by function: rows of joints first, then what elements act along."""

    def __init__(self, m: Definition) -> None:
        self.number = {part.name: k for k, part in enumerate(m.bodies)}
        self.ground = len(self.number)
        self._sides: dict[tuple[int, int], _Side] = {}  # of pairs, by their ids and ends
        self._pairs: list[Pair] = []  # alive, as long as their ids are asked for
        self._rows: list[tuple[_Side, _Side, Product]] = []
        self._K: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def tables(self) -> tuple[Array, Int]:
        """One row of numbers, and one of whole numbers, per function."""
        from visviva.kernels.multibody import tables as t

        X = np.zeros((len(self._rows), int(t.FUNCTION)))
        parents = [(a, row.parent) for a, _, row in self._rows]
        children = [(b, row.child) for _, b, row in self._rows]
        for sides, arm, axis in ((parents, t.XA, t.XU), (children, t.XB, t.XW)):
            for x, (side, i) in zip(X, sides, strict=True):
                x[arm : arm + 3] = side.arm
                if i >= 0:
                    x[axis : axis + 3] = side.axis(i)
        X[:, t.CONST] = [row.c for _, _, row in self._rows]
        return X, table(self._K, 5)

    def add(self, pair: Pair, row: Product, place: int, *, flip: bool = False) -> None:
        """One function, whose multiplier or value has a place; flip: told from the child to the parent.

        Points that meet are one function of three rows, given by the first of them.
        """
        from visviva.kernels.multibody import tables as t

        parent, child = (pair.child, pair.parent) if flip else (pair.parent, pair.child)
        told = row.swapped if flip else row
        a, b = self._side(pair, parent), self._side(pair, child)
        self._rows.append((a, b, told))
        self._K.append([int(told.family), a.end, b.end, place, t.ALONE])

    def mark_twins(self, first: int) -> None:
        """Products of axes of one pair, from a function on, that follow each other and share an axis."""
        from visviva.kernels.multibody import tables as t

        i = first
        while i + 1 < len(self):
            shared, one, other = t.ALONE, self._rows[i][2], self._rows[i + 1][2]
            if self._K[i][t.KIND] == self._K[i + 1][t.KIND] == t.DOT:
                if one.parent == other.parent:
                    shared = t.SHARED_ON_PARENT
                if one.child == other.child:
                    shared = t.SHARED_ON_CHILD
            if shared != t.ALONE:
                self._K[i][t.TWIN], self._K[i + 1][t.TWIN] = shared, t.SECOND
                i += 1
            i += 1

    def end(self, end: Carrier) -> int:
        """Its number among the bodies; the ground is the last."""
        return self.ground if isinstance(end, Ground) else self.number[end.name]

    def axis(self, pair: Pair, end: Carrier, i: int) -> Array:
        """Axis i of the frame on one end, in principal axes of that body."""
        return self._side(pair, end).axis(i)

    def _side(self, pair: Pair, end: Carrier) -> _Side:
        key = id(pair), id(end)
        found = self._sides.get(key)
        if found is None:
            found = self._sides[key] = _Side(pair, end, self.end(end))
            self._pairs.append(pair)
        return found


@final
class _Side:
    """The frame of a pair on one end, in principal axes of that body; end: its number."""

    def __init__(self, pair: Pair, carrier: Carrier, end: int) -> None:
        R_WF, r_WF = pair.frame_on(carrier)
        self._R_WF, self._carrier, self.end = R_WF, carrier, end
        if isinstance(carrier, Ground):
            self.arm = r_WF
        else:
            self.arm = carrier.to_principal(r_WF) if isinstance(carrier, Body) else np.zeros(3)
        self._axes: dict[int, Array] = {}

    def axis(self, i: int) -> Array:
        """Axis i."""
        if i not in self._axes:
            axis = self._R_WF[:, i]
            self._axes[i] = self._carrier.R_WC.T @ axis if isinstance(self._carrier, Body) else axis
        return self._axes[i]


def functions_of(rows: Sequence[Product]) -> list[tuple[Product, ...]]:
    """Rows by functions of the tables: the three of points that meet are one of them."""
    meets = tuple(rows[:3]) == MEET
    return [MEET, *((row,) for row in rows[3:])] if meets else [(row,) for row in rows]


def table(rows: object, width: int) -> Int:
    """Rows of whole numbers, also if there are none."""
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def stack(rows: list[Array], width: int) -> Array:
    """Rows of numbers, also if there are none."""
    return np.array(rows, dtype=np.float64).reshape(-1, width)
