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
from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.gyrostat import (
    Gyrostat,
    directions,
    put_applied,
    put_coriolis,
    put_mass_matrix,
    put_momentum,
)
from visviva.copter.vehicles.blades import STILL
from visviva.copter.vehicles.vectors import (
    Vector,
    add_vector,
    cross,
    dot,
    factor,
    plus,
    put_vector,
    row_of,
    solve,
    times,
    turned,
    turned_back,
    vector_at,
)
from visviva.geometry.quaternion import quaternion

R_AT, Q_AT, THETA_AT = 0, 3, 7
MOST = 30  # corrections of a step
TOLERANCE, SHRINKS = 1e-15, 0.5  # of ξ in the metric of energy; corrections that do not shrink so much are rounding


class Memory(NamedTuple):
    """What a plant works in.   grown: Δξ of the last step, a first guess of that of the next.   A: see `prepare`."""

    A: Array
    grown: Array
    start: Array
    mean: Array
    theta: Array
    momentum: Array
    c: Array
    f: Array
    H: Array
    slopes: Array
    R: Array
    R_mean: Array
    around: Array


def plant_memory(p: Gyrostat) -> Memory:
    """Before the first step."""
    n, s, size = len(p.servo), len(p.k_P), len(p.M)
    lengths = (size, THETA_AT + s + size, size, s, size, size, size)
    shapes = ((n, 3), (n, 3), (3, 3), (3, 3), (4,))
    return Memory(np.zeros((size, size)), *map(np.zeros, lengths), *map(np.zeros, shapes))


def plant_start(r: Array, R: Array, tilts: Array, speeds: Array) -> Array:
    """x at rest in a pose, where propellers turn steadily."""
    still = np.zeros(6 + len(tilts))
    return np.concatenate([r, quaternion(R), tilts, still, speeds])


def xi_at(p: Gyrostat) -> int:
    """Where ξ begins in x."""
    return THETA_AT + len(p.k_P)


def put_matrix(x: Array, at: int, R: Array) -> None:
    """R of a unit quaternion in an array."""
    w, a, b, c = x[at], x[at + 1], x[at + 2], x[at + 3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)


def matrix(x: Array, at: int) -> Array:
    """R of a unit quaternion in an array."""
    R = np.empty((3, 3))
    put_matrix(x, at, R)
    return R


def add_gust(p: Gyrostat, R: Array, gust: Array, f: Array) -> None:
    """A force [N] in world axes at the centre of mass, on f: (m; f) in axes of the body about its origin."""
    force = turned_back(R, vector_at(gust, 0))
    add_vector(f, 0, cross(vector_at(p.com, 0), force))
    add_vector(f, 3, force)


def prepare(p: Gyrostat, x: Array, h: float, m: Memory) -> None:
    """Factors of M + h/2 D + h²/4 K, which turn defects of steps nearby into corrections of ξ; D, K of servos.

    Propellers are in D with the slope of their torques.
    """
    n, s, at = len(p.servo), len(p.k_P), xi_at(p)
    directions(p, x[THETA_AT:at], m.H, m.slopes)
    put_mass_matrix(p, m.H, m.A)
    for j in range(s):
        m.A[6 + j, 6 + j] += 0.5 * h * p.k_D[j] + 0.25 * h * h * p.k_P[j]
    for i in range(n):
        m.A[6 + s + i, 6 + s + i] += h * p.kappa_T[i] * abs(x[at + 6 + s + i])
    factor(m.A)


def advance_plant(
    p: Gyrostat, x: Array, h: float, currents: Array, wanted: Array, gust: Array, m: Memory, air: Array = STILL
) -> None:  # fmt: skip
    """x a step h later, in place; `prepare` was called with a state nearby.

    gust: force [N] in world axes at the centre of mass.   air: (4,) wind of the step, minus height of the ground.
    """
    at, last, before = xi_at(p), math.inf, 0.0
    for k in range(len(x)):
        m.start[k] = x[k]
    put_matrix(x, Q_AT, m.R)
    for _ in range(MOST):
        _move(p, x, h, m)
        put_mean_directions(p, m.start, x, m.theta, m.H, m.slopes)
        put_surroundings(air, 0.5 * (m.start[2] + x[2]), m.around)
        put_applied(p, m.R_mean, m.H, m.theta, m.mean, currents, wanted, m.around, m.f)
        add_gust(p, m.R_mean, gust, m.f)
        _add_secant(p, m)
        put_momentum(p, m.H, m.mean, m.momentum)
        put_coriolis(p, m.momentum, m.slopes, m.mean, m.c)
        put_momentum(p, m.H, m.grown, m.momentum)
        size, change = 0.0, 0.0
        for k in range(len(m.f)):
            m.f[k] = h * (m.f[k] - m.c[k]) - m.momentum[k]
        solve(m.A, m.f)
        for k in range(len(m.f)):
            m.grown[k] += m.f[k]
            change += p.M[k, k] * m.f[k] ** 2
            size += p.M[k, k] * m.mean[k] ** 2
        if change <= TOLERANCE**2 * size or not change < last:
            break
        if change**2 <= TOLERANCE**2 * size * before:  # the next correction, if it shrinks as this one has, is none
            break
        last, before = SHRINKS**2 * change, change
    _move(p, x, h, m)
    for k in range(len(m.grown)):
        x[at + k] = m.start[at + k] + m.grown[k]


