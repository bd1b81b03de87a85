"""Vehicles with more rotors than the four forces and moments that they make, with the bias of Table 5.1."""

from dataclasses import replace

import numpy as np

from visviva import copter

QUAD = copter.quadcopter()
ROTOR = QUAD.rotors[0]


def heavier(name, mass, rotors):
    """The quadcopter with other rotors, its inertia growing with its mass."""
    return replace(QUAD, name=name, mass=mass, inertia=mass / QUAD.mass * QUAD.inertia, rotors=rotors)


def hexacopter():
    return heavier("hexacopter", 1.25, copter.ring(ROTOR, np.pi / 3 * np.arange(6), (1, -1) * 3, radius=0.24))


def octocopter():
    return heavier("octocopter", 1.6, copter.ring(ROTOR, np.pi / 4 * np.arange(8), (1, -1) * 4, radius=0.3))


def coaxial():
    """Pairs that turn against each other, one rotor above the other, on four arms."""
    angles = np.pi / 4 + np.pi / 2 * np.arange(4)
    pairs = {
        level: copter.ring(ROTOR, angles, [level * spin for spin in (1, -1, 1, -1)], radius=0.24, height=0.03 * level)
        for level in (1, -1)
    }
    named = {1: "top", -1: "low"}
    return heavier(
        "X8", 1.6, [replace(r, name=f"{r.name}_{named[level]}") for level, ring in pairs.items() for r in ring]
    )  # fmt: skip


VEHICLES = {"hexacopter": hexacopter, "octocopter": octocopter, "X8": coaxial}


def weakened(vehicle, i, share):
    """Rotor i makes a part of its thrust and of its torque."""
    own = vehicle.rotors[i]
    weak = replace(own, kappa_F=share * own.kappa_F, kappa_T=share * own.kappa_T)
    return replace(vehicle, rotors=[weak if k == i else rotor for k, rotor in enumerate(vehicle.rotors)])
