"""A whole flight as one compiled function: plant, sensors and agent in turn, and what is kept of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.agents.agent_tick import (
    Frame,
    Goal,
    LawAccess,
    Memory,
    Parameters,
    put_copy,
    tick_fixed,
    tick_tilting,
)
from visviva.copter.agents.sensors import Measured
from visviva.copter.estimation.attitude_observer import NOW
from visviva.copter.estimation.position_observer import R, V
from visviva.copter.estimation.turns import exponential, multiply, put_quaternion, quaternion_at
from visviva.copter.models import plant
from visviva.copter.models.gyrostat import Gyrostat
from visviva.copter.models.plant import Q_AT, advance_plant, prepare, put_matrix, specific_force, xi_at
from visviva.copter.vehicles.vectors import plus, put_vector, row_of, times, turned, vector_at
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
    still: Array  # (3,) no gust
    work: plant.Memory


class Progress(NamedTuple):
    """Where a flight is."""

    begun: NDArray[np.int64]  # (1,) tick at which the agent was let go, HELD before
    taken: NDArray[np.int64]  # (1,) frames that were measured
    arrived: NDArray[np.int64]  # (1,) and those of them that are there, or lost
    waiting: Array  # (frames, 7) what they tell: r, q; not a number where none was measured
    speeds: Array  # (n,) ϖ_M
    before: Array  # (n,) speeds at the last tick
    imu: Array  # (6,)
    frame: Frame


def fly_fixed(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
              now: Progress, record: Record) -> int:  # fmt: skip
    """Fly from x, in place; how many ticks were made. The vehicle is held until the agent knows where it is.

    goals: of all ticks.   record: of as many ticks as it may take.
    """
    k = 0
    while k < len(record.x) and not _is_over(world, m, now, k):
        _sense(world, m, x, s, k, now)
        goal = _goal(world, goals, now, k)
        if tick_fixed(p, s, law, k, goal, now.imu, now.speeds, now.frame) and now.begun[0] == HELD:
            now.begun[0] = k
        _advance(world, m, x, s, k, now, record)
        k += 1
    return k


def fly_tilting(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
                now: Progress, record: Record) -> int:  # fmt: skip
    """The same where rotors tilt."""
    k = 0
    while k < len(record.x) and not _is_over(world, m, now, k):
        _sense(world, m, x, s, k, now)
        goal = _goal(world, goals, now, k)
        if tick_tilting(p, s, law, k, goal, now.imu, now.speeds, now.frame) and now.begun[0] == HELD:
            now.begun[0] = k
        _advance(world, m, x, s, k, now, record)
        k += 1
    return k


def progress(m: Measured, speeds: Array) -> Progress:
    """Before the first tick, rotors at some speeds."""
    frame = Frame(np.full(1, np.nan), np.zeros(3), np.zeros(4))
    counts = np.full(1, HELD), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Progress(*counts, np.zeros((len(m.step), 7)), speeds.copy(), speeds.copy(), np.zeros(6), frame)


def _is_over(world: World, m: Measured, now: Progress, k: int) -> bool:
    """Whether it has flown, or it is too late to begin."""
    if now.begun[0] == HELD:
        return k > len(m.noise) - len(world.gust)
    return k - now.begun[0] >= len(world.gust)


def _goal(world: World, goals: Goal, now: Progress, k: int) -> Goal:
    """What the law is asked for at tick k: hover until the manoeuvre, and after it."""
    row = k + world.ahead - now.begun[0] - world.settle + world.lead if now.begun[0] != HELD else 0
    row = min(max(row, 0), len(goals.motion) - 1)
    return Goal(goals.motion[row], goals.sooner[row], goals.lean[row], goals.thrust[row])


def _sense(world: World, m: Measured, x: Array, s: Memory, k: int, now: Progress) -> None:
    """What the IMU tells at tick k, and the frame that is there, if any."""
    _put_imu(world, m, x, s, k, now)
    _measure(world, m, x, k * world.steps, now)
    _receive(m, k, now)


def _put_imu(world: World, m: Measured, x: Array, s: Memory, k: int, now: Progress) -> None:
    own = world.work
    if now.begun[0] != HELD:
        gust = world.gust[k - now.begun[0]]
        _blow(world, now, k * world.steps, x, 0.0)
        a = specific_force(world.plant, x, s.next_currents, s.next_tilts, gust, world.gravity, own, world.air)
    else:
        put_matrix(x, Q_AT, own.R)
        a = times(world.gravity, row_of(own.R, 2))
    put_vector(now.imu, 0, turned(m.R_B, vector_at(x, xi_at(world.plant))))
    put_vector(now.imu, 3, turned(m.R_B, a))
    for i in range(6):
        now.imu[i] += m.bias[i] + m.noise[k, i]


def _blow(world: World, now: Progress, step: int, x: Array, later: float) -> None:
    """The wind a part of a step later than a step begins, where the vehicle will be then."""
    if world.wind != 0:
        at, h = xi_at(world.plant), later * world.h
        put_matrix(x, Q_AT, world.work.R)
        way = turned(world.work.R, vector_at(x, at + 3))
        put_vector(world.wind_r, 0, plus(vector_at(x, 0), times(h, way)))
        t = _time(world, now, step) + h
        call_inputs(world.wind, (3, 0, 0, t, 0, 0))
        put_vector(world.air, 0, vector_at(world.wind_w, 0))


def _time(world: World, now: Progress, step: int) -> float:
    """Of the manoeuvre [s], at the begin of a step, once the agent is let go."""
    return (step - (now.begun[0] + world.settle) * world.steps) * world.h


def _measure(world: World, m: Measured, x: Array, step: int, now: Progress) -> None:
    """Frames of this step of the plant, or before it."""
    while now.taken[0] < len(m.step) and m.step[now.taken[0]] <= step:
        i = now.taken[0]
        e, told = m.frames[i], now.waiting[i]
        put_vector(told, 0, plus(vector_at(x, 0), vector_at(e, 0)))
        put_quaternion(told, 3, multiply(quaternion_at(x, Q_AT), exponential(e[3], e[4], e[5])))
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


def _receive(m: Measured, k: int, now: Progress) -> None:
    """The first frame that has arrived until this tick and was not told yet, if any."""
    frame = now.frame
    frame.sent[0] = np.nan
    while np.isnan(frame.sent[0]) and now.arrived[0] < now.taken[0] and m.tick[now.arrived[0]] <= k:
        i = now.arrived[0]
        now.arrived[0] += 1
        if not np.isnan(now.waiting[i, 0]):
            frame.sent[0] = m.sent[i]
            put_vector(frame.r, 0, vector_at(now.waiting[i], 0))
            put_quaternion(frame.q, 0, quaternion_at(now.waiting[i], 3))


def _advance(world: World, m: Measured, x: Array, s: Memory, k: int, now: Progress, record: Record) -> None:
    """The plant goes on to the next tick, and what is kept of this one; frames are measured on the way."""
    _note(record, s, x, k)
    n, free = len(now.speeds), now.begun[0] != HELD
    put_copy(x[len(x) - n :], now.before)
    gust = world.gust[k - now.begun[0]] if free else world.still
    put_copy(gust, record.gust[k])
    if free:
        prepare(world.plant, x, world.h, world.work)
    for j in range(world.steps):
        _measure(world, m, x, k * world.steps + j, now)
        if free:
            _blow(world, now, k * world.steps + j, x, 0.5)
            advance_plant(world.plant, x, world.h, s.currents, s.tilts, gust, world.work, world.air)
        put_copy(x, record.between[k, j])
        put_copy(world.air, record.air[k, j])
    for i in range(n):
        now.speeds[i] = 0.5 * (now.before[i] + x[len(x) - n + i]) + m.speeds[k, i]


def _note(record: Record, s: Memory, x: Array, k: int) -> None:
    """What is kept of tick k."""
    put_copy(x, record.x[k])
    put_vector(record.r[k], 0, vector_at(s.position, R))
    put_vector(record.v[k], 0, vector_at(s.position, V))
    put_quaternion(record.q[k], 0, quaternion_at(s.attitude, NOW))
    put_vector(record.w[k], 0, vector_at(s.rate, 0))
    put_vector(record.bias[k], 0, vector_at(s.rate, 3))
    put_vector(record.bias[k], 3, vector_at(s.bias, 0))
    put_copy(s.wrench, record.wrench[k])
    put_copy(s.inputs, record.inputs[k])
    put_copy(s.currents, record.currents[k])
    put_copy(s.tilts, record.tilts[k])


loops: dict[bool, Any] = {False: fly_fixed, True: fly_tilting}  # by whether rotors tilt
