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

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.copter.energy.flown_steps import FlownSteps
from visviva.copter.models.gyrostat import Gyrostat, moving_air, rotor_effects
from visviva.copter.models.plant import Memory, plant_memory, put_mean_state
from visviva.copter.vehicles.battery import supply
from visviva.copter.vehicles.vectors import Vector, cross, dot, plus, row_of, turned_back, vector_at

ROWS = (
    "motors", "servos", "bias", "wind", "drag", "blades", "bearings", "servo dampers", "windings", "battery",
    "battery resistance",
)  # fmt: skip
MOTORS, SERVOS, BIAS, WIND, DRAG, BLADES, BEARINGS, DAMPERS, WINDINGS, BATTERY, RESISTANCE = range(11)
WAKES = 11  # from here on: of each rotor


def put_powers(
    p: Gyrostat, R: Array, H: Array, xi: Array, currents: Array, wanted: Array, around: Array, f: Array, out: Array
) -> None:  # fmt: skip
    """`ROWS` [W] at a state, then the wake of each rotor; arguments as of `gyrostat.put_applied`. f: memory."""
    w, v, wind = vector_at(xi, 0), moving_air(R, xi, around), turned_back(R, vector_at(around, 0))
    for k in range(len(out)):
        out[k] = 0.0
    for i in range(6):
        of_drag = dot(row_of(p.drag, i), w) + p.drag[i, 3] * v[0] + p.drag[i, 4] * v[1] + p.drag[i, 5] * v[2]
        out[DRAG] += of_drag * (w[i] if i < 3 else v[i - 3])
        out[WIND] -= of_drag * wind[i - 3] if i >= 3 else 0.0
        out[BIAS] += p.bias[i] * xi[i]
    _motors(p, xi, currents, f, out)
    for j in range(len(p.k_P)):
        rate = xi[6 + j]
        out[SERVOS] += p.k_P[j] * wanted[j] * rate
        out[DAMPERS] += p.k_D[j] * rate * rate
    for i in range(len(p.servo)):
        _air(p, i, R, row_of(H, i), xi, w, v, wind, around[3], out)


def _motors(p: Gyrostat, xi: Array, currents: Array, f: Array, out: Array) -> None:
    """Of motors and battery."""
    n = len(currents)
    at, flows = len(xi) - n, f
    if p.supply[0] < np.inf:
        _, I = supply(p.supply[0], p.supply[1], p.k_M, p.resistance, xi[at:], currents, flows)
        out[BATTERY], out[RESISTANCE] = p.supply[0] * I, p.supply[1] * I * I
    for i in range(n):
        flow, spin = flows[i] if p.supply[0] < np.inf else currents[i], xi[at + i]
        heat = p.resistance[i] * flow * flow
        out[WINDINGS] += heat
        out[MOTORS] += heat + p.k_M[i] * flow * spin
        out[BEARINGS] += p.tau_MB[i] * abs(spin)


def _air(
    p: Gyrostat, i: int, R: Array, h: Vector, xi: Array, w: Vector, v: Vector, wind: Vector, height: float, out: Array
) -> None:  # fmt: skip
    """Of one rotor; the air moves against the body with -v, in the wind in axes of the body."""
    spin = xi[len(xi) - len(p.servo) + i]
    more, force, moment = rotor_effects(p, i, R, h, w, v, spin, height)
    F, own = p.kappa_F[i] * spin * spin, plus(v, cross(w, row_of(p.position, i)))
    out[WAKES + i] = p.kappa_T[i] * spin * spin * abs(spin) + p.length[i] * F * dot(h, w) - (F + more) * dot(h, own)
    out[BLADES] -= dot(force, own) + dot(moment, w)
    out[WIND] += (F + more) * dot(h, wind) + dot(force, wind)
    j = p.servo[i]
    if j >= 0:
        tilt_axis = cross(row_of(p.axis, i), row_of(p.across, i))
        out[BLADES] -= dot(moment, tilt_axis) * xi[6 + j]


def powers(p: Gyrostat, R: Array, H: Array, xi: Array, currents: Array, wanted: Array, around: Array) -> Array:
    """`put_powers` with arrays of its own."""
    out = np.empty(WAKES + len(p.servo))
    put_powers(p, R, H, xi, currents, wanted, around, np.empty(len(xi)), out)
    return out


def put_step_works(
    p: Gyrostat, x: Array, h: Array, currents: Array, wanted: Array, air: Array, m: Memory, works: Array
) -> None:  # fmt: skip
    """Powers times h of N steps between states x, (N, ...), as `copter.models.plant` takes forces [J]."""
    for k in range(len(h)):
        put_mean_state(p, x[k], x[k + 1], air[k], m)
        put_powers(p, m.R_mean, m.H, m.mean, currents[k], wanted[k], m.around, m.f, works[k])
        for j in range(works.shape[1]):
            works[k, j] *= h[k]


def step_works(p: Gyrostat, flown: FlownSteps, put: Callable[..., None] = put_step_works) -> Array:
    """The same of flown steps, with arrays of its own.   put: `put_step_works`, or its kernel."""
    works = np.empty((len(flown.h), WAKES + len(p.servo)))
    put(p, flown.x, flown.h, flown.currents, flown.wanted, flown.air, plant_memory(p), works)
    return works
