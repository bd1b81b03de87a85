"""Mechanisms with one condition of each kind, by name."""

import numpy as np

import visviva as vv


def gears():
    """Two wheels on skew shafts, one of them on a moving carrier, coupled 1 : -2.5."""
    m = vv.Mechanism("gears", gravity=(0.3, -0.2, -9.81))
    carrier = m.body("carrier", mass=2.0, inertia=(0.3, 0.2, 0.25), at=(0.4, 0, 0))
    one = m.body("one", mass=1.0, inertia=(0.03, 0.02, 0.04), at=(0.8, 0.1, 0))
    two = m.body("two", mass=1.5, inertia=(0.05, 0.04, 0.08), at=(0.1, 0.6, 0.2))
    m.revolute("base", m.ground, carrier, at=(0, 0, 0), axis=(0, 1, 0), rate=0.7)
    m.revolute("a", carrier, one, at=(0.8, 0, 0), axis=(0.2, 0, 1), rate=2.0)
    m.revolute("b", m.ground, two, at=(0, 0.6, 0), axis=(1, 0.3, 0))
    return m, m.gear("mesh", "a", "b", ratio=-2.5)


def screw():
    """A free pair: a nut on a screw, with a spring and a damper between them."""
    m = vv.Mechanism("screw")
    twist = (0.3, -0.8, 0.5, 0.1, 0.4, -0.2)
    nut = m.body("nut", mass=2.0, inertia=(0.3, 0.25, 0.2), at=(0.1, 0.2, -0.1), twist=twist)
    bolt = m.body("bolt", mass=1.0, inertia=(0.1, 0.15, 0.2), at=(0.6, -0.2, 0.4))
    m.screw("thread", nut, bolt, at=(0.3, 0.1, 0.2), axis=(0.3, -0.4, 0.8), pitch=0.05, rate=7.0)
    m.spring("spring", nut, bolt, at_a=(0, 0, 0), at_b=(0.7, 0, 0), k=30.0, length=0.4, damping=0.3)
    return m, m["thread.lead"]


def differential():
    """Two wheels and a carrier on one shaft: left + right = 2 carrier."""
    m = vv.Mechanism("differential")
    for k, (name, rate) in enumerate({"left": 3.0, "right": None, "carrier": 1.0}.items()):
        m.body(name, mass=1.0 + k, inertia=(0.01 * (k + 2), 0.03, 0.03), at=(0, 0.3 * k, 0.1))
        m.revolute(f"{name} shaft", m.ground, name, at=(0, 0, 0), axis=(0, 1, 0), rate=rate)
    return m, m.coupler("differential", {"left shaft": 1.0, "right shaft": 1.0, "carrier shaft": -2.0})


def rack():
    """The rack and pinion of ADAMS's case: a rack that falls and turns a pinion of pitch radius 0.05 m."""
    m = vv.Mechanism("rack", gravity=(0, 0, -9.80665))
    m.body(
        "pinion",
        mass=1.0,
        inertia=(0.1, 0.1, 0.04),
        at=(0, 0, 0),
        rotation=np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    )
    m.body("rack", mass=1.0, inertia=(0.1, 0.1, 0.04), at=(0, -0.1, 0))
    m.revolute("axle", m.ground, "pinion", at=(0, 0, 0), axis=(1, 0, 0))
    m.prismatic("guide", m.ground, "rack", axis=(0, 0, 1))
    return m, m.rack("teeth", "axle", "guide", radius=0.05)


def driven_four_bar():
    """A four-bar in the plane whose crank turns with a given position."""
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    points = {
        "crank": ((0, 0, 0), (0, 0, 0.3)),
        "coupler": ((0, 0, 0.3), (0.8, 0, 0.6)),
        "rocker": ((1, 0, 0), (0.8, 0, 0.6)),
    }
    for mass, (name, (p, q)) in enumerate(points.items(), start=1):
        p, q = np.array(p), np.array(q)
        length = float(np.linalg.norm(q - p))
        x = (q - p) / length
        R = np.column_stack([x, (0, 1, 0), np.cross(x, (0, 1, 0))])
        m.body(name, inertia=vv.inertia.box(float(mass), (length, 0.05, 0.04)), at=(p + q) / 2, rotation=R)
    m.revolute("j1", m.ground, "crank", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("j2", "crank", "coupler", at=(0, 0, 0.3), axis=(0, 1, 0))
    m.revolute("j3", "coupler", "rocker", at=(0.8, 0, 0.6), axis=(0, 1, 0))
    m.revolute("j4", m.ground, "rocker", at=(1, 0, 0), axis=(0, 1, 0))
    return m, m.drive("motor", "j1", position=lambda t: 4.0 * t + 0.5 * np.sin(2.0 * t))


def bead():
    """A particle on an ellipsoid, tied to a body by a distance that grows with the body's turn."""
    m = vv.Mechanism("bead", gravity=(0, 0, -9.81))
    m.particle("bead", mass=0.5, at=(1.0, 0, 0), velocity=(0, 1.2, 0.3))
    return m, m.constraint("ellipsoid", "bead", g=lambda p: p.r[0] ** 2 + p.r[1] ** 2 / 2 + p.r[2] ** 2 / 3 - 1.0)


def guided():
    """A body with two functions of its placement and a particle's: a transcendental surface, and an angle."""
    m = vv.Mechanism("guided", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, 0), at=(0.2, 0, 0), twist=None)
    m.particle("tip", mass=0.4, at=(0.9, 0.1, 0.5), velocity=None)

    def g(arm, tip):
        d = tip.r - arm.r
        return [np.sqrt(d @ d) - 0.5 * np.exp(arm.R[2, 0]) - np.sqrt(0.75) + 0.5, np.sin(tip.r[0]) - np.sin(0.9)]

    return m, m.constraint("guide", ("arm", "tip"), g=g)


MECHANISMS = {f.__name__: f for f in (gears, screw, differential, rack, driven_four_bar, bead, guided)}
