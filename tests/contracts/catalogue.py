"""Mechanisms on which laws are measured: trees, loops, redundant loops, free systems, thin and flat bodies."""

from __future__ import annotations

import visviva as vv
from visviva.demo import double_pendulum, four_bar


def pair_with(friction=0.0, gravity=(0, 0, -9.81)):
    """A spatial double pendulum with friction in both hinges and initial rates."""
    m = vv.Mechanism("pair", gravity=gravity)
    a = m.body("a", inertia=vv.inertia.box(1.3, (0.9, 0.2, 0.1)), at=(0.5, 0.1, 0), com=(0.05, 0, 0.02))
    b = m.body("b", inertia=vv.inertia.ellipsoid(0.7, (0.3, 0.1, 0.2)), at=(1.4, 0, 0.3))
    m.revolute("h1", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0.2), friction=friction, rate=2.0)
    m.revolute("h2", a, b, at=(1, 0, 0.1), axis=(0.3, 1, 0), friction=friction, rate=-3.0)
    return m


def heavy_top():
    m = vv.Mechanism("heavy top", gravity=(0, 0, -9.81))
    top = m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0.3, 0, 0.4), twist=(0, 3.0, 40.0, 0, 0, 0))
    m.spherical("pivot", m.ground, top, at=(0, 0, 0))
    return m


def free_pair():
    """Two bodies and a particle flying, joined by a hinge and a ball."""
    m = vv.Mechanism("free pair")
    a = m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), at=(0, 0, 0), twist=(1, 2, -3, 0.4, 0, 0.2))
    b = m.body("b", inertia=vv.inertia.cylinder(1.0, 0.2, 0.8), at=(1, 0, 0.1))
    p = m.particle("p", mass=0.3, at=(1.5, 0.2, 0.1))
    m.revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0, 1, 1), rate=5.0)
    m.spherical("ball", b, p, at=(1.5, 0.2, 0.1))
    return m


def thin_arm():
    """A rod without inertia about its own axis, held by a hinge."""
    m = vv.Mechanism("thin arm", gravity=(0, 0, -9.81))
    arm = m.body("arm", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    return m


def flat_plate():
    """A flat body hung at a corner: one director has no mass."""
    m = vv.Mechanism("flat plate", gravity=(0, 0, -9.81))
    plate = m.body("plate", inertia=vv.inertia.plate(1.0, (0.6, 0.4)), at=(0.3, 0.2, 0))
    m.spherical("corner", m.ground, plate, at=(0, 0, 0))
    return m


MECHANISMS = {
    "double pendulum": double_pendulum,
    "four bar": four_bar,
    "pair with friction": lambda: pair_with(0.1),
    "heavy top": heavy_top,
    "free pair": free_pair,
    "thin arm": thin_arm,
    "flat plate": flat_plate,
}
