"""The works of a flight by sensors, step by step, from its states and from what acted.

Each is force times velocity at the middle of a step, as `copter.plant` takes forces; the energies of the nodes know
nothing of them. That both agree says that the motion obeys the equations, and that no term is missing.

    supplied   motors      Σ (k_M i ϖ̄ + R i²) h            servos   Σ k_P θ_U θ̇̄ h
               bias        (τ_B; F_B) · (ω̄; v̄) h          gust     F · Δr_G
    spent      wake        Σ (κ_T ϖ̄² (ϖ̄ + ε h̄·ω̄) - κ_F ϖ̄² h̄·(v̄ + ω̄ × r)) h
               bearings    Σ τ_MB |ϖ̄| h                    windings Σ R i² h
               drag        (ω̄; v̄)ᵀ D (ω̄; v̄) h              servo dampers  Σ k_D θ̇̄² h
    stored     body        ½ (ω; v)ᵀ M (ω; v), and what servos and propellers have with its turning
               propellers  Σ ½ Θ_P ϖ²                        height   m g z_G
               servos      Σ ½ Θ_A θ̇²                        servo springs  Σ ½ k_P θ²
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.copter.flown_steps import FlownSteps
from visviva.copter.rotor import Servo
from visviva.copter.vehicle import Vehicle


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


def supplied(vehicle: Vehicle, flown: FlownSteps) -> dict[str, Array]:
    """Works [J] of what drives it in each step, (N,) each."""
    h, mean = flown.h, 0.5 * (flown.xi[1:] + flown.xi[:-1])
    s = len(vehicle.tilting)
    rates, spins = mean[:, 6 : 6 + s], mean[:, 6 + s :]
    motors, servos = windings(vehicle, flown), np.zeros(len(h))
    for i, rotor in enumerate(vehicle.rotors):
        motors = motors + h * rotor.k_M * flown.currents[:, i] * spins[:, i]
    for j, servo in enumerate(servos_of(vehicle)):
        servos += h * servo.k_P * flown.wanted[:, j] * rates[:, j]
    way = np.diff(centre_of_mass(vehicle, flown), axis=0)
    return {
        "motors": motors,
        "servos": servos,
        "bias": h * (mean[:, :6] @ vehicle.bias),
        "gust": np.einsum("tk,tk->t", flown.gust, way),
    }


def spent(vehicle: Vehicle, flown: FlownSteps) -> dict[str, Array]:
    """Works [J] of what takes from it in each step, (N,) each."""
    h, mean = flown.h, 0.5 * (flown.xi[1:] + flown.xi[:-1])
    s = len(vehicle.tilting)
    V, rates, spins = mean[:, :6], mean[:, 6 : 6 + s], mean[:, 6 + s :]
    bearings, dampers = np.zeros(len(h)), np.zeros(len(h))
    for i, rotor in enumerate(vehicle.rotors):
        bearings += h * rotor.tau_MB * np.abs(spins[:, i])
    for j, servo in enumerate(servos_of(vehicle)):
        dampers += h * servo.k_D * rates[:, j] ** 2
    return {
        "wake": wakes(vehicle, flown).sum(axis=1),
        "bearings": bearings,
        "windings": windings(vehicle, flown),
        "drag": h * np.einsum("ti,ij,tj->t", V, vehicle.drag.matrix, V),
        "servo dampers": dampers,
    }


def wakes(vehicle: Vehicle, flown: FlownSteps) -> Array:
    """What each propeller does to the air in each step [J], (N, n)."""
    mean, axes = 0.5 * (flown.xi[1:] + flown.xi[:-1]), thrust_axes(vehicle, flown.theta)
    middle, found = 0.5 * (axes[1:] + axes[:-1]), np.empty((len(mean), len(vehicle.rotors)))
    w, v = mean[:, :3], mean[:, 3:6]
    for i, rotor in enumerate(vehicle.rotors):
        spin, h = mean[:, i - len(vehicle.rotors)], middle[:, i]
        carrier = rotor.spin * np.einsum("tk,tk->t", h, w)
        axial = np.einsum("tk,tk->t", h, v + np.cross(w, rotor.position))
        found[:, i] = spin**2 * (rotor.kappa_T * (np.abs(spin) + carrier) - rotor.kappa_F * axial)
    return flown.h[:, None] * found


def windings(vehicle: Vehicle, flown: FlownSteps) -> Array:
    """Heat of currents in each step [J], (N,)."""
    return flown.h * (flown.currents**2 @ np.array([rotor.resistance for rotor in vehicle.rotors]))


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
