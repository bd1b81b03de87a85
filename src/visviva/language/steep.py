"""Unbounded slopes of traced functions: |x|^½ has one at 0, and is refused where it is given.

An energy of that kind has an infinite force inside its domain, a law an infinite stiffness: no step has a solution
there that could be told. Looked at are the zeros of what is under roots and logarithms, and the ends of arcsin and
arccos, along each variable. There the slope is taken at distances d that fall by a constant factor:

    its changes from one d to the next shrink   bounded, as that of |x|^1.5 or of |x| is
    they stay or grow, as those of x log x do   unbounded, refused where the values converge from both sides

Where the function has no values on the other side, the place is the end of its domain: √x is accepted. So is a pole,
whose values do not converge. Where no sample meets a zero, nothing is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.crossings import SAMPLES, crossings, numeric, spelled
from visviva.language.functions import near_zero
from visviva.language.kinks import is_kink
from visviva.language.slopes import slope

NEAR_ZERO = 10.0 ** -np.arange(20, 41, 5)  # distances from a zero at 0: below every length that is meant
NEAR = 10.0 ** -np.arange(3, 9.1, 1.5)  # from others, of their size
GROWING = 0.98  # ratio of successive changes of what does not converge; a power d^p has one below it for p > 0.006
CHANGE = 1e-4  # of a slope: less is rounding
ITERATIONS = 60


def refuse_steep(value: Any, variables: Sequence[Any], what: str, way_out: str) -> None:
    """An error that names where the slope of an expression by one of its symbols, the variables, is unbounded."""
    free = sorted(value.free_symbols, key=str)
    moving = [symbol for symbol in variables if symbol in value.free_symbols]
    zeros = {zero for zero in _suspects(value) if any(u.free_symbols & set(moving) for u in zero)}
    if not zeros:
        return
    at = numeric([value, *(slope(value, symbol) for symbol in moving)], free)
    for zero in sorted(zeros, key=str):
        for symbol, points in _points(zero, free, moving):
            found = _steep(at, points, free.index(symbol), 1 + moving.index(symbol))
            if found is not None:
                raise ModelError(
                    f"{what} has an unbounded slope at {spelled(free, found[0], free.index(symbol))}:"
                    f" at a distance of {found[1]:.1e} it is {found[2]:.3g}.\n{way_out}"
                )


# -- where to look ---------------------------------------------------------------------------------------------------


def _suspects(value: Any) -> Iterator[tuple[Any, ...]]:
    """Expressions that vanish, together, where the slope of a part of a value may be infinite."""
    import sympy

    for node in sympy.preorder_traversal(value):
        if node.is_Pow and (node.exp.free_symbols or not node.exp.is_integer) and not (node.exp - 1).is_nonnegative:
            yield from _zeros(node.base)
        elif isinstance(node, sympy.log):
            yield from _zeros(node.args[0])
        elif isinstance(node, near_zero("log1p")):
            yield from _zeros(1 + node.args[0])
        elif isinstance(node, sympy.asin | sympy.acos):
            yield from _zeros(node.args[0] - 1)
            yield from _zeros(node.args[0] + 1)


def _zeros(base: Any) -> Iterator[tuple[Any, ...]]:
    """Expressions that change their sign, or vanish together, where a base vanishes."""
    if not base.free_symbols or base.is_positive or base.is_negative:
        return
    if is_kink(base, "abs_") or (base.is_Pow and base.exp.is_positive):
        yield from _zeros(base.args[0])
    elif base.is_Mul:
        for factor in base.args:
            yield from _zeros(factor)
    elif is_kink(base, "max_", "min_"):
        for part in base.args:
            yield from _zeros(part)
    elif is_kink(base, "case_"):
        yield (base.args[0],)
        for part in base.args[1:]:
            yield from _zeros(part)
    elif base.is_Add and (base.is_nonnegative or base.is_nonpositive):
        yield tuple(term.as_independent(*term.free_symbols)[1].as_base_exp()[0] for term in base.args)
    else:
        yield (base,)
        if base.is_Add:  # a shifted kink, clip(x, -1, 1) - 1
            for part in base.args:
                if is_kink(part, "max_", "min_"):
                    yield from _zeros(sum(base.args) - part + part.args[0])
                    yield from _zeros(sum(base.args) - part + part.args[1])


def _points(zero: tuple[Any, ...], free: list[Any], moving: list[Any]) -> Iterator[tuple[Any, Array]]:
    """Points (k, n) where the expressions vanish, with the variable that leads through them."""
    along = [symbol for symbol in moving if any(symbol in u.free_symbols for u in zero)]
    if len(zero) == 1:
        at = numeric(zero, free)
        for symbol in along:
            found = crossings(lambda y: np.sign(at(y)[0]), len(free), free.index(symbol))
            exact = np.sign(at(middle := (found.before + found.after) / 2)[0]) == 0
            yield symbol, np.where(exact[:, None], middle, found.after)
    elif along:
        points = _common(zero, free)
        for symbol in along:
            yield symbol, points


def _common(zero: tuple[Any, ...], free: list[Any]) -> Array:
    """Common zeros by Gauss' and Newton's method, from samples, to zero itself: kinks are there exactly."""
    value, rows = numeric(zero, free), numeric([slope(u, symbol) for u in zero for symbol in free], free)
    found, rng = [], np.random.default_rng(0)
    for y in rng.uniform(-1.0, 1.0, (SAMPLES, len(free))):
        for _ in range(ITERATIONS):
            u, G = np.array(value(y)), np.reshape(rows(y), (len(zero), len(free)))
            if not (np.isfinite(u).all() and np.isfinite(G).all()) or not u.any():
                break
            y = y - np.linalg.lstsq(G, u, rcond=None)[0]  # a step: it decides no rank
        y = np.where(np.abs(y) < 1e-30, 0.0, y)
        if np.isfinite(y).all() and np.abs(value(y)).max() <= 1e-15 * max(1.0, float(np.abs(y).max())):
            found.append(y)
    return np.reshape(found, (-1, len(free)))


# -- what is there ---------------------------------------------------------------------------------------------------


def _steep(at: Callable[[Array], list[Array]], points: Array, k: int, row: int) -> tuple[Array, float, float] | None:
    """A point, a distance and a slope there, where it is unbounded from a side and the function has values on both."""
    if not len(points):
        return None
    size = np.abs(points[:, k, None])
    d = np.where(size < 1e-60, NEAR_ZERO, size * NEAR)  # (k, distances)
    sides = np.repeat(points[:, None, None, :], 2, axis=1) * np.ones((1, 1, d.shape[1], 1))
    sides[..., k] += np.array([-1.0, 1.0])[:, None] * d[:, None, :]
    found = at(sides)
    values, slopes = found[0], found[row]  # (k, 2, distances)
    with np.errstate(invalid="ignore"):
        change, way = np.abs(np.diff(slopes)), np.abs(np.diff(values))
    unbounded = (change[..., 2:] >= GROWING * change[..., 1:-1]).all(-1)
    unbounded &= (change[..., -1] > CHANGE * np.abs(slopes[..., -1])) & np.isfinite(slopes).all(-1)
    converges = (way[..., 2:] <= GROWING * way[..., 1:-1]).all(-1)
    inside = np.asarray(np.isfinite(values).all((-2, -1)) & converges.all(-1))
    steep = np.argwhere(unbounded & inside[:, None])
    if not len(steep):
        return None
    i, side = steep[np.abs(points[steep[:, 0], k]).argmin()]
    last = int(np.flatnonzero(np.isfinite(slopes[i, side]))[-1])
    return points[i], float(d[i, last]), float(slopes[i, side, last])
