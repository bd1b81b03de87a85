"""A whole flight as one compiled function: plant, sensors and agent in turn, and what is kept of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.copter.agents.agent_tick import Frame, Goal, LawAccess, Memory, Parameters, tick_fixed, tick_tilting
from visviva.copter.agents.sensors import Measured
from visviva.copter.estimation.attitude_observer import NOW
from visviva.copter.estimation.position_observer import R, V
from visviva.copter.estimation.turns import exponential, multiply, quaternion_at
from visviva.copter.models.gyrostat import Gyrostat
from visviva.copter.models.plant import Q_AT, advance_plant, matrix, specific_force, step_inverse, xi_at
from visviva.kernels.calls import call_inputs


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
    settle: int  # ticks of hover before the manoeuvre
    ahead: int  # ticks for which the law is asked
    gust: Array  # (N, 3) force [N] in world axes at each tick
    air: Array  # (4,) the wind that blows now [m/s], and minus the height of the ground
    wind: int  # address of a function that tells the wind, else 0
    wind_r: Array  # (3,) where it is asked
    wind_w: Array  # (3,) what it tells
    begin: float  # of the manoeuvre, by whose time it is asked [s]


def fly_fixed(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
              record: Record) -> None:  # fmt: skip
    """Fly N ticks from x, in place. The vehicle is held until the agent knows where it is. goals: of all ticks."""
    frame, waiting, taken, speeds = _quiet(), np.zeros((len(m.step), 7)), 0, x[len(x) - len(s.currents) :].copy()
    arrived, begun = 0, -1
    for k in range(len(record.x)):
        imu = _imu(world, m, x, s, k, begun >= 0)
        taken = _measure(m, x, k * world.steps, waiting, taken)
        arrived = _receive(m, waiting, arrived, k, frame)
        row = min(max(k + world.ahead - begun - world.settle, 0), len(goals.motion) - 1) if begun >= 0 else 0
        goal = Goal(goals.motion[row], goals.sooner[row])
        flies = tick_fixed(p, s, law, k, goal, imu, speeds, frame)
        if flies and begun < 0:
            begun = k
        _note(record, s, law, x, k)
        taken = _advance(world, m, x, s, k, begun >= 0, waiting, taken, speeds, record.between[k], record.air[k])


def fly_tilting(p: Parameters, s: Memory, law: LawAccess, world: World, m: Measured, x: Array, goals: Goal,
                record: Record) -> None:  # fmt: skip
    """The same where rotors tilt."""
    frame, waiting, taken, speeds = _quiet(), np.zeros((len(m.step), 7)), 0, x[len(x) - len(s.currents) :].copy()
    arrived, begun = 0, -1
    for k in range(len(record.x)):
        imu = _imu(world, m, x, s, k, begun >= 0)
        taken = _measure(m, x, k * world.steps, waiting, taken)
        arrived = _receive(m, waiting, arrived, k, frame)
        row = min(max(k + world.ahead - begun - world.settle, 0), len(goals.motion) - 1) if begun >= 0 else 0
        goal = Goal(goals.motion[row], goals.sooner[row])
        flies = tick_tilting(p, s, law, k, goal, imu, speeds, frame)
        if flies and begun < 0:
            begun = k
        _note(record, s, law, x, k)
        taken = _advance(world, m, x, s, k, begun >= 0, waiting, taken, speeds, record.between[k], record.air[k])


def _quiet() -> Frame:
    return Frame(np.full(1, np.nan), np.zeros(3), np.zeros(4))


def _imu(world: World, m: Measured, x: Array, s: Memory, k: int, free: bool) -> Array:
    """What the IMU tells at tick k."""
    at, out = xi_at(world.plant), np.empty(6)
    out[:3] = np.dot(m.R_B, x[at : at + 3])
    if free:
        _blow(world, k * world.steps * world.h, x, 0.0)
        a = specific_force(world.plant, x, s.next_currents, s.next_tilts, world.gust[k], world.gravity, world.air)
    else:
        a = world.gravity * np.array(_up(x))
    out[3:] = np.dot(m.R_B, a)
    return out + m.bias + m.noise[k]


def _blow(world: World, t: float, x: Array, later: float) -> None:
    """The wind at a time, where the vehicle will be so much later."""
    if world.wind != 0:
        at = xi_at(world.plant)
        world.wind_r[:] = x[:3] + later * np.dot(matrix(x, Q_AT), x[at + 3 : at + 6])
        call_inputs(world.wind, (3, 0, 0, t - world.begin, 0, 0))
        world.air[:3] = world.wind_w


def _up(x: Array) -> tuple[float, float, float]:
    """Rᵀ e_z."""
    w, a, b, c = x[3], x[4], x[5], x[6]
    return 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)


def _measure(m: Measured, x: Array, step: int, waiting: Array, taken: int) -> int:
    """Frames of this step of the plant, or before it; how many there are."""
    while taken < len(m.step) and m.step[taken] <= step:
        e = m.frames[taken]
        turned = multiply(quaternion_at(x, Q_AT), exponential(e[3], e[4], e[5]))
        waiting[taken, :3] = x[:3] + e[:3]
        for i in range(4):
            waiting[taken, 3 + i] = turned[i]
        taken += 1
    return taken


def _receive(m: Measured, waiting: Array, arrived: int, k: int, frame: Frame) -> int:
    """The frame that arrives at this tick, if any."""
    frame.sent[0] = np.nan
    if arrived < len(m.tick) and m.tick[arrived] <= k:
        frame.sent[0] = m.sent[arrived]
        frame.r[:], frame.q[:] = waiting[arrived, :3], waiting[arrived, 3:]
        return arrived + 1
    return arrived


def _advance(
    world: World, m: Measured, x: Array, s: Memory, k: int, free: bool, waiting: Array, taken: int, speeds: Array,
    between: Array, air: Array,
) -> int:  # fmt: skip
    """The plant goes on to the next tick; frames are measured on the way. speeds: mean.   between, air: of steps."""
    n, begin = len(speeds), x[len(x) - len(speeds) :].copy()
    inverse, grown = step_inverse(world.plant, x, world.h), np.zeros(len(world.plant.M))
    for j in range(world.steps):
        taken = _measure(m, x, k * world.steps + j, waiting, taken)
        if free:
            _blow(world, (k * world.steps + j + 0.5) * world.h, x, 0.5 * world.h)
            advance_plant(world.plant, x, world.h, s.currents, s.tilts, world.gust[k], inverse, grown, world.air)
        between[j], air[j] = x, world.air
    speeds[:] = 0.5 * (begin + x[len(x) - n :])
    return taken


def _note(record: Record, s: Memory, law: LawAccess, x: Array, k: int) -> None:
    """What is kept of tick k."""
    record.x[k], record.r[k], record.v[k] = x, s.position[R : R + 3], s.position[V : V + 3]
    record.q[k], record.w[k] = s.attitude[NOW : NOW + 4], s.rate[:3]
    record.bias[k, :3], record.bias[k, 3:] = s.rate[3:], s.bias
    record.wrench[k], record.inputs[k] = s.wrench, law.u
    record.currents[k], record.tilts[k] = s.currents, s.tilts


loops: dict[bool, Any] = {False: fly_fixed, True: fly_tilting}  # by whether rotors tilt
