"""Where the electrical work of a flight goes."""

from __future__ import annotations

import warnings

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.copter.agent_flight import AgentFlight
from visviva.copter.energy_audit import EnergyAudit, driven_by_air
from visviva.copter.vehicle import Vehicle
from visviva.errors import ModelError, RunWarning
from visviva.results import Run


@helpful
def energies(flight: Run | AgentFlight, vehicle: Vehicle | None = None) -> dict[str, Array]:
    """Work and energy [J] since the start, at nodes, by what they went into: of a flight by sensors, by itself, or of a
    run of `mechanism(vehicle)`.

        electrical + servos + bias + gust = stored + wake + drag + bearings + winding

    electrical: of the motors, ∫ k_M i ϖ + R i² dt.   servos: of their ports k_P θ_U.
    bias, gust: of forces that act on a flight by sensors.
    stored:     kinetic and potential energy, and that of the springs k_P.
    wake:       Σ ∫ κ_T ϖ² (ϖ + spin of the carrier) - κ_F ϖ² v_axial dt, what the propellers do to the air.
    drag:       what the body does to the air; of a run less the work of the bias.
    bearings:   their heat and that of the dampers k_D.   winding: ∫ R i² dt, with the mean current of each step.
    """
    if isinstance(flight, AgentFlight):
        return _of_audit(flight.audit())
    found = _of_run(flight, _needed(vehicle))
    _check_wake(flight, _needed(vehicle))
    return found


@helpful
def energy_audit(run: Run, vehicle: Vehicle) -> EnergyAudit:
    """The account of a run of `mechanism(vehicle)`, as `flight.audit()` is of a flight by sensors."""
    found = {name: np.diff(values) for name, values in _of_run(run, vehicle).items() if name != "stored"}
    kinetic, potential = run.kinetic_and_potential()
    found["motors"] = found.pop("electrical")
    supplied = {name: found.pop(name) for name in ("motors", "servos")}
    return EnergyAudit(
        run.model.name, f"{run.steps} steps by {type(run.integrator).__name__}", np.asarray(run.t), supplied, found,
        {"kinetic": kinetic, "potential": potential}, _air(run, vehicle), run.exact,
    )  # fmt: skip


def _needed(vehicle: Vehicle | None) -> Vehicle:
    if vehicle is None:
        raise ModelError("energies of a run need the vehicle: vv.copter.energies(run, vehicle).")
    return vehicle


def _of_audit(audit: EnergyAudit) -> dict[str, Array]:
    """Terms of a flight by sensors by their names here."""
    work = {name: _since_start(values) for name, values in (audit.supplied | audit.spent).items()}
    return {
        "electrical": work["motors"],
        "servos": work["servos"],
        "bias": work["bias"],
        "gust": work["gust"],
        "stored": audit.energy - audit.energy[0],
        "wake": work["wake"],
        "drag": work["drag"],
        "bearings": work["bearings"] + work["servo dampers"],
        "winding": work["windings"],
    }


def _since_start(work: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(work)])


def _of_run(run: Run, vehicle: Vehicle) -> dict[str, Array]:
    names, zero = vehicle.rotors, np.zeros(len(run.t))
    winding = zero
    for rotor in names:
        current = np.ravel(run[f"{rotor.name}_motor.u"]) / rotor.k_M
        winding = winding + _since_start(rotor.resistance * current**2 * np.diff(run.t))
    tilting = [vehicle.rotors[i].name for i in vehicle.tilting]
    return {
        "electrical": sum((run[f"{rotor.name}_motor.work"] for rotor in names), zero) + winding,
        "servos": sum((run[f"{name}_servo.work"] for name in tilting), zero),
        "stored": run["energy"] - run["energy"][0],
        "wake": -sum((run[f"{rotor.name}_air.work"] for rotor in names), zero),
        "drag": -run["craft_air.work"],
        "bearings": run["heat"] + zero,
        "winding": winding,
    }


def _air(run: Run, vehicle: Vehicle) -> dict[str, Array]:
    """Work of the air on each propeller in each step."""
    return {rotor.name: np.diff(run[f"{rotor.name}_air.work"]) for rotor in vehicle.rotors}


def _check_wake(run: Run, vehicle: Vehicle) -> None:
    """RunWarning where (5.3) makes air drive a propeller."""
    for text in driven_by_air(_air(run, vehicle), np.asarray(run.t)):
        warnings.warn(text, RunWarning, stacklevel=4)
