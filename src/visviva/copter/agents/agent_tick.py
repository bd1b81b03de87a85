"""One tick of an agent, Konz Figures 5.5 and 5.18, as plain functions of arrays that compile to one.

At tick k the IMU is read, and with the current i_M[k] that acts until the next one the speeds are known. What the tick
decides, currents and tilts, acts from k + 1 to k + 2: a tick has all of its period to compute.

    IMU → axes of the body → attitude, position → late frame → rotors → ω̂, τ̂_B → F̂_B → law → forces → currents, tilts

What the law takes as known beside the template's model, in b: drag, the gyroscopic moment of the propellers, -F̂_B and
-τ̂_B. A wrench f on a body of inertia M is the acceleration -M⁻¹ f at which its inverse dynamics begin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.estimation import (
    AttitudeObserver,
    ForceBias,
    LatencyEstimator,
    PositionObserver,
    RateObserver,
    correct_attitude,
    correct_position,
    predict_attitude,
    predict_position,
    update_force_bias,
    update_latency,
    update_rate,
)
from visviva.copter.estimation.attitude_observer import AT_FRAME, NOW
from visviva.copter.estimation.buffers import LAST, TAKEN
from visviva.copter.estimation.position_observer import BIAS, START, R, V
from visviva.copter.estimation.turns import exponential, multiply, quaternion_at
from visviva.copter.force import (
    Propellers,
    Servos,
    filter_rotor_force,
    filter_tilt_force,
    observe_propellers,
    simulate_servos,
    tilt_force_speeds,
    track_speeds,
)
from visviva.copter.models.gyrostat import Gyrostat, add_blades, applied, directions
from visviva.copter.models.plant import matrix
from visviva.copter.vehicles.vectors import cross
from visviva.kernels.calls import call_inputs
from visviva.kernels.control.tracking import FINE, LEAST_VIOLATION

TICKS, READY, LIMITED, NO_INPUTS, STALE, LONGEST = range(6)  # of `counts`
NEVER = -1.0


class LawAccess(NamedTuple):
    """A compiled tracking law by address, and its memory; see `kernels.control.tracking`."""

    address: int
    T: int  # addresses of arrays
    P: int
    read: int
    given: int
    y: Array  # (18,) what it reads: r, R row by row, twist
    knots: Array
    clock: Array
    still: Array  # (6,)
    u: Array  # thrusts F cos θ of all rotors, F sin θ of the tilting ones [N]
    status: NDArray[np.int64]


class Parameters(NamedTuple):
    """All that an agent knows before a flight."""

    T_S: float
    lead: float  # [s] from a tick until what it asks for is made
    patience: float  # [s] without frames until they are called stale
    R_B: Array
    imu_bias: Array  # (6,) of gyroscope and accelerometer, in axes of the sensor
    latency: LatencyEstimator
    attitude: AttitudeObserver
    position: PositionObserver
    rate: RateObserver
    bias: ForceBias
    propellers: Propellers
    servos: Servos
    force: Any  # RotorForce or TiltForce
    model: Gyrostat  # without weight and bias
    inverse: Array  # (6, 6) M⁻¹ of the rigid vehicle
    split: Array  # (6, inputs) wrench of the law's inputs
    rows: NDArray[np.int64]  # of the wrench, that rotors are asked for


class Memory(NamedTuple):
    """The state of an agent: arrays that a tick changes in place."""

    latency: Array
    attitude: Array
    position: Array
    rate: Array
    bias: Array  # F̂_B
    propellers: Array
    servos: Array
    force: Array
    currents: Array  # that act now
    tilts: Array
    next_currents: Array  # and from the next tick on
    next_tilts: Array
    wrench: Array  # (6,) f_D that the law asked for last
    counts: Array


class Goal(NamedTuple):
    """The reference of a tick."""

    motion: Array  # (3, 7) q_R and its two rates, p.lead later
    sooner: Array  # (6,) how much the wrench that it takes will have changed until each component is made


class Frame(NamedTuple):
    """A frame as it arrives; `sent` is not a number where there is none."""

    sent: Array  # (1,) by the clock of the sender [s]
    r: Array
    q: Array


def tick_fixed(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, imu: Array, speeds: Array,
               frame: Frame) -> bool:  # fmt: skip
    """A tick of a vehicle whose rotors do not tilt; whether it flies.

    imu: (6,) gyroscope and accelerometer.   speeds: ϖ_M (n,).
    """
    _next(s)
    observed = observe_propellers(p.propellers, s.propellers, speeds, s.currents)
    if not _fly(p, s, law, k, goal, imu, observed, frame):
        return False
    asked = s.wrench[p.rows]
    s.force[:] = filter_rotor_force(p.force, s.force, asked)
    n = len(speeds)
    later = filter_rotor_force(p.force, s.force, asked)
    s.next_currents[:] = track_speeds(p.propellers, observed, s.force[:n], later[:n])
    s.propellers[:] = observed
    return True


def tick_tilting(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, imu: Array, speeds: Array,
                 frame: Frame) -> bool:  # fmt: skip
    """The same where rotors tilt."""
    _next(s)
    observed = observe_propellers(p.propellers, s.propellers, speeds, s.currents)
    if not _fly(p, s, law, k, goal, imu, observed, frame):
        return False
    last = tilt_force_speeds(p.force, s.force)
    new, tilts = filter_tilt_force(p.force, s.force, s.wrench[p.rows])
    s.force[:], s.next_tilts[:] = new, tilts
    s.next_currents[:] = track_speeds(p.propellers, observed, last, tilt_force_speeds(p.force, s.force))
    s.propellers[:] = observed
    s.servos[:] = simulate_servos(p.servos, s.servos, s.tilts)
    return True


def _fly(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, imu: Array, observed: Array,
         frame: Frame) -> bool:  # fmt: skip
    """Estimates, and f_D of the law; whether it flies. observed: state of the propellers at k + 1."""
    a, w = np.empty(3), np.empty(3)
    if not _locate(p, s, k * p.T_S, imu, frame, w, a):
        return False
    before = s.rate[:3].copy()
    held = _feel(p, s, observed, w, a)
    _ask(p, s, law, k, goal, held, before, a)
    return True


def _next(s: Memory) -> None:
    """What the last tick has decided acts now."""
    s.currents[:], s.tilts[:] = s.next_currents, s.next_tilts
    s.counts[TICKS] += 1.0


def _locate(p: Parameters, s: Memory, t: float, imu: Array, frame: Frame, w: Array, a: Array) -> bool:
    """Pose and velocity from IMU and frames; whether they are known yet. w, a: the IMU in axes of the body."""
    w[:] = np.dot(imu[:3] - p.imu_bias[:3], p.R_B)
    a[:] = np.dot(imu[3:] - p.imu_bias[3:], p.R_B)
    predict_attitude(p.attitude, s.attitude, t, w)
    predict_position(p.position, s.position, t, s.attitude[NOW : NOW + 4], a)
    if not np.isnan(frame.sent[0]):
        measured = update_latency(p.latency, s.latency, t, frame.sent[0])
        if measured > t:  # by rounding, or by a delay that is less than it was believed
            measured = t
        if correct_attitude(p.attitude, s.attitude, measured, frame.q) == TAKEN:
            correct_position(p.position, s.position, measured, frame.r, s.attitude[AT_FRAME : AT_FRAME + 4])
    if s.position[TAKEN] < START:
        return False
    age = t - s.position[LAST]
    s.counts[LONGEST] = max(s.counts[LONGEST], age)
    if age > p.patience:
        s.counts[STALE] += 1.0
    if s.counts[READY] == NEVER:
        s.counts[READY] = t
    return True


def _feel(p: Parameters, s: Memory, observed: Array, w_M: Array, a: Array) -> Array:
    """Angular velocity, τ̂_B and F̂_B; the wrench (m; f) that acts beside the rotors, as the law is to know it."""
    n, m = len(p.propellers.p_P1), len(p.servos.p_S0)
    g, com, T = p.model, p.model.com, p.T_S
    theta, xi = s.servos[:m], np.zeros(6 + m + n)
    q = s.attitude[NOW : NOW + 4]
    R_WB = matrix(q, 0)
    xi[:3], xi[3:6], xi[6 : 6 + m] = s.rate[:3], np.dot(s.position[V : V + 3], R_WB), s.servos[m:]
    xi[6 + m :] = s.propellers[:n]
    H, slopes, none = np.empty((n, 3)), np.empty((n, 3)), np.zeros(n)
    directions(g, theta, H, slopes)
    around = np.zeros(4)  # no wind, and no ground
    around[3] = np.inf
    wrench = applied(g, R_WB, H, theta, xi, none, s.tilts, around)[:6]
    held = -np.dot(g.drag, xi[:6])
    add_blades(g, R_WB, H, xi[:6], xi[6 + m :], around[3], held)
    momentum, reaction, turn = np.zeros(3), np.zeros(3), np.empty(3)
    for i in range(n):
        spin = xi[6 + m + i]
        change = (observed[i] - s.propellers[i]) / T
        j = g.servo[i]
        for k in range(3):
            momentum[k] += g.momentum[i] * spin * H[i, k]
            reaction[k] += g.momentum[i] * change * H[i, k]
            if j >= 0:
                reaction[k] += g.momentum[i] * spin * slopes[i, k] * s.servos[m + j]
    for j in range(m):
        growth = p.servos.p_S0[j] * (s.tilts[j] - theta[j]) - p.servos.p_S1[j] * s.servos[m + j]
        for k in range(3):
            reaction[k] += g.M[k, 6 + j] * growth
    cross(momentum, xi[:3], turn)
    held[:3] += turn
    wrench[:3] += turn - reaction
    # about the centre of mass
    arm = np.empty(3)
    cross(com, wrench[3:], arm)
    update_rate(p.rate, s.rate, w_M, wrench[:3] - arm)
    growth_w, lever, twice = (s.rate[:3] - xi[:3]) / T, np.empty(3), np.empty(3)
    cross(growth_w, com, lever)
    cross(xi[:3], com, arm)
    cross(xi[:3], arm, twice)
    update_force_bias(
        p.bias, s.bias, a + lever + twice, s.position[BIAS : BIAS + 3], s.position[V : V + 3], q, wrench[3:]
    )
    held[3:] += s.bias
    cross(com, s.bias, arm)
    held[:3] += s.rate[3:] + arm
    return held


def _ask(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, held: Array, w: Array, a: Array) -> None:
    """f_D of the tracking law for the time at which it will act, p.lead later; where it has none, the last one stays.

    w: ω̂ at k, where that at k + 1 is predicted already. Until then ω̇ and the specific force in axes of the body stay.
    """
    h, t, y = p.lead, k * p.T_S + p.lead, law.y
    spin, middle = s.rate[:3].copy(), np.empty(3)
    for i in range(3):
        rate = (s.rate[i] - w[i]) / p.T_S
        spin[i], middle[i] = w[i] + h * rate, w[i] + 0.5 * h * rate
    now, half = quaternion_at(s.attitude, NOW), 0.5 * h
    on_way = np.array(multiply(now, exponential(half * middle[0], half * middle[1], half * middle[2])))
    q = np.array(multiply(now, exponential(h * middle[0], h * middle[1], h * middle[2])))
    growth = np.dot(matrix(on_way, 0), a - s.position[BIAS : BIAS + 3])
    growth[2] -= p.position.gravity
    R_WB, v = matrix(q, 0), s.position[V : V + 3] + h * growth
    y[:3], y[12:15] = s.position[R : R + 3] + half * (s.position[V : V + 3] + v), spin
    for i in range(3):
        for j in range(3):
            y[3 + 3 * i + j] = R_WB[i, j]
    y[15:18] = np.dot(v, R_WB)
    law.still[:] = -np.dot(p.inverse, held)
    law.knots[:3] = goal.motion
    law.clock[0], law.clock[1], law.clock[2] = t, 1.0, t
    limited = law.status[1]
    call_inputs(law.address, (len(y), law.T, law.P, t, law.read, law.given))
    if law.status[0] != FINE and law.status[0] != LEAST_VIOLATION:
        s.counts[NO_INPUTS] += 1.0
        return
    if law.status[1] > limited:
        s.counts[LIMITED] += 1.0
    s.wrench[:] = np.dot(p.split, law.u) + goal.sooner
