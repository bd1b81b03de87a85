"""Closed loops with one degree of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import visviva as vv

if TYPE_CHECKING:
    from visviva.mechanism.parts import Body


def bar(m: vv.Mechanism, name: str, start: Any, end: Any, per_length: float, radius: float = 0.02) -> Body:
    """A round bar between two points of the world [m], with a mass per length [kg/m]."""
    a, b = np.array(start), np.array(end)
    length = float(np.linalg.norm(b - a))
    return m.body(name, inertia=vv.inertia.cylinder(per_length * length, radius, length, axis=b - a), at=(a + b) / 2)


def four_bar() -> vv.Mechanism:
    """A planar crank-rocker built in space from four hinges: three of its twenty constraint rows are redundant."""
    m = vv.Mechanism("four bar", gravity=(0, 0, -9.81))
    A, B, C, D = (0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)
    crank, coupler, rocker = bar(m, "crank", A, B, 2.0), bar(m, "coupler", B, C, 2.0), bar(m, "rocker", D, C, 2.0)
    axis = (0, 1, 0)
    m.revolute("A", m.ground, crank, at=A, axis=axis, rate=6.0)
    m.revolute("B", crank, coupler, at=B, axis=axis)
    m.revolute("C", coupler, rocker, at=C, axis=axis)
    m.revolute("D", m.ground, rocker, at=D, axis=axis, friction=0.02)
    return m


def slider_crank() -> vv.Mechanism:
    """Haug's spatial slider-crank: a crank about x, a conrod between a ball and a universal joint, a slider along x.

    The crank turns with 6 rad/s at the start; what every other part does then follows.
    """
    m = vv.Mechanism("slider-crank", gravity=(0, 0, -9.81))
    A, B, C = np.array([(0, 0.1, 0.12), (0, 0.1, 0.2), (0.2, 0, 0)])
    n = (C - B) / np.linalg.norm(C - B)
    pin = np.cross(n, (1, 0, 0)) / np.linalg.norm(np.cross(n, (1, 0, 0)))
    axes = np.column_stack([n, pin, np.cross(n, pin)])
    m.body("crank", mass=0.12, inertia=(1e-4, 1e-4, 1e-5), at=(A + B) / 2)
    m.body("conrod", mass=0.5, inertia=(4e-4, 4e-3, 4e-3), at=(B + C) / 2, rotation=axes)
    m.body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), at=C)
    m.revolute("bearing", m.ground, "crank", at=A, axis=(1, 0, 0), rate=6.0)
    m.spherical("ball", "crank", "conrod", at=B)
    m.universal("cross", "slider", "conrod", at=C, axes=((1, 0, 0), pin))
    m.prismatic("guide", m.ground, "slider", at=C, axis=(1, 0, 0))
    return m
