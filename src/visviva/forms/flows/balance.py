"""Steps that close the balance of energy: one scalar unknown per step, found by secants.

The balance over a step is E(y1) - E(y0) = h Σ b_i P_i with the powers at the stages and the weights of the scheme, so
that work and heat are accounted for by the quadrature of the step itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.local import Local

EPS = float(np.finfo(np.float64).eps)
TRIES = 12


def supplied(local: Local, c: Array, b: Array, Y: Array, h: float) -> float:
    """Σ b_i P_i, the mean power of a step [W]."""
    powers = [local.power(local.start.t + c_i * h, y) if b_i else 0.0 for c_i, b_i, y in zip(c, b, Y, strict=True)]
    return float(b @ np.array(powers))


def root(gap: Callable[[float], float], start: float, second: float, rounding: float) -> tuple[float, float]:
    """(a, gap(a)) with the smallest gap that secants find; they end at rounding, or where the gap no longer falls.

    Their second point is a guess, so that they go on with the nearest of all, unlike Newton's method.
    """
    old, g_old, new, stalled = start, gap(start), second, 0
    best, g_best = old, g_old
    for _ in range(TRIES):
        if abs(g_best) <= rounding or stalled == 2:
            break
        g_new = gap(new)
        if abs(g_new) < abs(g_best):
            best, g_best, stalled = new, g_new, 0
        else:
            stalled += 1  # once is no reason to give up: the second point is a guess
        if g_new == g_old or not np.isfinite(g_new):
            break
        old, new, g_old = new, new - g_new * (new - old) / (g_new - g_old), g_new
    return best, g_best
