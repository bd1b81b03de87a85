"""Powers of a vehicle in motion by what they go into, of the forces of `copter.models.gyrostat`.

    motors + servos + bias + gust + wind = d(stored)/dt + wake + drag + blades + bearings + servo dampers + windings
    battery = motors + battery resistance

    motors   Σ k_M i ϖ + R i²                          wake           Σ κ_T ϖ² (ϖ + ε h·ω) - F h·(v + ω × r)
    servos   Σ k_P θ_U θ̇                               drag           (ω; v)ᵀ D (ω; v)
    bias     (τ_B; F_B) · (ω; v), not against the air   blades         what forces across axes do to the air
    wind     Σ f·w of all forces f of the air          bearings       Σ τ_MB |ϖ|
    battery  U_0 I                                     windings       Σ R i²
                                                       servo dampers  Σ k_D θ̇²

v is that against the air, w the wind; i is what flows, as far as the battery goes.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.gyrostat import Gyrostat, air_twist, rotor_effects
from visviva.copter.models.plant import Q_AT, matrix, mean_directions, surroundings_at, xi_at
from visviva.copter.vehicles.battery import supply
from visviva.copter.vehicles.vectors import cross

ROWS = (
    "motors", "servos", "bias", "wind", "drag", "blades", "bearings", "servo dampers", "windings", "battery",
    "battery resistance",
)  # fmt: skip
MOTORS, SERVOS, BIAS, WIND, DRAG, BLADES, BEARINGS, DAMPERS, WINDINGS, BATTERY, RESISTANCE = range(11)
WAKES = 11  # from here on: of each rotor


def powers(p: Gyrostat, R: Array, H: Array, xi: Array, currents: Array, wanted: Array, around: Array) -> Array:
    """`ROWS` [W] at a state, then the wake of each rotor; arguments as of `gyrostat.applied`."""
    n = len(p.servo)
    out, V, wind = np.zeros(WAKES + n), air_twist(R, xi, around), np.dot(around[:3], R)
    of_drag = np.dot(p.drag, V)
    out[DRAG], out[BIAS], out[WIND] = np.dot(V, of_drag), np.dot(p.bias, xi[:6]), -np.dot(wind, of_drag[3:])
    _motors(p, xi[len(xi) - n :], currents, out)
    for j in range(len(p.k_P)):
        rate = xi[6 + j]
        out[SERVOS] += p.k_P[j] * wanted[j] * rate
        out[DAMPERS] += p.k_D[j] * rate * rate
    for i in range(n):
        _air(p, i, R, H[i], xi, V, wind, around[3], out)
    return out


def _motors(p: Gyrostat, spins: Array, currents: Array, out: Array) -> None:
    """Of motors and battery."""
    flows = currents.copy()
    if p.supply[0] < np.inf:
        _, I = supply(p.supply[0], p.supply[1], p.k_M, p.resistance, spins, currents, flows)
        out[BATTERY], out[RESISTANCE] = p.supply[0] * I, p.supply[1] * I * I
    for i in range(len(spins)):
        heat = p.resistance[i] * flows[i] ** 2
        out[WINDINGS] += heat
        out[MOTORS] += heat + p.k_M[i] * flows[i] * spins[i]
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
    out[WAKES + i] = p.kappa_T[i] * spin * spin * abs(spin) + p.length[i] * F * np.dot(h, V[:3])
    out[WAKES + i] -= (F + more) * np.dot(h, v)
    out[BLADES] -= np.dot(force, v) + np.dot(moment, V[:3])
    out[WIND] += (F + more) * np.dot(h, wind) + np.dot(force, wind)
    j = p.servo[i]
    if j >= 0:
        cross(p.axis[i], p.across[i], v)  # the tilt axis
        out[BLADES] -= np.dot(moment, v) * xi[6 + j]


def step_works(p: Gyrostat, x: Array, h: Array, currents: Array, wanted: Array, air: Array) -> Array:
    """`powers` times h of N steps between states x, at their middle as `copter.models.plant` takes forces [J]."""
    at, n = xi_at(p), len(p.servo)
    works, H, slopes = np.empty((len(h), WAKES + n)), np.empty((n, 3)), np.empty((n, 3))
    for k in range(len(h)):
        start, end = x[k], x[k + 1]
        mean_directions(p, start, end, H, slopes)
        R, xi = 0.5 * (matrix(start, Q_AT) + matrix(end, Q_AT)), 0.5 * (start[at:] + end[at:])
        around = surroundings_at(air[k], 0.5 * (start[2] + end[2]))
        works[k] = h[k] * powers(p, R, H, xi, currents[k], wanted[k], around)
    return works
