"""What rolls without slipping: a disc with a sharp edge, and a snakeboard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import visviva as vv
from visviva.geometry import SO3

RADIUS, MASS, G = 0.3, 2.0, 9.81
AXIAL, DIAMETRAL = MASS * RADIUS**2 / 2, MASS * RADIUS**2 / 4  # moments of inertia of a uniform disc


def steady_spin(lean: float, turning: float) -> float:
    """The part of ω along the axis of the disc in a steady turn [rad/s].

    lean:    angle between the axis of the disc and the vertical [rad]; π/2: upright.
    turning: rate at which its heading turns [rad/s].
    """
    weight = DIAMETRAL * turning**2 * np.sin(lean) - MASS * G * RADIUS
    return float(weight / ((AXIAL + MASS * RADIUS**2) * turning * np.tan(lean)))


def rolling_disc(lean: float = 1.2, turning: float = 1.5, spin: float | None = None, nod: float = 0.0) -> vv.Mechanism:
    """A disc that rolls on the ground; with the spin of a steady turn, and without nodding, it goes in a circle.

    spin: part of ω along its axis.   nod: rate at which it lies down [rad/s].
    """
    m = vv.Mechanism("rolling disc", gravity=(0, 0, -G))
    spin = steady_spin(lean, turning) if spin is None else spin
    R = SO3.exp([lean, 0, 0])  # x: where it rolls to, z: its axis
    w = np.array([nod, turning * np.sin(lean), spin])
    v = RADIUS * np.array([-spin, 0, nod])
    m.body(
        "disc",
        inertia=vv.inertia.disc(MASS, RADIUS),
        at=(0, 0, RADIUS * np.sin(lean)),
        rotation=R,
        twist=(*w, *v),
    )
    m.rolling_disc("edge", m.ground, "disc", radius=RADIUS, axis=R.R[:, 2])
    return m


def snakeboard() -> vv.Mechanism:
    """A board with a rotor for a rider, and two wheel sets that turn on it; nothing pushes it but its own motors."""
    m = vv.Mechanism("snakeboard")
    m.body("board", inertia=vv.inertia.box(2.0, (0.7, 0.12, 0.02)))
    m.body("rider", inertia=vv.inertia.box(8.0, (0.1, 0.6, 0.02)))
    m.planar("street", m.ground, "board", at=(0, 0, 0), normal=(0, 0, 1))
    m.revolute("waist", "board", "rider", at=(0, 0, 0), axis=(0, 0, 1))
    m.torque("twist", "waist")
    for name, x in (("front", 0.35), ("rear", -0.35)):
        m.body(name, inertia=vv.inertia.box(0.4, (0.06, 0.2, 0.04)), at=(x, 0, 0))
        m.revolute(f"{name} foot", "board", name, at=(x, 0, 0), axis=(0, 0, 1))
        m.torsion(f"{name} ankle", f"{name} foot", k=2.0, damping=0.2)
        m.torque(f"{name} steer", f"{name} foot")
        m.knife_edge(f"{name} wheels", m.ground, name, at=(x, 0, 0), direction=(0, 1, 0))
    return m


def gait(rate: float = 3.0) -> dict[str, Callable[[float], float]]:
    """Torques [N m] on a snakeboard that set it going: the rider twists while both feet steer against each other."""
    return {
        "twist": lambda t: 2.0 * np.cos(rate * t),
        "front steer": lambda t: -0.8 * np.cos(rate * t),
        "rear steer": lambda t: 0.8 * np.cos(rate * t),
    }
