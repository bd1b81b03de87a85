"""The tracking law of a vehicle on a path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from visviva._suggestions import helpful
from visviva.control import Controller, Gains, Thrusters, TrackingLaw, matching, moments, reference, tracking
from visviva.control import gains as gains_of
from visviva.copter.models.rigid import rigid
from visviva.copter.vehicles.allotment import limits
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.errors import ModelError

POLES = (-6.0, -7.0, -8.0, -9.0)  # of both vertical planes, and for all manoeuvres
HEADING = (5.0, 0.9)  # [rad/s] and damping ratio
TURNING = (12.0, 0.9)  # the same of all turns, where a pilot cares for the position
PERIOD, STEP = 5e-3, 1e-3  # [s] of the law (200 Hz), and of a step
APPROACH = "particle"  # errors of position keep to the inertial frame, however fast a reference turns (4.98)


@helpful
def controller(
    vehicle: Vehicle,
    path: Any,
    *,
    approach: str = APPROACH,
    poles: Sequence[complex] = POLES,
    damped: bool = True,
    piloted: bool = False,
) -> Controller:
    """The tracking law of a vehicle on a path of poses: one set of gains, for what tilts and what does not.

    Gains are the matched ones of (4.148), from the poles of errors in a vertical plane. Inputs are thrusts within the
    ranges of the rotors; of those that tilt F cos θ and F sin θ, in a polygon inside their sector, (5.16d). Where
    inputs are more than the wrench they make, those of least squares.

    damped: whether the law knows the drag; an agent tells it all that acts beside the rotors.
    piloted: whether a pilot cares for the position: F = m Rᵀ(r̈_R - a_G), (5.71), and nothing but the attitude is fed
             back, with a template of the vehicle's own inertia.
    """
    check_vehicle(vehicle)
    law = _law(vehicle, approach, tuple(poles), damped, piloted)
    return law.at(reference(law.d, {"craft": path}))


@lru_cache(maxsize=16)
def _law(vehicle: Vehicle, approach: str, poles: tuple[complex, ...], damped: bool, piloted: bool) -> TrackingLaw:
    """The law without reference, for all flights of a vehicle."""
    if piloted and approach != "particle":
        raise ModelError(
            f'remote control is flown by the approach "particle", whose forces do not ask where the vehicle is; '
            f"got approach={approach!r}."
        )
    m = rigid(vehicle, damped=damped and not piloted)
    if piloted:
        gains = _attitude_gains(vehicle)
    else:
        gains = matching.quadcopter(poles, heading=HEADING, g=vehicle.gravity).gains()
    actuators = Thrusters(vehicle.split_allocation, _names(vehicle))
    return tracking(
        m, {("ground", "craft"): gains}, approach, actuators={"rotors": actuators}, inputs="rotors",
        limits=limits(vehicle), weight=np.ones(len(actuators.names)),
    )  # fmt: skip


def _attitude_gains(vehicle: Vehicle) -> Gains:
    """M̄ = M, and neither stiffness nor damping of the position."""
    (w, zeta), Theta = TURNING, vehicle.inertia
    return gains_of(
        mass=moments(vehicle.mass, vehicle.com, Theta),
        damping=moments(0.0, Pi=2 * zeta * w * Theta),
        stiffness=moments(0.0, Pi=w * w * Theta),
    )


def _names(vehicle: Vehicle) -> tuple[str, ...]:
    names = [rotor.name for rotor in vehicle.rotors]
    return (*names, *(f"{names[i]}_across" for i in vehicle.tilting))
