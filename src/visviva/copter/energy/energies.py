"""Where the electrical work of a flight goes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.energy.wind_work import wind_powers
from visviva.copter.models.mechanism import has_blades
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.copter.vehicles.wind import WindLike
from visviva.errors import ModelError, RunWarning
from visviva.results import Run

if TYPE_CHECKING:
    from visviva.copter.agents.agent_flight import AgentFlight
    from visviva.copter.flights.flight import Flight

NAMES = {  # here, of rows of an audit
    "motors": "electrical", "windings": "winding", "servo dampers": "bearings", "battery resistance": "sag",
}  # fmt: skip


@helpful
def energies(
    flight: Run | Flight | AgentFlight, vehicle: Vehicle | None = None, *, wind: WindLike = None
) -> dict[str, Array]:
    """Work and energy [J] since the start, at nodes, by what they went into: of a flight, by itself, or of a run of
    `mechanism(vehicle)`, in the wind that its `air` was given.

        electrical + servos + bias + gust + wind = stored + wake + drag + blades + bearings + winding
        battery = electrical + sag

    electrical: of the motors, ∫ k_M i ϖ + R i² dt.   servos: of their ports k_P θ_U.
    bias, gust: of forces that act on a flight by sensors.
    wind:       work of forces of the air on what stands still in it, ∫ f·w dt. Wake, drag and blades are against the
                wind.
    stored:     kinetic and potential energy, and that of the springs k_P.
    wake:       Σ ∫ κ_T ϖ² (ϖ + spin of the carrier) - F v_axial dt, what the propellers do to the air.
    drag:       what the body does to the air; of a run or a flight with perfect state less the work of the bias.
    blades:     what forces across the axes of rotors do to the air; with perfect state they are in the wake.
    bearings:   their heat and that of the dampers k_D.   winding: ∫ R i² dt, with the mean current of each step.
    battery, sag: ∫ U_0 I dt, ∫ R_B I² dt of a vehicle with a battery.
    """
    if not isinstance(flight, Run):
        return _since_start(flight.audit())
    if vehicle is None:
        raise ModelError("energies of a run need the vehicle: vv.copter.energies(run, vehicle).")
    audit = energy_audit(flight, vehicle, wind=wind)
    for text in audit.warnings:
        warnings.warn(text, RunWarning, stacklevel=3)
    return _since_start(audit)


def _since_start(audit: EnergyAudit) -> dict[str, Array]:
    """Terms of an audit by their names here."""
    found = {"stored": audit.energy - audit.energy[0]}
    for name, work in (audit.supplied | audit.spent).items():
        term = NAMES.get(name, name)
        found[term] = found.get(term, 0.0) + np.concatenate([[0.0], np.cumsum(work)])
    if "battery" in found:
        found["electrical"] = found["battery"] - found["sag"]
    return found


@helpful
def energy_audit(run: Run, vehicle: Vehicle, *, wind: WindLike = None) -> EnergyAudit:
    """The account of a run of `mechanism(vehicle)`, as `flight.audit()` is of a flight.

    wind: that its `air` was given.
    """
    h, names = np.diff(run.t), [rotor.name for rotor in vehicle.rotors]
    blown = {port: power * h for port, power in wind_powers(run, vehicle, Surroundings(wind)).items()}
    against = {port: np.diff(run[f"{port}.work"]) - blown[port] for port in blown}
    windings = np.zeros(len(h))
    for rotor in vehicle.rotors:
        windings += h * rotor.resistance * (np.ravel(run[f"{rotor.name}_motor.u"]) / rotor.k_M) ** 2
    motors = windings + _sum(h, (np.diff(run[f"{name}_motor.work"]) for name in names))
    supplied = {
        "servos": _sum(h, (np.diff(run[f"{names[i]}_servo.work"]) for i in vehicle.tilting)),
        "wind": _sum(h, blown.values()),
    }
    spent = {
        "wake": -_sum(h, (against[f"{name}_air"] for name in names)),
        "drag": -against["craft_air"],
        "blades": -_sum(h, (against[f"{rotor.name}_blades"] for rotor in vehicle.rotors if has_blades(rotor))),
        "bearings": np.diff(np.broadcast_to(run["heat"], len(run.t))),
        "windings": windings,
    }
    if vehicle.battery is None:
        supplied = {"motors": motors} | supplied
    else:
        given, lost = vehicle.battery.works(motors, h)
        supplied, spent = {"battery": given} | supplied, spent | {"battery resistance": lost}
    kinetic, potential = run.kinetic_and_potential()
    return EnergyAudit(
        run.model.name, f"{run.steps} steps by {type(run.integrator).__name__}", np.asarray(run.t), supplied, spent,
        {"kinetic": kinetic, "potential": potential}, {name: against[f"{name}_air"] for name in names}, run.exact,
    )  # fmt: skip


def _sum(h: Array, works: Iterable[Array]) -> Array:
    return sum(works, np.zeros(len(h)))
