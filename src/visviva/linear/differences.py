"""Derivatives of functions that can only be evaluated: extrapolated central differences that know their error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array

LEVELS = 16  # halvings of a step
FIRST = 0.04  # the first step, in units of the variable
ENOUGH = 1e-11  # of the largest derivative: no more halvings
ROUGH = 1e-6  # of the largest derivative: an error above is too large
KINK = 1e-4  # of the largest derivative: a second difference over h that stays above is no curvature
SMALL = 1e-6  # of the values themselves: derivatives below are zero but for rounding


@final
@dataclass(frozen=True, eq=False)
class Slopes:
    """J, (m, n), with an estimate of its error, and the columns along which the function is not smooth."""

    J: Array
    error: Array  # (m, n)
    rough: tuple[int, ...]


def slopes(f: Callable[[Array], Array], n: int, sizes: Array, terms: Array | None = None) -> Slopes:
    """∂f/∂x at x = 0 of a function of n variables whose typical sizes are given.

    terms: sizes of the terms that add up to the values (m,), whose rounding the values have; default: the values.

    Central differences of halved steps, extrapolated to the step zero; each entry is the one of the table whose
    neighbours differ least from it, and that difference is its error; entries below their error are zero.
    (Ridders, Adv. Eng. Software 4 (1982) 75.)

    Steps beyond the domain of the function are made smaller. A function with a kink has central differences all the
    same, but second differences over h that do not vanish with h: such a column is rough, and so is one whose error
    stays large.
    """
    with np.errstate(all="ignore"):
        middle = f(np.zeros(n))
    if not np.isfinite(middle).all():
        return Slopes(np.zeros((len(middle), n)), np.full((len(middle), n), np.inf), tuple(range(n)))
    terms = np.abs(middle) if terms is None else np.maximum(terms, np.abs(middle))
    J, error, rough = np.zeros((len(middle), n)), np.zeros((len(middle), n)), []
    for k in range(n):
        direction = np.zeros(n)
        direction[k] = sizes[k]
        column, error[:, k], bent = _slope(f, direction, middle, terms)
        J[:, k], error[:, k] = column / sizes[k], error[:, k] / sizes[k]
        if bent:
            rough.append(k)
    return Slopes(J, error, tuple(rough))


def _slope(f: Callable[[Array], Array], direction: Array, middle: Array, terms: Array) -> tuple[Array, Array, bool]:
    """Derivative along a direction, its error, and whether it is rough."""
    best, least, row, bends = np.zeros_like(middle), np.full_like(middle, np.inf), list[Array](), list[Array]()
    h, kinked, size = FIRST, False, terms
    for _ in range(LEVELS):
        with np.errstate(all="ignore"):
            ahead, behind = f(h * direction), f(-h * direction)
        if not (np.isfinite(ahead).all() and np.isfinite(behind).all()):  # out of the domain of the function
            row, bends, h = [], [], h / 2
            continue
        terms = np.maximum(terms, np.abs(ahead))
        bends.append(np.abs(ahead + behind - 2 * middle) / h)
        table = [(ahead - behind) / (2 * h)]
        for order, coarser in enumerate(row):
            finer = table[-1]
            better = finer + (finer - coarser) / (4.0 ** (order + 1) - 1)
            gap = np.maximum(np.abs(better - finer), np.abs(better - coarser))
            best, least = np.where(gap < least, better, best), np.minimum(gap, least)
            table.append(better)
        size = np.maximum(np.abs(best).max(initial=0.0), SMALL * terms)
        curved = KINK * size + 1e-14 * terms / h
        kinked = len(bends) > 1 and bool(((bends[-1] > curved) & (bends[-1] > 0.75 * bends[-2])).any())
        if kinked:  # within reach of the step: what was found so far says nothing
            table, least = table[:1], np.full_like(middle, np.inf)
        row, h = table, h / 2
        done = len(row) >= 3 and bool((least <= ENOUGH * size).all())
        worse = bool((np.abs(table[-1] - best) > 2 * least).any())
        rounding = len(row) >= 5 and worse and bool((least <= ROUGH * size).all())
        if done or rounding:
            break
    nothing = np.abs(best) <= np.maximum(least, 1e-14 * terms / FIRST)
    return np.where(nothing, 0.0, best), least, kinked or bool((least > ROUGH * size).any())
