"""Scalar functions of at most second degree, many at once: the form of nearly all joint constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array

_EYE = np.eye(3)


@final
@dataclass(frozen=True, eq=False)
class Affine:
    """Points or vectors in space that are affine in the 3-vectors q_i that make up q: y_k(q) = Σ a_ki q_i + s_k."""

    a: Array  # (m, n/3)
    s: Array  # (m, 3)

    def __getitem__(self, which: Sequence[int]) -> Affine:
        return Affine(self.a[which], self.s[which])

    def value(self, q: Array) -> Array:
        """y(q), shape (..., m, 3)."""
        return self.a @ self._vectors(q) + self.s

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that are added up in y(q), shape (..., m, 3)."""
        return np.abs(self.a) @ np.abs(self._vectors(q)) + np.abs(self.s)

    def _vectors(self, q: Array) -> Array:
        return q.reshape(*q.shape[:-1], self.a.shape[1], 3)


@final
@dataclass(frozen=True, eq=False)
class Quadratic:
    """g_k(q) = ½ q·A_k q + b_k·q + c_k with constant symmetric A_k.

    Hence the gradient is affine, G(q) = A q + b, and the increment is exact at the mean of two points:
    g(q1) - g(q0) = G((q0 + q1)/2) (q1 - q0). All methods take any leading batch shape.

    factors: (u, w, offset) with g = u·w - offset, where it is known as a product: its value is then made from them,
             since the squares of places far from the origin would cancel.
    """

    A: Array  # (m, n, n)
    b: Array  # (m, n)
    c: Array  # (m,)
    factors: tuple[Affine, Affine, Array] | None = None

    @property
    def m(self) -> int:
        """Number of functions."""
        return len(self.c)

    def value(self, q: Array) -> Array:
        """g(q), shape (..., m)."""
        if self.factors is None:
            return ((0.5 * self.turn(q) + self.b) @ q[..., None])[..., 0] + self.c
        u, w, offset = self.factors
        return (u.value(q) * w.value(q)).sum(-1) - offset

    def gradient(self, q: Array) -> Array:
        """G(q) = A q + b, shape (..., m, n)."""
        return self.turn(q) + self.b

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that cancel in g(q): the unit of its rounding, shape (..., m).

        A factor rounds by the places that it is the difference of, and what it misses counts with the other factor.
        """
        if self.factors is None:
            size = np.abs(q)[..., None]
            bent = np.einsum("kij,...j->...ki", np.abs(self.A), size[..., 0])
            total: Array = ((0.5 * bent + np.abs(self.b)) @ size)[..., 0] + np.abs(self.c)
            return total
        u, w, offset = self.factors
        terms = np.abs(w.value(q)) * u.magnitude(q) + np.abs(u.value(q)) * w.magnitude(q)
        return terms.sum(-1) + np.abs(offset)

    def turn(self, v: Array) -> Array:
        """A v: the derivative of the gradient along v, shape (..., m, n)."""
        m, n, _ = self.A.shape
        return (self.A.reshape(m * n, n) @ v[..., None]).reshape(*v.shape[:-1], m, n)


def products(u: Affine, w: Affine, offset: Array) -> Quadratic:
    """The functions u_k(q)·w_k(q) - offset_k."""
    return Quadratic(*_terms(u, w, offset), (u, w, offset))


def many_products(u: Affine, w: Affine, offset: Array) -> list[Quadratic]:
    """`products` of many sets of factors at once, (N, m, n/3), (N, m, 3) and (N, m)."""
    return [
        Quadratic(A, b, c, (Affine(u_a, u_s), Affine(w_a, w_s), own))
        for A, b, c, u_a, u_s, w_a, w_s, own in zip(*_terms(u, w, offset), u.a, u.s, w.a, w.s, offset, strict=True)
    ]


def _terms(u: Affine, w: Affine, offset: Array) -> tuple[Array, Array, Array]:
    """A, b and c of products, for any leading batch shape."""
    *shape, k = u.a.shape
    a = u.a[..., :, None] * w.a[..., None, :]
    a += np.swapaxes(a, -1, -2).copy()
    A = a[..., :, None, :, None] * _EYE[:, None, :]
    b = u.a[..., :, None] * w.s[..., None, :] + w.a[..., :, None] * u.s[..., None, :]
    c = (u.s * w.s).sum(-1) - offset
    return A.reshape(*shape, 3 * k, 3 * k), b.reshape(*shape, 3 * k), c
