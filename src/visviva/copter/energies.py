"""Where the electrical work of a flight goes."""

from __future__ import annotations

import warnings

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.copter.mechanism import has_blades
from visviva.copter.surroundings import Surroundings
from visviva.copter.vehicle import Vehicle
from visviva.copter.wind import WindLike
from visviva.copter.wind_work import wind_powers, wind_works
from visviva.errors import RunWarning
from visviva.results import Run


@helpful
def energies(run: Run, vehicle: Vehicle, *, wind: WindLike = None) -> dict[str, Array]:
    """Work and energy [J] since the start of a run of `mechanism(vehicle)`, at its nodes, by what they went into.

        electrical + servos = stored + wake + drag + bearings + winding

    electrical: of the motors, ∫ k_M i ϖ + R i² dt.   servos: of their ports k_P θ_U.
    stored:     kinetic and potential energy, and that of the springs k_P.
    wake:       Σ ∫ κ_T ϖ² (ϖ + spin of the carrier) - κ_F ϖ² v_axial dt, what the propellers do to the air.
    drag:       what the body does to the air, less the work of the bias.
    bearings:   their heat and that of the dampers k_D.   winding: ∫ R i² dt, with the mean current of each step.

    With options of the vehicle, or a wind, as given to `air`, there is more,

        electrical + servos + wind = stored + wake + drag + blades + bearings + winding,     battery = electrical + sag

    blades: what forces across the axes of rotors do to the air.   battery, sag: ∫ U_0 I dt, ∫ R_B I² dt.
    wind:   work of forces of the air on what stands still in it, ∫ f·w dt. Wake, drag and blades are against the wind.
    """
    names, zero = vehicle.rotors, np.zeros(len(run.t))
    _check_wake(run, vehicle, Surroundings(wind))
    winding = zero
    for rotor in names:
        current = np.ravel(run[f"{rotor.name}_motor.u"]) / rotor.k_M
        winding = winding + np.concatenate([[0.0], np.cumsum(rotor.resistance * current**2 * np.diff(run.t))])
    tilting = [vehicle.rotors[i].name for i in vehicle.tilting]
    found = {
        "electrical": sum((run[f"{rotor.name}_motor.work"] for rotor in names), zero) + winding,
        "servos": sum((run[f"{name}_servo.work"] for name in tilting), zero),
        "stored": run["energy"] - run["energy"][0],
        "wake": -sum((run[f"{rotor.name}_air.work"] for rotor in names), zero),
        "drag": -run["craft_air.work"],
        "bearings": run["heat"] + zero,
        "winding": winding,
    }
    _add_options(found, run, vehicle, Surroundings(wind))
    return found


def _add_options(found: dict[str, Array], run: Run, vehicle: Vehicle, around: Surroundings) -> None:
    """Rows of options; work is done against the wind."""
    blades = [f"{rotor.name}_blades.work" for rotor in vehicle.rotors if has_blades(rotor)]
    if blades:
        found["blades"] = -sum((run[name] for name in blades), np.zeros(len(run.t)))
    if around:
        works = wind_works(run, vehicle, around)
        found["wind"] = sum(works.values(), np.zeros(len(run.t)))
        for name, work in works.items():
            found[name] = found[name] + work
    if vehicle.battery is not None:
        h, cell = np.diff(run.t), vehicle.battery
        I = cell.current(np.diff(found["electrical"]) / h)
        for name, power in (("battery", cell.open_circuit * I), ("sag", cell.resistance * I**2)):
            found[name] = np.concatenate([[0.0], np.cumsum(power * h)])


def _check_wake(run: Run, vehicle: Vehicle, around: Surroundings) -> None:
    """RunWarning where (5.3) makes air drive a propeller: it climbs faster than κ_T ϖ/κ_F, where the law ends."""
    wind = wind_powers(run, vehicle, around) if around else {}
    for rotor in vehicle.rotors:
        power = np.ravel(run[f"{rotor.name}_air.power"]) - wind.get(f"{rotor.name}_air", 0.0)
        worst = int(np.argmax(power))
        if power[worst] > 0:
            warnings.warn(
                f"the air drives {rotor.name!r} at t = {run.t_mid[worst]:.4g} s, with {power[worst]:.3g} W: thrust "
                f"κ_F ϖ² at an axial speed above κ_T ϖ/κ_F is more than its torque pays for. "
                "The law of thrust does not hold there.",
                RunWarning,
                stacklevel=4,
            )
