"""What each rotor does for a wrench: ranges of the rotors, and the lightest inputs within them."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.control.allocation import limited, redundancy
from visviva.copter.vehicles.vehicle import Vehicle


def limits(vehicle: Vehicle) -> tuple[Array, Array]:
    """W x ≤ l of x = (F cos θ of all rotors, F sin θ of those that tilt).

    F between its limits, where a rotor tilts within a chord of the arc of 45° on either side; |F sin θ| ≤ tan θ_max
    F cos θ with the servo's range, 45° at most.
    """
    k, n = len(vehicle.rotors), len(vehicle.rotors) + len(vehicle.tilting)
    rows, bounds = list[Array](), list[float]()
    across = {i: k + j for j, i in enumerate(vehicle.tilting)}
    for i, rotor in enumerate(vehicle.rotors):
        low, high = rotor.thrusts
        rows.append(-np.eye(n)[i])
        bounds.append(-low)
        if rotor.servo is None:
            rows.append(np.eye(n)[i])
            bounds.append(high)
            continue
        for sign, end in ((1.0, rotor.servo.range[1]), (-1.0, -rotor.servo.range[0])):
            side, chord = np.zeros(n), np.zeros(n)
            side[across[i]], side[i] = sign, -np.tan(min(end, np.pi / 4))
            chord[across[i]], chord[i] = sign * np.tan(np.pi / 8), 1.0
            rows += [side, chord]
            bounds += [0.0, high]
    return np.array(rows), np.array(bounds)


def allot(vehicle: Vehicle, wrenches: Array) -> Array:
    """x of each wrench (n, 6) within `limits`: those that come nearest to it, and of these the least ½ xᵀ x.

    Moments count by the longest arm. A law of `vv.copter.controller` takes the same x for the wrench
    that it ends with.
    """
    units = np.array([1 / vehicle.arm] * 3 + [1.0] * 3)
    B, (W, l) = units[:, None] * vehicle.split_allocation, limits(vehicle)
    H, idle = B.T @ B, redundancy(B, np.eye(B.shape[1]))
    free = (units * wrenches) @ np.linalg.pinv(B).T
    return np.array([limited(H, x, (W, l), redundant=idle).u for x in free])
