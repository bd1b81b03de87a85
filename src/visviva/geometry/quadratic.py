"""Scalar functions of at most second degree, many at once: the form of nearly all joint constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class Quadratic:
    """g_k(q) = ½ q·A_k q + b_k·q + c_k with constant symmetric A_k.

    Hence the gradient is affine, G(q) = A q + b, and the increment is exact at the mean of two points:
    g(q1) - g(q0) = G((q0 + q1)/2) (q1 - q0). All methods take any leading batch shape.
    """

    A: Array  # (m, n, n)
    b: Array  # (m, n)
    c: Array  # (m,)

    @property
    def m(self) -> int:
        """Number of functions."""
        return len(self.c)

    def value(self, q: Array) -> Array:
        """g(q), shape (..., m)."""
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

    def __add__(self, other: Quadratic) -> Quadratic:
        """Both lists of functions of the same q, one after the other."""
        pairs = ((self.A, other.A), (self.b, other.b), (self.c, other.c))
        return Quadratic(*(np.concatenate(pair) for pair in pairs))


@final
@dataclass(frozen=True, eq=False)
class Affine:
    """A point or vector in space that is affine in the coordinates: y(q) = S q + s."""

    S: Array  # (3, n)
    s: Array  # (3,)

    def __sub__(self, other: Affine) -> Affine:
        return Affine(self.S - other.S, self.s - other.s)

    def __call__(self, q: Array) -> Array:
        """y(q), shape (..., 3)."""
        return (self.S @ q[..., None])[..., 0] + self.s


def coincidence(y: Affine) -> Quadratic:
    """The three functions y(q) = 0, in world axes."""
    n = y.S.shape[1]
    return Quadratic(np.zeros((3, n, n)), y.S, y.s)


def product(u: Affine, w: Affine, offset: float = 0.0) -> Quadratic:
    """The one function u(q)·w(q) - offset."""
    A = u.S.T @ w.S
    b = u.S.T @ w.s + w.S.T @ u.s
    return Quadratic((A + A.T)[None], b[None], np.array([u.s @ w.s - offset]))
