"""A crank that an electric motor drives: volts in, heat and motion out."""

from __future__ import annotations

import visviva as vv
from visviva.demo.linkage import bar

RADIUS, ROD = 0.08, 0.25  # [m]


def driven_crank() -> vv.Mechanism:
    """A slider-crank on a direct-current motor; the winding and the guide of the slider get warm.

    Crankpin and wrist pin are a sleeve and a ball, so that no constraint is there twice.
    """
    m = vv.Mechanism("driven crank", gravity=(0, 0, -9.81))
    winding = m.thermal("winding", capacity=8.0, conductance_to_environment=0.2)
    guide = m.thermal("guide", capacity=4.0)
    A, B, C = (0, 0, 0), (RADIUS, 0, 0), (RADIUS + ROD, 0, 0)
    crank = m.body("crank", inertia=vv.inertia.cylinder(1.2, RADIUS, 0.02, axis="y"), at=A)
    conrod = bar(m, "conrod", B, C, per_length=1.0, radius=0.01)
    slider = m.body("slider", inertia=vv.inertia.box(0.4, (0.06, 0.05, 0.05)), at=C)
    m.revolute("bearing", m.ground, crank, at=A, axis=(0, 1, 0), friction=1e-3)
    m.cylindrical("crankpin", crank, conrod, at=B, axis=(0, 1, 0))
    m.spherical("wrist", conrod, slider, at=C)
    dry = vv.friction.stribeck(coulomb=1.0, static=1.4, speed=0.5, v_reg=0.2, viscous=0.5)
    m.prismatic("track", m.ground, slider, at=C, axis=(1, 0, 0), friction=dry, heat_to=guide)
    m.motor("motor", "bearing", resistance=0.6, inductance=4e-3, k=0.12, heat_to=winding)
    return m
