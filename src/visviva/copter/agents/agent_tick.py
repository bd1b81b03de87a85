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
from visviva.copter.agents.lean import put_leaned, smooth
from visviva.copter.estimation import (
    AttitudeObserver,
    ForceBias,
    LatencyEstimator,
    PositionObserver,
    RateObserver,
    ThrustScale,
    correct_attitude,
    correct_position,
    predict_attitude,
    predict_position,
    update_force_bias,
    update_latency,
    update_rate,
    update_thrust_scale,
)
from visviva.copter.estimation.attitude_observer import AT_FRAME, NOW
from visviva.copter.estimation.buffers import LAST, TAKEN
from visviva.copter.estimation.position_observer import BIAS, START, R, V
from visviva.copter.estimation.thrust_scale import FORCE, SCALE
from visviva.copter.estimation.turns import exponential, multiply, quaternion_at, rotate
from visviva.copter.force import Propellers, Servos
from visviva.copter.force.fixed import put_rotor_force
from visviva.copter.force.propellers import put_observed, put_tracking_currents
from visviva.copter.force.servos import advance_servos
from visviva.copter.force.tilting import advance_tilt_force, put_tilt_force_speeds
from visviva.copter.models import plant
from visviva.copter.models.gyrostat import Gyrostat, add_blade, directions, put_air_drag, put_applied
from visviva.copter.models.plant import put_matrix
from visviva.copter.vehicles.vectors import (
    add_vector,
    cross,
    minus,
    plus,
    put_product,
    put_vector,
    row_of,
    times,
    turned_back,
    vector_at,
)
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
    scale: ThrustScale
    propellers: Propellers
    servos: Servos
    force: Any  # RotorForce or TiltForce
    model: Gyrostat  # without weight and bias
    inverse: Array  # (6, 6) M⁻¹ of the rigid vehicle
    split: Array  # (6, inputs) wrench of the law's inputs
    rows: NDArray[np.int64]  # of the wrench, that rotors are asked for


class Scratch(NamedTuple):
    """Numbers of one tick, of n rotors, c commands and r components of the wrench."""

    w: Array  # (3,) the IMU in axes of the body
    a: Array  # (3,)
    torque: Array  # (3,)
    held: Array  # (6,) what acts beside the rotors
    still: Array  # (6,)
    asked: Array  # (r,)
    observed: Array  # (3 n,) state of the propellers at the next tick
    speeds: Array  # (n,)
    thrusts: Array  # (n,)
    split: Array  # (c,)
    force: Array  # as the state of the filter of forces
    later: Array
    plant: plant.Memory


class Memory(NamedTuple):
    """The state of an agent: arrays that a tick changes in place."""

    latency: Array
    attitude: Array
    position: Array
    rate: Array
    bias: Array  # F̂_B
    scale: Array  # what of it goes along with the thrust
    lean: Array  # (2,) F̂_B across the rotors, smoothed
    propellers: Array
    servos: Array
    force: Array
    currents: Array  # that act now
    tilts: Array
    next_currents: Array  # and from the next tick on
    next_tilts: Array
    inputs: Array  # that the law asked for last [N]: of rotors and of servos
    wrench: Array  # (6,) f_D, of them and of what the reference changes
    counts: Array
    scratch: Scratch


def scratch(p: Parameters, force: Array) -> Scratch:
    """Memory of ticks; force: state of the filter of forces."""
    n = len(p.propellers.p_P1)
    commands = n + len(p.servos.p_S0)
    sizes = (3, 3, 3, 6, 6, len(p.rows), 3 * n, n, n, commands, len(force), len(force))
    own: list[Any] = [*map(np.zeros, sizes), plant.plant_memory(p.model)]
    return Scratch(*own)


class Goal(NamedTuple):
    """The reference of a tick."""

    motion: Array  # (3, 7) q_R and its two rates, p.lead later
    sooner: Array  # (6,) how much the wrench that it takes will have changed until each component is made
    lean: Array  # (3,) see `visviva.copter.agents.lean`; zeros where it does not lean
    thrust: Array  # (2,) F_z that the reference takes, at the tick and p.lead later


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
    own = s.scratch
    if not _fly(p, s, law, k, goal, imu, speeds, frame):
        return False
    put_rotor_force(p.force, s.force, own.asked, s.inputs, own.force, own.later)
    put_copy(own.later, s.force)
    put_rotor_force(p.force, s.force, own.asked, s.inputs, own.force, own.later)
    put_tracking_currents(p.propellers, own.observed, s.force, own.later, s.next_currents)
    put_copy(own.observed, s.propellers)
    return True


