"""Parts of a step that keeps the rates of constraints as well: start values, residual, and what is remembered."""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import put, times, vector
from visviva.kernels.multibody.ggl_bodies import close_balances, end_turn, end_turn_back
from visviva.kernels.multibody.ggl_rows import rate_rows
from visviva.kernels.multibody.ggl_tables import DV1, PSI, V1, Rates
from visviva.kernels.multibody.tables import SHRINK, A, Int, W

ENDS = 8  # place of the weights of velocities at the ends of steps in the start values


@inner
def place_middle(B: Array, h: float) -> None:
    """A and SHRINK of the velocities as they are."""
    for b in range(B.shape[0] - 1):
        a = times(0.5 * h, vector(B, b, W))
        put(B, b, A, a)
        B[b, SHRINK] = 1.0 / (1.0 + a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inner
def predict_rates(B: Array, level: Rates, active: Mask, history: Array, weights: Array, along: bool, h: float) -> None:
    """Start values of the second level: the last solutions continued by their weights, or the last one as it is."""
    n, m = B.shape[0] - 1, level.G.size
    first = 6 * n + m
    c0, c1, c2, c3, l0, l1, l2, l3 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    if along:
        c0, c1, c2, c3 = weights[ENDS], weights[ENDS + 1], weights[ENDS + 2], weights[ENDS + 3]
        l0, l1, l2, l3 = weights[4], weights[5], weights[6], weights[7]
    place_middle(B, h)
    for b in range(n):
        for j in range(6):
            k = first + 6 * b + j
            level.B[b, V1 + j] = c0 * history[0, k] + c1 * history[1, k] + c2 * history[2, k] + c3 * history[3, k]
        put(level.B, b, PSI, end_turn_back(B, b, vector(level.B, b, PSI)))
    for k in range(m):
        l = first + 6 * n + k
        y = l0 * history[0, l] + l1 * history[1, l] + l2 * history[2, l] + l3 * history[3, l]
        level.G[k] = -y if active[k] else 0.0


@inner
def rate_residual(B: Array, X: Array, K: Int, rows: int, active: Mask, level: Rates, h: float) -> tuple[float, int]:
    """What G does, and the rest of the balances; the largest scaled rate, and its place."""
    found = rate_rows(B, level.B, X, level.X, K, rows, level.G, level.gap, active, h)
    close_balances(B, level.B, h)
    return found


@inner
def move_rates(level: Rates, active: Mask, part: float) -> None:
    """Take a part of the increments that the matrix has given."""
    for b in range(level.B.shape[0] - 1):
        for j in range(6):
            level.B[b, V1 + j] += part * level.B[b, DV1 + j]
    for k in range(level.G.size):
        level.G[k] += part * level.dG[k] if active[k] else 0.0


@inner
def keep_rates(level: Rates, y: Array) -> None:
    """Copy the unknowns of the second level to y."""
    n = level.B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            y[6 * b + j] = level.B[b, V1 + j]
    for k in range(level.G.size):
        y[6 * n + k] = level.G[k]


@inner
def restore_rates(level: Rates, y: Array) -> None:
    """Copy the unknowns of the second level from y."""
    n = level.B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            level.B[b, V1 + j] = y[6 * b + j]
    for k in range(level.G.size):
        level.G[k] = y[6 * n + k]


@inner
def remember_rates(B: Array, level: Rates, y: Array) -> None:
    """The same for start values of later steps: angular velocities as they are at the end, and γ."""
    n = B.shape[0] - 1
    keep_rates(level, y)
    for b in range(n):
        w = end_turn(B, b, vector(level.B, b, PSI))
        y[6 * b + 3], y[6 * b + 4], y[6 * b + 5] = w
    for k in range(level.G.size):
        y[6 * n + k] = -level.G[k]
