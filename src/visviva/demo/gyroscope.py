"""A gyroscope in gimbals whose bearings rub and get warm."""

from __future__ import annotations

import numpy as np

import visviva as vv


def gyroscope(spin: float = 150.0) -> vv.Mechanism:
    """A rotor in two rings, with a weight on the inner one: it precesses, and friction lets the weight sink.

    spin: of the rotor [rad/s]. Its bearing has an oil that thins when it gets warm; those of the rings are dry.
    """
    m = vv.Mechanism("gyroscope", gravity=(0, 0, -9.81))
    oil = m.thermal("oil", capacity=3.0, conductance_to_environment=0.02)
    rings = m.thermal("rings", capacity=0.5)
    outer = m.body("outer", inertia=vv.inertia.tube(0.2, 0.16, 0.15, 0.02, axis="x"))
    inner = m.body("inner", inertia=vv.inertia.tube(0.15, 0.13, 0.12, 0.02, axis="z"))
    rotor = m.body("rotor", inertia=vv.inertia.cylinder(1.0, 0.1, 0.02, axis="y"))
    weight = m.particle("weight", mass=0.2, at=(0, 0.16, 0))
    dry = vv.friction.coulomb(4e-3, v_reg=0.05)
    thinning = vv.friction.coulomb(0.01, v_reg=1.0, viscous=2e-4, factor=lambda theta: np.exp(-(theta - 300) / 15))
    m.revolute("post", m.ground, outer, at=(0, 0, -0.16), axis=(0, 0, 1), friction=dry, heat_to=rings)
    m.revolute("pivot", outer, inner, at=(0.14, 0, 0), axis=(1, 0, 0), friction=dry, heat_to=rings)
    m.revolute("shaft", inner, rotor, at=(0, -0.08, 0), axis=(0, 1, 0), rate=spin, friction=thinning, heat_to=oil)
    m.spherical("hook", inner, weight)
    return m
