"""What a reference takes of a vehicle that its rotors do not give."""

from __future__ import annotations

import warnings

import numpy as np

from visviva._arrays import Array
from visviva.control import Controller
from visviva.copter.flights.manoeuvres import Manoeuvre
from visviva.copter.vehicles.allotment import allot
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError, RunWarning

CHECKED = 201  # instants at which the thrust of a reference is looked at
SMALL = 0.05  # of the weight: a centre of mass some millimetres beside the axis leaves 2 %


def demand(times: Array, law: Controller) -> Array:
    """Wrenches (n, 6) about the origin that a law's reference takes at times [s], M a_R + b."""
    return law.law.d.inverse(*law.goals(times))


def warn_of_demand(plan: Manoeuvre, vehicle: Vehicle, law: Controller, times: Array) -> None:
    """RunWarning where a reference takes too much."""
    if text := too_much(plan, vehicle, law, times):
        warnings.warn(text, RunWarning, stacklevel=4)


def too_much(plan: Manoeuvre, vehicle: Vehicle, law: Controller, times: Array) -> str:
    """What is missing where rotors within their ranges leave more than 5 % of the weight of it, moments by the arm."""
    wanted = demand(times, law)
    left = wanted - allot(vehicle, wanted) @ vehicle.split_allocation.T
    sizes = np.linalg.norm(left * np.array([1 / vehicle.arm] * 3 + [1.0] * 3), axis=1)
    worst = int(np.argmax(sizes))
    if sizes[worst] <= SMALL * vehicle.weight:
        return ""
    moment, force = (", ".join(f"{x:.3g}" for x in part) for part in (left[worst, :3], left[worst, 3:]))
    return (
        f"{plan.name} takes more than the rotors of {vehicle.name!r} can give: at t = {times[worst]:.3g} s a force of "
        f"({force}) N and a moment of ({moment}) N m are missing, in axes of the body. It is flown with these as "
        "errors.\nFly it slower, with a path that vv.control.flat makes for this vehicle, or with other rotors."
    )


def check_thrust(plan: Manoeuvre, vehicle: Vehicle) -> None:
    """ModelError where a reference takes more than all rotors together can push, m |r̈ - a_G + (d/m) ṙ|."""
    most, d = sum(rotor.thrusts[1] for rotor in vehicle.rotors), vehicle.drag.mean
    t = np.linspace(0.0, plan.duration, CHECKED)
    v, a = plan.path.position(t, 1), plan.path.position(t, 2)
    needed = np.linalg.norm(vehicle.mass * (a + np.array([0.0, 0.0, vehicle.gravity])) + d * v, axis=1)
    worst = int(np.argmax(needed))
    if needed[worst] > most:
        raise ModelError(
            f"{plan.name} cannot be flown by {vehicle.name!r}: at t = {t[worst]:.3g} s it takes a thrust of "
            f"{needed[worst]:.4g} N, and all rotors together push with {most:.4g} N.\n"
            "Fly it slower, path.stretched(factor), or with stronger rotors."
        )


def check_ground(around: Surroundings, vehicle: Vehicle, plan: Manoeuvre) -> None:
    """ModelError where a reference goes through the ground."""
    if around.ground is None:
        return
    t = np.linspace(0.0, plan.duration, CHECKED)
    around.check_path(vehicle, plan.name, t, *plan.path.poses(t))
