"""Unit quaternions (w, x, y, z) number by number, as compiled updates use them; arrays: `visviva.geometry`."""

from __future__ import annotations

import math

from visviva._arrays import Array

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]

SMALL = 1e-4  # half angles below it: sin(x)/x = 1 - x²/6 to rounding


def quaternion_at(s: Array, at: int) -> Quaternion:
    """Four numbers of an array."""
    return s[at], s[at + 1], s[at + 2], s[at + 3]


def put_quaternion(s: Array, at: int, q: Quaternion) -> None:
    """Into four numbers of an array."""
    s[at], s[at + 1], s[at + 2], s[at + 3] = q


def conjugate(q: Quaternion) -> Quaternion:
    """The inverse rotation."""
    return q[0], -q[1], -q[2], -q[3]


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """a ∘ b: the rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def unit(q: Quaternion) -> Quaternion:
    """q/|q|."""
    n = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * n, q[1] * n, q[2] * n, q[3] * n


def exponential(x: float, y: float, z: float) -> Quaternion:
    """(cos θ/2, sin(θ/2) n) of the rotation vector θ n."""
    half = 0.5 * math.sqrt(x * x + y * y + z * z)
    a = 0.5 * (1.0 - half * half / 6.0 if half < SMALL else math.sin(half) / half)
    return math.cos(half), a * x, a * y, a * z


def logarithm(q: Quaternion) -> Vector:
    """Rotation vector θ n, θ <= π, of a unit quaternion."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    a = math.copysign(2.0, q[0]) if sine < SMALL * SMALL else 2.0 * math.atan2(sine, abs(q[0])) / sine
    if q[0] < 0 and sine >= SMALL * SMALL:
        a = -a
    return a * q[1], a * q[2], a * q[3]


def rotate(q: Quaternion, x: float, y: float, z: float) -> Vector:
    """R v of a unit quaternion."""
    a = 2.0 * (q[2] * z - q[3] * y)
    b = 2.0 * (q[3] * x - q[1] * z)
    c = 2.0 * (q[1] * y - q[2] * x)
    return (
        x + q[0] * a + q[2] * c - q[3] * b,
        y + q[0] * b + q[3] * a - q[1] * c,
        z + q[0] * c + q[1] * b - q[2] * a,
    )
