"""Couplings in a step: rows Σ c_k q_k = s over coordinates of joints, angles exact between both ends of a step.

A coordinate is an element of one function, a displacement, or of two, cos θ and sin θ; its effort is Λ c_k times its
derivative between both ends, see `visviva.geometry.turning`. What elements do with efforts and slopes does the rest;
rows and columns of the multipliers are put together here.
"""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import exceeds
from visviva.kernels.multibody.curvature import FIRST, columns_of
from visviva.kernels.multibody.turns import turned_by

from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, CHILD, PARENT, SIZE_G, Couplings, G, Int,
)  # fmt: skip


@inner
def couple(
    c: Couplings, T: Array, y: Array, effort: Array, slope: Array, lam: Array, gap: Array, X: Array, u: Array, h: float
) -> None:
    """Values of all rows at the end of a step, g(q1)/h, and the efforts of their multipliers."""
    for r in range(c.rows.shape[0]):
        k, L, value = c.rows[r, 0], lam[c.rows[r, 0]] / h, -c.constant[r]
        size = abs(c.constant[r])
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, a, turn = c.terms[t, 0], c.coefficients[t], c.terms[t, 2]
            if turn < 0:
                c.secant[i], c.end[i] = a, a
                effort[i] += L * a
                value += a * y[1, i]
                size += abs(a) * X[c.terms[t, 3], SIZE_G]
                continue
            c1, s1 = y[1, i], y[1, i + 1]
            moved = turned_by(y[0, i], y[0, i + 1], c1, s1)
            value += a * (T[turn, ANGLE] + moved.angle)
            size += abs(a) * max(1.0, abs(T[turn, ANGLE]))
            unit = a / (c1 * c1 + s1 * s1)
            c.secant[i], c.secant[i + 1] = a * moved.by_c, a * moved.by_s
            c.end[i], c.end[i + 1] = -unit * s1, unit * c1
            effort[i] += L * a * moved.by_c
            effort[i + 1] += L * a * moved.by_s
            at = c.terms[t, 1]
            slope[at] += L * a * moved.cc
            slope[at + 1] += L * a * moved.cs
            slope[at + 2] += L * a * moved.sc
            slope[at + 3] += L * a * moved.ss
        at = c.rows[r, 3]
        if at >= 0:
            value -= c.shift[at]
            size += abs(c.shift[at])
            if c.shifts[at, 1] >= 0:
                moved_by = h * u[c.shifts[at, 1]]
                value -= moved_by
                size += abs(moved_by)
        c.size[r] = size
        gap[k] = value / h


@inner
def coupling_columns(c: Couplings, B: Array, X: Array, K: Int, r: int, q: Array, V: Array, first: int) -> None:
    """Impulses and slopes of one row on all of its bodies: V[first:], 12 numbers each."""
    n = B.shape[0] - 1
    begin, stop = c.rows[r, 4], c.rows[r, 5]
    for j in range(12 * (stop - begin)):
        V[first + j] = 0.0
    for t in range(c.rows[r, 1], c.rows[r, 2]):
        for part in range(1 if c.terms[t, 2] < 0 else 2):
            i, measure = c.terms[t, 3] + part, c.terms[t, 0] + part
            columns_of(B, X, K, i, FIRST, q)
            for side in range(2):
                b = K[i, PARENT] if side == 0 else K[i, CHILD]
                if b == n:
                    continue
                for slot in range(begin, stop):
                    if c.bodies[slot] == b:
                        at = first + 12 * (slot - begin)
                        for j in range(6):
                            V[at + j] += c.secant[measure] * q[6 * side + j]
                            V[at + 6 + j] += c.end[measure] * q[12 + 6 * side + j]


@inner
def worst_coupling(c: Couplings, gap: Array, active: Mask, h: float, solved: bool) -> tuple[float, int]:
    """The largest |g| relative to the size of its terms, of rows that are solved or of those that are not."""
    worst, at = 0.0, -1
    for r in range(c.rows.shape[0]):
        k = c.rows[r, 0]
        if active[k] == solved:
            missing = abs(h * gap[k]) / c.size[r]
            if exceeds(missing, worst):
                worst, at = missing, k
    return worst, at


@inner
def coupling_gap(c: Couplings, T: Array, X: Array) -> float:
    """The largest |g| at a node, relative to the size of its terms."""
    worst = 0.0
    for r in range(c.rows.shape[0]):
        value = -c.constant[r]
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            turn = c.terms[t, 2]
            value += c.coefficients[t] * (X[c.terms[t, 3], G] if turn < 0 else T[turn, ANGLE])
        if c.rows[r, 3] >= 0:
            value -= c.shift[c.rows[r, 3]]
        worst = max(worst, abs(value) / c.size[r])
    return worst


@inner
def move_shifts(c: Couplings, u: Array, h: float) -> None:
    """What inputs prescribe at the end of a step."""
    for k in range(c.shifts.shape[0]):
        if c.shifts[k, 1] >= 0:
            c.shift[k] += h * u[c.shifts[k, 1]]


@inner
def read_shifts(c: Couplings, x: Array) -> None:
    """From a state."""
    for k in range(c.shifts.shape[0]):
        c.shift[k] = x[c.shifts[k, 0]]


@inner
def write_shifts(c: Couplings, T: Array, x: Array) -> None:
    """To a state, and the angles that are followed there."""
    for k in range(c.shifts.shape[0]):
        x[c.shifts[k, 0]] = c.shift[k]
    for k in range(c.followed.shape[0]):
        x[c.followed[k, 1]] = T[c.followed[k, 0], ANGLE]