def tick_tilting(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, imu: Array, speeds: Array,
                 frame: Frame) -> bool:  # fmt: skip
    """The same where rotors tilt."""
    own = s.scratch
    if not _fly(p, s, law, k, goal, imu, speeds, frame):
        return False
    put_tilt_force_speeds(p.force, s.force, own.speeds)
    advance_tilt_force(p.force, s.force, own.asked, s.inputs, own.split, own.thrusts, s.next_tilts)
    put_tilt_force_speeds(p.force, s.force, own.later)
    put_tracking_currents(p.propellers, own.observed, own.speeds, own.later, s.next_currents)
    put_copy(own.observed, s.propellers)
    advance_servos(p.servos, s.servos, s.tilts)
    return True


def put_copy(a: Array, out: Array) -> None:
    """All numbers of one array into another."""
    for i in range(len(a)):
        out[i] = a[i]


def _fly(p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, imu: Array, speeds: Array,
         frame: Frame) -> bool:  # fmt: skip
    """Estimates, and f_D of the law; whether it flies."""
    put_copy(s.next_currents, s.currents)  # what the last tick has decided acts now
    put_copy(s.next_tilts, s.tilts)
    s.counts[TICKS] += 1.0
    put_observed(p.propellers, s.propellers, speeds, s.currents, s.scratch.observed)
    if not _locate(p, s, k * p.T_S, imu, frame):
        return False
    before = vector_at(s.rate, 0)
    _feel(p, s, goal)
    _ask(p, s, law, k, goal, before)
    for i in range(len(p.rows)):
        s.scratch.asked[i] = s.wrench[p.rows[i]]
    return True


def _locate(p: Parameters, s: Memory, t: float, imu: Array, frame: Frame) -> bool:
    """Pose and velocity from IMU and frames; whether they are known yet. The IMU comes into axes of the body."""
    w, a = s.scratch.w, s.scratch.a
    put_vector(w, 0, turned_back(p.R_B, minus(vector_at(imu, 0), vector_at(p.imu_bias, 0))))
    put_vector(a, 0, turned_back(p.R_B, minus(vector_at(imu, 3), vector_at(p.imu_bias, 3))))
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


