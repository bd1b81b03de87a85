"""A vehicle in flight as a plant: its equations of motion between ticks, in steps that keep account of energy.

    x = (r, q, θ, ξ),     ṙ = R v,     q̇ = ½ q ∘ (0, ω),     θ̇ in ξ

r, R(q) are the pose of the body's frame in the world, ξ = (ω, v, θ̇, ϖ) as in `copter.models.equations`. A step h takes
all forces at the middle of ξ, at mean attitudes, mean tilts and mean directions h of thrust:

    M̄ Δξ + h c̄ = h f̄,     ξ̄ = (ξ0 + ξ1)/2,     M̄ = (M(θ0) + M(θ1))/2,     R̄ = (R0 + R1)/2
    r1 = r0 + h R̄ v̄,     R1 = R0 cay(h ω̄), hence R1 - R0 = h R̄ ω̄^,     θ1 = θ0 + h θ̇̄,     Δh = s̄ Δθ

c̄ is c of (5.9b) at ξ̄ with s̄ for ∂h/∂θ, and in the rows of servos with (ω0 ϖ1 + ω1 ϖ0)/2 for ω ϖ. Multiplied by ξ̄ the
step says that ½ ξᵀM ξ + m g z_G + ½ Σ k_P θ² grows by the work h ξ̄ᵀ f̄ of all other forces, for any h: products change
by Δ(a b) = ā Δb + b̄ Δa. It is of order two, with the wind of the middle of the step and the mean height above ground.
Functions are plain, so that flights compile them; `vv.simulate` of `copter.mechanism` makes the same motion from
bodies, and stops at each tick of a law in Python.
"""

from __future__ import annotations

import math

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.gyrostat import Gyrostat, applied, coriolis, directions, mass_matrix, rates
from visviva.copter.vehicles.blades import STILL
from visviva.copter.vehicles.vectors import cross
from visviva.geometry.quaternion import quaternion

R_AT, Q_AT, THETA_AT = 0, 3, 7
MOST = 30  # corrections of a step
TOLERANCE, SHRINKS = 1e-15, 0.5  # of ξ in the metric of energy; corrections that do not shrink so much are rounding


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


def gust_wrench(p: Gyrostat, R: Array, gust: Array) -> Array:
    """(m; f) in axes of the body about its origin of a force [N] in world axes at the centre of mass."""
    wrench = np.empty(6)
    wrench[3:] = np.dot(gust, R)
    cross(p.com, wrench[3:], wrench[:3])
    return wrench


def step_inverse(p: Gyrostat, x: Array, h: float) -> Array:
    """What turns defects of a step into corrections of ξ: (M + h/2 D + h²/4 K)⁻¹, D and K those of servos."""
    n, s = len(p.servo), len(p.k_P)
    H, slopes = np.empty((n, 3)), np.empty((n, 3))
    directions(p, x[THETA_AT : THETA_AT + s], H, slopes)
    A = mass_matrix(p, H)
    for j in range(s):
        A[6 + j, 6 + j] += 0.5 * h * p.k_D[j] + 0.25 * h * h * p.k_P[j]
    return np.asarray(np.linalg.inv(A))


def advance_plant(
    p: Gyrostat, x: Array, h: float, currents: Array, wanted: Array, gust: Array, inverse: Array, grown: Array,
    air: Array = STILL,
) -> None:  # fmt: skip
    """x a step h later, in place.

    inverse: `step_inverse` of a state nearby.   grown: Δξ, of which what it was in the step before is a first guess.
    gust:    force [N] in world axes at the centre of mass.   air: (4,) wind of the step, minus height of the ground.
    """
    at, n, start, last, before = xi_at(p), len(p.servo), x.copy(), np.inf, 0.0
    H, slopes, R, mean = np.empty((n, 3)), np.empty((n, 3)), matrix(x, Q_AT), np.empty(len(grown))
    for _ in range(MOST):
        R_mean = _move(p, start, R, x, h, grown, mean)
        theta = mean_directions(p, start, x, H, slopes)
        M = mass_matrix(p, H)
        around = surroundings_at(air, 0.5 * (start[2] + x[2]))
        force = applied(p, R_mean, H, theta, mean, currents, wanted, around) - coriolis(p, M, slopes, mean)
        force[:6] += gust_wrench(p, R_mean, gust)
        _add_secant(p, slopes, grown, force)
        delta = np.dot(inverse, h * force - np.dot(M, grown))
        change, size = 0.0, 0.0
        for k in range(len(delta)):
            grown[k] += delta[k]
            change += p.M[k, k] * delta[k] ** 2
            size += p.M[k, k] * mean[k] ** 2
        if change <= TOLERANCE**2 * size or not change < last:
            break
        if change**2 <= TOLERANCE**2 * size * before:  # the next correction, if it shrinks as this one has, is none
            break
        last, before = SHRINKS**2 * change, change
    _move(p, start, R, x, h, grown, mean)
    x[at:] = start[at:] + grown


