"""Rows of a joint between two frames that move, from its one definition in `library.joints`; of numbers or symbols.

What a joint keeps at zero is a product u·w - c of two vectors of its pair of frames, or a sum of such products and an
angle; `forms.calculus.moving` differentiates all of them by one rule.

Products of axes cannot tell an axis from its reverse. They are divided by κ = Π ½ (1 + a), over the products a that the
joint calls `upright`, so that half a turn is infinitely far: for an axis at the angle θ from where it belongs

    sin θ/(½ (1 + cos θ)) = 2 tan(θ/2).

Where the axes are parallel κ = 1, and rows, rates and second rates are those of the products themselves.

An angle is known up to whole turns, in steps of 2π c of a sum ρ + c θ; of all of these the one nearest to zero is
c atan2(sin(ρ/c + θ), cos(ρ/c + θ)). It is smooth over any number of turns, and zero where the joint can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.moving import Moving, dots, polar_angle, product, quotient, stacked
from visviva.library.joints import AbstractJoint, Angle, Product, Scalar, Vector

Vectors = Callable[[Sequence[Vector]], Moving]  # of a pair of frames, in world axes, (k, 3)
Condition = tuple[tuple[float, Scalar], ...]  # coefficients and scalars of a sum


class Functions(NamedTuple):
    """Of numbers or symbols.   number: a number of a definition as one of them."""

    sin: Callable[[Any], Any]
    cos: Callable[[Any], Any]
    arctan2: Callable[[Any, Any], Any]
    number: Callable[[float], Any]


NUMBERS = Functions(np.sin, np.cos, np.arctan2, float)


def joint_rows(joint: AbstractJoint, vectors: Vectors, kappa: Moving | None, f: Functions = NUMBERS) -> Moving:
    """One entry for each row, in their order, then one for each sum.   kappa: see `upright_factor`."""
    every = stacked([products(joint.rows, vectors, f), *(_sum(one.terms, vectors, f) for one in joint.sums)])
    return every if kappa is None else quotient(every, _where(of_axes(joint), kappa, f))


def of_axes(joint: AbstractJoint) -> list[bool]:
    """Which of its rows and sums depend on directions alone, by products."""
    every: list[Sequence[Scalar]] = [*((row,) for row in joint.rows), *(one.scalars for one in joint.sums)]
    return [all(isinstance(y, Product) and not y.reaches for y in one) for one in every]


def upright_factor(upright: Moving, f: Functions = NUMBERS) -> Moving | None:
    """κ of the products `upright` of a joint, with one entry; None where there are none."""
    halves = f.number(0.5) * Moving(1 + upright.value, upright.row, upright.rate, upright.bias)
    return reduce(product, (halves[k : k + 1] for k in range(len(halves.value)))) if len(halves.value) else None


def products(ys: Sequence[Product], vectors: Vectors, f: Functions = NUMBERS) -> Moving:
    """u·w - c, or ½ u·u - c, with as many entries."""
    found = dots(vectors([y.u for y in ys]), vectors([y.w for y in ys]))
    if any(y.factor != 1.0 for y in ys):
        factor = np.array([f.number(y.factor) for y in ys])
        found = Moving(factor * found.value, factor[:, None] * found.row, factor * found.rate, factor * found.bias)
    if any(y.c for y in ys):
        found = Moving(found.value - np.array([f.number(y.c) for y in ys]), found.row, found.rate, found.bias)
    return found


def _where(which: Sequence[bool], y: Moving, f: Functions) -> Moving:
    """y in these places, one elsewhere."""
    here = np.array([f.number(float(one)) for one in which])
    return Moving(1 + here * (y.value - 1), here[:, None] * y.row, here * y.rate, here * y.bias)


def _sum(condition: Condition, vectors: Vectors, f: Functions) -> Moving:
    """With one entry."""
    parts = [f.number(c) * products([y], vectors, f) for c, y in condition if isinstance(y, Product)]
    angles = [(f.number(c), y) for c, y in condition if isinstance(y, Angle) and c]
    if len(angles) > 1:
        raise ModelError(
            "a condition of a joint is a sum with several angles, which are each known up to whole turns.\n"
            "Rows of loops have one angle at most: give the joint coordinates (vv.coordinates) instead."
        )
    for c, angle in angles:
        pair = products([angle.cos, angle.sin], vectors, f)
        cos, sin = pair[:1], pair[1:]
        phase = sum((part.value for part in parts), f.number(0.0)) / c
        a, b = (np.array([g(one) for one in phase]) for g in (f.cos, f.sin))
        gap = f.arctan2((b * cos.value + a * sin.value)[0], (a * cos.value - b * sin.value)[0])
        total = reduce(add, [*parts, c * polar_angle(cos, sin)])
        return Moving(np.array([c * gap]), total.row, total.rate, total.bias)
    return reduce(add, parts)
