"""Scalars of a pair of frames: products of two vectors, and angles; everything that joints and elements measure.

A pair is a frame P on the parent and a frame C on the child. Its vectors are the axes of both, d from the origin of P
to that of C, and the axes of the world. Constraints, coordinates and what elements act along are products of two of
them, which one rule differentiates: with ω of parent and child and the velocity of one origin against the other,

    d/dt (u·w) = f·(v_C - v_P) + τ_P·ω_P + τ_C·ω_C,   an axis a turns with ω x a

so that a factor d pulls along the other factor, and an axis turns by its cross product with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.linear import dot, transpose


class Vector(IntEnum):
    """Vectors of a pair: axes of P and of C, d, axes of the world."""

    PX, PY, PZ, CX, CY, CZ, D, EX, EY, EZ = range(10)


P = (Vector.PX, Vector.PY, Vector.PZ)
C = (Vector.CX, Vector.CY, Vector.CZ)
D = Vector.D
E = (Vector.EX, Vector.EY, Vector.EZ)


class Family(IntEnum):
    """Products by the kinds of their vectors, as the tables of compiled kernels count them."""

    MEET, DOT, ALONG, ALONG_CHILD, ROD = range(5)  # e·d, a·b, a·d, b·d, d·d for axes e of the world, a of P, b of C


@final
@dataclass(frozen=True)
class Product:
    """u·w - c; where both are the same vector ½ u·u - c, so that the gradient is u."""

    u: Vector
    w: Vector
    c: float = 0.0

    @property
    def factor(self) -> float:
        """What the product is multiplied by."""
        return 0.5 if self.u == self.w else 1.0

    @cached_property
    def family(self) -> Family:
        """Which vectors it has."""
        if self.reaches:
            others = {P: Family.ALONG, C: Family.ALONG_CHILD, E: Family.MEET}
            return next((family for axes, family in others.items() if self.u in axes or self.w in axes), Family.ROD)
        return Family.DOT

    @property
    def reaches(self) -> bool:
        """Whether it depends on where the origins are; products of axes do not."""
        return D in (self.u, self.w)

    @cached_property
    def swapped(self) -> Product:
        """The same product as seen from the child, with P and C exchanged; d is reversed then, see `sign`."""
        u, w = (Vector(one + 3) if one in P else Vector(one - 3) if one in C else one for one in (self.u, self.w))
        return Product(u, w, self.c)

    @property
    def sign(self) -> int:
        """What a product changes by when d is reversed."""
        return -1 if (self.u == D) != (self.w == D) else 1

    @cached_property
    def parent(self) -> int:
        """Which axis of P it has, counted 0, 1, 2 for x, y, z; -1 where it has none."""
        return next((one - P[0] for one in (self.u, self.w) if one in P), -1)

    @cached_property
    def child(self) -> int:
        """Which axis of C it has; -1 where it has none."""
        return next((one - C[0] for one in (self.u, self.w) if one in C), -1)

    @property
    def length(self) -> float:
        """The length of a rod [m]: √(2c)."""
        return math.sqrt(2.0 * self.c)

    @property
    def pull(self) -> tuple[float, float]:
        """(a, b) of the force f = a u + b w on the child's origin, -f on the parent's."""
        return self.factor * (self.w == D), self.factor * (self.u == D)

    @property
    def turn(self) -> tuple[int, int]:
        """(k_P, k_C) of the moments τ = k u x w on parent and child."""
        return (self.u in P) - (self.w in P), (self.u in C) - (self.w in C)

    def wrench(self, u: Any, w: Any, cross: Callable[[Any, Any], Any] = np.cross) -> tuple[Any, Any, Any]:
        """f, τ_P and τ_C for the vectors u and w, of numbers or symbols, each (3,)."""
        (a, b), (k_P, k_C) = self.pull, self.turn
        none = np.zeros(3)
        f = a * u + b * w if a and b else u if a else w if b else none
        moment = cross(u, w) if k_P or k_C else none
        return f, k_P * moment if k_P else none, k_C * moment if k_C else none

    def wrench_at(self, vectors: Array) -> tuple[Array, Array, Array]:
        """f, τ_P and τ_C for the vectors of a pair, (..., 10, 3), in the order of `Vector`."""
        return self.wrench(vectors[..., self.u, :], vectors[..., self.w, :])

    def value_at(self, vectors: Array) -> Array:
        """u·w - c for the vectors of a pair, (..., 10, 3)."""
        return np.asarray(self.factor * dot(vectors[..., self.u, :], vectors[..., self.w, :]) - self.c)


@final
@dataclass(frozen=True)
class Angle:
    """θ with cos θ and sin θ products of axes; continuous over many turns."""

    cos: Product
    sin: Product

    def wrench_at(self, vectors: Array) -> tuple[Array, Array, Array]:
        """f, τ_P and τ_C of dθ = cos θ d(sin θ) - sin θ d(cos θ) for the vectors of a pair, (..., 10, 3)."""
        c, s = (one.value_at(vectors)[..., None] for one in (self.cos, self.sin))
        both = zip(self.sin.wrench_at(vectors), self.cos.wrench_at(vectors), strict=True)
        f, parent, child = (c * by_sin - s * by_cos for by_sin, by_cos in both)
        return f, parent, child

    def value_at(self, vectors: Array) -> Array:
        """θ in (-π, π] for the vectors of a pair, (..., 10, 3)."""
        return np.asarray(np.arctan2(self.sin.value_at(vectors), self.cos.value_at(vectors)))


@final
@dataclass(frozen=True)
class Length:
    """The distance l = √(2 y) of the origins, y = ½ d·d: l_dot = d·ḋ/l, which has no direction where they meet."""

    half_square: ClassVar[Product] = Product(D, D)


Scalar = Product | Angle


@final
@dataclass(frozen=True)
class Sum:
    """Σ c_k y_k of scalars of one pair. name: what it is called behind the name of the joint."""

    name: str
    terms: tuple[tuple[float, Scalar], ...]

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """What it adds up."""
        return tuple(scalar for _, scalar in self.terms)

    @property
    def reaches(self) -> bool:
        """Whether it depends on where the origins are."""
        return any(isinstance(scalar, Product) and scalar.reaches for scalar in self.scalars)

    def value_at(self, vectors: Array) -> Array:
        """Its value for the vectors of a pair, (..., 10, 3)."""
        return np.asarray(sum((c * scalar.value_at(vectors) for c, scalar in self.terms), np.zeros(())))

    def wrench_at(self, vectors: Array) -> tuple[Array, Array, Array]:
        """f, τ_P and τ_C for the vectors of a pair, (..., 10, 3)."""
        none = np.zeros((*vectors.shape[:-2], 3))
        f, parent, child = none, none, none
        for c, scalar in self.terms:
            more = scalar.wrench_at(vectors)
            f, parent, child = f + c * more[0], parent + c * more[1], child + c * more[2]
        return f, parent, child


def cosine(parent: int, child: int) -> Product:
    """Of the angle between an axis of P and one of C: zero where they are normal to each other."""
    return Product(P[parent], C[child])


def along(axis: int) -> Product:
    """d along an axis of P: where the child's origin is, seen from the parent's."""
    return Product(P[axis], D)


def along_child(axis: int) -> Product:
    """d along an axis of C."""
    return Product(C[axis], D)


def rod(length: float = 0.0) -> Product:
    """½ (d·d - length²) with the distance d of the origins."""
    return Product(D, D, 0.5 * length**2)


def pair_vectors(P: SE3, C: SE3) -> Array:
    """The vectors of a pair of frames in the world, (..., 10, 3), in the order of `Vector`."""
    d = C.r - P.r
    world = np.broadcast_to(np.eye(3), (*d.shape, 3))
    return np.concatenate([transpose(P.R), transpose(C.R), d[..., None, :], world], axis=-2)


MEET = tuple(Product(axis, D) for axis in E)  # both origins coincide: d in world axes
TURN = Angle(cosine(0, 0), cosine(1, 0))  # of the child about the z axis that it shares with the parent
