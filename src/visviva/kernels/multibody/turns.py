"""Angles of joints that turn, over a step: θ = atan2(s, c) with c = x·z, s = y·z, x and y on one body, z on the other.

Between both ends of a step, with X = c0 s1 - s0 c1, Y = c0 c1 + s0 s1, Δθ = atan2(X, Y), see `geometry.turning`:

    D = (Δθ/X) (-s̄, c̄),   axis = z̄ × w,   w = D_c x̄ + D_s ȳ,   axis·(ω_z - ω_xy) = Δθ/h

whatever the angle turned, up to half a turn. All that acts along an angle (energies, friction, laws, motors, inputs)
acts along this axis: an effort τ does the work τ Δθ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import cross, dot, matrix, minus, mul, put, times, vector
from visviva.kernels.multibody.functions import turned

from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, BEND, COS, COS1, RATIO, ROT, SECANT, SIN, SIN1, XN, XX, XY, XZ, YN, ZN, Int, W,
)  # fmt: skip

SMALL_TURN = 0.05  # tan of it; below, five terms of the series of atan are exact to rounding


class Turned(NamedTuple):
    """An angle between both ends: Δθ, its derivatives D by (c1, s1) between them, and those of D."""

    angle: float
    by_c: float
    by_s: float
    cc: float
    cs: float
    sc: float
    ss: float


@inner
def secant(X: float, Y: float) -> tuple[float, float]:
    """Δθ/X of Δθ = atan2(X, Y), and its derivative by the angle at the end, which moves (X, Y) by (Y, -X).

    With t = X/Y they are (1 - t² S)/Y and t S/Y, where S = 1/3 - t²/5 + t⁴/7 - ... = (1 - atan(t)/t)/t².
    """
    if abs(X) < SMALL_TURN * Y:
        unit = 1.0 / Y
        t = X * unit
        q = t * t
        S = 1.0 / 3.0 - q * (1.0 / 5.0 - q * (1.0 / 7.0 - q * (1.0 / 9.0 - q * (1.0 / 11.0))))
        return unit - q * S * unit, t * S * unit
    if X == 0.0:  # half a turn has no sign, and no step ends there
        return math.nan, math.nan
    ratio = math.atan2(X, Y) / X  # atan2 keeps the relative accuracy of a small X
    return ratio, (1.0 - ratio * Y) / X


@inner
def turned_by(c0: float, s0: float, c1: float, s1: float) -> Turned:
    """D = (Δθ/X) (-s̄, c̄) with X = c0 s1 - s0 c1, Y = c0 c1 + s0 s1."""
    X, Y = c0 * s1 - s0 * c1, c0 * c1 + s0 * s1
    ratio, bend = secant(X, Y)
    by_Y = -1.0 / (X * X + Y * Y)
    by_X = (bend + by_Y * X) / Y if abs(X) <= Y else -(by_Y * Y + ratio) / X  # (X, Y) moves by (Y, -X)
    c, s = 0.5 * (c0 + c1), 0.5 * (s0 + s1)
    ratio_c, ratio_s = -s0 * by_X + c0 * by_Y, c0 * by_X + s0 * by_Y
    return Turned(
        ratio * X, -ratio * s, ratio * c,
        -ratio_c * s, -ratio_s * s - 0.5 * ratio, ratio_c * c + 0.5 * ratio, ratio_s * c,
    )  # fmt: skip


@inner
def place_turn(B: Array, T: Array, TK: Int, k: int) -> None:
    """Axes of a joint that turns, and its angle, at the start of a step; the angle continues the last one.

    By the axes alone but for its full turns: read again from a state it has the same bits.
    """
    P, C = TK[k, 0], TK[k, 1]
    R = matrix(B, P, ROT)
    x, y = mul(R, vector(T, k, XX)), mul(R, vector(T, k, XY))
    z = mul(matrix(B, C, ROT), vector(T, k, XZ))
    put(T, k, XN, x)
    put(T, k, YN, y)
    put(T, k, ZN, z)
    T[k, COS], T[k, SIN] = dot(x, z), dot(y, z)
    angle = math.atan2(T[k, SIN], T[k, COS])
    T[k, ANGLE] = angle + 2.0 * math.pi * math.floor((T[k, ANGLE] - angle) / (2.0 * math.pi) + 0.5)


@woven
def turn_middle(B: Array, T: Array, TK: Int, k: int) -> float:
    """Its axis over the step, and what the matrix needs of it; returns the rate Δθ/h.

    RATIO: Δθ/X.   BEND: its derivative by the angle at the end, on c1² + s1² = 1.
    """
    P, C = TK[k, 0], TK[k, 1]
    xn, yn, zn = vector(T, k, XN), vector(T, k, YN), vector(T, k, ZN)
    x, y, z = turned(B, P, xn), turned(B, P, yn), turned(B, C, zn)
    z1 = minus(times(2.0, z), zn)
    c0, s0 = T[k, COS], T[k, SIN]
    c1, s1 = dot(minus(times(2.0, x), xn), z1), dot(minus(times(2.0, y), yn), z1)
    ratio, bend = secant(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1)
    half = 0.5 * ratio
    axis = cross(z, minus(times(half * (c0 + c1), y), times(half * (s0 + s1), x)))
    put(T, k, SECANT, axis)
    T[k, COS1], T[k, SIN1], T[k, RATIO], T[k, BEND] = c1, s1, ratio, bend
    return dot(axis, minus(vector(B, C, W), vector(B, P, W)))
