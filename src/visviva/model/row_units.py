"""Units of constraint functions: what is left of a row is judged beside terms of its own unit, whatever its joint.

A hinge keeps points together, in metres, and axes aligned, by cosines. Beside cosines, of size one, millimetres of a
small mechanism are nothing, and beside kilometres the cosines are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array

Int = NDArray[np.intp]

UNKNOWN = -1
"""Degree of rows whose unit is that of a user, or of a sum of angles and lengths."""

FAINT = 1e-6  # of the largest terms of their unit: terms of a joint at the origin are rounding, and count as these


@final
@dataclass(frozen=True, eq=False)
class RowUnits:
    """Rows by constraint, (m,), and by degree, (m,): their unit is that power of a length, 0, 1, 2 or `UNKNOWN`."""

    constraint: Int
    degree: Int

    def sizes(self, terms: Array) -> Array:
        """Sizes of the terms that cancel in rows, from those of each one alone, (..., m).

        The largest of rows of one constraint and one unit counts for them; numbers are cosines and count as one at
        least, others as `FAINT` of the largest of their unit, and where it is unknown of all.
        """
        if not terms.shape[-1]:
            return terms
        rows = np.maximum.reduceat(terms[..., self._order], self._starts, axis=-1)[..., self._group]
        least = np.empty_like(rows)
        for degree in np.unique(self.degree).tolist():
            own = self.degree == degree
            alike = rows if degree == UNKNOWN else rows[..., own]
            least[..., own] = 1.0 if degree == 0 else FAINT * alike.max(-1, keepdims=True)
        return np.maximum(rows, np.maximum(least, 1e-30))

    @cached_property
    def _group(self) -> Int:
        """Rows of one constraint and one unit have one number."""
        return np.unique(np.stack([self.constraint, self.degree]), axis=1, return_inverse=True)[1].reshape(-1)

    @cached_property
    def _order(self) -> Int:
        return np.argsort(self._group, kind="stable")

    @cached_property
    def _starts(self) -> Int:
        return np.flatnonzero(np.diff(self._group[self._order], prepend=-1))


def row_units(degrees: Sequence[Int]) -> RowUnits:
    """Of constraints one after the other, by the degrees of the rows of each."""
    constraint = np.repeat(np.arange(len(degrees)), [len(own) for own in degrees])
    return RowUnits(constraint, np.concatenate([np.zeros(0, np.intp), *degrees]))
