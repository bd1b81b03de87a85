"""Springs, dampers, friction and inputs in a step: efforts of functions of two frames, and torques about axes.

An effort τ between the ends of a step acts with the impulse h τ along the exact derivative of its function; its work is
τ (y1 - y0). Energies give τ = (discrete gradient of U), damping D (y1 - y0)/h.
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.cache import inner
from visviva.kernels.calls import call_energy
from visviva.kernels.multibody.functions import middle, push, turned
from visviva.kernels.multibody.heats import reciprocal, warm_nodes
from visviva.kernels.multibody.losses import act, rub

from visviva.kernels.multibody.algebra import (  # isort: skip
    add_to, cross, dot, matrix, minus, moment, mul, put, size_of, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, AXIS, COS, DM, DRIVE, FRICTION, LOAD_F, LOAD_M, PLACE, RATE, ROT, SECANT, SIN, SIZE_R, TORQUE, TORSION, XN,
    XX, XY, XZ, YN, ZN, A, Elements, G, Int, Losses, Machine, W,
)  # fmt: skip

SMALL_TURN = 1e-4  # sin of it; below, Δθ/sin Δθ is a series


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
def turn_middle(B: Array, T: Array, TK: Int, k: int) -> None:
    """Axis and rate in the middle of a step.

    AXIS:   x_B × (c y_A - s x_A)/(c² + s²) at the mean state, and RATE its product with ω_B - ω_A.
    SECANT: (Δθ/X) x_B × (c̄ y_A - s̄ x_A) with means c̄, s̄ of both ends and X = c0 s1 - s0 c1: its rate is Δθ/h exactly.
    """
    P, C = TK[k, 0], TK[k, 1]
    xn, yn, zn = vector(T, k, XN), vector(T, k, YN), vector(T, k, ZN)
    x, y, z = turned(B, P, xn), turned(B, P, yn), turned(B, C, zn)
    c, s = dot(x, z), dot(y, z)
    axis = times(1.0 / (c * c + s * s), cross(z, minus(times(c, y), times(s, x))))
    put(T, k, AXIS, axis)
    T[k, RATE] = dot(axis, minus(vector(B, C, W), vector(B, P, W)))
    z1 = minus(times(2.0, z), zn)
    c0, s0 = T[k, COS], T[k, SIN]
    c1, s1 = dot(minus(times(2.0, x), xn), z1), dot(minus(times(2.0, y), yn), z1)
    X, Y = c0 * s1 - s0 * c1, c0 * c1 + s0 * s1
    factor = math.atan2(X, Y) / X if abs(X) > SMALL_TURN or Y < 0.0 else (1.0 + X * X / 6.0) / math.hypot(X, Y)
    axis = times(factor, cross(z, minus(times(0.5 * (c0 + c1), y), times(0.5 * (s0 + s1), x))))
    put(T, k, SECANT, axis)


@inner
def read_inputs(B: Array, loads: Int, u: Array) -> None:
    """Wrenches of a step, added up per body."""
    for k in range(loads.shape[0]):
        put(B, loads[k, 0], LOAD_F, (0.0, 0.0, 0.0))
        put(B, loads[k, 0], LOAD_M, (0.0, 0.0, 0.0))
    for k in range(loads.shape[0]):
        b, i = loads[k, 0], loads[k, 1]
        if loads[k, 2] == 6:
            add_to(B, b, LOAD_M, (u[i], u[i + 1], u[i + 2]))
            i += 3
        add_to(B, b, LOAD_F, (u[i], u[i + 1], u[i + 2]))


@inner
def efforts(M: Machine, e: Elements, losses: Losses | None, u: Array, h: float, slopes: int) -> None:
    """Values of all functions of elements at the end of the step, and the efforts that belong to it.

    slopes: 1 where those of energies are wanted, else 0. With h = 0 efforts are those of an instant, without slopes.
    """
    first = M.sizes[1]
    for i in range(first, M.X.shape[0]):
        k = M.K[i, PLACE]
        e.y[0, k] = M.X[i, G]
        e.y[2, k] = middle(M.B, M.X, M.K, i, h)
        e.y[1, k] = e.y[0, k] + h * e.y[2, k]
        e.effort[k] = 0.0
    for k in range(e.twists.shape[0]):
        turn_middle(M.B, M.T, M.TK, e.twists[k, 0])
        if e.twists[k, 1] == TORSION:
            t, y = e.twists[k, 0], e.twists[k, 2]
            rate = dot(vector(M.T, t, SECANT), minus(vector(M.B, M.TK[t, 1], W), vector(M.B, M.TK[t, 0], W)))
            e.y[1, y], e.y[2, y] = e.y[0, y] + h * rate, rate
            e.effort[y] = 0.0
    for k in range(e.slope.size):
        e.slope[k] = 0.0
    for k in range(e.law.shape[0]):
        address, n, at = e.law[k, 0], e.law[k, 1], e.law[k, 2]
        call_energy(
            address,
            (
                n, e.law_rows[at:].ctypes.data, e.law_numbers.ctypes.data, e.y[0].ctypes.data, e.y[1].ctypes.data,
                e.effort.ctypes.data, e.slope.ctypes.data, 1.0, slopes,
            ),
        )  # fmt: skip
    for i in range(e.element.shape[0]):
        at, n, s, d = e.element[i, 0], e.element[i, 1], e.element[i, 2], e.element[i, 3]
        if d >= 0:
            unit = 1.0
            if e.element[i, 4] == 1:
                v = vector(M.X, e.element[i, 5], DM)
                unit = reciprocal(dot(v, v))
            for a in range(n):
                for b in range(n):
                    D = unit * e.damping[d + a * n + b]
                    e.effort[at + a] += D * e.y[2, at + b]
                    e.slope[s + a * n + b] += D / h
    if losses is not None:
        act(M.B, M.T, M.TK, e.y, e.effort, e.slope, losses, u, h)
        if losses.feels[0]:
            warm_nodes(M.X, M.T, e, losses, h)
        rub(e.y, e.effort, e.slope, losses, h)
    for k in range(e.pushed.shape[0]):
        e.effort[e.pushed[k, 0]] -= u[e.pushed[k, 1]]


@inner
def push_elements(M: Machine, e: Elements, u: Array, h: float) -> None:
    """Add the impulses of all elements to the balances of momentum."""
    for i in range(M.sizes[1], M.X.shape[0]):
        push(M.B, M.X, M.K, i, h * e.effort[M.K[i, PLACE]])
    ground = M.B.shape[0] - 1
    for k in range(e.twists.shape[0]):
        t, kind = e.twists[k, 0], e.twists[k, 1]
        axis, torque = vector(M.T, t, AXIS), 0.0
        if kind == FRICTION:
            torque = -e.numbers[e.twists[k, 3]] * M.T[t, RATE]
        elif kind == DRIVE:
            torque = u[e.twists[k, 2]]
        else:
            axis, torque = vector(M.T, t, SECANT), -e.effort[e.twists[k, 2]]
        n = times(h * torque, axis)
        P, C = M.TK[t, 0], M.TK[t, 1]
        if ground > C:
            m = moment(vector(M.B, C, A), n)
            add_to(M.B, C, TORQUE, times(-1.0, m))
            M.B[C, SIZE_R] += size_of(m)
        if ground > P:
            m = moment(vector(M.B, P, A), n)
            add_to(M.B, P, TORQUE, m)
            M.B[P, SIZE_R] += size_of(m)
