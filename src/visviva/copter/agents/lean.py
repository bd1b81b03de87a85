"""A reference that leans into a steady force which rotors do not make.

Upright rotors hold a force F̂ across their axis, such as that of wind, by a tilt φ of the vehicle alone. A law whose
reference does not lean takes the tilt for an error, and stays aside by what balances it. With the thrust T_R that the
reference takes, and F̂ in axes of the vehicle,

    R' = R_R exp(φ n),   sin φ = u |F̂_xy|,   n = (F̂_y, -F̂_x, 0)/|F̂_xy|,   u = (1 + T_0⁶) T_R⁵/(T_R⁶ + T_0⁶)

in units of the weight: u is 1/T_R at hover, and fades where there is no thrust to lean. F̂ is smoothed, and changes
slowly in these axes; T_R and its rates are known, and so are the velocities of the reference on its way.
"""

from __future__ import annotations

import math

import numpy as np

from visviva._arrays import Array
from visviva.copter.estimation.turns import Quaternion, multiply, put_quaternion, quaternion_at

MEMORY = 0.1  # [s] of the smoothed force
LEAST = 0.6  # T_0, of the weight
MOST = 0.9  # sin φ
Q_AT = 3  # in a row of a reference


def shares(thrust: Array, weight: float, T: float) -> Array:
    """u and its two rates at instants T apart, (instants, 3).   thrust: T_R [N]."""
    least, T_R = LEAST**6, thrust / weight
    u = (1 + least) * T_R**5 / (T_R**6 + least) / weight
    rate = np.gradient(u, T)
    return np.ascontiguousarray(np.stack([u, rate, np.gradient(rate, T)], axis=1))


def smooth(force: Array, T: float, s: Array) -> None:
    """F̂_xy a tick later, in place."""
    for i in range(2):
        s[i] += (1.0 - math.exp(-T / MEMORY)) * (force[i] - s[i])


def put_leaned(share: Array, s: Array, motion: Array) -> None:
    """Lean a reference (q_R, q̇_R, q̈_R), (3, 7), in place."""
    size = math.hypot(s[0], s[1])
    if size == 0.0:
        return
    x, y, z, z_dot, z_ddot = s[1] / size, -s[0] / size, size * share[0], size * share[1], size * share[2]
    if abs(z) > MOST:
        z, z_dot, z_ddot = math.copysign(MOST, z), 0.0, 0.0
    slope = 1.0 / math.sqrt(1.0 - z * z)
    half, rate = 0.5 * math.asin(z), 0.5 * slope * z_dot
    growth = 0.5 * slope * (z_ddot + z * (slope * z_dot) ** 2)
    c, b = math.cos(half), math.sin(half)
    e = (c, b * x, b * y, 0.0)
    e_dot = (-rate * b, rate * c * x, rate * c * y, 0.0)
    real, across = -growth * b - rate * rate * c, growth * c - rate * rate * b
    e_ddot = (real, across * x, across * y, 0.0)
    q, q_dot, q_ddot = quaternion_at(motion[0], Q_AT), quaternion_at(motion[1], Q_AT), quaternion_at(motion[2], Q_AT)
    put_quaternion(motion[0], Q_AT, multiply(q, e))
    put_quaternion(motion[1], Q_AT, plus(multiply(q_dot, e), multiply(q, e_dot)))
    twice = multiply(q_dot, e_dot)
    put_quaternion(motion[2], Q_AT, plus(plus(multiply(q_ddot, e), multiply(q, e_ddot)), plus(twice, twice)))


def plus(a: Quaternion, b: Quaternion) -> Quaternion:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]
