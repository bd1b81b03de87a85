"""Projections on constraints: the nearest point with g(q) = 0, and the nearest velocities with Z v = 0.

    minimise ½ δᵀ M δ  with  Z δ = -g(q),      q ← advance(q, δ)                              `nearest_point`
    minimise ½ (v' - v)ᵀ M (v' - v)  with  Z v' = 0                                          `nearest_velocities`

Steps of Gauss and Newton's, each a least change in the metric M, see `numerics.constrained`; `advance` goes along
groups. They end where g is rounding, by the rule of `numerics.convergence`. Where rows of Z depend on each other, or
contradict, a step is that of least squares. Of sparse rows over many bodies `numerics.saddle` finds the nearest motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, final

import numpy as np

from visviva._arrays import Array
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.rank import LEAST, LIGHTEST, significant, unit_rows, velocity_units

X = TypeVar("X")


@final
@dataclass(frozen=True, eq=False)
class Gap:
    """What constraints leave at a point.

    g: (m,).   sizes: of the terms that cancel in it, (m,); zero only where g is.
    change: from z (m,) the least change δ (n,) with Z δ = z; it is asked where a projection goes on.
    """

    g: Array
    sizes: Array
    change: Callable[[Array], Array]

    @property
    def worst(self) -> int:
        """The row that misses most."""
        return int(relative(self.g, self.sizes).argmax())

    @property
    def largest(self) -> float:
        """What it misses, in units of its terms."""
        return float(relative(self.g, self.sizes).max(initial=0.0))


def relative(g: Array, sizes: Array) -> Array:
    """|g| in units of the terms that cancel in it, (m,)."""
    return np.divide(np.abs(g), sizes, out=np.zeros(len(g)), where=g != 0.0)


def nearest_point(
    point: X, gap: Callable[[X], Gap], advance: Callable[[X, Array], X], rule: Convergence, iterations: int
) -> tuple[X, bool]:
    """The point that steps of least change lead to, and whether constraints hold there to rounding.

    gap: what they leave at a point.   advance: the point after an increment.
    """

    def step(point: X) -> tuple[float, Callable[[], X]]:
        left = gap(point)
        return left.largest, lambda: advance(point, left.change(-left.g))

    return newton(point, step, rule, iterations)


def nearest_velocities(M: Array, Z: Array, v: Array) -> Array:
    """v' with Z v' = 0 next to v in the metric M, for batches M (..., n, n), Z (..., m, n) and v (..., n).

    With the projection P on what Z leaves they solve P M P v' = P M v, P v' = v', here in units in which the inertia of
    each velocity is one. M need be definite on what Z leaves alone.
    """
    unit = velocity_units(np.diagonal(M, axis1=-2, axis2=-1), lightest=LEAST)
    M = unit[..., None] * 0.5 * (M + np.swapaxes(M, -1, -2)) * unit[..., None, :]
    _, s, Vt = np.linalg.svd(unit_rows(Z * unit[..., None, :])[0], full_matrices=False)
    held = np.swapaxes(Vt, -1, -2) @ (significant(s)[..., None] * Vt)
    P = np.eye(v.shape[-1]) - held
    K = np.asarray(np.linalg.pinv(P @ M @ P + held, rcond=LIGHTEST, hermitian=True))  # regular but without inertia
    return np.asarray(unit * (K @ P @ M @ (v / unit)[..., None])[..., 0])