def _feel(p: Parameters, s: Memory, goal: Goal) -> None:
    """Angular velocity, τ̂_B and F̂_B; the wrench (m; f) that acts beside the rotors, as the law is to know it."""
    n, c, own, m = len(p.propellers.p_P1), len(p.servos.p_S0), s.scratch, s.scratch.plant
    g, com, T, xi = p.model, vector_at(p.model.com, 0), p.T_S, s.scratch.plant.mean
    put_matrix(s.attitude, NOW, m.R)
    w, v = vector_at(s.rate, 0), turned_back(m.R, vector_at(s.position, V))
    put_vector(xi, 0, w)
    put_vector(xi, 3, v)
    for j in range(c):
        m.theta[j], xi[6 + j] = s.servos[j], s.servos[c + j]
    for i in range(n):
        xi[6 + c + i] = s.propellers[i]
    directions(g, m.theta, m.H, m.slopes)
    put_vector(m.around, 0, (0.0, 0.0, 0.0))  # no wind, and no ground
    m.around[3] = np.inf
    put_applied(g, m.R, m.H, m.theta, xi, s.currents, s.tilts, m.around, m.f)
    put_air_drag(g, w, v, own.held)
    momentum, reaction = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(n):
        spin, h, j = xi[6 + c + i], row_of(m.H, i), g.servo[i]
        add_blade(g, i, m.R, m.H, w, v, spin, m.around[3], own.held)
        change = (own.observed[i] - s.propellers[i]) / T
        momentum = plus(momentum, times(g.momentum[i] * spin, h))
        reaction = plus(reaction, times(g.momentum[i] * change, h))
        if j >= 0:
            reaction = plus(reaction, times(g.momentum[i] * spin * s.servos[c + j], row_of(m.slopes, i)))
    for j in range(c):
        growth = p.servos.p_S0[j] * (s.tilts[j] - m.theta[j]) - p.servos.p_S1[j] * s.servos[c + j]
        reaction = plus(reaction, times(growth, (g.M[0, 6 + j], g.M[1, 6 + j], g.M[2, 6 + j])))
    turn = cross(momentum, w)
    add_vector(own.held, 0, turn)
    force = vector_at(m.f, 3)
    torque = plus(vector_at(m.f, 0), minus(turn, reaction))
    put_vector(own.torque, 0, minus(torque, cross(com, force)))  # about the centre of mass
    update_rate(p.rate, s.rate, own.w, own.torque)
    growth_w = times(1 / T, minus(vector_at(s.rate, 0), w))
    there = plus(vector_at(own.a, 0), plus(cross(growth_w, com), cross(w, cross(w, com))))
    put_vector(own.torque, 0, there)  # specific force in the centre of mass
    update_force_bias(
        p.bias, s.bias, own.torque, s.position[BIAS : BIAS + 3], s.position[V : V + 3], s.attitude[NOW : NOW + 4],
        m.f[3:6],
    )  # fmt: skip
    smooth(s.bias, T, s.lean)
    update_thrust_scale(p.scale, s.scale, p.bias.mass * (there[2] - s.position[BIAS + 2]) - m.f[5], goal.thrust[0])
    s.bias[2] = s.scale[FORCE] + s.scale[SCALE] * goal.thrust[0]
    bias = (s.bias[0], s.bias[1], s.scale[FORCE] + s.scale[SCALE] * goal.thrust[1])
    add_vector(own.held, 3, bias)
    add_vector(own.held, 0, plus(vector_at(s.rate, 3), cross(com, bias)))


def _ask(
    p: Parameters, s: Memory, law: LawAccess, k: int, goal: Goal, w: tuple[float, float, float]
) -> None:  # fmt: skip
    """f_D of the tracking law for the time at which it will act, p.lead later; where it has none, the last one stays.

    w: ω̂ at k, where that at k + 1 is predicted already. Until then ω̇ and the specific force in axes of the body stay.
    """
    h, t, y, own = p.lead, k * p.T_S + p.lead, law.y, s.scratch
    rate, half = times(1 / p.T_S, minus(vector_at(s.rate, 0), w)), 0.5 * p.lead
    middle = plus(w, times(half, rate))
    now = quaternion_at(s.attitude, NOW)
    on_way = multiply(now, exponential(half * middle[0], half * middle[1], half * middle[2]))
    q = multiply(now, exponential(h * middle[0], h * middle[1], h * middle[2]))
    a = minus(vector_at(own.a, 0), vector_at(s.position, BIAS))
    growth = minus(rotate(on_way, a[0], a[1], a[2]), (0.0, 0.0, p.position.gravity))
    before = vector_at(s.position, V)
    v = plus(before, times(h, growth))
    put_vector(y, 0, plus(vector_at(s.position, R), times(half, plus(before, v))))
    put_vector(y, 12, plus(w, times(h, rate)))
    own.still[0], own.still[1], own.still[2], own.still[3] = q
    put_matrix(own.still, 0, own.plant.R)
    for i in range(3):
        put_vector(y, 3 + 3 * i, row_of(own.plant.R, i))
    put_vector(y, 15, turned_back(own.plant.R, v))
    put_product(p.inverse, own.held, own.still)
    for i in range(6):
        law.still[i] = -own.still[i]
    for i in range(3):
        put_copy(goal.motion[i], law.knots[i])
    put_leaned(goal.lean, s.lean, law.knots[:3])
    law.clock[0], law.clock[1], law.clock[2] = t, 1.0, t
    limited = law.status[1]
    call_inputs(law.address, (len(y), law.T, law.P, t, law.read, law.given))
    if law.status[0] != FINE and law.status[0] != LEAST_VIOLATION:
        s.counts[NO_INPUTS] += 1.0
        return
    if law.status[1] > limited:
        s.counts[LIMITED] += 1.0
    put_copy(law.u, s.inputs)
    put_product(p.split, s.inputs, s.wrench)
    for i in range(6):
        s.wrench[i] += goal.sooner[i]
