"""What laws of feedback see of a motion: joint coordinates, points, axes and twists, over a step or at an instant.

Over a step of length h with the velocities u, ω in its middle, vectors fixed in a body are means of both ends:

    point  r̄ = φ + ½ h u + p,   ṙ = u + ω × p,     p = C p(0)         axes  R̄ = C R(0)
    twist  (Rᵀω; R̄ᵀṙ)             displacement  ȳ = y(0) + ½ h ẏ,  ẏ = ū·ḋ + u̇·d̄

With h = 0 they are those of an instant. See `model.sensor`, which has the same in NumPy.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import Vector, cross, dot, matrix, minus, mul, mul_t, plus, times, vector
from visviva.kernels.multibody.functions import turned
from visviva.kernels.multibody.tables import ANGLE, PHI, ROT, Int, U, W
from visviva.kernels.multibody.turns import turn_middle

ANGLE_VALUE, ANGLE_RATE, SHIFT_VALUE, SHIFT_RATE, POINT, VELOCITY, AXES, TWIST = range(8)


class Sensors(NamedTuple):
    """Sensors of all laws."""

    table: Int  # (k, 4) kind, first place of its numbers, turn or body, other body
    numbers: Array  # (k, 12) axes and arms in principal axes


@inner
def _write(x: Array, at: int, v: Vector) -> None:
    x[at], x[at + 1], x[at + 2] = v


@inner
def _moved(B: Array, b: int, arm: Vector) -> Vector:
    """The velocity of a point of a body; arm: in the middle of the step."""
    return plus(vector(B, b, U), cross(vector(B, b, W), arm))


@inner
def _shift(B: Array, P: int, C: int, u: Vector, a: Vector, b: Vector, h: float) -> tuple[float, float]:
    """The displacement at the start of a step, and its rate (y1 - y0)/h."""
    u, a, b = mul(matrix(B, P, ROT), u), mul(matrix(B, P, ROT), a), mul(matrix(B, C, ROT), b)
    apart = minus(vector(B, C, PHI), vector(B, P, PHI))
    start = dot(u, plus(apart, minus(b, a)))
    u, a, b = turned(B, P, u), turned(B, P, a), turned(B, C, b)
    apart = plus(apart, times(0.5 * h, minus(vector(B, C, U), vector(B, P, U))))
    d = plus(apart, minus(b, a))
    rate = dot(u, minus(_moved(B, C, b), _moved(B, P, a)))
    return start, rate + dot(cross(vector(B, P, W), u), d)


@inner
def sense(B: Array, T: Array, TK: Int, s: Sensors, x: Array, h: float) -> None:
    """Write the numbers of all sensors to x; A and SHRINK of the bodies are those of their velocities."""
    for k in range(s.table.shape[0]):
        kind, at, b = s.table[k, 0], s.table[k, 1], s.table[k, 2]
        if kind in (ANGLE_VALUE, ANGLE_RATE):
            rate = turn_middle(B, T, TK, b)
            x[at] = rate if kind == ANGLE_RATE else T[b, ANGLE] + 0.5 * h * rate
            continue
        if kind in (SHIFT_VALUE, SHIFT_RATE):
            axis, one, two = vector(s.numbers, k, 0), vector(s.numbers, k, 3), vector(s.numbers, k, 6)
            start, rate = _shift(B, b, s.table[k, 3], axis, one, two, h)
            x[at] = rate if kind == SHIFT_RATE else start + 0.5 * h * rate
            continue
        R = matrix(B, b, ROT)
        if kind == POINT:
            arm = turned(B, b, mul(R, vector(s.numbers, k, 0)))
            _write(x, at, plus(plus(vector(B, b, PHI), times(0.5 * h, vector(B, b, U))), arm))
        elif kind == VELOCITY:
            _write(x, at, _moved(B, b, turned(B, b, mul(R, vector(s.numbers, k, 0)))))
        else:
            v, w = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if kind == TWIST:
                v = _moved(B, b, turned(B, b, mul(R, vector(s.numbers, k, 9))))
                w = mul_t(matrix(s.numbers, k, 0), mul_t(R, vector(B, b, W)))
                _write(x, at, w)
            for i in range(3):
                own = (s.numbers[k, i], s.numbers[k, 3 + i], s.numbers[k, 6 + i])
                axis = turned(B, b, mul(R, own))
                if kind == TWIST:
                    x[at + 3 + i] = dot(axis, v)
                else:
                    x[at + i], x[at + 3 + i], x[at + 6 + i] = axis
