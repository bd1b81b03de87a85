"""References in compiled code: quintic polynomials between knots of coordinates with their first and second rates.

Quaternions are interpolated by their components, brought to length one, and give ω = 2 vec(q* q̇), α = 2 vec(q* q̈).
What flies has v = Rᵀṙ and its rate Rᵀr̈ - ω × v.
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.calls import call_inputs
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Vector, cross, minus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.tables import AT_Q, AT_V, BALL, FREE, KIND

START, LENGTH, UNTIL = range(3)  # of a block of knots: its first time, the time between knots, its last time [s]
Quaternion = tuple[float, float, float, float]


@inner
def interpolate(knots: Array, clock: Array, filler: int, t: float, q: Array, q_dot: Array, q_ddot: Array) -> bool:
    """q and its rates at t, from knots (blocks of rows q, q̇, q̈); `filler` makes those of another time."""
    if not (clock[START] <= t <= clock[UNTIL]):
        call_inputs(filler, (0, 0, 0, t, 0, 0))
        if not (clock[START] <= t <= clock[UNTIL]):
            return False
    h, last = clock[LENGTH], knots.shape[0] // 3 - 2
    k = min(max(int((t - clock[START]) / h), 0), last)
    s = (t - clock[START]) / h - k
    for j in range(q.shape[0]):
        a, b, c = knots[3 * k, j], h * knots[3 * k + 1, j], 0.5 * h * h * knots[3 * k + 2, j]
        # what is left at the end of the interval
        d = knots[3 * k + 3, j] - a - b - c
        e = h * knots[3 * k + 4, j] - b - 2.0 * c
        f = h * h * knots[3 * k + 5, j] - 2.0 * c
        p, r, w = 10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f
        q[j] = a + s * (b + s * (c + s * (p + s * (r + s * w))))
        q_dot[j] = (b + s * (2.0 * c + s * (3.0 * p + s * (4.0 * r + s * 5.0 * w)))) / h
        q_ddot[j] = (2.0 * c + s * (6.0 * p + s * (12.0 * r + s * 20.0 * w))) / (h * h)
    return True


@woven
def vector_part(p: Quaternion, q: Quaternion) -> Vector:
    """2 vec(p* q)."""
    return (
        2.0 * (p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2]),
        2.0 * (p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3]),
        2.0 * (p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1]),
    )


@woven
def turn_back(p: Quaternion, x: Vector) -> Vector:
    """Rᵀ x of a quaternion."""
    u = (p[1], p[2], p[3])
    t = cross(x, u)
    t = (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
    again = cross(t, u)
    return (x[0] + p[0] * t[0] + again[0], x[1] + p[0] * t[1] + again[1], x[2] + p[0] * t[2] + again[2])


@inner
def give_velocities(K: Int, q: Array, q_dot: Array, q_ddot: Array, v: Array, a: Array) -> None:
    """v and a of a tree's joints from rates of coordinates; quaternions are brought to length one."""
    for i in range(K.shape[0]):
        kind, at, j = K[i, KIND], K[i, AT_Q], K[i, AT_V]
        if kind != BALL and kind != FREE:
            v[j], a[j] = q_dot[at], q_ddot[at]
            continue
        o = at + 3 if kind == FREE else at
        norm = math.sqrt(q[o] * q[o] + q[o + 1] * q[o + 1] + q[o + 2] * q[o + 2] + q[o + 3] * q[o + 3])
        for k in range(4):
            q[o + k] /= norm
        p = (q[o], q[o + 1], q[o + 2], q[o + 3])
        w = vector_part(p, (q_dot[o] / norm, q_dot[o + 1] / norm, q_dot[o + 2] / norm, q_dot[o + 3] / norm))
        alpha = vector_part(p, (q_ddot[o] / norm, q_ddot[o + 1] / norm, q_ddot[o + 2] / norm, q_ddot[o + 3] / norm))
        for k in range(3):
            v[j + k], a[j + k] = w[k], alpha[k]
        if kind == FREE:
            u = turn_back(p, (q_dot[at], q_dot[at + 1], q_dot[at + 2]))
            b = minus(turn_back(p, (q_ddot[at], q_ddot[at + 1], q_ddot[at + 2])), cross(w, u))
            for k in range(3):
                v[j + 3 + k], a[j + 3 + k] = u[k], b[k]
