"""Jumps of traced functions: what has one is refused where it is given, since no step could balance it.

|x|, max, min and clip never jump. Where an expression changes its branch (np.where, np.sign, np.heaviside) by the sign
of some c, it is followed through c = 0 along lines in the space of its variables, one for each variable that c depends
on: from samples of the others, to the two neighbouring numbers between which c changes its sign. The values there must
be equal, to 1e-9 of the values along the line. So what counts is the expression as a whole: x² sign x has no jump.
Where no sample meets c = 0, nothing is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.kinks import kinks_of

SAMPLES = 8
TOLERANCE = 1e-9  # of the values along a line: branches that are nearer meet
REACH = np.concatenate([-np.logspace(6, -6, 49), np.logspace(-6, 6, 49)])  # where lines are looked at, SI units
HALVINGS = 400  # of lines; to very small numbers, since roots have steep ends

ENERGY = (
    "An energy that jumps has no force there, and no step could balance it. Let its branches meet, e.g. by a constant\n"
    "added to one of them, or write a steep but smooth step, such as np.tanh(x / width)."
)
LAW = (
    "A law that jumps has no solution where it would have to stop halfway. Give it a slope: np.clip(v / v_reg, -1, 1)\n"
    "or np.tanh(v / v_reg) instead of np.sign(v); for dry friction there is vv.friction.coulomb(level, v_reg=...)."
)
CONSTRAINT = "No motion can follow a constraint over a jump: let its branches meet."
FEEDBACK = (
    "A step solves for its inputs, and may find none between both values. Give it a slope: np.clip(x / width, -1, 1)\n"
    "or np.tanh(x / width) instead of np.sign(x). Jumps in time alone are allowed."
)


def refuse_jumps(
    values: Any, variables: Sequence[Any], parameters: Mapping[Any, float], what: str, way_out: str
) -> None:
    """An error that names where one of some expressions jumps.

    variables: symbols that move.   parameters: numbers of the others.   way_out: what to do instead.
    """
    import sympy

    for value in map(sympy.sympify, np.ravel(np.asarray(values, dtype=object))):
        switches = {node.args[0] for node in kinks_of(value, "sign_", "case_")}
        for c in sorted(switches, key=str):
            moving = [symbol for symbol in variables if symbol in c.free_symbols]
            if moving:
                _follow(value, c, moving, parameters, f"{what} jumps", way_out)


def _follow(value: Any, c: Any, moving: list[Any], parameters: Mapping[Any, float], what: str, way_out: str) -> None:
    import sympy

    free = sorted(value.free_symbols - set(parameters), key=str)
    number = sympy.lambdify(free, [e.subs(parameters) for e in (value, c)], modules=[_functions(), "numpy"], cse=True)

    def at(y: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            value, c = (np.broadcast_to(part, y.shape[:-1]) for part in number(*np.moveaxis(y, -1, 0)))
        return value.astype(float), np.sign(c)

    rng = np.random.default_rng(0)
    for symbol in moving:
        k = free.index(symbol)
        others = rng.uniform(-1.0, 1.0, (SAMPLES, 1, len(free))) * rng.choice([0.1, 1.0, 10.0], (SAMPLES, 1, 1))
        lines = np.tile(others, (1, len(REACH), 1))
        lines[..., k] = REACH * rng.uniform(0.7, 1.3, (SAMPLES, 1))
        values, sides = at(lines)
        crossed = np.argwhere(sides[:, :-1] * sides[:, 1:] < 0)
        crossed = crossed[:: max(1, len(crossed) // 64)]
        before, after = _neighbours(at, *(lines[crossed[:, 0], crossed[:, 1] + step] for step in (0, 1)))
        left, right = at(before)[0], at(after)[0]
        ends = (values[crossed[:, 0], crossed[:, 1] + step] for step in (0, 1))
        size = np.abs([left, right, *ends]).max(axis=0)
        found = np.flatnonzero(np.isfinite(size) & (np.abs(right - left) > TOLERANCE * size))
        if found.size:
            i = found[np.abs(after[found, k]).argmin()]
            rest = ", ".join(f"{s} = {before[i, j]:.6g}" for j, s in enumerate(free) if j != k)
            where = f"{symbol} = {0.0 if abs(after[i, k]) < 1e-60 else after[i, k]:.6g}{f' ({rest})' if rest else ''}"
            raise ModelError(f"{what} at {where}: it is {left[i]:.6g} before and {right[i]:.6g} after.\n{way_out}")


def _neighbours(at: Callable[[Array], tuple[Array, Array]], below: Array, above: Array) -> tuple[Array, Array]:
    """The last points on the side of `below` and the first on that of `above`, by bisection; ties are between them."""
    sides = at(below)[1], at(above)[1]
    last, first = [below, above], [below, above]
    for _ in range(HALVINGS):
        for ends, side in ((last, 0), (first, 1)):
            middle = (ends[0] + ends[1]) / 2
            own = (at(middle)[1] == sides[side])[..., None]
            ends[side], ends[1 - side] = np.where(own, middle, ends[side]), np.where(own, ends[1 - side], middle)
    return last[0], first[1]


def _functions() -> dict[str, Any]:
    from visviva.language.discrete import FUNCTIONS

    return FUNCTIONS
