"""Where the electrical work of a flight goes."""

from __future__ import annotations

import warnings

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.copter.vehicle import Vehicle
from visviva.errors import RunWarning
from visviva.results import Run


@helpful
def energies(run: Run, vehicle: Vehicle) -> dict[str, Array]:
    """Work and energy [J] since the start of a run of `mechanism(vehicle)`, at its nodes, by what they went into.

        electrical + servos = stored + wake + drag + bearings + winding

    electrical: of the motors, ∫ k_M i ϖ + R i² dt.   servos: of their ports k_P θ_U.
    stored:     kinetic and potential energy, and that of the springs k_P.
    wake:       Σ ∫ κ_T ϖ² (ϖ + spin of the carrier) - κ_F ϖ² v_axial dt, what the propellers do to the air.
    drag:       what the body does to the air, less the work of the bias.
    bearings:   their heat and that of the dampers k_D.   winding: ∫ R i² dt, with the mean current of each step.
    """
    names, zero = vehicle.rotors, np.zeros(len(run.t))
    _check_wake(run, vehicle)
    winding = zero
    for rotor in names:
        current = np.ravel(run[f"{rotor.name}_motor.u"]) / rotor.k_M
        winding = winding + np.concatenate([[0.0], np.cumsum(rotor.resistance * current**2 * np.diff(run.t))])
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


def _check_wake(run: Run, vehicle: Vehicle) -> None:
    """RunWarning where (5.3) makes air drive a propeller: it climbs faster than κ_T ϖ/κ_F, where the law ends."""
    for rotor in vehicle.rotors:
        power = np.ravel(run[f"{rotor.name}_air.power"])
        worst = int(np.argmax(power))
        if power[worst] > 0:
            warnings.warn(
                f"the air drives {rotor.name!r} at t = {run.t_mid[worst]:.4g} s, with {power[worst]:.3g} W: thrust "
                f"κ_F ϖ² at an axial speed above κ_T ϖ/κ_F is more than its torque pays for. "
                "The law of thrust does not hold there.",
                RunWarning,
                stacklevel=4,
            )
