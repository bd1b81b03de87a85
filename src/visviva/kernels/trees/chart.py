"""Local coordinates δ of one step on a tree, in which a Runge-Kutta method is its Lie-group version.

    angles, shifts:  q = q0 + δ                        δ̇ = ξ
    balls:           R = R0 exp(δ̂)                     δ̇ = ω + ½ δ × ω + g(|δ|²) δ × (δ × ω)
    free links:      the same, and r = r0 + R0 δ_r     δ̇_r = exp(δ̂) v

with g = (1 - ½θ cot ½θ)/θ². Source: Munthe-Kaas (1998), BIT 38, 92-111.
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Vector, cross, dot, mul, plus, times
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.algebra import rotation
from visviva.kernels.trees.tables import AT_Q, AT_V, AXIS, FREE, KIND

Quaternion = tuple[float, float, float, float]


@woven
def _half(d: Vector) -> tuple[float, float]:
    """cos ½θ and sin ½θ / θ."""
    square = 0.25 * dot(d, d)
    if square < 1e-4:
        return 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0)), 0.5 - square / 12.0 * (
            1.0 - square / 20.0 * (1.0 - square / 42.0)
        )
    half = math.sqrt(square)
    return math.cos(half), 0.5 * math.sin(half) / half


@inner
def turned(q: Quaternion, d: Vector) -> Quaternion:
    """q exp(½ δ), of length one."""
    c, s = _half(d)
    u, v = times(s, d), (q[1], q[2], q[3])
    x = cross(v, u)
    w = q[0] * c - dot(v, u)
    a, b, e = q[0] * u[0] + c * v[0] + x[0], q[0] * u[1] + c * v[1] + x[1], q[0] * u[2] + c * v[2] + x[2]
    length = 1.0 / math.sqrt(w * w + a * a + b * b + e * e)
    return (length * w, length * a, length * b, length * e)


@inner
def turning(d: Vector, w: Vector) -> Vector:
    """δ̇ of a ball."""
    s = dot(d, d)
    if s < 0.04:
        g = (1.0 + s / 60.0 * (1.0 + s / 42.0 * (1.0 + s / 40.0 * (1.0 + s / 39.6)))) / 12.0
    else:
        half = 0.5 * math.sqrt(s)
        g = (1.0 - half / math.tan(half)) / s
    x = cross(d, w)
    return plus(w, plus(times(0.5, x), times(g, cross(d, x))))


@inner
def shifting(d: Vector, v: Vector) -> Vector:
    """exp(δ̂) v."""
    c, s = _half(d)
    u = times(s, d)
    return mul(rotation(c, u[0], u[1], u[2]), v)


@inner
def _advance_ball(K: Int, i: int, q0: Array, delta: Array, q: Array) -> None:
    at, k = K[i, AT_Q], K[i, AT_V]
    if K[i, KIND] == FREE:
        R = rotation(q0[at + 3], q0[at + 4], q0[at + 5], q0[at + 6])
        r = mul(R, (delta[k + 3], delta[k + 4], delta[k + 5]))
        q[at], q[at + 1], q[at + 2] = q0[at] + r[0], q0[at + 1] + r[1], q0[at + 2] + r[2]
        at += 3
    old = (q0[at], q0[at + 1], q0[at + 2], q0[at + 3])
    q[at], q[at + 1], q[at + 2], q[at + 3] = turned(old, (delta[k], delta[k + 1], delta[k + 2]))


@inner
def _turn_ball(K: Int, i: int, delta: Array, xi: Array, rate: Array) -> None:
    k = K[i, AT_V]
    d = (delta[k], delta[k + 1], delta[k + 2])
    rate[k], rate[k + 1], rate[k + 2] = turning(d, (xi[k], xi[k + 1], xi[k + 2]))
    if K[i, KIND] == FREE:
        rate[k + 3], rate[k + 4], rate[k + 5] = shifting(d, (xi[k + 3], xi[k + 4], xi[k + 5]))


@woven
def advance_q(K: Int, q0: Array, delta: Array, q: Array) -> None:
    """The coordinates at δ."""
    for i in range(K.shape[0]):
        if K[i, KIND] <= AXIS:
            q[K[i, AT_Q]] = q0[K[i, AT_Q]] + delta[K[i, AT_V]]
        else:
            _advance_ball(K, i, q0, delta, q)


@woven
def chart(K: Int, q0: Array, delta: Array, xi: Array, q: Array, rate: Array) -> None:
    """The coordinates at δ, and δ̇ there."""
    for i in range(K.shape[0]):
        if K[i, KIND] <= AXIS:
            k = K[i, AT_V]
            q[K[i, AT_Q]] = q0[K[i, AT_Q]] + delta[k]
            rate[k] = xi[k]
        else:
            _advance_ball(K, i, q0, delta, q)
            _turn_ball(K, i, delta, xi, rate)
