"""What rotations of the plane and of space have in common: their matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.group import AbstractLieGroup
from visviva.geometry.linear import apply, identities, transpose
from visviva.geometry.rotations import checked_rotation, nearest_rotation


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class AbstractRotation(AbstractLieGroup):
    """R_AB with RᵀR = I and det R = 1, in a space of two or three dimensions."""

    R: Array  # (..., space, space)
    space: ClassVar[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape."""
        return self.R.shape[:-2]

    @property
    def matrix(self) -> Array:
        """R."""
        return self.R

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """I."""
        return cls(identities(shape, cls.space))

    def __matmul__(self, other: Self) -> Self:
        self._check_kind(other)
        return type(self)(self.R @ other.R)

    def inverse(self) -> Self:
        """Rᵀ."""
        return type(self)(transpose(self.R))

    def act(self, points: ArrayLike) -> Array:
        """R p for points (..., space): coordinates in B to coordinates in A."""
        return apply(self.R, np.asarray(points, dtype=np.float64))

    @classmethod
    def from_matrix(cls, R: ArrayLike, name: str = "rotation matrix") -> Self:
        """Checked: finite, orthogonal, determinant +1."""
        return cls(checked_rotation(R, name, cls.space))

    @classmethod
    def nearest(cls, R: ArrayLike, name: str = "matrix") -> Self:
        """Closest rotation to a matrix that is nearly one."""
        return cls(nearest_rotation(R, name, cls.space))
