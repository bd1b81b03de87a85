"""Where expressions change their sign: along lines in the space of their variables, to two neighbouring numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array

SAMPLES = 8
REACH = np.concatenate([-np.logspace(6, -6, 49), np.logspace(-6, 6, 49)])  # where lines are looked at, SI units
HALVINGS = 400  # of lines; to very small numbers, since roots have steep ends
MOST = 64  # crossings that are looked at


@final
@dataclass(frozen=True, eq=False)
class Crossings:
    """Points before and after changes of sign, and those between which they were looked for; each (k, n)."""

    before: Array
    after: Array
    low: Array
    high: Array


def crossings(sign: Callable[[Array], Array], n: int, k: int) -> Crossings:
    """Changes of a sign over R^n as its variable k moves, the others at samples."""
    rng = np.random.default_rng(0)
    others = rng.uniform(-1.0, 1.0, (SAMPLES, 1, n)) * rng.choice([0.1, 1.0, 10.0], (SAMPLES, 1, 1))
    lines = np.tile(others, (1, len(REACH), 1))
    lines[..., k] = REACH * rng.uniform(0.7, 1.3, (SAMPLES, 1))
    sides = sign(lines)
    crossed = np.argwhere(sides[:, :-1] * sides[:, 1:] < 0)
    crossed = crossed[:: max(1, len(crossed) // MOST)]
    low, high = (lines[crossed[:, 0], crossed[:, 1] + step] for step in (0, 1))
    return Crossings(*_neighbours(sign, low, high), low, high)


def numeric(values: Sequence[Any], free: Sequence[Any]) -> Callable[[Array], list[Array]]:
    """A NumPy function of points (..., n) of expressions in some symbols, one array for each."""
    import sympy

    from visviva.language.discrete import FUNCTIONS

    function = sympy.lambdify(free, list(values), modules=[FUNCTIONS, "numpy"], cse=True)

    def evaluate(y: Array) -> list[Array]:
        with np.errstate(all="ignore"):
            return [np.broadcast_to(part, y.shape[:-1]).astype(float) for part in function(*np.moveaxis(y, -1, 0))]

    return evaluate


def spelled(free: Sequence[Any], point: Array, k: int) -> str:
    """A point for errors, the variable k first."""
    rest = ", ".join(f"{symbol} = {point[j]:.6g}" for j, symbol in enumerate(free) if j != k)
    return f"{free[k]} = {0.0 if abs(point[k]) < 1e-60 else point[k]:.6g}{f' ({rest})' if rest else ''}"


def _neighbours(sign: Callable[[Array], Array], below: Array, above: Array) -> tuple[Array, Array]:
    """The last points on the side of `below` and the first on that of `above`, by bisection; ties are between them."""
    sides = sign(below), sign(above)
    last, first = [below, above], [below, above]
    for _ in range(HALVINGS):
        for ends, side in ((last, 0), (first, 1)):
            middle = (ends[0] + ends[1]) / 2
            own = (sign(middle) == sides[side])[..., None]
            ends[side], ends[1 - side] = np.where(own, middle, ends[side]), np.where(own, ends[1 - side], middle)
    return last[0], first[1]