def _move(p: Gyrostat, x: Array, h: float, m: Memory) -> None:
    """r, q and θ of x a step h after m.start, in place, with R̄ and ξ̄, which are made."""
    at, start, mean = xi_at(p), m.start, m.mean
    for k in range(len(mean)):
        mean[k] = start[at + k] + 0.5 * m.grown[k]
    a, b, c = 0.5 * h * mean[0], 0.5 * h * mean[1], 0.5 * h * mean[2]
    length = 1 / math.sqrt(1 + a * a + b * b + c * c)
    q0, q1, q2, q3 = start[3], start[4], start[5], start[6]
    x[3] = length * (q0 - a * q1 - b * q2 - c * q3)
    x[4] = length * (q1 + a * q0 + c * q2 - b * q3)
    x[5] = length * (q2 + b * q0 + a * q3 - c * q1)
    x[6] = length * (q3 + c * q0 + b * q1 - a * q2)
    put_matrix(x, Q_AT, m.R_mean)
    for i in range(3):
        for k in range(3):
            m.R_mean[i, k] = 0.5 * (m.R[i, k] + m.R_mean[i, k])
    put_vector(x, 0, plus(vector_at(start, 0), times(h, turned(m.R_mean, vector_at(mean, 3)))))
    for j in range(at - THETA_AT):
        x[THETA_AT + j] = start[THETA_AT + j] + h * mean[6 + j]


def put_mean_directions(p: Gyrostat, start: Array, x: Array, theta: Array, H: Array, slopes: Array) -> None:
    """The mean θ of two states; H, the means of their thrust axes; slopes Δh/Δθ."""
    for j in range(len(theta)):
        theta[j] = 0.5 * (start[THETA_AT + j] + x[THETA_AT + j])
    directions(p, theta, H, slopes)
    for i in range(len(p.servo)):
        j = p.servo[i]
        if j >= 0:
            half = 0.5 * (x[THETA_AT + j] - start[THETA_AT + j])
            sinc = math.sin(half) / half if half != 0 else 1.0
            for k in range(3):
                H[i, k] *= math.cos(half)
                slopes[i, k] *= sinc


def put_mean_state(p: Gyrostat, start: Array, x: Array, air: Array, m: Memory) -> None:
    """What a step has taken its forces at: R̄, ξ̄, H, slopes, θ̄ and surroundings in `m`, of the states at its ends."""
    at = xi_at(p)
    put_matrix(start, Q_AT, m.R)
    put_matrix(x, Q_AT, m.R_mean)
    for i in range(3):
        for k in range(3):
            m.R_mean[i, k] = 0.5 * (m.R[i, k] + m.R_mean[i, k])
    for k in range(len(m.mean)):
        m.mean[k] = 0.5 * (start[at + k] + x[at + k])
    put_mean_directions(p, start, x, m.theta, m.H, m.slopes)
    put_surroundings(air, 0.5 * (start[2] + x[2]), m.around)


def put_state(p: Gyrostat, x: Array, air: Array, m: Memory) -> None:
    """The same of one state, with R in m.R."""
    at = xi_at(p)
    put_matrix(x, Q_AT, m.R)
    for k in range(len(m.mean)):
        m.mean[k] = x[at + k]
    for j in range(at - THETA_AT):
        m.theta[j] = x[THETA_AT + j]
    directions(p, m.theta, m.H, m.slopes)
    put_surroundings(air, x[2], m.around)


def _add_secant(p: Gyrostat, m: Memory) -> None:
    """-¼ Θ_P ε s̄ · Δω Δϖ in the rows of servos: with c at ξ̄, ½ Θ_P ε s̄ · (ω0 ϖ1 + ω1 ϖ0)."""
    first = len(m.grown) - len(p.servo)
    for i in range(len(p.servo)):
        j = p.servo[i]
        if j >= 0:
            m.f[6 + j] -= 0.25 * p.momentum[i] * dot(row_of(m.slopes, i), vector_at(m.grown, 0)) * m.grown[first + i]


def put_surroundings(air: Array, z: float, around: Array) -> None:
    """(4,) wind, and height of z above the ground, see `put_applied`; air: wind, minus height of the ground."""
    for k in range(3):
        around[k] = air[k]
    around[3] = air[3] + z


def put_rates(
    p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, m: Memory, air: Array = STILL
) -> None:  # fmt: skip
    """ξ̇ in m.f, and R in m.R, under a gust, a force [N] in world axes at the centre of mass. Factors of m.A go."""
    put_state(p, x, air, m)
    put_applied(p, m.R, m.H, m.theta, m.mean, currents, wanted, m.around, m.f)
    add_gust(p, m.R, gust, m.f)
    put_momentum(p, m.H, m.mean, m.momentum)
    put_coriolis(p, m.momentum, m.slopes, m.mean, m.c)
    for k in range(len(m.f)):
        m.f[k] -= m.c[k]
    put_mass_matrix(p, m.H, m.A)
    factor(m.A)
    solve(m.A, m.f)


def specific_force(
    p: Gyrostat, x: Array, currents: Array, wanted: Array, gust: Array, gravity: float, m: Memory, air: Array = STILL
) -> Vector:
    """What an accelerometer in the origin of the frame feels, v̇ + ω × v - Rᵀ a_G [m/s²]. Factors of m.A go."""
    put_rates(p, x, currents, wanted, gust, m, air)
    turning = cross(vector_at(m.mean, 0), vector_at(m.mean, 3))
    return plus(plus(vector_at(m.f, 3), turning), times(gravity, row_of(m.R, 2)))