def _move(p: Gyrostat, start: Array, R: Array, x: Array, h: float, grown: Array, mean: Array) -> Array:
    """r, q and θ of x a step h after another state, in place, with ξ̄, which is made; R̄."""
    at = xi_at(p)
    for k in range(len(grown)):
        mean[k] = start[at + k] + 0.5 * grown[k]
    a, b, c = 0.5 * h * mean[0], 0.5 * h * mean[1], 0.5 * h * mean[2]
    length = 1 / math.sqrt(1 + a * a + b * b + c * c)
    q0, q1, q2, q3 = start[3], start[4], start[5], start[6]
    x[3] = length * (q0 - a * q1 - b * q2 - c * q3)
    x[4] = length * (q1 + a * q0 + c * q2 - b * q3)
    x[5] = length * (q2 + b * q0 + a * q3 - c * q1)
    x[6] = length * (q3 + c * q0 + b * q1 - a * q2)
    R_mean = matrix(x, Q_AT)
    for i in range(3):
        x[i] = start[i]
        for k in range(3):
            R_mean[i, k] = 0.5 * (R[i, k] + R_mean[i, k])
            x[i] += h * R_mean[i, k] * mean[3 + k]
    for j in range(at - THETA_AT):
        x[THETA_AT + j] = start[THETA_AT + j] + h * mean[6 + j]
    return R_mean


def mean_directions(p: Gyrostat, start: Array, x: Array, H: Array, slopes: Array) -> Array:
    """H, the means of thrust axes at two states; slopes Δh/Δθ; and the mean θ."""
    at = xi_at(p)
    theta = 0.5 * (start[THETA_AT:at] + x[THETA_AT:at])
    directions(p, theta, H, slopes)
    for i in range(len(p.servo)):
        j = p.servo[i]
        if j >= 0:
            half = 0.5 * (x[THETA_AT + j] - start[THETA_AT + j])
            H[i] *= math.cos(half)
            slopes[i] *= math.sin(half) / half if half != 0 else 1.0
    return theta


def _add_secant(p: Gyrostat, slopes: Array, grown: Array, force: Array) -> None:
    """-¼ Θ_P ε s̄ · Δω Δϖ in the rows of servos: with c at ξ̄, ½ Θ_P ε s̄ · (ω0 ϖ1 + ω1 ϖ0)."""
    first = len(grown) - len(p.servo)
    for i in range(len(p.servo)):
        j = p.servo[i]
        if j >= 0:
            for k in range(3):
                force[6 + j] -= 0.25 * p.momentum[i] * slopes[i, k] * grown[k] * grown[first + i]


def surroundings_at(air: Array, z: float) -> Array:
    """(4,) wind, and height of z above the ground, see `applied`; air: wind, minus height of the ground."""
    around = air.copy()
    around[3] += z
    return around


def plant_rates(p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, air: Array = STILL) -> Array:
    """ξ̇ under a gust, a force [N] in world axes at the centre of mass."""
    at, R = xi_at(p), matrix(x, Q_AT)
    around = surroundings_at(air, x[2])
    return rates(p, R, x[THETA_AT:at], x[at:], currents, wanted, gust_wrench(p, R, gust), around)


def specific_force(
    p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, gravity: float, air: Array = STILL
) -> Array:
    """What an accelerometer in the origin of the frame feels, v̇ + ω × v - Rᵀ a_G [m/s²]."""
    at, a = xi_at(p), np.empty(3)
    cross(x[at : at + 3], x[at + 3 : at + 6], a)
    return plant_rates(p, x, currents, wanted, gust, air)[3:6] + a + gravity * matrix(x, Q_AT)[2]
