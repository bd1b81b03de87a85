"""Residual of a step of a mechanism: balances of momentum and rows of joints, scaled by the size of their terms."""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import Place, exceeds, minus, plus, size_of, times, vector

from visviva.kernels.multibody.functions import (  # isort: skip
    dot_middle, hinge_middle, meet_middle, middle, push, push_dot, push_meet, push_moment,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ALONE, CHILD, DOT, KIND, MA, MASS, MEET, PARENT, PHI, PLACE, REACH, SECOND, SIZE_G, SIZE_R, SIZE_T, TWIN, G, Int,
    U, W,
)  # fmt: skip

EXACT = 8.0  # weight of rows against balances: what they miss moves bodies, and heights are energy
SMALLEST = 1e-12  # of the largest size of its kind: below, a balance counts as that of the others


@inner
def joints(B: Array, X: Array, K: Int, rows: int, lam: Array, gap: Array, active: Mask, h: float) -> tuple[float, int]:
    """Rows of all joints, and their impulses on the bodies; the largest scaled row, and its place."""
    worst, at = 0.0, -1
    for i in range(rows):
        k, P, C = K[i, PLACE], K[i, PARENT], K[i, CHILD]
        if K[i, TWIN] == SECOND:
            continue
        if K[i, KIND] == MEET:
            speed = size_of(vector(B, P, U)) + size_of(vector(B, C, U))
            g = plus(times(1.0 / h, vector(X, i, G)), meet_middle(B, X, K, i))
            gap[k], gap[k + 1], gap[k + 2] = g
            push_meet(B, X, K, i, (lam[k], lam[k + 1], lam[k + 2]))
            r = 0.0
            for j in range(3):
                if active[k + j] and exceeds(abs(g[j]), r):
                    r = abs(g[j])
        elif K[i, TWIN] != ALONE:
            speed = size_of(vector(B, P, W)) + size_of(vector(B, C, W))
            first, second = hinge_middle(B, X, K, i)
            gap[k], gap[k + 1] = X[i, G] / h + first, X[i + 1, G] / h + second
            push_moment(B, P, C, plus(times(lam[k], vector(X, i, MA)), times(lam[k + 1], vector(X, i + 1, MA))))
            r = abs(gap[k]) if active[k] else 0.0
            if active[k + 1] and exceeds(abs(gap[k + 1]), r):
                r = abs(gap[k + 1])
        elif K[i, KIND] == DOT:
            speed = size_of(vector(B, P, W)) + size_of(vector(B, C, W))
            gap[k] = X[i, G] / h + dot_middle(B, X, K, i)
            push_dot(B, X, K, i, lam[k])
            r = abs(gap[k]) if active[k] else 0.0
        else:
            speed = size_of(vector(B, P, U)) + size_of(vector(B, C, U))
            gap[k] = X[i, G] / h + middle(B, X, K, i, h)
            push(B, X, K, i, lam[k])
            r = abs(gap[k]) if active[k] else 0.0
        r *= EXACT / (X[i, SIZE_G] / abs(h) + speed)
        if exceeds(r, worst):
            worst, at = r, k
    return worst, at


@inner
def reach(B: Array) -> None:
    """Forces round at the ends of the longest arms, too: that is added to the sizes of moments."""
    for b in range(B.shape[0] - 1):
        B[b, SIZE_R] += B[b, REACH] * B[b, SIZE_T]


@inner
def balances(B: Array, R: Array, force: Place) -> tuple[float, int]:
    """The largest scaled balance of momentum, and its place: 2 b for the force on body b, 2 b + 1 for the moment.

    R, force: a table and the first of six columns in it, where the balances are.
    What the balance of a massless body misses acts on its neighbours: it counts by the largest size of all, since its
    own forces may all vanish but for their rounding.
    """
    most_T, most_R, massless, apart, worst, at = 1e-300, 1e-300, False, 0.0, 0.0, -1
    for b in range(B.shape[0] - 1):
        most_T, most_R = max(most_T, B[b, SIZE_T]), max(most_R, B[b, SIZE_R])
        massless = massless or not B[b, MASS] > 0.0
    if massless:
        for b in range(1, B.shape[0] - 1):
            apart = max(apart, size_of(minus(vector(B, b, PHI), vector(B, 0, PHI))))
    for b in range(B.shape[0] - 1):
        floor = SMALLEST if B[b, MASS] > 0.0 else 1.0
        r = size_of(vector(R, b, force)) / max(B[b, SIZE_T], floor * most_T)
        if exceeds(r, worst):
            worst, at = r, 2 * b
        least = most_R if B[b, MASS] > 0.0 else max(most_R, (B[b, REACH] + apart) * most_T)
        r = size_of(vector(R, b, force + 3)) / max(B[b, SIZE_R], floor * least)
        if exceeds(r, worst):
            worst, at = r, 2 * b + 1
    return worst, at
