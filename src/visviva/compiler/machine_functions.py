"""Functions of the relative placement of two frames as rows of tables, see `kernels.multibody.functions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.library.joints import MEET, Product
from visviva.mechanism import Mechanism
from visviva.mechanism.parts import Body, Carrier, Ground, Pair

Int = NDArray[np.int64]


@final
class Functions:
    """Grows function by function: rows of joints first, then what elements act along."""

    def __init__(self, m: Mechanism) -> None:
        self.number = {part.name: k for k, part in enumerate(m.bodies)}
        self.ground = len(self.number)
        self._X: list[Array] = []
        self._K: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._X)

    def tables(self) -> tuple[Array, Int]:
        """One row of numbers, and one of whole numbers, per function."""
        from visviva.kernels.multibody.tables import FUNCTION

        return stack(self._X, int(FUNCTION)), table(self._K, 5)

    def add(self, pair: Pair, row: Product, place: int, *, flip: bool = False) -> None:
        """One function, whose multiplier or value has a place; flip: told from the child to the parent.

        Points that meet are one function of three rows, given by the first of them.
        """
        from visviva.kernels.multibody import tables as t

        parent, child = (pair.child, pair.parent) if flip else (pair.parent, pair.child)
        x = np.zeros(int(t.FUNCTION))
        x[t.XA : t.XA + 3], x[t.XB : t.XB + 3] = self._arm(pair, parent), self._arm(pair, child)
        told = row.swapped if flip else row
        if told.parent >= 0:
            x[t.XU : t.XU + 3] = self.axis(pair, parent, told.parent)
        if told.child >= 0:
            x[t.XW : t.XW + 3] = self.axis(pair, child, told.child)
        x[t.CONST] = told.c
        self._X.append(x)
        self._K.append([int(told.family), self.end(parent), self.end(child), place, t.ALONE])

    def mark_twins(self, first: int) -> None:
        """Products of axes, from a function on, that follow each other and share an axis."""
        from visviva.kernels.multibody import tables as t

        i = first
        while i + 1 < len(self):
            shared = t.ALONE
            if self._K[i][t.KIND] == self._K[i + 1][t.KIND] == t.DOT:
                for at, axis in ((t.XU, t.SHARED_ON_PARENT), (t.XW, t.SHARED_ON_CHILD)):
                    if np.array_equal(self._X[i][at : at + 3], self._X[i + 1][at : at + 3]):
                        shared = axis
            if shared != t.ALONE:
                self._K[i][t.TWIN], self._K[i + 1][t.TWIN] = shared, t.SECOND
                i += 1
            i += 1

    def end(self, end: Carrier) -> int:
        """Its number among the bodies; the ground is the last."""
        return self.ground if isinstance(end, Ground) else self.number[end.name]

    def axis(self, pair: Pair, end: Carrier, i: int) -> Array:
        """Axis i of the frame on one end, in principal axes of that body."""
        axis = pair.frame_on(end)[0][:, i]
        return end.R_WC.T @ axis if isinstance(end, Body) else axis

    def _arm(self, pair: Pair, end: Carrier) -> Array:
        point = pair.frame_on(end)[1]
        if isinstance(end, Ground):
            return point
        return end.to_principal(point) if isinstance(end, Body) else np.zeros(3)


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
