"""A screw press and a differential: coordinates of joints that are coupled."""

from __future__ import annotations

import numpy as np

import visviva as vv

LEAD = 0.05  # of the press: advance per turn [m]


def screw_press() -> vv.Mechanism:
    """A fly press: its wheel turns the spindle in a fixed nut, and the spindle pushes the ram on to the blank.

    The ram is guided and hangs on the spindle by a hinge: both hold it, and four of their rows say the same twice.
    """
    m = vv.Mechanism("screw press", gravity=(0, 0, -9.81))
    spindle = m.body("spindle", inertia=vv.inertia.cylinder(8.0, 0.03, 0.5), at=(0, 0, 0.55))
    wheel = m.body("wheel", inertia=vv.inertia.cylinder(36.0, 0.35, 0.06), at=(0, 0, 0.85))
    m.fixed("key", spindle, wheel, at=(0, 0, 0.8))
    ram = m.body("ram", inertia=vv.inertia.box(25.0, (0.3, 0.3, 0.1)), at=(0, 0, 0.25))
    m.screw(
        "nut", m.ground, spindle, at=(0, 0, 0.6), axis=(0, 0, 1), pitch=LEAD / (2 * np.pi), rate=-12.0, friction=0.4
    )
    m.prismatic("guide", m.ground, ram, axis=(0, 0, 1))
    m.revolute("collar", spindle, ram, at=(0, 0, 0.32), axis=(0, 0, 1))
    m.spring("blank", m.ground, ram, at_a=(0, 0, 0), at_b=(0, 0, 0.2), k=4e5, damping=6e3)
    return m


def differential() -> vv.Mechanism:
    """An axle with an open differential: both wheels get half of the torque, whatever they do with it.

    Angles count against the ground: left + right = 2 carrier. The left wheel is on ice, the right one on the road.
    """
    m = vv.Mechanism("differential")
    carrier = m.body("carrier", inertia=vv.inertia.cylinder(6.0, 0.12, 0.1, axis="y"), at=(0, 0, 0))
    m.revolute("case", m.ground, carrier, at=(0, 0, 0), axis=(0, 1, 0))
    for name, y, friction in (("left", 0.7, 0.4), ("right", -0.7, 6.0)):
        wheel = m.body(name, inertia=vv.inertia.cylinder(12.0, 0.3, 0.15, axis="y"), at=(0, y, 0))
        m.revolute(f"{name} shaft", m.ground, wheel, at=(0, y, 0), axis=(0, 1, 0), friction=friction)
    m.coupler("gears", {"left shaft": 1.0, "right shaft": 1.0, "case": -2.0})
    m.torque("engine", "case")
    return m
