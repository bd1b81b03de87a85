"""Thrusts and tilts that keep a vehicle at rest and upright."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.control.quadratic_program import QuadraticStatus, solve_quadratic_program
from visviva.errors import ModelError
from visviva.numerics.nullspace import split

if TYPE_CHECKING:
    from visviva.copter.vehicles.vehicle import Vehicle

TRIM_RTOL = 1e-6  # of the weight: what a hover may leave
SIZES = np.array([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])  # of what one newton makes [N m, N]: what counts as none
ROOM = 0.01  # share of each range that a hover leaves on either side, to turn by


def hover_split(vehicle: Vehicle) -> Array:
    """x = (F cos θ of all rotors, F sin θ of the tilting ones) with B x = (s × m g e_z; m g e_z) and least |x|.

    Within the rotors' ranges of F cos θ and the servos' |F sin θ| ≤ tan θ_max F cos θ, less `ROOM` of them.
    """
    B, lift = vehicle.split_allocation, np.array([0.0, 0.0, vehicle.weight])
    wanted = np.concatenate([np.cross(vehicle.com, lift), lift])
    parts = split(B, SIZES)
    x = parts.solve(wanted)
    off = B @ x - wanted
    if np.abs(off).max() > TRIM_RTOL * vehicle.weight:
        raise ModelError(
            f"vehicle {vehicle.name!r} cannot hover upright: whatever its rotors do, a force of "
            f"({off[3]:.3g}, {off[4]:.3g}, {off[5]:.3g}) N and a moment of ({off[0]:.3g}, {off[1]:.3g}, {off[2]:.3g}) "
            "N m stay.\nTurn the frame of the body so that its z is upright at hover, or balance the rotors."
        )
    W, l, names = _ranges(vehicle)
    free = parts.Z
    if free.shape[1]:
        found = solve_quadratic_program(np.eye(free.shape[1]), np.zeros(free.shape[1]), W @ free, l - W @ x)
        if found.status is QuadraticStatus.OPTIMAL:
            return np.asarray(x + free @ found.u)
        x = x + free @ found.u
    over = W @ x - l
    if over.max() > 0:
        i = int(np.argmax(over))
        raise ModelError(
            f"vehicle {vehicle.name!r} cannot hover with room to turn: {names[i]} would go beyond its range, less "
            f"{100 * ROOM:g} % at either end, by {over[i]:.3g} N."
        )
    return np.asarray(x)


def _ranges(vehicle: Vehicle) -> tuple[Array, Array, list[str]]:
    """W x ≤ l, and what each row is about."""
    k, n = len(vehicle.rotors), len(vehicle.rotors) + len(vehicle.tilting)
    rows, bounds, names = list[Array](), list[float](), list[str]()
    for i, rotor in enumerate(vehicle.rotors):
        low, high = rotor.thrusts
        room, one = ROOM * (high - low), np.eye(n)[i]
        rows += [one, -one]
        bounds += [high - room, -low - room]
        names += [f"the highest thrust of rotor {rotor.name!r}", f"the lowest thrust of rotor {rotor.name!r}"]
    for j, i in enumerate(vehicle.tilting):
        servo = vehicle.rotors[i].servo
        assert servo is not None
        for sign, end in ((1.0, servo.range[1]), (-1.0, -servo.range[0])):
            row = np.zeros(n)
            row[k + j], row[i] = sign, -math.tan((1 - ROOM) * min(end, math.pi / 2))
            rows.append(row)
            bounds.append(0.0)
            names.append(f"the tilt of rotor {vehicle.rotors[i].name!r}")
    return np.array(rows), np.array(bounds), names
