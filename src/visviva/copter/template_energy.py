"""The energy of the errors of a flight, W̄ = T̄ + V̄, and where it went: the balance of its tracking law.

    ΔW̄ = damping + reference + matching force + saturation + hold + estimation and model + actuators

From the accelerations of the template to those of the vehicle, M a + b = wrench, each difference has its power:

    damping, reference       the template itself, -M̄⁻¹ b̄
    matching force           B u0, of a law that knows the state, the vehicle and all that acts on it
    saturation               B u, within limits
    hold                     B u of the last tick, with what else acts as the mean of each step has it
    estimation and model     what the agent asked for, for this tick, `ahead` ticks before it
    actuators                what rotors made: F (r × h - ε κ_T/κ_F h; h), less what their spin and their tilt take,
                             Σ Θ_P ε d(h ϖ)/dt + Σ Θ_AC θ̈

Powers are integrated by the trapezoidal rule over steps of the plant, each wrench from its own formula: the sum meets
ΔW̄ to the second order of the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.tracking import TrackingLaw
from visviva.control.tracking_record import TrackingRecord, law_at_nodes, record_of, trapezoidal_sum
from visviva.copter.energy_account import servos_of, thrust_axes
from visviva.copter.flight import controller, rigid
from visviva.copter.flown_steps import FlownSteps, flown_steps
from visviva.copter.plant import THETA_AT
from visviva.copter.vehicle import Vehicle
from visviva.forms.dynamics.handle import Dynamics, dynamics
from visviva.geometry.quaternion import quaternion
from visviva.model.control_law import Clock

NEAR = 1e-6  # of a period
ENDS = (slice(None, -1), slice(1, None))  # nodes at which steps begin and end

if TYPE_CHECKING:
    from visviva.copter.agent_flight import AgentFlight
    from visviva.copter.flight import Flight


class Wrenches(NamedTuple):
    """(m; f) about the origin of the body, in its axes, over N steps."""

    asked: Array  # (N, 6) of rotors
    made: Array  # (N, 6) by rotors
    other: Array  # (N, 6) of all else but weight
    other_at_nodes: Array  # (N + 1, 6)
    tick: NDArray[np.intp]  # (N,) node at which the law was asked for what acts


def template_record(
    law: TrackingLaw, d: Dynamics, goal: Any, t: Array, q: Array, v: Array, acting: Wrenches, clock: Clock
) -> TrackingRecord:  # fmt: skip
    """See the module. d: of the rigid vehicle.   q: (r, quaternion), v: twist at nodes t."""
    own = law_at_nodes(law, t, q, v, goal, d.mass_matrix(q), d.bias(q, v) - acting.other_at_nodes)
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
    """Of a flight with perfect state: rotors make what they are asked for, and only the model may be wrong."""
    own, run, law = flight.vehicle, flight.run, flight.law
    clock = next(clock for asked, clock in run.sampled if asked is law)
    V, wrench, rotors = run["craft.twist"], run["craft_air.u"], run["rotors.u"]
    other = np.concatenate([wrench[:, :3] + np.cross(own.com, wrench[:, 3:]), wrench[:, 3:]], axis=1)
    q = np.concatenate([run["craft.r"], quaternion(run["craft.R"].reshape(-1, 3, 3))], axis=1)
    node = clock.start + clock.period * np.floor((run.t[:-1] - clock.start) / clock.period + NEAR)
    tick = np.searchsorted(run.t, node - NEAR * clock.period)
    acting = Wrenches(rotors, rotors, other, own.bias - V @ own.drag.matrix, tick)
    return template_record(law.law, dynamics(rigid(own)), law.goal, run.t, q, V, acting, clock)


def template_of_agent(flight: AgentFlight) -> TrackingRecord:
    """Of a flight by sensors, from the begin of its manoeuvre."""
    own, agent, record = flight.vehicle, flight.agent, flight.record
    law = controller(own, flight.plan.path, approach=agent.approach, poles=agent.poles, damped=False)
    ticks = np.flatnonzero(flight.t >= -NEAR * agent.period)
    steps = record.between.shape[1]
    flown = flown_steps(record, ticks[0], flight.t)
    asked = record.inputs[ticks - agent.ticks_ahead] @ agent.vehicle.split_allocation.T
    made, other, other_at_nodes = wrenches(own, flown)
    tick = np.repeat(steps * np.arange(len(ticks)), steps)
    acting = Wrenches(np.repeat(asked, steps, axis=0), made, other, other_at_nodes, tick)
    q = flown.x[:, :THETA_AT]
    clock = Clock(flight.t[ticks[0]], agent.period)
    return template_record(law.law, dynamics(rigid(own)), law.goal, flown.t, q, flown.xi[:, :6], acting, clock)


def wrenches(vehicle: Vehicle, flown: FlownSteps) -> tuple[Array, Array, Array]:
    """What rotors made in each step; what else acted, in steps and at nodes: drag, bias, gust, gyroscopic moment."""
    xi, n = flown.xi, len(vehicle.rotors)
    axes, mean, h = thrust_axes(vehicle, flown.theta), 0.5 * (xi[1:] + xi[:-1]), flown.h[:, None]
    middle, made = 0.5 * (axes[1:] + axes[:-1]), np.zeros((len(mean), 6))
    momentum = np.zeros((len(xi), 3))  # of what turns against the body
    for i, rotor in enumerate(vehicle.rotors):
        F, direction = rotor.kappa_F * mean[:, i - n, None] ** 2, middle[:, i]
        arm = np.cross(rotor.position, direction) - rotor.spin * rotor.drag_length * direction
        made += F * np.concatenate([arm, direction], axis=1)
        momentum += rotor.inertia * rotor.spin * xi[:, i - n, None] * axes[:, i]
    for j, servo in enumerate(servos_of(vehicle)):
        momentum += servo.coupling * xi[:, 6 + j, None] * servo.axis
    made[:, :3] -= np.diff(momentum, axis=0) / h
    gust = np.concatenate([flown.gust, flown.gust[-1:]])
    others = list[Array]()
    for V, R, L, push in (
        (xi[:, :6], flown.R, momentum, gust),
        (mean[:, :6], 0.5 * (flown.R[1:] + flown.R[:-1]), 0.5 * (momentum[1:] + momentum[:-1]), flown.gust),
    ):
        f = np.einsum("tji,tj->ti", R, push)
        other = vehicle.bias - V @ vehicle.drag.matrix + np.concatenate([np.cross(vehicle.com, f), f], axis=1)
        other[:, :3] -= np.cross(V[:, :3], L)
        others.append(other)
    return made, others[1], others[0]
