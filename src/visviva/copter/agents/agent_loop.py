"""A whole flight as one compiled function: plant, sensors and agent in turn, and what is kept of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.agents.agent_tick import Frame, Goal, LawAccess, Memory, Parameters, tick_fixed, tick_tilting
from visviva.copter.agents.sensors import Measured
from visviva.copter.estimation.attitude_observer import NOW
from visviva.copter.estimation.position_observer import R, V
from visviva.copter.estimation.turns import exponential, multiply, quaternion_at
from visviva.copter.models.gyrostat import Gyrostat
from visviva.copter.models.plant import Q_AT, advance_plant, matrix, specific_force, step_inverse, xi_at
from visviva.kernels.calls import call_inputs

HELD = -1  # in place of the tick at which the agent is let go


class Record(NamedTuple):
    """What is kept of each of N ticks."""

    x: Array  # (N, ...) the true state of the plant
    r: Array  # (N, 3) r̂
    q: Array  # (N, 4) q̂
    v: Array  # (N, 3) v̂
    w: Array  # (N, 3) ω̂ of the next tick
    bias: Array  # (N, 6) τ̂_B, F̂_B
    wrench: Array  # (N, 6) f_D
    inputs: Array  # (N, thrusts) of the law
    currents: Array  # (N, n) that act from this tick on
    tilts: Array  # (N, s) that servos are asked for
    between: Array  # (N, steps, ...) the true state at the end of each step until the next tick
    gust: Array  # (N, 3) force [N] in world axes that acts from this tick on
    air: Array  # (N, steps, 4) the wind [m/s] in each step, and minus the height of the ground


class World(NamedTuple):
    """The plant, and what the agent does not know of it."""

    plant: Gyrostat
    gravity: float
    h: float  # [s] of a step
    steps: int  # between ticks
    settle: int  # ticks from when the agent is let go until the manoeuvre
    lead: int  # ticks of hover with which goals begin before it
    ahead: int  # ticks for which the law is asked
    gust: Array  # (M, 3) force [N] in world axes at each tick since the agent is let go, which flies that long
    air: Array  # (4,) the wind that blows now [m/s], and minus the height of the ground
    wind: int  # address of a function that tells the wind by the time of the manoeuvre, else 0
    wind_r: Array  # (3,) where it is asked
    wind_w: Array  # (3,) what it tells


class Progress(NamedTuple):
    """Where a flight is."""

    begun: NDArray[np.int64]  # (1,) tick at which the agent was let go, HELD before
    taken: NDArray[np.int64]  # (1,) frames that were measured
    arrived: NDArray[np.int64]  # (1,) and those of them that are there, or lost
    waiting: Array  # (frames, 7) what they tell: r, q; not a number where none was measured
    speeds: Array  # (n,) ϖ_M


def fly_fixed(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
              record: Record) -> int:  # fmt: skip
    """Fly from x, in place; how many ticks were made. The vehicle is held until the agent knows where it is.

    goals: of all ticks.   record: of as many ticks as it may take.
    """
    now, frame, k = _progress(m, x, len(s.currents)), _quiet(), 0
    while k < len(record.x) and not _is_over(world, m, now, k):
        imu, goal = _sense(world, m, x, s, k, now, frame), _goal(world, goals, now, k)
        if tick_fixed(p, s, law, k, goal, imu, now.speeds, frame) and now.begun[0] == HELD:
            now.begun[0] = k
        _advance(world, m, x, s, law, k, now, record)
        k += 1
    return k


def fly_tilting(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
                record: Record) -> int:  # fmt: skip
    """The same where rotors tilt."""
    now, frame, k = _progress(m, x, len(s.currents)), _quiet(), 0
    while k < len(record.x) and not _is_over(world, m, now, k):
        imu, goal = _sense(world, m, x, s, k, now, frame), _goal(world, goals, now, k)
        if tick_tilting(p, s, law, k, goal, imu, now.speeds, frame) and now.begun[0] == HELD:
            now.begun[0] = k
        _advance(world, m, x, s, law, k, now, record)
        k += 1
    return k


def _progress(m: Measured, x: Array, n: int) -> Progress:
    begun, speeds = np.full(1, HELD), x[len(x) - n :].copy()
    return Progress(begun, np.zeros_like(begun), np.zeros_like(begun), np.zeros((len(m.step), 7)), speeds)


def _is_over(world: World, m: Measured, now: Progress, k: int) -> bool:
    """Whether it has flown, or it is too late to begin."""
    if now.begun[0] == HELD:
        return k > len(m.noise) - len(world.gust)
    return k - now.begun[0] >= len(world.gust)


def _goal(world: World, goals: Goal, now: Progress, k: int) -> Goal:
    """What the law is asked for at tick k: hover until the manoeuvre, and after it."""
    row = k + world.ahead - now.begun[0] - world.settle + world.lead if now.begun[0] != HELD else 0
    row = min(max(row, 0), len(goals.motion) - 1)
    return Goal(goals.motion[row], goals.sooner[row])


def _sense(world: World, m: Measured, x: Array, s: Memory, k: int, now: Progress, frame: Frame) -> Array:
    """What the IMU tells at tick k, and the frame that is there, if any."""
    imu = _imu(world, m, x, s, k, now)
    _measure(world, m, x, k * world.steps, now)
    _receive(m, k, now, frame)
    return imu


def _quiet() -> Frame:
    return Frame(np.full(1, np.nan), np.zeros(3), np.zeros(4))


def _imu(world: World, m: Measured, x: Array, s: Memory, k: int, now: Progress) -> Array:
    at, out = xi_at(world.plant), np.empty(6)
    out[:3] = np.dot(m.R_B, x[at : at + 3])
    if now.begun[0] != HELD:
        gust = world.gust[k - now.begun[0]]
        _blow(world, now, k * world.steps, x, 0.0)
        a = specific_force(world.plant, x, s.next_currents, s.next_tilts, gust, world.gravity, world.air)
    else:
        a = world.gravity * np.array(_up(x))
    out[3:] = np.dot(m.R_B, a)
    return out + m.bias + m.noise[k]


def _blow(world: World, now: Progress, step: int, x: Array, later: float) -> None:
    """The wind a part of a step later than a step begins, where the vehicle will be then."""
    if world.wind != 0:
        at, h = xi_at(world.plant), later * world.h
        world.wind_r[:] = x[:3] + h * np.dot(matrix(x, Q_AT), x[at + 3 : at + 6])
        t = _time(world, now, step) + h
        call_inputs(world.wind, (3, 0, 0, t, 0, 0))
        world.air[:3] = world.wind_w


def _time(world: World, now: Progress, step: int) -> float:
    """Of the manoeuvre [s], at the begin of a step, once the agent is let go."""
    return (step - (now.begun[0] + world.settle) * world.steps) * world.h


def _up(x: Array) -> tuple[float, float, float]:
    """Rᵀ e_z."""
    w, a, b, c = x[3], x[4], x[5], x[6]
    return 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)


def _measure(world: World, m: Measured, x: Array, step: int, now: Progress) -> None:
    """Frames of this step of the plant, or before it."""
    while now.taken[0] < len(m.step) and m.step[now.taken[0]] <= step:
        i = now.taken[0]
        e, told = m.frames[i], now.waiting[i]
        turned = multiply(quaternion_at(x, Q_AT), exponential(e[3], e[4], e[5]))
        told[:3] = x[:3] + e[:3]
        for k in range(4):
            told[3 + k] = turned[k]
        if _is_blind(world, m, now, m.step[i]):
            told[0] = np.nan
        now.taken[0] += 1


def _is_blind(world: World, m: Measured, now: Progress, step: int) -> bool:
    if now.begun[0] == HELD:
        return False
    t, near, found = _time(world, now, step), 0.5 * world.h, 0
    for k in range(len(m.blind)):
        if m.blind[k, 0] - near < t < m.blind[k, 1] + near:
            found += 1
    return found > 0


def _receive(m: Measured, k: int, now: Progress, frame: Frame) -> None:
    """The first frame that has arrived until this tick and was not told yet, if any."""
    frame.sent[0] = np.nan
    while np.isnan(frame.sent[0]) and now.arrived[0] < now.taken[0] and m.tick[now.arrived[0]] <= k:
        i = now.arrived[0]
        now.arrived[0] += 1
        if not np.isnan(now.waiting[i, 0]):
            frame.sent[0] = m.sent[i]
            frame.r[:], frame.q[:] = now.waiting[i, :3], now.waiting[i, 3:]


def _advance(
    world: World, m: Measured, x: Array, s: Memory, law: LawAccess, k: int, now: Progress, record: Record
) -> None:  # fmt: skip
    """The plant goes on to the next tick, and what is kept of this one; frames are measured on the way."""
    _note(record, s, law, x, k)
    n, free = len(now.speeds), now.begun[0] != HELD
    begin, gust = x[len(x) - n :].copy(), world.gust[k - now.begun[0]] if free else np.zeros(3)
    record.gust[k] = gust
    inverse, grown = step_inverse(world.plant, x, world.h), np.zeros(len(world.plant.M))
    for j in range(world.steps):
        _measure(world, m, x, k * world.steps + j, now)
        if free:
            _blow(world, now, k * world.steps + j, x, 0.5)
            advance_plant(world.plant, x, world.h, s.currents, s.tilts, gust, inverse, grown, world.air)
        record.between[k, j], record.air[k, j] = x, world.air
    now.speeds[:] = 0.5 * (begin + x[len(x) - n :]) + m.speeds[k]


def _note(record: Record, s: Memory, law: LawAccess, x: Array, k: int) -> None:
    """What is kept of tick k."""
    record.x[k], record.r[k], record.v[k] = x, s.position[R : R + 3], s.position[V : V + 3]
    record.q[k], record.w[k] = s.attitude[NOW : NOW + 4], s.rate[:3]
    record.bias[k, :3], record.bias[k, 3:] = s.rate[3:], s.bias
    record.wrench[k], record.inputs[k] = s.wrench, law.u
    record.currents[k], record.tilts[k] = s.currents, s.tilts


loops: dict[bool, Any] = {False: fly_fixed, True: fly_tilting}  # by whether rotors tilt
