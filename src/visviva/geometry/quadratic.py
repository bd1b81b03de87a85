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
        return self.a @ q.reshape(*q.shape[:-1], self.a.shape[1], 3) + self.s


@final
@dataclass(frozen=True, eq=False)
class Quadratic:
    """g_k(q) = ½ q·A_k q + b_k·q + c_k with constant symmetric A_k.

    Hence the gradient is affine, G(q) = A q + b, and the increment is exact at the mean of two points:
    g(q1) - g(q0) = G((q0 + q1)/2) (q1 - q0). All methods take any leading batch shape.

    factors: u, w and o of g_k = u_k·w_k - o_k, if it is such a product. Far from the origin its factors are small
             differences of large numbers, and its terms are squares of these.
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
        if self.factors is not None:
            u, w, offset = self.factors
            return (u.value(q) * w.value(q)).sum(-1) - offset
        return ((0.5 * self.turn(q) + self.b) @ q[..., None])[..., 0] + self.c

    def gradient(self, q: Array) -> Array:
        """G(q) = A q + b, shape (..., m, n)."""
        return self.turn(q) + self.b

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that cancel in g(q): the unit of its rounding, shape (..., m)."""
        size = np.abs(q)[..., None]
        bent = np.einsum("kij,...j->...ki", np.abs(self.A), size[..., 0])
        total: Array = ((0.5 * bent + np.abs(self.b)) @ size)[..., 0] + np.abs(self.c)
        return total

    def turn(self, v: Array) -> Array:
        """A v: the derivative of the gradient along v, shape (..., m, n)."""
        m, n, _ = self.A.shape
        return (self.A.reshape(m * n, n) @ v[..., None]).reshape(*v.shape[:-1], m, n)


def products(u: Affine, w: Affine, offset: Array) -> Quadratic:
    """The functions u_k(q)·w_k(q) - offset_k."""
    m, k = u.a.shape
    a = u.a[:, :, None] * w.a[:, None, :]
    a += np.swapaxes(a, 1, 2).copy()
    A = a[:, :, None, :, None] * _EYE[:, None, :]
    b = u.a[:, :, None] * w.s[:, None, :] + w.a[:, :, None] * u.s[:, None, :]
    c = (u.s * w.s).sum(-1) - offset
    return Quadratic(A.reshape(m, 3 * k, 3 * k), b.reshape(m, 3 * k), c, (u, w, offset))
