"""The vector groups Rⁿ: translations, displacements and momenta under addition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.group import AbstractLieGroup, Branches, LogBranch
from visviva.geometry.linear import homogeneous, identities


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class AbstractVectors(AbstractLieGroup):
    """Rⁿ under addition; `Rn(n)` makes the group of a given n.

    exp, log and both Cayley maps are the identity on coordinates, their derivatives the unit matrix: the
    group is flat and commutative.
    """

    x: Array  # (..., n)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape."""
        return self.x.shape[:-1]

    @property
    def matrix(self) -> Array:
        """[[I, x], [0, 1]]."""
        return homogeneous(np.eye(self.dim), self.x, 1.0)

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """0."""
        return cls(np.zeros((*shape, cls.dim)))

    def __matmul__(self, other: Self) -> Self:
        self._check_kind(other)
        return type(self)(self.x + other.x)

    def inverse(self) -> Self:
        """-x."""
        return type(self)(-self.x)

    def act(self, points: ArrayLike) -> Array:
        """x + p for points (..., n)."""
        return np.asarray(self.x + np.asarray(points, dtype=np.float64))

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """[[0, xi], [0, 0]]."""
        return homogeneous(np.zeros((cls.dim, cls.dim)), cls.coordinates(xi), 0.0)

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        return np.asarray(Xi, dtype=np.float64)[..., : cls.dim, cls.dim]

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """xi."""
        return cls(cls.coordinates(xi))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """x, always unique."""
        return self.x, np.full(self.shape, LogBranch.PRINCIPAL, dtype=np.int8)

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """I."""
        return identities(cls.coordinates(xi).shape[:-1], cls.dim)

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """I."""
        return cls.dexp(xi)

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """xi, because hat(xi)² = 0."""
        return cls.exp(xi)

    def cay_inv(self) -> Array:
        """x."""
        return self.x

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """I."""
        return cls.dexp(xi)

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """I."""
        return cls.dexp(xi)

    def Ad(self) -> Array:
        """I."""
        return identities(self.shape, self.dim)

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """0."""
        return np.zeros((*cls.coordinates(xi).shape, cls.dim))

    def __reduce__(self) -> tuple[Any, ...]:
        # a class made at run time is not found by name when unpickling
        return _restore, (self.dim, self.x)


@cache
def Rn(n: int) -> type[AbstractVectors]:
    """The group Rⁿ, a class: `Rn(3).exp(v)`; the same class at every call."""
    if n < 1:
        raise ModelError(f"Rn takes a dimension of at least 1, got {n}.")
    body = {"__doc__": f"Vectors of {n} numbers under addition.", "dim": n}
    return cast(type[AbstractVectors], type(f"R{n}", (AbstractVectors,), body))


def _restore(n: int, x: Array) -> AbstractVectors:
    return Rn(n)(x)
