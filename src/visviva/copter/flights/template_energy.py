"""The energy of the errors of a flight, W̄ = T̄ + V̄, and where it went: the balance of its tracking law.

    ΔW̄ = damping + reference + matching force + saturation + hold + estimation and model + actuators

From the accelerations of the template to those of the vehicle, M a + b = wrench, each difference has its power:

    damping, reference       the template itself, -M̄⁻¹ b̄
    matching force           B u0, of a law that knows the state, the vehicle and all that acts on it
    saturation               B u, within limits
    hold                     B u of the last tick, with what else acts as the mean of each step has it
    estimation and model     what the agent asked for, for this tick, `ahead` before it
    actuators                what rotors made: κ_F ϖ² (r × h - ε κ_T/κ_F h; h), less what their spin and their tilt
                             take, Σ Θ_P ε d(h ϖ)/dt + Σ Θ_AC θ̈; what blades and ground add acts beside it

Powers are integrated by the trapezoidal rule over steps of the plant, each wrench from its own formula: the sum meets
ΔW̄ to the second order of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.tracking import TrackingLaw
from visviva.control.tracking_record import TrackingRecord, law_at_nodes, record_of, trapezoidal_sum
from visviva.copter.energy.flown_steps import FlownSteps, flown_steps
from visviva.copter.flights.controller import controller
from visviva.copter.models.gyrostat import (
    Gyrostat,
    add_blade,
    add_thrust,
    air_twist,
    gyrostat,
    moving_air,
    put_air_drag,
)
from visviva.copter.models.plant import THETA_AT, Memory, add_gust, plant_memory, put_mean_state, put_state
from visviva.copter.models.rigid import rigid
from visviva.copter.vehicles.vectors import Vector, add_vector, cross, minus, plus, row_of, times, vector_at
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.forms.dynamics.handle import Dynamics, dynamics
from visviva.geometry.quaternion import quaternion
from visviva.kernels.twins import kernel_of
from visviva.model.control_law import Clock

NEAR = 1e-6  # of a period
ENDS = (slice(None, -1), slice(1, None))  # nodes at which steps begin and end

if TYPE_CHECKING:
    from visviva.copter.agents.agent_flight import AgentFlight
    from visviva.copter.flights.flight import Flight


class Wrenches(NamedTuple):
    """(m; f) about the origin of the body, in its axes, over N steps."""

    asked: Array  # (N, 6) of rotors
    made: Array  # (N, 6) by rotors
    other: Array  # (N, 6) of all else but weight
    other_at_nodes: Array  # (N + 1, 6)
    tick: NDArray[np.intp]  # (N,) node at which the law was asked for what acts


def template_record(
    law: TrackingLaw, d: Dynamics, goals: Any, t: Array, q: Array, v: Array, acting: Wrenches, clock: Clock
) -> TrackingRecord:  # fmt: skip
    """See the module. d: of the rigid vehicle.   q: (r, quaternion), v: twist at nodes t."""
    own = law_at_nodes(law, t, q, v, goals, d.mass_matrix(q), d.bias(q, v) - acting.other_at_nodes)
    force = np.linalg.solve(own.M, own.slope[..., None])[..., 0]
    wanted = np.einsum("tij,tj->ti", own.B, own.u)
    held, h = wanted[acting.tick], np.diff(t)
    changes = {
        "hold": [held - wanted[end] + acting.other - acting.other_at_nodes[end] for end in ENDS],
        "estimation and model": [acting.asked - held] * 2,
        "actuators": [acting.made - acting.asked] * 2,
    }
    work = {
        name: trapezoidal_sum(h, *(np.einsum("ti,ti->t", force[end], one) for end, one in zip(ENDS, both, strict=True)))
        for name, both in changes.items()
    }
    return record_of(law, t, own, work, clock)


def template_of_flight(flight: Flight) -> TrackingRecord:
    """Of a flight with perfect state: rotors make what they are asked for, but for their options, and the model may be
    wrong; what blades and ground add is made by rotors.
    """
    own, run, law = flight.vehicle, flight.run, flight.law
    rotors = flight.rotors
    if rotors is None:
        clock = next(clock for asked, clock in run.sampled if asked is law)
    else:  # they ask the law
        clock = Clock(float(run.t[0]), rotors.period)
    V, wrench, made = run["craft.twist"], run["craft_air.u"], run["rotors.u"]
    asked = made if rotors is None else rotors.asked[: len(made)]
    other = np.concatenate([wrench[:, :3] + np.cross(own.com, wrench[:, 3:]), wrench[:, 3:]], axis=1)
    r, R = run["craft.r"], run["craft.R"].reshape(-1, 3, 3)
    air = [flight.around.around(float(t), x) for t, x in zip(run.t, r, strict=True)]
    through = [air_twist(*state) for state in zip(R, V, air, strict=True)]
    q = np.concatenate([r, quaternion(R)], axis=1)
    node = clock.start + clock.period * np.floor((run.t[:-1] - clock.start) / clock.period + NEAR)
    tick = np.searchsorted(run.t, node - NEAR * clock.period)
    acting = Wrenches(asked, made, other, own.bias - np.array(through) @ own.drag.matrix, tick)
    return template_record(law.law, dynamics(rigid(own)), law.goals, run.t, q, V, acting, clock)


def template_of_agent(flight: AgentFlight) -> TrackingRecord:
    """Of a flight by sensors, from the begin of its manoeuvre."""
    own, agent, record = flight.vehicle, flight.agent, flight.record
    piloted, path = flight.plan.piloted, flight.plan.path
    law = controller(own, path, approach=agent.approach, poles=agent.poles, damped=False, piloted=piloted)
    ticks = np.flatnonzero(flight.t >= -NEAR * agent.period)
    steps = record.between.shape[1]
    flown = flown_steps(record, ticks[0], flight.t)
    asked = record.inputs[ticks - agent.ticks_ahead] @ agent.vehicle.split_allocation.T
    made, other, other_at_nodes = wrenches(own, flown, kernel_of(put_step_wrenches))
    tick = np.repeat(steps * np.arange(len(ticks)), steps)
    acting = Wrenches(np.repeat(asked, steps, axis=0), made, other, other_at_nodes, tick)
    q = flown.x[:, :THETA_AT]
    clock = Clock(flight.t[ticks[0]], agent.period)
    return template_record(law.law, dynamics(rigid(own)), law.goals, flown.t, q, flown.xi[:, :6], acting, clock)


def put_step_wrenches(
    p: Gyrostat, x: Array, h: Array, gust: Array, air: Array, m: Memory, made: Array, other: Array, at_nodes: Array
) -> None:  # fmt: skip
    """What rotors made in each of N steps between states x, (N, 6), and what else acted, in steps and at nodes."""
    N, n = len(h), len(p.servo)
    last = (0.0, 0.0, 0.0)
    for k in range(N + 1):
        acts = min(k, N - 1)
        put_state(p, x[k], air[acts], m)
        now = spin_momentum(p, m)
        put_other_wrench(p, m.R, now, gust[acts], m, at_nodes[k])
        if k > 0:
            put_mean_state(p, x[k - 1], x[k], air[k - 1], m)
            put_other_wrench(p, m.R_mean, spin_momentum(p, m), gust[k - 1], m, other[k - 1])
            for j in range(6):
                made[k - 1, j] = 0.0
            for i in range(n):
                add_thrust(p, i, m.H, m.mean[len(m.mean) - n + i] ** 2, made[k - 1])
            add_vector(made[k - 1], 0, times(-1 / h[k - 1], minus(now, last)))
        last = now


def wrenches(
    vehicle: Vehicle, flown: FlownSteps, put: Callable[..., None] = put_step_wrenches
) -> tuple[Array, Array, Array]:  # fmt: skip
    """`put_step_wrenches` of flown steps, or its kernel, with arrays of its own."""
    p, N = gyrostat(vehicle), len(flown.h)
    made, other, at_nodes = np.empty((N, 6)), np.empty((N, 6)), np.empty((N + 1, 6))
    put(p, flown.x, flown.h, flown.gust, flown.air, plant_memory(p), made, other, at_nodes)
    return made, other, at_nodes


def spin_momentum(p: Gyrostat, m: Memory) -> Vector:
    """What turns against the body has, Σ Θ_P ε ϖ h + Σ Θ_AC θ̇, at the state in `m`."""
    n, found = len(p.servo), (0.0, 0.0, 0.0)
    for j in range(6, len(m.mean) - n):
        found = plus(found, times(m.mean[j], (p.M[0, j], p.M[1, j], p.M[2, j])))
    for i in range(n):
        found = plus(found, times(p.momentum[i] * m.mean[len(m.mean) - n + i], row_of(m.H, i)))
    return found


def put_other_wrench(p: Gyrostat, R: Array, momentum: Vector, gust: Array, m: Memory, f: Array) -> None:
    """Bias, drag, what blades add, gust and the gyroscopic moment, at an attitude and the state in `m`."""
    n, w, v = len(p.servo), vector_at(m.mean, 0), moving_air(R, m.mean, m.around)
    put_air_drag(p, w, v, f)
    add_gust(p, R, gust, f)
    for i in range(n):
        add_blade(p, i, R, m.H, w, v, m.mean[len(m.mean) - n + i], m.around[3], f)
    add_vector(f, 0, cross(momentum, w))
