"""A heavy top."""

from __future__ import annotations

import visviva as vv


def heavy_top(spin: float = 60.0, tilt: float = 0.4) -> vv.Mechanism:
    """A disc on a light shaft that stands on its tip, with a spin about its own axis [rad/s]: it precesses and nods.

    tilt: angle of the axis to the vertical [rad].
    """
    m = vv.Mechanism("heavy top", gravity=(0, 0, -9.81))
    turn = vv.geometry.SO3.exp([0, tilt, 0])
    disc = vv.inertia.cylinder(0.4, 0.06, 0.02, axis="z").moved(at=(0, 0, 0.08))
    top = m.body("top", inertia=disc, rotation=turn, twist=(0, 0, spin, 0, 0, 0))
    m.spherical("tip", m.ground, top, at=(0, 0, 0))
    m.frame("nose", top, at=turn.act([0, 0, 0.12]))
    return m
