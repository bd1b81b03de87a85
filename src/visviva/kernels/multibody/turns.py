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
from visviva.kernels.cache import inner
from visviva.kernels.multibody.algebra import cross, dot, matrix, minus, mul, plus, put, times, vector
from visviva.kernels.multibody.functions import turned

from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, BEND, COS, COS1, ROT, SECANT, SIN, SIN1, WAY, XN, XX, XY, XZ, YN, ZN, Int, W,
)  # fmt: skip

SMALL_TURN = 0.02  # tan of it; below, the derivative of Δθ/X is a series


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
def turned_by(c0: float, s0: float, c1: float, s1: float) -> Turned:
    """D = (Δθ/X) (-s̄, c̄) with X = c0 s1 - s0 c1, Y = c0 c1 + s0 s1."""
    X, Y = c0 * s1 - s0 * c1, c0 * c1 + s0 * s1
    square = X * X + Y * Y
    angle = math.atan2(X, Y)
    ratio = 1.0 / Y if Y > 0.0 else math.nan  # half a turn has no sign, and no step ends there
    if X != 0.0:
        ratio = angle / X  # atan2 keeps the relative accuracy of a small X
    if abs(X) > SMALL_TURN * Y:
        by_X = (Y / square - ratio) / X
    else:
        t = X / Y
        by_X = t * (-2.0 / 3.0 + t * t * (4.0 / 5.0 - t * t * 6.0 / 7.0)) / (Y * Y)
    by_Y = -1.0 / square
    c, s = 0.5 * (c0 + c1), 0.5 * (s0 + s1)
    ratio_c, ratio_s = -s0 * by_X + c0 * by_Y, c0 * by_X + s0 * by_Y
    return Turned(
        angle, -ratio * s, ratio * c, -ratio_c * s, -ratio_s * s - 0.5 * ratio, ratio_c * c + 0.5 * ratio, ratio_s * c
    )


@inner
def place_turn(B: Array, T: Array, TK: Int, k: int) -> None:
    """Axes of a joint that turns, and its angle, at the start of a step; the angle continues the last one."""
    P, C = TK[k, 0], TK[k, 1]
    R = matrix(B, P, ROT)
    x, y = mul(R, vector(T, k, XX)), mul(R, vector(T, k, XY))
    z = mul(matrix(B, C, ROT), vector(T, k, XZ))
    put(T, k, XN, x)
    put(T, k, YN, y)
    put(T, k, ZN, z)
    T[k, COS], T[k, SIN] = dot(x, z), dot(y, z)
    turn = math.atan2(T[k, SIN], T[k, COS]) - T[k, ANGLE]
    T[k, ANGLE] += turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)


@inner
def turn_middle(B: Array, T: Array, TK: Int, k: int) -> float:
    """Its axis over the step, and what the matrix needs of it; returns the rate Δθ/h.

    WAY: D.   BEND: derivative of D by the angle at the end, on c1² + s1² = 1.
    """
    P, C = TK[k, 0], TK[k, 1]
    xn, yn, zn = vector(T, k, XN), vector(T, k, YN), vector(T, k, ZN)
    x, y, z = turned(B, P, xn), turned(B, P, yn), turned(B, C, zn)
    z1 = minus(times(2.0, z), zn)
    c1, s1 = dot(minus(times(2.0, x), xn), z1), dot(minus(times(2.0, y), yn), z1)
    moved = turned_by(T[k, COS], T[k, SIN], c1, s1)
    axis = cross(z, plus(times(moved.by_c, x), times(moved.by_s, y)))
    put(T, k, SECANT, axis)
    T[k, COS1], T[k, SIN1] = c1, s1
    T[k, WAY], T[k, WAY + 1] = moved.by_c, moved.by_s
    T[k, BEND], T[k, BEND + 1] = c1 * moved.cs - s1 * moved.cc, c1 * moved.ss - s1 * moved.sc
    return dot(axis, minus(vector(B, C, W), vector(B, P, W)))
