"""Friction by laws, motors, end stops and thermal nodes in a step.

Each acts as an effort along a function of two frames or along an angle, with its slope, so that the impulses and the
matrix of a step know nothing of them. What they see of the motion is the rate (y1 - y0)/h of the step alone; currents
and temperatures follow from it:

    mean current      i = (u - k r + 2 φ0/h)/(R + 2 L/h),   φ1 = 2 L i - φ0,      r the rate of the joint
    mean temperature  θ = ΔU/Δs,   c θ(s0) (exp(x) - 1) = Q - h G (θ - θ_env),   x = Δs/c
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.calls import call_rate
from visviva.kernels.functions import inner
from visviva.kernels.multibody.tables import Losses

ITERATIONS = 60  # of the balance of a thermal node
TINY = 1e-150  # a rate whose square is no longer a number of its own


@inner
def _rates(y: Array, l: Losses) -> None:
    for k in range(l.rub.shape[0]):
        at, n = l.rub[k, 0], l.rub[k, 1]
        if n == 1:
            l.rate[k] = y[2, at]
        else:
            square = 0.0
            for i in range(n):
                square += y[2, at + i] * y[2, at + i]
            l.rate[k] = math.sqrt(l.weight[k] * square)
        l.theta[k] = l.theta0[0]


@inner
def _call_laws(l: Losses) -> None:
    for i in range(l.law.shape[0]):
        address, n, at = l.law[i, 0], l.law[i, 1], l.law[i, 2]
        call_rate(
            address,
            (
                n, l.law_rows[at:].ctypes.data, l.law_numbers.ctypes.data, l.rate.ctypes.data, l.theta.ctypes.data,
                l.force.ctypes.data,
            ),
        )  # fmt: skip


@inner
def _mean(x: float) -> tuple[float, float]:
    """(exp(x) - 1)/x and its derivative."""
    if abs(x) < 1e-3:
        return 1.0 + x / 2 * (1.0 + x / 3 * (1.0 + x / 4 * (1.0 + x / 5))), 0.5 + x / 3 * (1.0 + 3 * x / 8)
    rise = math.expm1(x)
    return rise / x, (math.exp(x) * x - rise) / (x * x)


@inner
def warm_up(l: Losses, y: Array, h: float) -> None:
    """Mean temperatures and entropies at the end of all nodes but those of boxes; each has a scalar balance."""
    for j in range(l.node.size):
        if l.boxed[j]:
            continue
        feels = False
        for k in range(l.rub.shape[0]):
            feels = feels or (l.warm[k] == 1 and l.rub[k, 3] == j)
        s, c, G = l.node[j], l.node_numbers[j, 0], l.node_numbers[j, 2]
        start, x, last = l.node_numbers[j, 1] * math.exp(y[0, s] / c), 0.0, math.inf
        for _ in range(ITERATIONS):
            factor, slope = _mean(x)
            theta = start * factor
            heat, by_theta = l.given[j], 0.0
            if feels:
                for k in range(l.rub.shape[0]):
                    if l.rub[k, 3] == j:
                        l.theta[k] = theta
                _call_laws(l)
                for k in range(l.rub.shape[0]):
                    if l.warm[k] and l.rub[k, 3] == j:
                        heat += h * l.force[k, 0] * l.rate[k]
                        by_theta += h * l.force[k, 2] * l.rate[k]
            f = c * start * math.expm1(x) - heat + h * G * (theta - l.theta0[0])
            f_x = c * start * math.exp(x) + (h * G - by_theta) * start * slope
            l.node_numbers[j, 3], l.node_numbers[j, 4] = theta, start * slope / f_x
            dx = f / f_x
            if abs(dx) <= 1e-16 * abs(x) or (abs(dx) >= 0.5 * last and abs(dx) <= 1e-12 * abs(x)):
                last = 0.0
                break
            x -= dx
            last = abs(dx)
        if last > 0.0:  # no temperature: the step is refused
            l.node_numbers[j, 3] = x = math.nan
            for k in range(l.rub.shape[0]):
                if l.warm[k] and l.rub[k, 3] == j:
                    l.force[k, 0] = math.nan
        y[1, s] = y[0, s] + c * x


@inner
def _stops(y: Array, effort: Array, slope: Array, l: Losses, h: float) -> None:
    """Elastic efforts become e (1 + χ), see `model.friction.StopLoss`."""
    for k in range(l.stop.shape[0]):
        at, s = l.stop[k, 0], l.stop[k, 1]
        rate, e, loss = y[2, at], effort[at], l.stop_numbers[k, 0]
        sign = 1.0 if e > 0.0 else -1.0
        out = loss * rate * sign
        chi, by_out = out, 1.0
        if out < 0.0:
            chi, by_out = out / (1.0 - out), 1.0 / ((1.0 - out) * (1.0 - out))
        effort[at] = e * (1.0 + chi)
        slope[s] = slope[s] * (1.0 + chi) + abs(e) * by_out * loss / h
        l.stop_numbers[k, 1] = e * chi * rate


@inner
def _motors(y: Array, effort: Array, slope: Array, l: Losses, u: Array, h: float) -> None:
    for k in range(l.motor.shape[0]):
        at, s, flux = l.motor[k, 0], l.motor[k, 1], l.motor[k, 2]
        R, L, K = l.motor_numbers[k, 0], l.motor_numbers[k, 1], l.motor_numbers[k, 2]
        whole = R + 2.0 * L / h
        i = (u[l.motor[k, 3]] - K * y[2, at] + 2.0 * y[0, flux] / h) / whole
        l.motor_numbers[k, 3] = i
        y[1, flux] = 2.0 * L * i - y[0, flux]
        effort[at] = -K * i
        slope[s] = K * K / (whole * h)


@inner
def act(y: Array, effort: Array, slope: Array, l: Losses, u: Array, h: float) -> None:
    """Efforts and slopes of all of them but for laws that see a temperature, which `rub` adds after `warm_up`."""
    _rates(y, l)
    _call_laws(l)
    _stops(y, effort, slope, l, h)
    _motors(y, effort, slope, l, u, h)


@inner
def rub(y: Array, effort: Array, slope: Array, l: Losses, h: float) -> None:
    """Efforts and slopes of friction: its own heat warms the node that it sees, that of others is left to iteration."""
    for k in range(l.rub.shape[0]):
        at, n, s, j = l.rub[k, 0], l.rub[k, 1], l.rub[k, 2], l.rub[k, 3]
        r, F, F_r = l.rate[k], l.force[k, 0], l.force[k, 1]
        if l.warm[k] and j >= 0:
            F_r += l.force[k, 2] * l.node_numbers[j, 4] * h * (F + r * F_r)
        if n == 1:
            effort[at] += F
            slope[s] += F_r / h
            continue
        w = l.weight[k]
        mu, bend = F_r, 0.0
        if r > TINY:
            mu = F / r
            bend = w * (F_r - mu) / (r * r)
        for a in range(n):
            v = y[2, at + a]
            effort[at + a] += w * mu * v
            slope[s + a * n + a] += w * mu / h
            for b in range(n):
                slope[s + a * n + b] += w * bend * v * y[2, at + b] / h


@inner
def carry(y: Array, l: Losses) -> None:
    """Flux linkages and entropies at the end of a step are those at the start of the next."""
    for k in range(l.motor.shape[0]):
        y[0, l.motor[k, 2]] = y[1, l.motor[k, 2]]
    for j in range(l.node.size):
        y[0, l.node[j]] = y[1, l.node[j]]
