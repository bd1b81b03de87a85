"""The account of a flight by sensors, step by step, from its states and from what acted.

Works are force times velocity at the middle of a step, `powers.step_works`; the energies of the nodes know nothing of
them. That both agree says that the motion obeys the equations, and that no term is missing.

    gust   F · Δr_G
    stored     body        ½ (ω; v)ᵀ M (ω; v), and what servos and propellers have with its turning
               propellers  Σ ½ Θ_P ϖ²                        height   m g z_G
               servos      Σ ½ Θ_A θ̇²                        servo springs  Σ ½ k_P θ²
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.energy.flown_steps import FlownSteps
from visviva.copter.energy.powers import ROWS, WAKES, put_step_works, step_works
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.vehicles.rotor import Servo
from visviva.copter.vehicles.vehicle import Vehicle

SUPPLIED, SPENT = ("servos", "bias", "wind"), ("drag", "blades", "bearings", "servo dampers", "windings")


def account(
    name: str, how: str, vehicle: Vehicle, flown: FlownSteps, put: Callable[..., None] = put_step_works
) -> EnergyAudit:  # fmt: skip
    """The audit of flown steps.   put: `put_step_works`, or its kernel."""
    found = step_works(gyrostat(vehicle), flown, put)
    rows, wakes = dict(zip(ROWS, found.T, strict=False)), found[:, WAKES:]
    supplier, heat = ("motors", SPENT) if vehicle.battery is None else ("battery", (*SPENT, "battery resistance"))
    way = np.diff(centre_of_mass(vehicle, flown), axis=0)
    return EnergyAudit(
        name, how, flown.t,
        {term: rows[term] for term in (supplier, *SUPPLIED)} | {"gust": np.einsum("tk,tk->t", flown.gust, way)},
        {"wake": wakes.sum(axis=1)} | {term: rows[term] for term in heat}, stored(vehicle, flown),
        {rotor.name: -wake for rotor, wake in zip(vehicle.rotors, wakes.T, strict=True)},
    )  # fmt: skip


def stored(vehicle: Vehicle, flown: FlownSteps) -> dict[str, Array]:
    """Energies [J] at nodes, (N + 1,) each."""
    xi, s = flown.xi, len(vehicle.tilting)
    V, rates, spins = xi[:, :6], xi[:, 6 : 6 + s], xi[:, 6 + s :]
    body = 0.5 * np.einsum("ti,ij,tj->t", V, vehicle.inertia_matrix, V)
    found = {name: np.zeros(len(xi)) for name in ("propellers", "servos", "servo springs")}
    h = thrust_axes(vehicle, flown.theta)
    for i, rotor in enumerate(vehicle.rotors):
        body += rotor.inertia * rotor.spin * spins[:, i] * np.einsum("tk,tk->t", h[:, i], V[:, :3])
        found["propellers"] += 0.5 * rotor.inertia * spins[:, i] ** 2
    for j, servo in enumerate(servos_of(vehicle)):
        body += servo.coupling * rates[:, j] * (V[:, :3] @ servo.axis)
        found["servos"] += 0.5 * servo.inertia * rates[:, j] ** 2
        found["servo springs"] += 0.5 * servo.k_P * flown.theta[:, j] ** 2
    return {"body": body, "height": vehicle.weight * centre_of_mass(vehicle, flown)[:, 2], **found}


def servos_of(vehicle: Vehicle) -> list[Servo]:
    """In the order of θ."""
    return [rotor.servo for rotor in vehicle.rotors if rotor.servo is not None]


def thrust_axes(vehicle: Vehicle, theta: Array) -> Array:
    """Directions of thrusts at tilts of servos, (N, n, 3)."""
    found = np.empty((len(theta), len(vehicle.rotors), 3))
    number = {i: j for j, i in enumerate(vehicle.tilting)}
    for i, rotor in enumerate(vehicle.rotors):
        found[:, i] = rotor.axis
        if i in number:
            tilt = theta[:, number[i], None]
            found[:, i] = np.cos(tilt) * rotor.axis + np.sin(tilt) * rotor.direction(np.pi / 2)
    return found


def centre_of_mass(vehicle: Vehicle, flown: FlownSteps) -> Array:
    """In the world, (N + 1, 3)."""
    return flown.r + flown.R @ vehicle.com
