"""Products of affine vectors, many at once: the form of nearly all joint constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array

_EYE = np.eye(3)


@final
@dataclass(frozen=True, eq=False)
class Affine:
    """Points or vectors in space that are affine in the 3-vectors q_i that make up q: y_k(q) = Σ a_ki q_i + s_k."""

    a: Array  # (..., m, n/3)
    s: Array  # (..., m, 3)

    def __getitem__(self, which: Sequence[int]) -> Affine:
        return Affine(self.a[which], self.s[which])

    def value(self, q: Array) -> Array:
        """y(q), shape (..., m, 3)."""
        return self.a @ self._vectors(q) + self.s

    def rate(self, v: Array) -> Array:
        """The derivative of y along v, shape (..., m, 3)."""
        return self.a @ self._vectors(v)

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that are added up in y(q), shape (..., m, 3)."""
        return np.abs(self.a) @ np.abs(self._vectors(q)) + np.abs(self.s)

    def _vectors(self, q: Array) -> Array:
        return q.reshape(*q.shape[:-1], self.a.shape[-1], 3)


@final
@dataclass(frozen=True, eq=False)
class Quadratic:
    """Products of two vectors, g_k(q) = u_k(q)·w_k(q) - offset_k = ½ q·A_k q + b_k·q + c_k with constant symmetric A_k.

    Hence the gradient is affine, G(q) = A q + b, and the increment is exact at the mean of two points:
    g(q1) - g(q0) = G((q0 + q1)/2) (q1 - q0). All methods take any leading batch shape.

    Values are made from the factors: the squares of places far from the origin would cancel.
    """

    u: Affine
    w: Affine
    offset: Array  # (..., m)

    @property
    def m(self) -> int:
        """Number of functions."""
        return self.offset.shape[-1]

    @property
    def stacked(self) -> bool:
        """Whether it is those of many pairs: each is then asked once, and making A and b would not pay."""
        return self.offset.ndim > 1

    @property
    def key(self) -> tuple[bytes, ...]:
        """Equal for the same products, whatever their offsets."""
        return tuple(part.tobytes() for part in (self.u.a, self.u.s, self.w.a, self.w.s))

    @cached_property
    def A(self) -> Array:
        """Second derivatives, (m, n, n)."""
        u, w = self.u.a, self.w.a
        half = u[:, :, None] * w[:, None, :]
        both = half + half.swapaxes(-1, -2)
        m, k = u.shape
        return (both[:, :, None, :, None] * _EYE[:, None, :]).reshape(m, 3 * k, 3 * k)

    @cached_property
    def b(self) -> Array:
        """The gradient at q = 0, (m, n)."""
        return self._across(self.u.s, self.w.s)

    @cached_property
    def c(self) -> Array:
        """g at q = 0, (m,)."""
        total: Array = (self.u.s * self.w.s).sum(-1) - self.offset
        return total

    def value(self, q: Array) -> Array:
        """g(q), shape (..., m)."""
        total: Array = (self.u.value(q) * self.w.value(q)).sum(-1) - self.offset
        return total

    def gradient(self, q: Array) -> Array:
        """G(q), shape (..., m, n)."""
        return self._across(self.u.value(q), self.w.value(q)) if self.stacked else self.turn(q) + self.b

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that cancel in g(q): the unit of its rounding, shape (..., m).

        A factor rounds by the places that it is the difference of, and what it misses counts with the other factor.
        """
        u, w = self.u, self.w
        terms = np.abs(w.value(q)) * u.magnitude(q) + np.abs(u.value(q)) * w.magnitude(q)
        total: Array = terms.sum(-1) + np.abs(self.offset)
        return total

    def turn(self, v: Array) -> Array:
        """A v: the derivative of the gradient along v, shape (..., m, n)."""
        if self.stacked:
            return self._across(self.u.rate(v), self.w.rate(v))
        m, n, _ = self.A.shape
        return (self.A.reshape(m * n, n) @ v[..., None]).reshape(*v.shape[:-1], m, n)

    def _across(self, u: Array, w: Array) -> Array:
        """(∂u/∂q)ᵀ w + (∂w/∂q)ᵀ u for such values of both factors (..., m, 3), shape (..., m, n)."""
        G = self.u.a[..., None] * w[..., None, :]
        G += self.w.a[..., None] * u[..., None, :]
        return G.reshape(*G.shape[:-2], 3 * G.shape[-2])


def stacked(parts: Sequence[Quadratic]) -> Quadratic:
    """Those of many pairs at once: over q (..., N, n) values are (..., N, m)."""
    u, w = (
        Affine(np.array([one.a for one in factors]), np.array([one.s for one in factors]))
        for factors in ([part.u for part in parts], [part.w for part in parts])
    )
    return Quadratic(u, w, np.array([part.offset for part in parts]))


def many_products(u: Affine, w: Affine, offset: Array) -> list[Quadratic]:
    """Products of many sets of factors, (N, m, n/3), (N, m, 3) and (N, m)."""
    return [
        Quadratic(Affine(u_a, u_s), Affine(w_a, w_s), own)
        for u_a, u_s, w_a, w_s, own in zip(u.a, u.s, w.a, w.s, offset, strict=True)
    ]
