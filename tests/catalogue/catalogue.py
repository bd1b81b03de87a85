"""Mechanisms on which laws are measured: all joints, trees, loops, redundant ones, free systems, thin bodies."""

from __future__ import annotations

from once import once

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


def sleeve(driven=False):
    """A swing that carries a sleeve with friction about and along its axis, and a weight welded to the sleeve."""
    m = vv.Mechanism("sleeve", gravity=(0.5, 0, -9.81))
    swing = m.body("swing", inertia=vv.inertia.box(1.3, (0.9, 0.2, 0.1)), at=(0.5, 0.1, 0))
    ring = m.body("ring", inertia=vv.inertia.cylinder(0.7, 0.2, 0.3), at=(0.8, 0.1, 0.2))
    weight = m.body("weight", inertia=vv.inertia.ellipsoid(0.4, (0.3, 0.1, 0.2)), at=(0.9, 0.4, 0.3))
    m.universal("gimbal", m.ground, swing, at=(0, 0, 0), axes=((0, 0.6, 0.8), (1, 0, 0)), rate=(1.0, -2.0))
    m.cylindrical("shaft", swing, ring, at=(0.7, 0.1, 0), axis=(1, 0.2, 0), rate=(3.0, 0.5), friction=(0.05, 0.2))
    m.fixed("weld", ring, weight)
    if driven:
        m.force("push", "shaft")
        m.torque("spin", "shaft")
    return m


def table():
    """A plate that slides on a table with friction, a bead on a wire of it, and a slide with a hanging particle."""
    m = vv.Mechanism("table", gravity=(0.3, 0.2, -9.81))
    plate = m.body("plate", inertia=vv.inertia.box(2.0, (0.8, 0.6, 0.1)), at=(0.1, 0, 0.05))
    carriage = m.body("carriage", inertia=vv.inertia.box(0.5, (0.2, 0.1, 0.1)), at=(0.2, 0.1, 0.2))
    bead, bob = m.particle("bead", mass=0.2, at=(0.1, 0.2, 0.3)), m.particle("bob", mass=0.3, at=(0.2, 0.5, -0.3))
    m.planar("top", m.ground, plate, at=(0, 0, 0), normal=(0, 0.1, 1), rate=(2.0, 0.3, -0.4), friction=(0.1, 0.3, 0.2))
    m.prismatic("slide", plate, carriage, axis=(1, 0, 0.1), rate=-0.5, friction=0.4)
    m.point_on_line("wire", plate, bead, axis=(0, 1, 0.2))
    m.distance("string", carriage, bob, at_a=(0.2, 0.1, 0.2))
    return m


def flyers():
    """Bodies in free flight that hold each other by a rod, a plane, a line and a slide; no body is held."""
    m = vv.Mechanism("flyers")
    a = m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), twist=(1, 2, -3, 0.4, 0, 0.2))
    b = m.body("b", inertia=vv.inertia.cylinder(1.0, 0.2, 0.8), at=(1, 0, 0.1))
    c = m.body("c", inertia=vv.inertia.ellipsoid(0.6, (0.3, 0.2, 0.1)), at=(0, 1, 0.2))
    m.prismatic("slide", a, b, at=(0.5, 0, 0), axis=(0, 1, 1), rate=0.7)
    m.point_on_plane("plane", a, c, at=(0.1, 0.9, 0), normal=(1, 0, 0.5))
    m.point_on_line("line", b, c, at=(0.2, 0.8, 0.1), axis=(0, 0.5, 1))
    m.distance("rod", b, c)
    return m


MECHANISMS = {
    name: once(build)
    for name, build in {
        "double pendulum": double_pendulum,
        "four bar": four_bar,
        "pair with friction": lambda: pair_with(0.1),
        "heavy top": heavy_top,
        "free pair": free_pair,
        "thin arm": thin_arm,
        "flat plate": flat_plate,
        "sleeve": sleeve,
        "table": table,
        "flyers": flyers,
    }.items()
}
