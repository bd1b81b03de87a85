"""What blades in moving air, and the ground below them, add to the thrust κ_F ϖ² h of a rotor; for every model.

v is the velocity of the rotor's centre against the air, v_z = h·v along its axis h, v_p = v - v_z h across it; z is the
height of the centre above the ground, u the share of h that points up.

    F = κ_F ϖ² G - k_Z ϖ v_z          G = 1/(1 - u (R/4z)²)       the wake meets the ground
    f = F h - (k_D ϖ + A F/ϖ) v_p     m = k_H ϖ v_p × h           drag of the blades, the disc tilts by A v_p/ϖ

The torque -ε κ_T ϖ² stays. G is Cheeseman and Bennett's (1955), for rotors that hover level above z = R/2; below, that
of R/2 holds. The share u is ours: a wake that goes aside meets no ground. In-plane forces that grow with ϖ v are those
of Mahony, Kumar and Corke (2012).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visviva._arrays import Array, frozen
from visviva.copter.vehicles.vectors import Vector, cross, dot

DRAG, INFLOW, FLAPPING, HUB, RADIUS = range(5)  # of the constants of a rotor
STILL = frozen(np.array([0.0, 0.0, 0.0, np.inf]))  # (4,) wind in world axes, height above the ground: none of both
LOWEST = 0.5  # of the radius, where the formula of the ground ends


def ground_factor(R: float, z: float, u: float) -> float:
    """G; with a height of inf there is no ground, G = 1."""
    if R == 0.0:
        return 1.0
    ratio = 0.25 * R / np.maximum(z, LOWEST * R)
    return 1.0 / (1.0 - np.maximum(u, 0.0) * ratio * ratio)


class BladeEffects(NamedTuple):
    """What blades and ground add to κ_F ϖ² h of a rotor."""

    more: float  # F - κ_F ϖ² [N], along h
    force: Vector  # across h
    moment: Vector  # about the centre of the rotor


def blade_effects(c: Array, kappa_F: float, h: Vector, spin: float, v: Vector, z: float, u: float) -> BladeEffects:
    """Without branches, so that it can be traced."""
    w, along = np.abs(spin), dot(h, v)
    per_speed = kappa_F * w * ground_factor(c[RADIUS], z, u) - c[INFLOW] * along
    across, turning = c[DRAG] * w + c[FLAPPING] * per_speed, c[HUB] * w
    force = -across * (v[0] - along * h[0]), -across * (v[1] - along * h[1]), -across * (v[2] - along * h[2])
    x, y, z_ = cross(v, h)
    return BladeEffects(w * (per_speed - kappa_F * w), force, (turning * x, turning * y, turning * z_))
