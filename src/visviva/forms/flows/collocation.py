"""Steps of flows by Gauss' collocation: fixed-point iteration, or Newton's method where it does not contract."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.local import Local
from visviva.integrate.newton import NotConverged
from visviva.numerics.convergence import Convergence

EPS = float(np.finfo(np.float64).eps)
ROUNDED = 16 * EPS  # relative change of the stages at which nothing more can be gained
ACCEPTED = 1e-11  # the same, once it has stopped falling
SLOW = 0.5  # a change that falls by less does not contract
STAGNANT = 0.9  # a change that falls by less, twice, has stopped falling
FIXED, NEWTON = 40, 30  # iterations
DIFFERENCE = float(np.cbrt(EPS))


@final
@dataclass(frozen=True, eq=False)
class Gauss:
    """Gauss' method: Y_i = y0 + h Σ a_ij k_j, k_i = f(Y_i), with the nodes and weights of Legendre's polynomial."""

    A: Array
    b: Array
    c: Array

    def continued(self, ratio: float) -> Array:
        """X with k(new) = X k(old): the polynomial of the last step, at stages of one `ratio` times as long."""
        powers = np.vander(self.c, increasing=True)
        return np.asarray(np.vander(1.0 + ratio * self.c, len(self.c), increasing=True) @ np.linalg.inv(powers))


@cache
def gauss_table(stages: int = 4) -> Gauss:
    """Of order 2 stages; Hairer, Lubich, Wanner (2006), section II.1.3."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c, k = 0.5 * (x + 1.0), np.arange(1, stages + 1)
    A = (c[:, None] ** k / k) @ np.linalg.inv(np.vander(c, increasing=True))
    return Gauss(A, 0.5 * w, c)


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """Stages Y with their rates K, and how they were found."""

    Y: Array
    K: Array
    iterations: int
    residual: float


def predicted(local: Local, table: Gauss, h: float) -> Array:
    """Rates to start from: those of the last step, continued; else that at the start. Rates of δ follow from ξ."""
    n, S = local.flow.n, len(table.b)
    width = S * (len(local.y0) - n)
    if len(local.start.memory) == width + 1:
        old = local.start.memory[:-1].reshape(S, -1)
        free = table.continued(h / float(local.start.memory[-1])) @ old
    else:
        free = np.tile(local.rate(local.start.t, local.y0)[n:], (S, 1))
    xi = local.y0[n : 2 * n] + h * table.A @ free[:, :n]
    return np.concatenate([xi, free], axis=1)


def memory(local: Local, K: Array, h: float) -> Array:
    """What the next step is predicted from: the rates of (ξ, s), and the length of the step."""
    return np.append(K[:, local.flow.n :].ravel(), h)


def solve(local: Local, table: Gauss, h: float, K: Array, theta: float = 0.0) -> Solved:
    """The stages of a step, from start values K of their rates.

    theta: a fictitious damping [1/s], k_i = f(Y_i) - (0, θ ξ_i, 0), see `balance`.
    """
    try:
        return _fixed_point(local, table, h, K, theta)
    except NotConverged:
        return _newton(local, table, h, theta)


def _evaluated(local: Local, table: Gauss, h: float, K: Array, theta: float) -> tuple[Array, Array]:
    n, Y = local.flow.n, local.y0 + h * table.A @ K
    new = np.array([local.rate(local.start.t + c * h, y) for c, y in zip(table.c, Y, strict=True)])
    new[:, n : 2 * n] -= theta * Y[:, n : 2 * n]
    return Y, new


def _fixed_point(local: Local, table: Gauss, h: float, K: Array, theta: float) -> Solved:
    rule, last = Convergence(ROUNDED, ACCEPTED, falls=STAGNANT, stalls=2), np.inf
    for iteration in range(1, FIXED + 1):
        Y, new = _evaluated(local, table, h, K, theta)
        change = _change(local, h, new, new - K)
        K = new
        if rule.ended(change):
            return Solved(Y, K, iteration, change)
        if not np.isfinite(change) or (change > max(SLOW * last, ACCEPTED) and iteration > 2):
            break
        last = change
    raise NotConverged("its stages do not contract", -1, last)


def _newton(local: Local, table: Gauss, h: float, theta: float) -> Solved:
    """Simplified Newton, (I - h A ⊗ f_y) ΔK = f(Y) - K, cold, from the rate at the start.

    The slope f_y is that at the start, and where iterations are slow that in the middle of the step.
    """
    N, S, t = len(local.y0), len(table.b), local.start.t
    k = local.rate(t, local.y0)
    sizes, K, middle = local.sizes(h, k), np.tile(k, (S, 1)), local.y0
    inverse = _inverse(local, table, h, t, middle, sizes, theta)
    rule, last = Convergence(ROUNDED, ACCEPTED, falls=STAGNANT, stalls=2), np.inf
    for iteration in range(1, NEWTON + 1):
        new = _evaluated(local, table, h, K, theta)[1]
        if not np.isfinite(new).all():
            break
        step = (inverse @ (new - K).ravel()).reshape(S, N)
        K = K + step
        change = _change(local, h, K, step)
        if rule.ended(change):
            return Solved(local.y0 + h * table.A @ K, K, iteration, change)
        if change > max(SLOW * last, ACCEPTED):
            middle = local.y0 + 0.5 * h * (table.b @ K)
            inverse = _inverse(local, table, h, t + 0.5 * h, middle, sizes, theta)
        last = change
    raise NotConverged("its stages were not found by iteration", -1, rule.best)


def _inverse(local: Local, table: Gauss, h: float, t: float, y: Array, sizes: Array, theta: float) -> Array:
    """(I - h A ⊗ f_y)⁻¹ with f_y at (t, y), which includes the damping θ."""
    n, slope = local.flow.n, _slope(local, t, y, sizes)
    slope[n : 2 * n, n : 2 * n] -= theta * np.eye(n)
    if not np.isfinite(slope).all():
        raise NotConverged("its rates are not finite", -1, np.nan)
    try:
        return np.asarray(np.linalg.inv(np.eye(len(y) * len(table.b)) - h * np.kron(table.A, slope)))
    except np.linalg.LinAlgError:
        raise NotConverged("the matrix of the step is singular", -1, np.nan) from None


def _slope(local: Local, t: float, y: Array, sizes: Array) -> Array:
    """∂f/∂y by central differences."""
    columns = []
    for k, size in enumerate(sizes):
        step = np.zeros(len(y))
        step[k] = DIFFERENCE * size
        columns.append((local.rate(t, y + step) - local.rate(t, y - step)) / (2.0 * step[k]))
    return np.array(columns).T


def _change(local: Local, h: float, K: Array, step: Array) -> float:
    """Largest change of the stages, in each of δ, ξ and s relative to what is largest there."""
    n, found = local.flow.n, [0.0]
    for part in (slice(0, n), slice(n, 2 * n), slice(2 * n, None)):
        change = np.abs(h * step[:, part]).max(initial=0.0)
        size = max(np.abs(local.y0[part]).max(initial=0.0), np.abs(h * K[:, part]).max(initial=0.0))
        found.append(float(change / (size or 1.0)))
    return max(found) if np.isfinite(found).all() else np.inf
