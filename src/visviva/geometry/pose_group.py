"""What poses in the plane and in space have in common: a rotation and a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.group import AbstractLieGroup
from visviva.geometry.linear import apply, homogeneous, identities, transpose
from visviva.geometry.rotations import checked_homogeneous, checked_parts


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class AbstractPose(AbstractLieGroup):
    """X_AB = (R_AB, r_AB_A) in a space of two or three dimensions: a semidirect product."""

    R: Array  # (..., space, space)
    r: Array  # (..., space)
    space: ClassVar[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape."""
        return self.r.shape[:-1]

    @property
    def matrix(self) -> Array:
        """[[R, r], [0, 1]]; source: Stramigioli, Maschke and Bidard (13)."""
        return homogeneous(self.R, self.r, 1.0)

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """(I, 0)."""
        return cls(identities(shape, cls.space), np.zeros((*shape, cls.space)))

    def __matmul__(self, other: Self) -> Self:
        self._check_kind(other)
        return type(self)(self.R @ other.R, self.r + apply(self.R, other.r))

    def inverse(self) -> Self:
        """(Rᵀ, -Rᵀ r)."""
        R_BA = transpose(self.R)
        return type(self)(R_BA, -apply(R_BA, self.r))

    def act(self, points: ArrayLike) -> Array:
        """r + R p for points (..., space): coordinates in B to coordinates in A."""
        return np.asarray(self.r + apply(self.R, np.asarray(points, dtype=np.float64)))

    @classmethod
    def from_matrix(cls, X: ArrayLike, name: str = "pose") -> Self:
        """Of homogeneous matrices (..., space + 1, space + 1), checked: a rotation and a last row (0, …, 0, 1)."""
        return cls(*checked_homogeneous(X, name, cls.space))

    @classmethod
    def from_parts(cls, R: ArrayLike, r: ArrayLike, name: str = "pose") -> Self:
        """Of R_AB and r_AB_A, checked; the batch shapes broadcast."""
        return cls(*checked_parts(R, r, name, cls.space))
