"""Mechanisms as robotics has them, built once."""

from __future__ import annotations

from functools import cache

import numpy as np

import visviva as vv


@cache
def arm(n=7):
    """Hinges about z and y in turn with a torque on each, damped, and a tool."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    below = m.ground
    for i in range(n):
        link = m.body(
            f"link{i}", inertia=vv.inertia.box(1.0 + 0.1 * i, (0.1, 0.12, 0.3)), at=(0.01 * i, 0, 0.3 * i + 0.15)
        )
        m.revolute(f"j{i}", below, link, at=(0, 0, 0.3 * i), axis=(0, 0, 1) if i % 2 == 0 else (0, 1, 0), friction=0.1)
        m.torque(f"m{i}", f"j{i}")
        below = link
    m.frame("tool", below, at=(0.1, 0, 0.3 * n), rotation=vv.geometry.SO3.exp(np.array([0.3, 0.2, -0.4])))
    return m


@cache
def acted():
    """A flying base with a slider, a ball and a hinge, springs between bodies, friction laws, stops and wrenches."""
    m = vv.Mechanism("acted", gravity=(0.2, 0.1, -9.81))
    base = m.body("base", mass=3.0, inertia=(0.2, 0.3, 0.4), at=(0, 0, 0), com=(0.02, 0.01, 0))
    rail = m.body("rail", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0.4, 0, 0.1))
    arm = m.body("arm", mass=0.8, inertia=(0.01, 0.03, 0.03), at=(0.8, 0.1, 0.1))
    hand = m.body("hand", mass=0.3, inertia=(0.004, 0.003, 0.005), at=(1.2, 0.1, 0.2))
    bob = m.particle("bob", mass=0.2, at=(1.5, 0, 0))
    m.prismatic("slide", base, rail, axis=(1, 0.2, 0), friction=0.3)
    m.spherical("ball", rail, arm, at=(0.6, 0, 0.1))
    m.revolute("wrist", arm, hand, at=(1.0, 0.1, 0.1), axis=(0, 1, 0.3), friction=vv.friction.coulomb(0.2, v_reg=0.3))
    m.spring("rope", hand, bob, at_a=(1.3, 0.1, 0.2), k=50.0, damping=0.4)
    m.spring("tie", m.ground, arm, at_a=(0, 0, 1.0), k=30.0)
    m.torque("motor", "wrist")
    m.force("push", "slide")
    m.wrench("hold", base)
    m.wrench("pull", bob)
    m.frame("tool", hand, at=(1.3, 0.1, 0.25), rotation=vv.geometry.SO3.exp(np.array([0.1, 0.5, -0.3])))
    return m


@cache
def heated():
    """A motor on a hinge whose winding warms an oil."""
    m = vv.Mechanism("heated", gravity=(0, 0, -9.81))
    rod = m.body("rod", mass=1.0, inertia=(0.01, 0.2, 0.2), at=(0.5, 0, 0))
    oil = m.thermal("oil", capacity=100.0)
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), friction=0.1, heat_to=oil)
    m.motor("dc", "hinge", resistance=1.0, inductance=0.01, k=0.2, current=0.5, heat_to=oil)
    return m


@cache
def four_bar(motor=True):
    """A crank that turns, a coupler with a pen, a rocker."""
    m = vv.Mechanism("four bar", gravity=(0, 0, -9.81))
    points = [np.array(p) for p in ((0.0, 0, 0), (0.0, 0, 0.3), (0.9, 0, 0.7), (0.8, 0, 0.0))]
    bars = []
    for name, a, b in zip(("crank", "coupler", "rocker"), points, points[1:], strict=False):
        bars.append(m.body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), at=0.5 * (a + b)))
    ends = zip(("A", "B", "C", "D"), (m.ground, *bars), (*bars, m.ground), points, strict=True)
    for name, parent, child, at in ends:
        m.revolute(name, parent, child, at=at, axis=(0, 1, 0), friction=0.05)
    if motor:
        m.torque("motor", "A")
        m.torque("elbow", "C")
    m.frame("pen", "coupler", at=(0.5, 0, 0.8))
    return m


def state(d, seed=0, size=0.4):
    """A random state of a tree."""
    rng = np.random.default_rng(seed)
    q = d.integrate(d.q_built, size * rng.normal(size=d.nv))
    return q, rng.normal(size=d.nv), rng.normal(size=d.nu)
