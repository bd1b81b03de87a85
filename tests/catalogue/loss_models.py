"""Mechanisms with friction laws, heat, motors and end stops, one for each thing that can go wrong."""

from __future__ import annotations

import numpy as np
from once import once

import visviva as vv

DRY = vv.friction.coulomb(0.4, v_reg=0.05)
STICKY = vv.friction.stribeck(coulomb=0.3, static=0.5, speed=0.2, v_reg=0.02, viscous=0.01)


def rod(m, name, a, b, mass=1.0, radius=0.05, **options):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    shape = vv.inertia.cylinder(mass, radius, float(np.linalg.norm(b - a)), axis=b - a)
    return m.body(name, inertia=shape, at=(a + b) / 2, **options)


def hinges():
    """Two hinges: dry friction to the environment, Stribeck friction to a bearing that cools."""
    m = vv.Mechanism("hinges", gravity=(0, 0, -9.81))
    bearing = m.thermal("bearing", capacity=3.0, temperature=320.0, conductance_to_environment=0.5)
    a, b = rod(m, "a", (0, 0, 0), (0.6, 0, 0)), rod(m, "b", (0.6, 0, 0), (1.2, 0, 0.1))
    m.revolute("root", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), friction=DRY)
    m.revolute("elbow", a, b, at=(0.6, 0, 0), axis=(0, 1, 0), rate=3.0, friction=STICKY, heat_to=bearing)
    return m


def warm():
    """An oil that thins, and a function of rate and temperature, in a universal joint and a slide; one node."""
    m = vv.Mechanism("warm", gravity=(0, 0, -9.81))
    oil = m.thermal("oil", capacity=0.1, conductance_to_environment=0.05)
    a, b = rod(m, "a", (0, 0, 0), (0, 0, -0.5)), rod(m, "b", (0, 0, -0.5), (0.3, 0.1, -0.9))
    thin = vv.friction.viscous(0.08, factor=lambda theta: np.exp(-(theta - 300) / 20))
    m.universal("cross", m.ground, a, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), rate=(4.0, -6.0),
                friction=(thin, lambda rate, theta: 0.2 * np.tanh(rate / 0.1) * 300 / theta), heat_to=oil)  # fmt: skip
    m.prismatic("slide", a, b, at=(0, 0, -0.5), axis=(0, 0, 1), rate=0.5, friction=DRY, heat_to="oil")
    m.spring("s", a, b, at_a=(0, 0, 0), at_b=(0, 0, -0.5), k=200.0, damping=1.0)
    return m


def ball():
    """A pair that flies and turns, joined by a ball with dry friction: nothing outside acts on it."""
    m = vv.Mechanism("ball")
    a = rod(m, "a", (0, 0, 0), (0.5, 0, 0), twist=(1.0, 2.0, -1.0, 0.3, 0, 0.1))
    b = rod(m, "b", (0.5, 0, 0), (0.5, 0.4, 0.2), mass=0.7)
    m.spherical("socket", a, b, at=(0.5, 0, 0), friction=STICKY)
    m.free("flies", m.ground, a)
    return m


def mixed():
    """Every older kind of loss in a mechanism that accounts for heat: dampers, viscous friction, inputs."""
    m = vv.Mechanism("mixed", gravity=(0, 0, -9.81))
    node = m.thermal("node", capacity=0.5)
    a, b = rod(m, "a", (0, 0, 0), (0.6, 0, 0)), rod(m, "b", (0.6, 0, 0), (1.2, 0.2, 0))
    c = m.particle("c", mass=0.3, at=(0.5, 0.5, 0.5), velocity=(0, 0.5, 0))
    m.revolute("root", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), friction=0.2, heat_to=node)
    m.cylindrical("sleeve", a, b, at=(0.6, 0, 0), axis=(1, 0, 0), rate=(5.0, -0.4), friction=(0.02, DRY), heat_to=node)
    m.torsion("spring", "root", k=3.0, damping=0.1)
    m.spring("line", b, c, k=20.0, damping=0.5)
    m.bushing("rubber", m.ground, b, K=5.0 * np.eye(6), D=0.1 * np.eye(6), at=(1.2, 0.2, 0))
    m.torque("drive", "root")
    return m


