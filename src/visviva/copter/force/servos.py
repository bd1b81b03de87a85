"""Tilts of servos at ticks, simulated: servos tell no angle, and their models are stable; Konz 5.3.1.

    θ̂[k+1] = θ̂[k] + T θ̂'[k],     θ̂'[k+1] = θ̂'[k] + T (p_S0 (θ_U[k] - θ̂[k]) - p_S1 θ̂'[k])      (5.18)

A state is one array x (2n,): tilts, then their rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number, frozen
from visviva._suggestions import helpful
from visviva.copter.force.rotors import rotors_of
from visviva.copter.vehicles.rotor import Rotor
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError


class Servos(NamedTuple):
    """What the simulation knows of n servos."""

    T_S: float  # [s]
    p_S0: Array  # (n,) k_P/Θ_A [1/s²]
    p_S1: Array  # (n,) k_D/Θ_A [1/s]


@helpful
def servos(rotors: Vehicle | Sequence[Rotor], T_S: float = 0.005) -> Servos:
    """Parameters of the simulation for those rotors of a vehicle that tilt, none perhaps; T_S: period [s]."""
    period = finite_number(T_S, "period T_S [s]", positive=True)
    rotors = rotors_of(rotors)
    own = [rotor.servo for rotor in rotors if rotor.servo is not None]
    made = Servos(period, frozen([servo.p_S0 for servo in own]), frozen([servo.p_S1 for servo in own]))
    named = [rotor.name for rotor in rotors if rotor.servo is not None]
    for name, poles in zip(named, servo_poles(made), strict=True):
        if np.abs(poles).max() >= 1:
            raise ModelError(
                f"the servo of rotor {name!r} cannot be simulated with steps of {period:g} s: errors grow by "
                f"{np.abs(poles).max():.4g} in each.\nTake a shorter period T_S, below about {_longest(made):.2g} s."
            )
    return made


def servo_poles(p: Servos) -> NDArray[np.complex128]:
    """Roots (n, 2) of (z - 1)² + p_S1 T (z - 1) + p_S0 T²."""
    T = p.T_S
    return np.array([1 + T * np.roots([1.0, b, a]) for a, b in zip(p.p_S0, p.p_S1, strict=True)], dtype=np.complex128)


def servos_start(p: Servos, tilts: ArrayLike = 0.0) -> Array:
    """State of servos at rest at tilts [rad]."""
    held = np.broadcast_to(finite_array(tilts, "tilts [rad]"), p.p_S0.shape)
    return np.concatenate([held, np.zeros(len(held))])


def simulate_servos(p: Servos, x: Array, wanted: Array) -> Array:
    """State at k + 1 by (5.18) from the tilts θ_U[k] [rad] that servos are told."""
    out = x + 0.0
    advance_servos(p, out, wanted)
    return out


def advance_servos(p: Servos, x: Array, wanted: Array) -> None:
    """The same in place."""
    n = len(p.p_S0)
    for i in range(n):
        tilt, rate = x[i], x[n + i]
        x[i] = tilt + p.T_S * rate
        x[n + i] = rate + p.T_S * (p.p_S0[i] * (wanted[i] - tilt) - p.p_S1[i] * rate)


def _longest(p: Servos) -> float:
    """Of the periods [s] at which Euler's method is stable: |1 + T λ| < 1 is T < -2 Re λ/|λ|²."""
    ends = [
        -2 * root.real / abs(root) ** 2 for a, b in zip(p.p_S0, p.p_S1, strict=True) for root in np.roots([1, b, a])
    ]
    return float(min(ends))
