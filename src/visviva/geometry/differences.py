"""Derivatives of functions that can only be evaluated: extrapolated central differences that know their error."""

from __future__ import annotations

from collections.abc import Callable, Generator
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
SHORTER = 6.7  # the last step over the one that must confirm what was found
ROUNDS = 3  # of halvings, each from where the last one ended
SHORTEST = 1e-12  # in units of the variable: a first step below says nothing but rounding


@final
@dataclass(frozen=True, eq=False)
class Slopes:
    """J, (m, n), with an estimate of its error, and the columns along which the function is not smooth."""

    J: Array
    error: Array  # (m, n)
    rough: tuple[int, ...]


Pair = tuple[Array, Array]
Asking = Generator[float, Pair, tuple[Array, Array, bool]]


def slopes(f: Callable[[Array], Array], n: int, sizes: Array, terms: Array | None = None) -> Slopes:
    """∂f/∂x at x = 0 of a function of n variables whose typical sizes are given.

    f:     takes many points at once, (k, n), and gives as many values (k, m); see `each`.
    terms: sizes of the terms that add up to the values (m,), whose rounding the values have; default: the values.

    Central differences of halved steps, extrapolated to the step zero; each entry is the one of the table whose
    neighbours differ least from it, and that difference is its error; entries below their error are zero.
    (Ridders, Adv. Eng. Software 4 (1982) 75.)

    Steps beyond the domain of the function are made smaller. A function with a kink has central differences all the
    same, but second differences over h that do not vanish with h: such a column is rough, and so is one whose error
    stays large.

    A size that is far above the one on which the function varies would give a number all the same: a shorter step has
    to confirm it. Where it does not, and where a column is rough, halving goes on from there.
    """
    with np.errstate(all="ignore"):
        middle = f(np.zeros((1, n)))[0]
    if not np.isfinite(middle).all():
        return Slopes(np.zeros((len(middle), n)), np.full((len(middle), n), np.inf), tuple(range(n)))
    terms = np.abs(middle) if terms is None else np.maximum(terms, np.abs(middle))
    J, error, rough = np.zeros((len(middle), n)), np.zeros((len(middle), n)), set[int]()
    searches = {k: _confirmed(middle, terms) for k in range(n)}
    asked = {k: next(search) for k, search in searches.items()}
    while asked:
        steps = np.zeros((len(asked), n))
        for row, (k, h) in zip(steps, asked.items(), strict=True):
            row[k] = h * sizes[k]
        with np.errstate(all="ignore"):
            ahead, behind = np.split(f(np.concatenate([steps, -steps])), 2)
        for k, *both in list(zip(asked, ahead, behind, strict=True)):
            try:
                asked[k] = searches[k].send((both[0], both[1]))
            except StopIteration as done:
                J[:, k], error[:, k] = done.value[0] / sizes[k], done.value[1] / sizes[k]
                rough |= {k} if done.value[2] else set()
                del asked[k]
    return Slopes(J, error, tuple(sorted(rough)))


def each(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function of one point as one of many."""
    return lambda points: np.array([f(point) for point in points])


def _confirmed(middle: Array, terms: Array) -> Asking:
    """Derivative along a direction, its error, and whether it is rough; asks for values at ±h along it."""
    h, found = FIRST, list[Pair]()
    for _ in range(ROUNDS):
        best, least, rough, h, size, large = yield from _slope(middle, terms, h)
        found.append((np.where(np.abs(best) <= np.maximum(least, 1e-14 * large / FIRST), 0.0, best), least))
        h = h / SHORTER
        if not rough:
            ahead, behind = yield h
            if not (np.abs((ahead - behind) / (2 * h) - best) > KINK * size + 1e-13 * large / h).any():
                return *found[-1], False
        if h < SHORTEST:
            break
    return *found[0], True


def _slope(
    middle: Array, terms: Array, first: float
) -> Generator[float, Pair, tuple[Array, Array, bool, float, Array, Array]]:
    """The same of steps that are halved from a first one, with the last one, and sizes of slopes and of values."""
    best, least, row, bends = np.zeros_like(middle), np.full_like(middle, np.inf), list[Array](), list[Array]()
    h, kinked, size = first, False, terms
    for _ in range(LEVELS):
        ahead, behind = yield h
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
    return best, least, kinked or bool((least > ROUGH * size).any()), h, size, terms
