"""A vehicle in flight as a plant: its equations of motion between ticks, in steps of RK4 on one flat array.

    x = (r, q, θ, ξ),     ṙ = R v,     q̇ = ½ q ∘ (0, ω),     θ̇ in ξ

r, R(q) are the pose of the body's frame in the world, ξ = (ω, v, θ̇, ϖ) as in `copter.equations`. The quaternion is
brought to length one after each step. Functions are plain, so that flights compile them; `vv.simulate` of
`copter.mechanism` makes the same motion with audit, and stops at each tick of a law in Python.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.copter.blades import STILL
from visviva.copter.gyrostat import Gyrostat, rates
from visviva.copter.vectors import cross
from visviva.geometry.quaternion import quaternion

R_AT, Q_AT, THETA_AT = 0, 3, 7


def plant_start(r: Array, R: Array, tilts: Array, speeds: Array) -> Array:
    """x at rest in a pose, where propellers turn steadily."""
    still = np.zeros(6 + len(tilts))
    return np.concatenate([r, quaternion(R), tilts, still, speeds])


def xi_at(p: Gyrostat) -> int:
    """Where ξ begins in x."""
    return THETA_AT + len(p.k_P)


def matrix(x: Array, at: int) -> Array:
    """R of a unit quaternion in an array."""
    w, a, b, c = x[at], x[at + 1], x[at + 2], x[at + 3]
    R = np.empty((3, 3))
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)
    return R


def plant_rates(p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, air: Array = STILL) -> Array:
    """ẋ under a gust, a force [N] in world axes at the centre of mass.   air: (4,) wind, minus height of the ground."""
    around = air.copy()
    around[3] += x[2]
    at, s = xi_at(p), len(p.k_P)
    R, xi, out = matrix(x, Q_AT), x[at:], np.empty(len(x))
    w, v = xi[:3], xi[3:6]
    wrench = np.empty(6)
    wrench[3:] = np.dot(gust, R)
    cross(p.com, wrench[3:], wrench[:3])
    out[:3] = np.dot(R, v)
    q0, q1, q2, q3 = x[3], x[4], x[5], x[6]
    out[3] = -0.5 * (q1 * w[0] + q2 * w[1] + q3 * w[2])
    out[4] = 0.5 * (q0 * w[0] + q2 * w[2] - q3 * w[1])
    out[5] = 0.5 * (q0 * w[1] + q3 * w[0] - q1 * w[2])
    out[6] = 0.5 * (q0 * w[2] + q1 * w[1] - q2 * w[0])
    out[THETA_AT:at] = xi[6 : 6 + s]
    out[at:] = rates(p, R, x[THETA_AT:at], xi, currents, wanted, wrench, around)
    return out


def advance_plant(
    p: Gyrostat, x: Array, h: float, currents: Array, wanted: Array, gust: Array, air: Array = STILL
) -> None:
    """x a step h later, in place."""
    a = plant_rates(p, x, currents, wanted, gust, air)
    b = plant_rates(p, x + 0.5 * h * a, currents, wanted, gust, air)
    c = plant_rates(p, x + 0.5 * h * b, currents, wanted, gust, air)
    d = plant_rates(p, x + h * c, currents, wanted, gust, air)
    x += (h / 6) * (a + 2 * b + 2 * c + d)
    q = x[Q_AT:THETA_AT]
    q /= np.sqrt(np.sum(q * q))


def specific_force(
    p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, gravity: float, air: Array = STILL
) -> Array:
    """What an accelerometer in the origin of the frame feels, v̇ + ω × v - Rᵀ a_G [m/s²]."""
    at = xi_at(p)
    R, xi, a = matrix(x, Q_AT), x[at:], np.empty(3)
    cross(xi[:3], xi[3:6], a)
    return plant_rates(p, x, currents, wanted, gust, air)[at + 3 : at + 6] + a + gravity * R[2]