def planes():
    """Friction along planes and lines, each coordinate with a law of its own."""
    m = vv.Mechanism("planes", gravity=(0.5, 0.2, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.02, 0.03, 0.04))
    b = m.body("b", mass=0.5, inertia=(0.02, 0.03, 0.04), at=(1, 0, 0))
    p = m.particle("p", mass=0.2, at=(0, 1, 1))
    m.planar("table", m.ground, a, at=(0, 0, 0), normal=(0, 0, 1), rate=(2.0, 0.5, -0.3), friction=(DRY, 0.5, STICKY))
    m.point_on_plane("floor", m.ground, p, normal=(0, 0, 1), friction=(DRY, STICKY))
    m.point_on_line("wire", a, b, at=(1, 0, 0), axis=(1, 0, 0), friction=DRY)
    return m


def crank():
    """A motor on a hinge between two moving bodies, with winding and housing."""
    m = vv.Mechanism("crank", gravity=(0, 0, -9.81))
    winding = m.thermal("winding", capacity=1.5, conductance_to_environment=0.1)
    a, b = rod(m, "a", (0, 0, 0), (0.6, 0, 0)), rod(m, "b", (0.6, 0, 0), (0.6, 0.1, 0.3))
    m.revolute("root", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.revolute("wrist", a, b, at=(0.6, 0, 0), axis=(1, 0, 0), friction=DRY, heat_to=winding)
    m.motor("motor", "wrist", resistance=0.8, inductance=0.02, k=0.4, heat_to=winding, current=1.0)
    return m


def bounce():
    """A pendulum and a slider between stops, lossy and elastic, the angle beyond one turn."""
    m = vv.Mechanism("bounce", gravity=(0, 0, -9.81))
    a = rod(m, "a", (0, 0, 0), (0.5, 0, 0))
    b = m.body("b", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0, 1, 0))
    m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), rate=2.0,
               limits=(-0.3, 1.2), stop_stiffness=300.0, stop_damping=60.0)  # fmt: skip
    m.prismatic("guide", m.ground, b, axis=(0.3, 0, 1), rate=2.0, limits=(-0.2, 0.1), stop_stiffness=2000.0)
    return m


def dampers():
    """Dampers of springs of every kind, between moving bodies and to the ground, that warm two nodes."""
    m = vv.Mechanism("dampers", gravity=(0, 0, -9.81))
    hot = m.thermal("hot", capacity=0.5, temperature=330.0, conductance_to_environment=0.2)
    oil = m.thermal("oil", capacity=0.3)
    a, b = rod(m, "a", (0, 0, 0), (0.6, 0, 0)), rod(m, "b", (0.6, 0, 0), (1.2, 0.2, 0), twist=(1, -2, 3, 0.1, 0, 0.3))
    m.revolute("root", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), rate=2.0)
    m.free("flies", m.ground, b)
    m.torsion("spiral", "root", k=3.0, damping=0.2, heat_to=oil)
    m.spring("line", a, b, k=40.0, damping=1.5, at_a=(0.3, 0, 0.1), heat_to="oil")
    m.bushing("rubber", a, b, K=8.0 * np.eye(6), D=0.3 * np.eye(6), at=(0.6, 0, 0), heat_to=hot)
    corners = np.array([[1.2, 0.2, 0.1], [1.2, 0.3, -0.1], [1.1, 0.2, 0.1]])
    m.point_springs("net", m.ground, b, k=20.0, damping=0.5, at_parent=corners, at_child=corners + 0.05, heat_to=hot)
    return m


LOSSES = {make.__name__: once(make) for make in (hinges, warm, ball, mixed, planes, crank, bounce, dampers)}
INPUTS = {
    "mixed": {"drive": lambda t: 2.0 * np.sin(9.0 * t)},
    "crank": {"motor": lambda t: 6.0 + 4.0 * np.sin(20.0 * t)},
}
