"""Where the electrical work of a flight with perfect state goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.vehicles.battery import steady_currents

if TYPE_CHECKING:
    from visviva.copter.flights.flight import Flight


def rigid_audit(flight: Flight) -> EnergyAudit:
    """Of rotors that turn steadily at each speed.

        motors + wind = d(stored) + wake + drag + bearings + windings,     battery = motors + battery resistance

    wake: what all rotors do to the air, along and across their axes. Inertia of propellers is in none of the rows.
    """
    run, p, own = flight.run, gyrostat(flight.vehicle), flight.vehicle
    h, w = np.diff(run.t), np.sqrt(flight.thrusts / p.kappa_F)
    i = steady_currents(p, w)
    windings, torques = h * (p.resistance * i * i).sum(axis=1), h * (p.k_M * i * w).sum(axis=1)
    of_rotors, of_body = _wind_powers(flight)
    supplied = {"motors": windings + torques, "wind": h * (of_rotors + of_body)}
    spent = {
        "wake": h * ((p.kappa_T * w**3).sum(axis=1) + of_rotors) - np.diff(run["rotors.work"]),
        "drag": h * of_body - np.diff(run["craft_air.work"]),
        "bearings": h * (p.tau_MB * w).sum(axis=1),
        "windings": windings,
    }
    if own.battery is not None:
        given, lost = own.battery.works(supplied.pop("motors"), h)
        supplied, spent = {"battery": given} | supplied, spent | {"battery resistance": lost}
    kinetic, potential = run.kinetic_and_potential()
    return EnergyAudit(
        flight.plan.name, f"{run.steps} steps of {own.name!r} with perfect state", np.asarray(run.t), supplied, spent,
        {"kinetic": kinetic, "potential": potential}, {"all rotors": -spent["wake"]}, run.exact,
    )  # fmt: skip


def _wind_powers(flight: Flight) -> tuple[Array, Array]:
    """f·w of rotors and body in steps."""
    run, own, around = flight.run, flight.vehicle, flight.around
    if not around:
        return np.zeros(len(run.t_mid)), np.zeros(len(run.t_mid))
    r, R = run["craft.r"], run["craft.R"].reshape(-1, 3, 3)
    w = np.array([around.wind(float(t), x) for t, x in zip(run.t[:-1], r[:-1], strict=True)])
    wind = np.einsum("nij,ni->nj", 0.5 * (R[1:] + R[:-1]), w)  # in axes of the body
    body = run["craft_air.u"][:, 3:] - own.bias[3:]
    return (run["rotors.u"][:, 3:] * wind).sum(axis=1), (body * wind).sum(axis=1)
