"""Mechanisms that robotics and control begin with."""

import numpy as np
from once import once

import visviva as vv


def arm(n=7, rate=None):
    """A serial arm of n hinges with axes z and y in turn, and a frame at its tip."""
    m, above = vv.Mechanism("arm", gravity=(0, 0, -9.81)), None
    for k in range(n):
        link = m.body(f"l{k}", inertia=vv.inertia.box(1.0, (0.1, 0.12, 0.4)), at=(0, 0, 0.2 + 0.4 * k))
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        m.revolute(f"j{k}", above or m.ground, link, at=(0, 0, 0.4 * k), axis=axis, rate=rate)
        above = link
    m.frame("tool", above, at=(0.05, 0, 0.4 * n))
    return m


@once
def cart_pole():
    m = vv.Mechanism("cart-pole", gravity=(0, 0, -9.81))
    cart = m.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    pole = m.body("pole", inertia=vv.inertia.rod(0.1, 1.0, axis="z"), at=(0, 0, -0.5))
    m.prismatic("rail", m.ground, cart, axis=(1, 0, 0), rate=0.3)
    m.revolute("pivot", cart, pole, at=(0, 0, 0), axis=(0, 1, 0), rate=1.0)
    m.force("push", "rail")
    return m


@once
def warm_motor():
    """A motor with a winding that warms a node, on an arm with friction."""
    m = vv.Mechanism("warm motor", gravity=(0, 0, -9.81))
    shaft = m.body("shaft", inertia=vv.inertia.rod(0.4, 0.5, axis="x"), at=(0.25, 0, 0))
    iron = m.thermal("iron", capacity=8.0, temperature=310.0, conductance_to_environment=0.5)
    m.revolute("hinge", m.ground, shaft, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05, heat_to=iron, rate=np.pi)
    m.motor("dc", "hinge", resistance=0.8, inductance=0.02, k=0.1, current=1.5, heat_to=iron)
    return m
