"""Powers of a vehicle in motion by what they go into, of the forces of `copter.gyrostat`.

electrical + servos + wind = d(stored)/dt + wake + drag + blades + bearings + winding
battery = electrical + sag
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.copter.battery import supply
from visviva.copter.gyrostat import Gyrostat, air_twist, rotor_effects
from visviva.copter.vectors import cross

ROWS = ("electrical", "servos", "wake", "drag", "blades", "wind", "bearings", "winding", "battery", "sag")
ELECTRICAL, SERVOS, WAKE, DRAG, BLADES, WIND, BEARINGS, WINDING, BATTERY, SAG = range(len(ROWS))


def powers(p: Gyrostat, R: Array, H: Array, xi: Array, currents: Array, wanted: Array, around: Array) -> Array:
    """`ROWS` [W] at a state, see `copter.energies` for what they are; arguments as of `gyrostat.applied`."""
    out, at = np.zeros(len(ROWS)), len(xi) - len(p.servo)
    V, wind = air_twist(R, xi, around), np.dot(around[:3], R)
    of_drag = np.dot(p.drag, V)
    out[DRAG] = np.dot(V, of_drag) - np.dot(p.bias, xi[:6])
    out[WIND] = -np.dot(wind, of_drag[3:])
    _motors(p, xi[at:], currents, out)
    for j in range(len(p.k_P)):
        rate = xi[6 + j]
        out[SERVOS] += p.k_P[j] * wanted[j] * rate
        out[BEARINGS] += p.k_D[j] * rate * rate
    for i in range(len(p.servo)):
        _air(p, i, R, H[i], xi, V, wind, around[3], out)
    return out


def _motors(p: Gyrostat, spins: Array, currents: Array, out: Array) -> None:
    """Of motors and battery."""
    flows, battery = currents.copy(), p.supply[0] < np.inf
    if battery:
        _, I = supply(p.supply[0], p.supply[1], p.k_M, p.resistance, spins, currents, flows)
        out[BATTERY], out[SAG] = p.supply[0] * I, p.supply[1] * I * I
    for i in range(len(spins)):
        heat = p.resistance[i] * flows[i] ** 2
        out[WINDING] += heat
        out[ELECTRICAL] += heat + p.k_M[i] * flows[i] * spins[i]
        out[BEARINGS] += p.tau_MB[i] * abs(spins[i])


def _air(
    p: Gyrostat, i: int, R: Array, h: Array, xi: Array, V: Array, wind: Array, height: float, out: Array
) -> None:  # fmt: skip
    """Of one rotor in air that moves against the body with V, in the wind in axes of the body."""
    spin, force, moment, v = xi[len(xi) - len(p.servo) + i], np.empty(3), np.empty(3), np.empty(3)
    more = rotor_effects(p, i, R, h, V, spin, height, force, moment)
    F = p.kappa_F[i] * spin * spin
    cross(V[:3], p.position[i], v)
    for k in range(3):
        v[k] += V[3 + k]
    out[WAKE] += p.kappa_T[i] * spin * spin * abs(spin) + p.length[i] * F * np.dot(h, V[:3])
    out[WAKE] -= (F + more) * np.dot(h, v)
    out[BLADES] -= np.dot(force, v) + np.dot(moment, V[:3])
    out[WIND] += (F + more) * np.dot(h, wind) + np.dot(force, wind)
    j = p.servo[i]
    if j >= 0:
        cross(p.axis[i], p.across[i], v)  # the tilt axis
        out[BLADES] -= np.dot(moment, v) * xi[6 + j]
