"""Quantities that move: values, rows over ξ, rates, and what of the second rates has no ξ̇; of numbers or of symbols.

ẏ = C ξ,    ÿ = C ξ̇ + b,    b = Ċ ξ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np


@final
@dataclass(frozen=True, eq=False)
class Moving:
    """value: (k,).   row: C, (k, n).   rate: C ξ, (k,).   bias: b, (k,).   Of many vectors, (k, 3) and (k, 3, n)."""

    value: Any
    row: Any
    rate: Any
    bias: Any

    def __add__(self, other: Moving) -> Moving:
        return Moving(self.value + other.value, self.row + other.row, self.rate + other.rate, self.bias + other.bias)

    def __sub__(self, other: Moving) -> Moving:
        return Moving(self.value - other.value, self.row - other.row, self.rate - other.rate, self.bias - other.bias)

    def __rmul__(self, factor: Any) -> Moving:
        return Moving(factor * self.value, factor * self.row, factor * self.rate, factor * self.bias)

    def __getitem__(self, at: Any) -> Moving:
        return Moving(self.value[at], self.row[at], self.rate[at], self.bias[at])


def stacked(parts: Sequence[Moving]) -> Moving:
    """One after the other."""
    joined = [np.concatenate([getattr(part, field) for part in parts]) for field in ("value", "row", "rate", "bias")]
    return Moving(*joined)


def dot(a: Moving, b: Moving) -> Moving:
    """The scalar product of two vectors, with one entry."""
    return dots(a[None], b[None])


def dots(a: Moving, b: Moving) -> Moving:
    """Scalar products of as many vectors, (k, 3) with rows (k, 3, n): k entries."""
    return Moving(
        (a.value * b.value).sum(1),
        (a.value[:, :, None] * b.row + b.value[:, :, None] * a.row).sum(1),
        (a.rate * b.value + a.value * b.rate).sum(1),
        (a.value * b.bias + b.value * a.bias + 2 * (a.rate * b.rate)).sum(1),
    )


def product(a: Moving, b: Moving) -> Moving:
    """a b, entry by entry."""
    return Moving(
        a.value * b.value,
        a.value[:, None] * b.row + b.value[:, None] * a.row,
        a.rate * b.value + a.value * b.rate,
        a.value * b.bias + b.value * a.bias + 2 * (a.rate * b.rate),
    )


def quotient(a: Moving, b: Moving) -> Moving:
    """y = a/b, entry by entry: ẏ = (ȧ - y ḃ)/b, ÿ = (ä - 2 ẏ ḃ - y b̈)/b."""
    y = a.value / b.value
    rate = (a.rate - y * b.rate) / b.value
    row = (a.row - y[:, None] * b.row) / b.value[:, None]
    return Moving(y, row, rate, (a.bias - 2 * rate * b.rate - y * b.bias) / b.value)


def polar_angle(c: Moving, s: Moving) -> Moving:
    """θ of (c, s) less its value, which is known up to whole turns and left zero: with m = c² + s²,

    m θ̇ = c ṡ - s ċ,    m θ̈ = c s̈ - s c̈ - ṁ θ̇.
    """
    m = c.value * c.value + s.value * s.value
    row = (c.value[:, None] * s.row - s.value[:, None] * c.row) / m[:, None]
    rate = (c.value * s.rate - s.value * c.rate) / m
    m_dot = 2 * (c.value * c.rate + s.value * s.rate)
    return Moving(0 * m, row, rate, (c.value * s.bias - s.value * c.bias - m_dot * rate) / m)
