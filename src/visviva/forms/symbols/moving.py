"""Quantities that move with frames: values, rows over ξ, rates, and what of the second rates has no ξ̇.

ẏ = C ξ,    ÿ = C ξ̇ + b,    b = Ċ ξ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.language.slopes import slope
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class Moving:
    """value: (k,).   row: C, (k, n).   rate: C ξ, (k,).   bias: b, (k,)."""

    value: Any
    row: Any
    rate: Any
    bias: Any

    def __sub__(self, other: Moving) -> Moving:
        return Moving(self.value - other.value, self.row - other.row, self.rate - other.rate, self.bias - other.bias)

    def __getitem__(self, at: Any) -> Moving:
        return Moving(self.value[at], self.row[at], self.rate[at], self.bias[at])

    def named(self, steps: Steps, label: Label) -> Moving:
        """With short entries."""
        b, c, d = (Label(letter, (label.name, *label.subscripts)) for letter in ("C", "rate", "bias"))
        return Moving(
            steps.names(self.value, label),
            steps.names(self.row, b),
            steps.names(self.rate, c),
            steps.names(self.bias, d),
        )


def constant(values: Any, n: int) -> Moving:
    """What does not move."""
    values = np.asarray(values, dtype=object)
    return Moving(values, zeros(len(values), n), zeros(len(values)), zeros(len(values)))


def stacked(parts: Sequence[Moving]) -> Moving:
    """One after the other."""
    joined = [np.concatenate([getattr(part, field) for part in parts]) for field in ("value", "row", "rate", "bias")]
    return Moving(*joined)


def axis_on(frame: Frame, a: Any, steps: Steps, label: Label) -> Moving:
    """The vector R a, which turns with a frame, in world axes."""
    R, w = frame.R, frame.w
    bias = cross(frame.bw, a) + cross(w, cross(w, a))
    return Moving(R @ a, -R @ cross(a, frame.Jw), R @ cross(w, a), R @ bias).named(steps, label)


def point_on(frame: Frame, p: Any, steps: Steps, label: Label) -> Moving:
    """The point r + R p of a frame, in world axes."""
    parts = frame.at(p)
    row, rate, bias = (sum(part.R_W @ getattr(part, field) for part in parts) for field in ("J", "v", "a"))
    return Moving(frame.r + frame.R @ p, row, rate, bias).named(steps, label)


def dot(a: Moving, b: Moving) -> Moving:
    """The scalar product of two vectors, with one entry."""
    value, rate = a.value @ b.value, a.rate @ b.value + a.value @ b.rate
    row = a.value @ b.row + b.value @ a.row
    bias = a.value @ b.bias + b.value @ a.bias + 2 * (a.rate @ b.rate)
    return Moving(*(np.array([part], dtype=object) for part in (value, row, rate, bias)))


def function_of(f: Any, symbols: Sequence[Any], y: Moving) -> Moving:
    """f(y) of an expression in symbols that stand for y: C = ∇f C_y, b = ∇f b_y + ẏᵀ (∇²f) ẏ."""
    import sympy

    f, at = sympy.sympify(f), dict(zip(symbols, y.value, strict=True))
    used = [k for k, s in enumerate(symbols) if s in f.free_symbols]
    slopes = {k: slope(f, symbols[k]) for k in used}
    row, rate, bias = zeros(y.row.shape[1]), sympy.Integer(0), sympy.Integer(0)
    for k in used:
        gain = slopes[k].xreplace(at)
        row = row + gain * y.row[k]
        rate += gain * y.rate[k]
        bias += gain * y.bias[k]
        for l in used:
            bend = slope(slopes[k], symbols[l])
            if bend != 0:
                bias += bend.xreplace(at) * y.rate[k] * y.rate[l]
    return Moving(*(np.array([part], dtype=object) for part in (f.xreplace(at), row, rate, bias)))


def value_and_rate(f: Any, symbols: Sequence[Any], y: Moving) -> tuple[Any, Any]:
    """f(y) and its rate ∇f ẏ alone."""
    import sympy

    f, at = sympy.sympify(f), dict(zip(symbols, y.value, strict=True))
    used = [k for k, s in enumerate(symbols) if s in f.free_symbols]
    rate = sum((slope(f, symbols[k]).xreplace(at) * y.rate[k] for k in used), sympy.Integer(0))
    return f.xreplace(at), rate
