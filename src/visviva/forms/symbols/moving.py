"""Quantities that move with frames, as symbols; see `forms.calculus.moving`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.forms.calculus.moving import Moving
from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.language.slopes import slope
from visviva.views.equations_names import Label


def named(y: Moving, steps: Steps, label: Label) -> Moving:
    """With short entries."""
    b, c, d = (Label(letter, (label.name, *label.subscripts)) for letter in ("C", "rate", "bias"))
    return Moving(steps.names(y.value, label), steps.names(y.row, b), steps.names(y.rate, c), steps.names(y.bias, d))


def constant(values: Any, n: int) -> Moving:
    """What does not move."""
    values = np.asarray(values, dtype=object)
    return Moving(values, zeros(len(values), n), zeros(len(values)), zeros(len(values)))


def axis_on(frame: Frame, a: Any, steps: Steps, label: Label) -> Moving:
    """The vector R a, which turns with a frame, in world axes."""
    R, w = frame.R, frame.w
    bias = cross(frame.bw, a) + cross(w, cross(w, a))
    return named(Moving(R @ a, -R @ cross(a, frame.Jw), R @ cross(w, a), R @ bias), steps, label)


def point_on(frame: Frame, p: Any, steps: Steps, label: Label) -> Moving:
    """The point r + R p of a frame, in world axes."""
    parts = frame.at(p)
    row, rate, bias = (sum(part.R_W @ getattr(part, field) for part in parts) for field in ("J", "v", "a"))
    return named(Moving(frame.r + frame.R @ p, row, rate, bias), steps, label)


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
